"""The two legs and what a hit shows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from app.conversations.model import RULES
from app.episodes.record import tag_id
from app.errors import InvalidInput, NotFound
from app.facts.service import Moments
from app.indexing.entry import PASSAGES, key_time, time_key
from app.indexing.spaces import Part, Space
from app.kernel.clock import END, START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.nothing import KnownEmpty
from app.learning.quality import quality
from app.pools.finding import rooms
from app.pools.kind import POOL_TEXT
from app.pools.model import readers_of
from app.search.model import FOUND, NOTES, ROLES, Filters, Ranking

ANY_ROLE = [*ROLES, ""]
NEWEST = 200  # messages of a reader that are looked through for those in a buffer
OUTCOMES = 200  # tasks of one memory that count, the newest
PASSAGE = "passage"
_GROUPS = {
    **dict.fromkeys(PASSAGES, PASSAGE),
    **dict.fromkeys(NOTES, "note"),
    **dict.fromkeys(FOUND, "declared"),
}


class SearchRepository:
    """Reads only; the scopes are an argument of every query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # Most tenants have no memories beside their texts: who has none is remembered for a moment.
        self._absent = KnownEmpty()

    async def keyword(self, query: str, scopes: list[str], limit: int) -> Ranking:
        """The text leg."""
        found = await self.graph.one(Q.search.keyword, q=query, scopes=scopes, limit=limit)
        return Ranking.of(found)

    async def vector(
        self, part: Part, filters: Filters, sessions: list[str] | None, limit: int
    ) -> Ranking:
        """The vector leg in one space, by the query that fits the filters."""
        sessions = filters.within(sessions)
        over = part.space.over
        common = {
            "v": part.vector,
            "scopes": filters.scopes,
            "kinds": filters.kinds,
            "limit": limit,
        }
        tenant = filters.tenant
        if filters.plain and tenant is not None:
            query = over(query=Q.search.vector_live_of_tenant)
            return Ranking.of(await self.graph.one(query, tenant=tenant, **common))
        if filters.plain:
            return Ranking.of(await self.graph.one(over(query=Q.search.vector_live), **common))
        full = common | _bounds(filters)
        if filters.tags is not None:
            tags = [tag_id(scope, tag) for scope in filters.scopes for tag in filters.tags]
            wanted = len(set(filters.tags))
            found = await self.graph.one(
                over(query=Q.search.vector_tagged),
                tags=tags,
                wanted=wanted,
                sessions=sessions,
                **full,
            )
        elif sessions is not None:
            found = await self.graph.one(
                over(query=Q.search.vector_in_sessions), sessions=sessions, **full
            )
        elif tenant is not None:
            query = over(query=Q.search.vector_filtered_of_tenant)
            found = await self.graph.one(query, tenant=tenant, **full)
        else:
            found = await self.graph.one(over(query=Q.search.vector_filtered), **full)
        return Ranking.of(found)

    async def hydrate(
        self,
        ids: list[str],
        kinds: Mapping[str, str],
        filters: Filters,
        moments: Moments,
        blocks_of: list[str],
    ) -> tuple[dict[str, Row], list[Row]]:
        """Memories by id, as far as they are in the scopes and may hold at the moments.

        With them the core blocks of the scopes `blocks_of`. What is of a kind that is known is
        looked for there alone, side by side with the others; the rest as passages, then elsewhere.
        """
        apart: dict[str, list[str]] = {}
        for memory in ids:
            apart.setdefault(_group(kinds.get(memory)), []).append(memory)
        passages = apart.pop(PASSAGE, [])
        elsewhere = [self._others(group, some, filters, moments) for group, some in apart.items()]
        (memories, blocks), others = await asyncio.gather(
            self._passages(passages, filters, blocks_of), asyncio.gather(*elsewhere)
        )
        unknown = [i for i in passages if i not in memories and i not in kinds]
        if unknown:
            groups = dict.fromkeys(map(_group, filters.kinds))
            others += await asyncio.gather(
                *(self._others(g, unknown, filters, moments) for g in groups if g != PASSAGE)
            )
        for rows in others:
            memories |= {memory["id"]: completed(timed(memory)) for memory in rows}
        return memories, blocks

    async def _passages(
        self, ids: list[str], filters: Filters, blocks_of: list[str]
    ) -> tuple[dict[str, Row], list[Row]]:
        if not ids and not blocks_of:
            return {}, []
        found = await self.graph.one(
            Q.search.hydrate,
            ids=ids,
            scopes=filters.scopes,
            blocks_of=blocks_of,
            discarded=filters.discarded,
            **_in_mind(filters),
        )
        return {memory["id"]: timed(memory) for memory in found["memories"]}, found["blocks"]

    async def in_mind(self, filters: Filters) -> frozenset[str]:
        """Return which of the reader's newest messages are in a buffer, to be left out."""
        if not filters.reader or set(PASSAGES).isdisjoint(filters.kinds):
            return frozenset()
        asked = _in_mind(filters)
        found = await self.graph.one(Q.search.in_mind, limit=NEWEST, **asked)
        return frozenset(found["ids"])

    async def _others(
        self, group: str, ids: list[str], filters: Filters, moments: Moments
    ) -> list[Row]:
        queries = {
            "fact": Q.search.hydrate_facts,
            "note": Q.search.hydrate_notes,
            "skill": Q.search.hydrate_skills,
            "declared": Q.kinds.hydrate,
        }
        if group not in queries:
            return []
        more: Row = {"latest": moments.latest} if group == "fact" else {}
        if group == "note":
            more = _in_mind(filters)
        if group == "declared":
            more = {"readers": readers_of(filters.reader)}
        found = await self.graph.one(
            queries[group],
            ids=ids,
            scopes=filters.scopes,
            as_of=moments.as_of,
            known_at=moments.known_at,
            alive=time_key(now()),
            **more,
        )
        rows: list[Row] = found["memories"]
        return rows

    async def rests(
        self, ids: Sequence[str], scopes: list[str]
    ) -> tuple[dict[str, list[str]], frozenset[str]]:
        """Ids of the turns that memories rest on, and those memories that are no more than what the
        rules left of a turn."""
        if not ids:
            return {}, frozenset()
        rows = await self.graph.rows(Q.search.rests, ids=list(ids), scopes=scopes, rules=RULES)
        cut = frozenset(row["id"] for row in rows if row["cut"])
        return {row["id"]: row["turns"] for row in rows}, cut

    async def qualities(self, ids: Sequence[str], scopes: list[str]) -> dict[str, float]:
        """How well tasks ended that used memories, of those that one used."""
        rows = await self.graph.rows(
            Q.learning.outcomes, ids=list(ids), scopes=scopes, limit=OUTCOMES
        )
        return {row["id"]: quality([(rank, good) for rank, good in row["uses"]]) for row in rows}

    async def turns(self, ids: Sequence[str], filters: Filters) -> dict[str, list[Row]]:
        """The turns that memories rest on, with what was said in them."""
        if not ids:
            return {}
        rows = await self.graph.rows(
            Q.search.turns,
            ids=list(ids),
            scopes=filters.scopes,
            discarded=filters.discarded,
            **_in_mind(filters),
        )
        return {row["id"]: [timed(turn) for turn in row["turns"]] for row in rows}

    async def naming(self, ids: Sequence[str], scopes: list[str]) -> dict[str, Row]:
        """By what names facts may be asked for: those of their subjects, and their words."""
        rows = await self.graph.rows(Q.search.naming, ids=list(ids), scopes=scopes)
        return {row["id"]: row for row in rows}

    async def past(self, ids: list[str], scopes: list[str], known_at: datetime) -> list[Row]:
        """What became of facts that do not hold."""
        return await self.graph.rows(Q.search.past, ids=ids, scopes=scopes, known_at=known_at)

    async def read_other(self, memory: str, scopes: list[str], reader: str) -> Row | None:
        """One memory that is no episode."""
        return await self.graph.optional(
            Q.search.read_other, id=memory, scopes=scopes, readers=readers_of(reader)
        )

    async def rooms(self, filters: Filters) -> list[str] | None:
        """The pools whose texts a search may find; None where it looks for none."""
        if POOL_TEXT.name not in filters.kinds:
            return None
        return await rooms(self.graph, filters.scopes, filters.reader)

    async def check_bases(self, bases: Sequence[str], scopes: list[str]) -> None:
        """What a question keeps to: InvalidInput for no base at all, NotFound for one that is not
        seen, both naming `knowledge_base_ids`."""
        if not bases:
            raise InvalidInput("name one knowledge base at least", field="knowledge_base_ids")
        rows = await self.graph.rows(Q.search.bases, ids=list(bases), scopes=scopes)
        missing = sorted(set(bases) - {row["id"] for row in rows})
        if missing:
            raise NotFound(f"there is no knowledge base {missing[0]}", field="knowledge_base_ids")

    async def vectors(
        self, space: Space, ids: list[str], scopes: list[str]
    ) -> dict[str, list[float]]:
        """Vectors by memory, as far as they have one in the space."""
        rows = await self.graph.rows(space.over(query=Q.search.vectors), ids=ids, scopes=scopes)
        return {row["id"]: row["vector"] for row in rows}

    async def any_memory(self, scopes: list[str], query: str) -> bool:
        """Return whether a query of the text index that asks for a kind alone finds anything; what
        has come in the last second may be missed."""
        if query in self._absent:
            return False
        row = await self.graph.one(Q.search.any_of, q=query, scopes=scopes)
        if not row["found"]:
            self._absent.add(query)
        return bool(row["found"])

    async def closest(self, part: Part, ids: list[str]) -> dict[str, float]:
        """(1 + cosine) / 2 of a question and the best window of each memory that has a vector."""
        query = part.space.over(query=Q.search.closest)
        rows = await self.graph.rows(query, ids=ids, scopes=part.scopes, v=part.vector)
        return {row["id"]: row["score"] for row in rows}

    async def spans(self, ids: list[str], scopes: list[str]) -> dict[str, tuple[int, int]]:
        """Where windows (`memory~place`) lie in their memory's text."""
        if not ids:
            return {}
        rows = await self.graph.rows(Q.search.window_spans, ids=ids, scopes=scopes)
        return {row["id"]: (row["start"], row["end"]) for row in rows}


