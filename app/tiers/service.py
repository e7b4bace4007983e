"""One memory over its tiers: a key is looked for in each, and written to the one that is named."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.indexing.likeness import Likeness
from app.indexing.spaces import Spaces
from app.kernel.caller import Caller, Role
from app.kernel.clock import now, open_end
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.scope import parse_scope
from app.pools.model import EVERYONE
from app.pools.service import PoolService
from app.pools.values import PoolValue
from app.scopes.service import private_leaf
from app.search.mode import Mode
from app.search.model import FOUND, Filters, SearchRequest
from app.search.service import SearchService
from app.shortterm.service import ShortTermService
from app.tiers.model import Address, Near, Tier, Value
from app.tiers.promotion import TierPromotion
from app.tiers.receipt import Receipt, Wanted
from app.tiers.shelves import Shelf, Written, words
from app.working.model import Part
from app.working.service import WorkingService, own
from app.working.values import unpacked

LOOKED_AT = 200  # entries of short-term memory, and values of pools, that a search compares
POOLS = 50  # pools that it looks into, those that were changed last
POOL_WORDS, ALL_WORDS = 20_000, 100_000  # characters of one pool, and of all, that it compares


@dataclass(frozen=True, slots=True)
class TierParts:
    """What the tiers are made of."""

    graph: Graph
    shelves: Mapping[Tier, Shelf]
    working: WorkingService
    shortterm: ShortTermService
    pools: PoolService
    searches: SearchService
    spaces: Spaces
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
        """Return values like a question, the most similar first: of long-term memory by the one
        search, of working memory by comparing all values of the session, of short-term memory the
        newest ones of the session or of all sessions, of shared memory the newest ones of the pools
        that the caller may read."""
        at_home = _in(who, scope, Role.READER)
        found: list[Near] = []
        if Tier.LONG_TERM in asked.tiers and asked.limit:
            found += await self._long(at_home, asked)
        found += await self._compared(at_home, asked)
        kept = [near for near in found if near.similarity >= asked.least]
        kept.sort(key=lambda near: (-near.similarity, near.value.tier, near.key))
        return kept[: asked.limit]

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

    async def _long(self, who: Caller, asked: Question) -> list[Near]:
        request = SearchRequest(
            query=asked.query,
            filters=Filters(
                scopes=who.visible,
                kinds=[kind for kind in FOUND if kind == "context_entry"],
                reader=who.principal,
            ),
            mode=Mode.VECTOR,
            limit=asked.limit,
        )
        hits = (await self._parts.searches.search(request)).hits
        keys = await self._keys([hit.id for hit in hits], who)
        return [
            Near(
                Value(Tier.LONG_TERM, hit.id, hit.memory["scope"], hit.memory["content"]),
                keys.get(hit.id, ""),
                hit.similarity or 0.0,
            )
            for hit in hits
        ]

    async def _keys(self, ids: Sequence[str], who: Caller) -> dict[str, str]:
        rows = await self._parts.graph.rows(Q.tiers.keys, ids=list(ids), scopes=who.visible)
        return {row["id"]: row["key"] for row in rows}

    async def _compared(self, who: Caller, asked: Question) -> list[Near]:
        held: list[tuple[str, Value]] = []
        if Tier.WORKING in asked.tiers and asked.session is not None:
            held += await self._working(who, asked.session)
        if Tier.SHORT_TERM in asked.tiers:
            held += await self._short(who, asked.session)
        if Tier.SHARED in asked.tiers:
            held += await self._shared(who)
        said = [(key, value, text) for key, value in held if (text := words(value))]
        if not said:
            return []
        likeness = await Likeness.of(self._parts.spaces, who.home)
        shares = await likeness.answers(asked.query, [text for _, _, text in said])
        return [
            Near(value, key, share) for (key, value, _), share in zip(said, shares, strict=True)
        ]

    async def _working(self, who: Caller, session: str) -> list[tuple[str, Value]]:
        place = own(who, None, session, Role.READER)
        found = await self._parts.working.values.values(place)
        keys = [(slot.name, content) for slot, content in found if slot.part is Part.KEYS]
        return await asyncio.to_thread(_values, place.scope, keys)

    async def _shared(self, who: Caller) -> list[tuple[str, Value]]:
        found = await self._parts.pools.newest(who, POOLS, LOOKED_AT)
        return await asyncio.to_thread(fitting, found)

    async def _short(self, who: Caller, session: str | None) -> list[tuple[str, Value]]:
        rows = await self._parts.shortterm.newest(who, [who.home], session, LOOKED_AT)
        return [
            (
                row["key"],
                Value(
                    Tier.SHORT_TERM,
                    row["id"],
                    row["scope"],
                    unpacked(row["content"].encode()),
                    open_end(row["expires_at"]),
                ),
            )
            for row in rows
        ]


def fitting(
    found: Sequence[PoolValue], each: int = POOL_WORDS, most: int = ALL_WORDS
) -> list[tuple[str, Value]]:
    """Return the values of pools that have so many characters together, and of each pool so many,
    the first ones before others; one that does not fit is left out, and those behind it are not."""
    rooms: dict[str, int] = {}
    kept = []
    for one in found:
        key, value = _shared(one)
        size, room = len(words(value)), rooms.get(one.pool.id, each)
        if size <= min(room, most):
            most -= size
            rooms[one.pool.id] = room - size
            kept.append((key, value))
    return kept


def _shared(found: PoolValue) -> tuple[str, Value]:
    pool = found.pool
    value = Value(Tier.SHARED, pool.pool_id, pool.scope, found.value, open_end(pool.ends_at))
    return found.key, value


def _values(scope: str, keys: Sequence[tuple[str, bytes]]) -> list[tuple[str, Value]]:
    return [(name, Value(Tier.WORKING, None, scope, unpacked(content))) for name, content in keys]


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
