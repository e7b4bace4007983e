"""Erasures of many episodes as jobs, and the upkeep of memory on its times."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson

from app.jobs.model import Job, Outcome, Report
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.lifecycle.erasure import Order
from app.lifecycle.model import Target

ERASE = "lifecycle.erase"
FINISH = "lifecycle.finish"
SWEEP = "lifecycle.sweep"
REFRESH = "facts.refresh"
PROMOTE = "lifecycle.promote"


def packed(order: Order) -> dict[str, Any]:
    """An order as the arguments of a job; what its caller may do is what it might then."""
    caller = order.caller
    return {
        "receipt": order.receipt,
        "target": asdict(order.target),
        "caller": {
            "principal": caller.principal,
            "kind": caller.kind,
            "name": caller.name,
            "tenant": caller.tenant,
            "home": caller.home,
            "key": caller.key,
            "request": caller.request,
            "roles": {scope: role.label for scope, role in caller.roles.items()},
        },
    }


def _order(args: dict[str, Any]) -> Order:
    given = args["caller"]
    roles = {scope: Role.named(role) for scope, role in given["roles"].items()}
    return Order(Caller(**{**given, "roles": roles}), Target(**args["target"]), args["receipt"])


async def run_erasure(parts: Any, job: Job, report: Report) -> Outcome:
    """Erase all episodes of a session, an author or a speaker; run again, it goes on."""
    if not job.args:
        return Outcome(job.result or {})  # carried out; the process ended before it could say so

    async def tell(done: int) -> None:
        await report({"episodes": done})

    receipt = await parts.erasure.erase(_order(job.args), tell)
    await parts.graph.rows(Q.lifecycle.blank_job, id=job.id)
    return Outcome(_told(receipt))


def _told(receipt: Row) -> dict[str, Any]:
    return {"receipt": receipt["id"], "counts": orjson.loads(receipt["counts"])}


async def finish_erasures(parts: Any, job: Job, report: Report) -> Outcome:
    """Finish erasures that were cut short after the graph was cleared."""
    return Outcome({"finished": await parts.erasure.finish_all()})


async def run_sweep(parts: Any, job: Job, report: Report) -> Outcome:
    """Forget what may be forgotten, in every scope whose rules switch it on."""
    return Outcome(await parts.sweeping.sweep_all())


async def refresh_facts(parts: Any, job: Job, report: Report) -> Outcome:
    """Expire facts whose time has run out, and write down what was learnt."""
    return Outcome(dict(await parts.learning.refresh()))


async def consider_promotions(parts: Any, job: Job, report: Report) -> Outcome:
    """Promote and demote in every scope whose rules switch it on."""
    return Outcome(dict(await parts.promoting.consider_all()))