def _group(kind: str | None) -> str:
    """The kinds that one query reads: all passages, all notes, all that are declared. What is of no
    known kind is looked for among passages first."""
    return PASSAGE if kind is None else _GROUPS.get(kind, kind)


def _in_mind(filters: Filters) -> Row:
    return {"reader": filters.reader, "talk": filters.talk}


def completed(memory: Row) -> Row:
    """A memory that nobody said in a session, with what such a one has not."""
    unsaid = ("role", "speaker", "title", "tags", "session_id", "session_key", "origin", "windows")
    return dict.fromkeys((*unsaid, "author", "content_hash")) | memory


def timed(memory: Row) -> Row:
    """The memory with its times as moments in place of their tokens."""
    for name in ("captured", "ingested", "expired"):
        if f"{name}_key" in memory:
            memory[f"{name}_at"] = key_time(memory.pop(f"{name}_key"))
    return memory


def _bounds(filters: Filters) -> Row:
    ends = [moment for moment in (filters.until, filters.as_of) if moment is not None]
    alive = now()
    return {
        "roles": filters.roles or ANY_ROLE,
        "since": (filters.since or START).astimezone(UTC),
        "until": min(ends, default=END).astimezone(UTC),
        "known_at": (filters.known_at or alive).astimezone(UTC),
        "alive": alive,
        "live": [True] if filters.current else [True, False],
    }
