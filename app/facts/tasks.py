"""Jobs of belief."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from app.facts.repository import FactRepository, Terms
from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx

REKEY = "facts.rekey"
RESETTLE = "facts.resettle"
PAGE = 100  # facts of one transaction


async def rekey_facts(parts: Any, job: Job, report: Report) -> Outcome:
    """Give the facts of one predicate the keys that the registry now asks for, and settle them."""
    facts: FactRepository = parts.fact_rows
    done = 0
    for scope in job.args["scopes"]:
        terms: Terms = await parts.consolidation.terms(scope)
        after = ""
        while rows := await facts.facts_of_predicate([scope], job.args["predicate"], after):
            await _rekey(facts, sorted({row["subject"] for row in rows}), terms)
            after, done = rows[-1]["id"], done + len(rows)
            await report({"facts": done})
    return Outcome({"facts": done})


async def _rekey(facts: FactRepository, subjects: list[str], terms: Terms) -> None:
    async def work(tx: Tx) -> None:
        await tx.rows(Q.facts.lock, ids=subjects, at=now())
        keys = await facts.rekey(tx, subjects, terms)
        await facts.settle(tx, keys, terms)

    await facts.graph.write(REKEY, work)


async def resettle_facts(parts: Any, job: Job, report: Report) -> Outcome:
    """Settle the facts that an older version settled, or that a package brought, for readers.

    Until then they are read by their claims. Rests after each page for as long as the page took.
    """
    facts: FactRepository = parts.fact_rows
    done = 0
    while rows := await facts.graph.rows(Q.facts.unsettled, limit=PAGE):
        start = time.monotonic()
        for scope in sorted({row["scope"] for row in rows}):
            terms: Terms = await parts.consolidation.terms(scope)
            await _resettle(facts, [row for row in rows if row["scope"] == scope], terms)
        done += len(rows)
        await report({"facts": done})
        await asyncio.sleep(time.monotonic() - start)
    return Outcome({"facts": done})


async def _resettle(facts: FactRepository, rows: list[Row], terms: Terms) -> None:
    async def work(tx: Tx) -> None:
        await tx.rows(Q.facts.lock, ids=sorted({row["subject"] for row in rows}), at=now())
        await facts.settle(tx, {row["key"] for row in rows}, terms)
        await tx.rows(Q.facts.looked_at, ids=[row["id"] for row in rows])

    await facts.graph.write(RESETTLE, work)
