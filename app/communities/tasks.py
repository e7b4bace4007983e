"""Communities as a job: asked for, or every few minutes where something was written."""

from __future__ import annotations

from typing import Any

import structlog

from app.communities.detect import drop_strays
from app.communities.model import Pass
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
        return Outcome({"scopes": int(done is not None)}, [told(named, done)])
    await drop_strays(parts.graph)
    items = []
    for scope in await parts.communities.due():
        try:
            done = await parts.communities.refresh(scope)
        except GdsUnavailable as error:
            log.warning("communities", scope=scope, error=error.detail)
            items.append({"scope": scope, "state": "failed", "error": error.detail})
        else:
            items.append(told(scope, done))
        await report({"scopes": len(items)})
    return Outcome({"scopes": len(items)}, items)


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
