"""The repair job: proposes merges with their evidence, and never accepts one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from app.embeddings.measured import Measured
from app.entities.likeness import DISTANCES, near
from app.entities.match import Rarity
from app.entities.merges import MergeService, Proposal
from app.entities.suggest import (
    Candidate,
    Company,
    Likeness,
    Pair,
    alike,
    best,
    evidence,
    pairs,
)
from app.jobs.model import Job, Outcome, Report
from app.jobs.repository import SYSTEM
from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.scope import parse_scope
from app.sanitize.aside import aside

REPAIR = "entities.repair"
PAGE = 1000
MOST = 100_000  # entities of a scope that are looked at
BATCH = 200


async def run_repair(parts: Any, job: Job, report: Report) -> Outcome:
    """Propose merges in the scope that the job names, or in every scope that has entities."""
    named = job.args.get("scope")
    rows = [] if named else await parts.graph.rows(Q.entities.places)
    scopes = [named] if named else [row["scope"] for row in rows]
    proposed: dict[str, int] = {}
    model = Measured.of(parts.embedder, DISTANCES)
    for place, scope in enumerate(scopes, start=1):
        made = await repair_scope(parts.graph, parts.merges, scope, model)
        if made:
            proposed[scope] = made
        await report({"scopes": place, "proposed": sum(proposed.values())})
    return Outcome({"scopes": len(scopes), "proposed": sum(proposed.values())})


async def repair_scope(
    graph: Graph, merges: MergeService, scope: str, model: Measured | None = None
) -> int:
    """How many merges were proposed; a pair that was ever proposed is not proposed again.

    `model` tells which entities are close by their vectors; without one only names are compared.
    """
    entities = await _entities(graph, scope)
    found = await aside(entities, lambda: pairs(entities))
    known = {entity.id: entity for entity in entities}
    close = {} if model is None else _seen(await near(graph, model, scope), known)
    for pair in close:
        found.setdefault(pair, []).append(Likeness.VECTOR)
    company = await _company(graph, scope, list(found))
    rarity = Rarity(entity.name for entity in entities)

    def work() -> list[Proposal]:
        shown: dict[Pair, dict[str, Any]] = {}
        for pair, likenesses in found.items():
            one, other = (known[side] for side in pair)
            speaks = evidence(one, other, likenesses, company.get(pair, Company()), rarity)
            if speaks is not None:
                shown[pair] = speaks | ({"distance": close[pair]} if pair in close else {})
        return [Proposal(scope, *pair, speaks) for pair, speaks in sorted(best(shown).items())]

    proposals = await asyncio.to_thread(work)
    made = 0
    for start in range(0, len(proposals), BATCH):
        batch = [(p, _event(p)) for p in proposals[start : start + BATCH]]
        made += sum(row["made"] for row in await merges.propose_all(batch, SYSTEM))
    return made


def _seen(close: Mapping[Pair, float], known: Mapping[str, Candidate]) -> dict[Pair, float]:
    """Close pairs that nothing in their names tells apart."""
    return {
        pair: distance
        for pair, distance in sorted(close.items())
        if pair[0] in known and pair[1] in known and alike(known[pair[0]], known[pair[1]])
    }


def _event(proposal: Proposal) -> Row:
    return audit.record(
        "merge.propose",
        tenant=parse_scope(proposal.scope).tenant,
        scope=proposal.scope,
        actor=SYSTEM,
        request=REPAIR,
        payload={"merge": proposal.id},
    )


async def _entities(graph: Graph, scope: str) -> list[Candidate]:
    found: list[Candidate] = []
    after = ""
    while len(found) < MOST:
        page = await graph.rows(Q.entities.candidates, scope=scope, after=after, limit=PAGE)
        found += [Candidate.of(row["entity"]) for row in page]
        if len(page) < PAGE:
            break
        after = page[-1]["entity"]["id"]
    return found


async def _company(graph: Graph, scope: str, wanted: list[Pair]) -> dict[Pair, Company]:
    found: dict[Pair, Company] = {}
    for start in range(0, len(wanted), BATCH):
        batch = [list(pair) for pair in wanted[start : start + BATCH]]
        for row in await graph.rows(Q.entities.company, pairs=batch, scope=scope):
            pair = (row["left"], row["right"])
            found[pair] = Company(row["shared"], row["weight"], row["facts"])
    return found
