"""Jobs of belief."""

from __future__ import annotations

from typing import Any

from app.facts.repository import FactRepository, Terms
from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Tx

REKEY = "facts.rekey"


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
