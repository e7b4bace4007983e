"""Communities as a job: asked for, or every few minutes where something was written."""

from __future__ import annotations

from typing import Any

import structlog

from app.communities.detect import drop_strays
from app.communities.model import Pass
from app.communities.summaries import Wordings
from app.errors import GdsUnavailable
from app.jobs.model import Job, Outcome, Report

COMMUNITIES = "communities.refresh"
log = structlog.get_logger()


async def run_communities(parts: Any, job: Job, report: Report) -> Outcome:
    """Bring the scope that the job names up to date, or every scope in which something was written.

    Where the job is for one scope, GdsUnavailable fails it, to be tried again; else it is told of
    the scope, and the others have their turn.
    """
    named = job.args.get("scope")
    if named:
        done = await parts.communities.refresh(named, whole=bool(job.args.get("whole")))
        words = await _worded(parts, named)
        return Outcome({"scopes": int(done is not None)}, [told(named, done) | words])
    await drop_strays(parts.graph)
    items = []
    for scope in await parts.communities.due():
        items.append(await _refreshed(parts, scope))
        await report({"scopes": len(items)})
    seen = {item["scope"] for item in items}
    for scope in await parts.summaries.waiting():
        if scope not in seen:
            items.append({"scope": scope, "state": "done"} | await _worded(parts, scope))
    return Outcome({"scopes": len(items)}, items)


async def _refreshed(parts: Any, scope: str) -> dict[str, Any]:
    try:
        done = await parts.communities.refresh(scope)
    except GdsUnavailable as error:
        log.warning("communities", scope=scope, error=error.detail)
        return {"scope": scope, "state": "failed", "error": error.told}
    return told(scope, done) | await _worded(parts, scope)


async def _worded(parts: Any, scope: str) -> dict[str, Any]:
    return worded(await parts.summaries.word(scope))


def told(scope: str, done: Pass | None) -> dict[str, Any]:
    """What a pass did, for the job's record."""
    if done is None:
        return {"scope": scope, "state": "elsewhere"}
    return {
        "scope": scope,
        "state": "done",
        "whole": done.whole,
        "entities": done.entities,
        "communities": done.communities,
        "regrouped": done.regrouped,
        "told": done.told,
        "changed": done.changed,
        "seconds": dict(done.seconds),
    }


def worded(done: Wordings) -> dict[str, Any]:
    """What a model was asked for; nothing where it was not."""
    if not done.asked:
        return {}
    return {"model": {"asked": done.asked, "worded": done.worded, "failed": done.failed}}
