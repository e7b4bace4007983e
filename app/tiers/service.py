"""One memory over its tiers: a key is looked for in each, and written to the one that is named."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.contradiction.once import once
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.scope import parse_scope
from app.pools.model import EVERYONE
from app.sanitize.aside import READ, aside
from app.scopes.service import private_leaf
from app.search.at_hand import AtHand
from app.search.held import Held, Where
from app.search.model import FOUND, Filters, Hit, Mode, SearchRequest
from app.search.service import SearchService
from app.tiers.model import Address, Near, Tier, Value
from app.tiers.promotion import TierPromotion
from app.tiers.receipt import Receipt, Wanted
from app.tiers.shelves import Shelf, Written
from app.working.service import WorkingService


@dataclass(frozen=True, slots=True)
class TierParts:
    """What the tiers are made of."""

    graph: Graph
    shelves: Mapping[Tier, Shelf]
    working: WorkingService
    at_hand: AtHand
    searches: SearchService
    promotion: TierPromotion


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for by meaning: in which tiers, in which session, how like the question."""

    query: str
    tiers: Sequence[Tier]
    session: str | None
    limit: int
    least: float


class TierService:
    """Every operation over the tiers; what a tier refuses by itself, it refuses here."""

    def __init__(self, parts: TierParts) -> None:
        self._parts = parts

    async def read(
        self, who: Caller, scope: str | None, at: Address, tier: Tier | None
    ) -> Value | None:
        """Return what a key has in a tier, or in the first that has it: working, short-term,
        long-term, shared. None where there is nothing."""
        at_home = _in(who, scope, Role.READER)
        for each in (tier,) if tier else Tier:
            found = await self._parts.shelves[each].read(at_home, at)
            if found is not None:
                return found
        return None

    async def write(
        self, who: Caller, scope: str | None, at: Address, tier: Tier | None, given: Written
    ) -> Value:
        """Keep a value in a tier; in short-term memory where none of ours is named."""
        at_home = _in(who, scope, Role.WRITER)
        return await self._parts.shelves[tier or Tier.SHORT_TERM].write(at_home, at, given)

    async def delete(self, who: Caller, scope: str | None, at: Address, tier: Tier) -> None:
        """Take out what a key has in a tier; long-term memory archives it, and what is shared stays
        (StateRefused)."""
        await self._parts.shelves[tier].delete(_in(who, scope, Role.WRITER), at)

    async def search(self, who: Caller, scope: str | None, asked: Question) -> list[Near]:
        """Return values for a question, the most relevant first, of those that are so like it: by
        the one search, which looks at long-term memory and judges beside it what the caller has at
        hand. What stands in several tiers is there once."""
        at_home = _in(who, scope, Role.READER)
        wanted = [where for where in Where if Tier(where) in asked.tiers]
        held = await self._parts.at_hand.values(at_home, asked.session, wanted)
        found = await self._parts.searches.search(_request(at_home, asked, held))
        keys = await self._keys([hit.id for hit in found.hits], at_home)
        values = {one.name: one for one in held}
        near = [
            *(_kept(hit, keys.get(hit.id, "")) for hit in found.hits),
            *(_at_hand(hit, values[hit.id]) for hit in found.beside),
        ]
        kept = [one for one in near if one.similarity >= asked.least]
        return (await aside([one.said for one in kept], lambda: ranked(kept), READ))[: asked.limit]

    async def consolidate(
        self, who: Caller, scope: str | None, session: str | None, *, dry_run: bool
    ) -> Receipt:
        """Promote at once what of a session, or of all of the caller's, was read often."""
        home = _in(who, scope, Role.WRITER).home
        wanted = Wanted([home], who.principal, session)
        return await self._parts.promotion.run(wanted, dry_run=dry_run)

    async def stats(self, who: Caller, scope: str | None) -> dict[Tier, dict[str, Any]]:
        """Return the figures of the caller's tiers in a scope; those that are shared are of all the
        pools that he may read there."""
        at_home = _in(who, scope, Role.READER)
        own_rows = {"agent": who.principal, "scopes": [at_home.home]}
        kinds, rows, (tasks, usage) = await asyncio.gather(
            self._parts.graph.rows(Q.tiers.figures, tenant=who.tenant, **own_rows, at=now()),
            self._parts.graph.one(
                Q.tiers.kept, agent=who.principal, scope=at_home.home, at=now(),
                scopes=[at_home.home, private_leaf(at_home)], readers=[who.principal, EVERYONE],
            ),
            self._parts.working.tasks(at_home, at_home.home),
        )  # fmt: skip
        return {
            Tier.WORKING: {"tasks": len(tasks), "bytes": usage.agent},
            Tier.SHORT_TERM: _figures(kinds),
            Tier.LONG_TERM: {"entries": rows["entries"], "promoted": rows["promoted"]},
            Tier.SHARED: {"pools": rows["pools"], "bytes": rows["bytes"]},
        }

    # --- within -------------------------------------------------------------------------------

    async def _keys(self, ids: Sequence[str], who: Caller) -> dict[str, str]:
        rows = await self._parts.graph.rows(Q.tiers.keys, ids=list(ids), scopes=who.visible)
        return {row["id"]: row["key"] for row in rows}


def ranked(found: Sequence[Near]) -> list[Near]:
    """Return values by their relevance, then by their similarity; of those that say the same the
    one of long-term memory, else of the first tier, in the place of the best of them."""
    tiers = list(Tier)
    order = sorted(
        found,
        key=lambda near: (
            -near.relevance, -near.similarity, tiers.index(near.value.tier), near.key
        ),
    )  # fmt: skip
    kept: dict[int, Near] = {}
    for near, first in zip(order, once([near.said for near in order]), strict=True):
        if first not in kept or _stands_before(near, kept[first]):
            kept[first] = near
    return list(kept.values())


def _stands_before(one: Near, other: Near) -> bool:
    return one.value.tier is Tier.LONG_TERM and other.value.tier is not Tier.LONG_TERM


def _request(who: Caller, asked: Question, held: Sequence[Held]) -> SearchRequest:
    kinds = [kind for kind in FOUND if kind == "context_entry" and Tier.LONG_TERM in asked.tiers]
    return SearchRequest(
        query=asked.query,
        filters=Filters(scopes=who.visible, kinds=kinds, reader=who.principal),
        mode=Mode.VECTOR,
        limit=asked.limit,
        beside=tuple(held),
    )


def _kept(hit: Hit, key: str) -> Near:
    said = hit.memory["content"]
    value = Value(Tier.LONG_TERM, hit.id, hit.memory["scope"], said)
    return Near(value, key, hit.relevance, hit.similarity or 0.0, said)


def _at_hand(hit: Hit, held: Held) -> Near:
    value = Value(Tier(held.where), held.id, held.scope, held.value, held.ends_at)
    return Near(value, held.key, hit.relevance, hit.similarity or 0.0, held.text)


def _in(who: Caller, scope: str | None, role: Role) -> Caller:
    """The caller at home in the scope that is meant; raises as `Caller.require` does."""
    return replace(who, home=who.require(str(parse_scope(scope or who.home)), role))


def _figures(kinds: Sequence[Row]) -> dict[str, Any]:
    return {
        "entries": sum(row["entries"] for row in kinds),
        "bytes": sum(row["bytes"] for row in kinds),
        "ready": sum(row["ready"] for row in kinds),
        "by_type": {row["kind"]: row["entries"] for row in kinds},
    }
