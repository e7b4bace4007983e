"""Erasures of many episodes as jobs, and the upkeep of memory on its times."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from app.access.keys import asked_by
from app.contexts.staleness import Verdict
from app.errors import Forbidden, NotFound
from app.jobs.model import Job, Outcome, Report
from app.jobs.spool import Spool, spool_of
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.lifecycle.erasure import Order
from app.lifecycle.model import Target
from app.lifecycle.proof import Proof, Search, prove

ERASE = "lifecycle.erase"
CHECK = "lifecycle.check"
FINISH = "lifecycle.finish"
DELETE_SCOPE = "lifecycle.delete_scope"
SWEEP = "lifecycle.sweep"
REFRESH = "facts.refresh"
PROMOTE = "lifecycle.promote"
TRUST = "lifecycle.trust"
LEARNINGS = "lifecycle.learnings"
ROT = "lifecycle.rot"
DUPLICATES = "lifecycle.duplicates"
REWORD = "facts.reword"


def packed(order: Order) -> dict[str, Any]:
    """An order as the arguments of a job; what its caller may do is looked up when it runs."""
    return {
        "receipt": order.receipt,
        "target": asdict(order.target),
        "caller": asked_by(order.caller),
    }


async def run_erasure(parts: Any, job: Job, report: Report) -> Outcome:
    """Erase what belongs to a session, an author or a speaker; run again, it goes on."""
    if not job.args:
        return Outcome(job.result or {})  # carried out; the process ended before it could say so

    async def tell(done: int) -> None:
        await report({"episodes": done})

    caller = await parts.keys.asker(job.args["caller"])
    order = Order(caller, Target(**job.args["target"]), job.args["receipt"])
    await parts.erasure.check(caller, order.target)
    receipt = await parts.erasure.erase(order, tell)
    await parts.graph.rows(Q.lifecycle.blank_job, id=job.id)
    return Outcome(_told(receipt))


async def run_deletion(parts: Any, job: Job, report: Report) -> Outcome:
    """Delete a scope with all below it; run again, it goes on where it was."""

    async def tell(done: int) -> None:
        await report({"removed": done})

    if not job.args:
        return Outcome(job.result or {})  # carried out; the process ended before it could say so
    caller = await parts.keys.asker(job.args["caller"])
    order = Order(caller, Target(**job.args["target"]), job.args["receipt"])
    receipt = await parts.deletion.resume(order, tell)
    await parts.graph.rows(Q.lifecycle.blank_job, id=job.id)
    return Outcome(_told(receipt))


def _told(receipt: Row) -> dict[str, Any]:
    return {"receipt": receipt["id"], "counts": orjson.loads(receipt["counts"])}


def words_of(spool: Spool, job: str) -> Path:
    """Where the text lies that a check looks for."""
    return spool.place(job) / "words"


async def run_check(parts: Any, job: Job, report: Report) -> Outcome:
    """Look whether anything holds what a receipt names; run again, it goes on where it was.

    Raises Forbidden where its key is gone, or looks for a text and does not administer the whole
    tenant any more; NotFound where the receipt is not the caller's to see any more, or the text
    that it was to look for has run out.
    """
    if not job.args:
        raise NotFound("what it had found was erased meanwhile: ask again")
    caller = await parts.keys.asker(job.args["caller"])
    receipt = await parts.erasing.receipt(caller, job.args["receipt"])
    spool, text = spool_of(parts.settings), None
    if job.args["words"]:
        if not caller.governs(caller.tenant):
            raise Forbidden("a text is looked for in all of the tenant, by its admin")
        try:
            text = await asyncio.to_thread(words_of(spool, job.id).read_text, "utf-8")
        except FileNotFoundError as error:
            raise NotFound("the text to look for is kept for a day: ask again") from error
    proof = Proof(**job.progress) if job.progress else Proof()
    await prove(parts.graph, Search.of(receipt, caller.visible, text), proof, report)
    found = {
        "receipt": receipt["id"],
        "clean": proof.clean,
        "looked_at": proof.looked_at,
        "holders": proof.holders,
        "same_text": proof.same_text,
        "began_at": proof.began_at,
        "ended_at": now(),
    }
    return Outcome(found, tidy=partial(spool.drop, job.id))


async def finish_erasures(parts: Any, job: Job, report: Report) -> Outcome:
    """Finish erasures that were cut short after the graph was cleared."""
    return Outcome({"finished": await parts.erasure.finish_all()})


async def run_sweep(parts: Any, job: Job, report: Report) -> Outcome:
    """Forget what may be forgotten, in every scope whose rules switch it on."""
    return Outcome(await parts.sweeping.sweep_all())


async def refresh_facts(parts: Any, job: Job, report: Report) -> Outcome:
    """Expire facts whose time has run out, and write down what was learnt."""
    return Outcome(dict(await parts.learning.refresh()))


async def reword_facts(parts: Any, job: Job, report: Report) -> Outcome:
    """Tell facts as sentences that an older version told in other words."""
    return Outcome({"reworded": await parts.rewording.sweep()})


async def consider_promotions(parts: Any, job: Job, report: Report) -> Outcome:
    """Promote and demote in every scope whose rules switch it on."""
    return Outcome(dict(await parts.promoting.consider_all()))


async def fade_trust(parts: Any, job: Job, report: Report) -> Outcome:
    """Let the trust in idle agents fade, where the rules of their home say so."""
    done = {scope: await parts.upkeep.trust_of_agents(scope) for scope in await _nightly(parts)}
    return Outcome({"agents": sum(done.values()), "scopes": _counted(done)})


async def archive_learnings(parts: Any, job: Job, report: Report) -> Outcome:
    """Hide learnings that faded, where a scope's rules say so."""
    scopes = await _nightly(parts)
    done = {scope: len(await parts.upkeep.spent_learnings(scope)) for scope in scopes}
    return Outcome({"archived": sum(done.values()), "scopes": _counted(done)})


async def detect_rot(parts: Any, job: Job, report: Report) -> Outcome:
    """Look for stale notes and hide the stalest, where a scope's rules say so."""
    found = [await parts.upkeep.rot(scope, dry_run=False) for scope in await _nightly(parts)]
    return Outcome(
        {
            "total": sum(report.total for report in found),
            "stale": sum(len(report.entries) for report in found),
            "review": sum(report.count(Verdict.REVIEW) for report in found),
            "archived": sum(len(report.archived) for report in found),
            "scopes": _counted({report.scope: len(report.archived) for report in found}),
        }
    )


async def propose_duplicates(parts: Any, job: Job, report: Report) -> Outcome:
    """Look for notes and facts that say the same twice, where a scope's rules say so; `GET
    /v1/duplicates` names them, and only a curator does something about it."""
    done = {scope: len(await parts.doubling.report(scope)) for scope in await _nightly(parts)}
    return Outcome({"proposed": sum(done.values()), "scopes": _counted(done)})


async def _nightly(parts: Any) -> list[str]:
    scopes: list[str] = await parts.upkeep.scopes()
    return scopes


def _counted(done: dict[str, int]) -> dict[str, int]:
    return {scope: count for scope, count in done.items() if count}
