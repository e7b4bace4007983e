"""Communities in the graph: one method a query, rows to values."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import combinations
from typing import TypeVar

from app.communities.detect import Turn
from app.communities.model import Central, Cite, Cursor, Outline, Plan, Stored, Written
from app.communities.outline import Text, Told
from app.communities.view import CommunityView
from app.errors import LeaseLost
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row
from app.sanitize.aside import aside

T = TypeVar("T")
Pairs = Counter[tuple[tuple[str, str], tuple[str, str]]]  # each entity with its root
PAGE = 2000  # entities read at once
MOST_COMPANY = 24  # entities of one passage that are counted as mentioned together
BATCH = 500  # communities written at once
OF_AN_ENTITY = 24  # facts
TEXTS, FAN = 6, 100  # passages of a community, and looked at for one entity of it
RELATED = (
    2.0  # weight of a held fact between two entities, beside log2(1 + times mentioned together)
)


class CommunityRepository:
    """Reads and writes; what a turn writes, it writes only while the scope is its own."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def due(self, limit: int) -> list[str]:
        """Scopes in which entities were written since the last pass."""
        return [row["scope"] for row in await self.graph.rows(Q.communities.due, limit=limit)]

    async def take(self, turn: Turn, tenant: str, at: datetime) -> Cursor | None:
        """How far the scope is, for this holder; None where another has it."""
        row = await self.graph.optional(
            Q.communities.take,
            scope=turn.scope,
            tenant=tenant,
            holder=turn.holder,
            at=at,
            until=turn.until,
        )
        return Cursor(**row) if row else None

    async def finish(self, turn: Turn, state: Mapping[str, object]) -> None:
        """Give the scope back, with how far it is; LeaseLost where another has it."""
        done = await self.graph.optional(
            Q.communities.finish, scope=turn.scope, holder=turn.holder, state=dict(state)
        )
        if done is None:
            raise _lost(turn)

    async def give_back(self, turn: Turn, error: str) -> None:
        """Give the scope back with the reason of a failure."""
        await self.graph.rows(
            Q.communities.give_back, scope=turn.scope, holder=turn.holder, error=error
        )

    async def cursors(self, scopes: list[str]) -> dict[str, Row]:
        """How far the communities of each scope are."""
        rows = await self.graph.rows(Q.communities.cursors, scopes=scopes)
        return {row["cursor"]["scope"]: row["cursor"] for row in rows}

    async def count(self, scope: str) -> int:
        """How many entities a scope has."""
        row = await self.graph.one(Q.communities.count_entities, scope=scope)
        return int(row["entities"])

    async def touched(self, scope: str, since: datetime) -> set[str]:
        """Roots of what was written since a moment."""
        row = await self.graph.one(Q.communities.touched, scope=scope, since=since)
        return set(row["roots"])

    async def links(self, scope: str, at: datetime) -> dict[str, dict[str, float]]:
        """The weights between all entities of a scope that are held, by root."""
        found: dict[str, dict[str, float]] = {}
        held: set[str] = set()
        after = ""
        while rows := await self.graph.rows(
            Q.communities.links, scope=scope, after=after, at=at, limit=PAGE
        ):
            after = rows[-1]["id"]
            await aside([*found, *rows], partial(_take, found, rows))
            held |= {row["id"] for row in rows if row["held"]}
        pairs: Pairs = Counter()
        after = ""
        while rows := await self.graph.rows(
            Q.communities.together, scope=scope, after=after, most=MOST_COMPANY, limit=PAGE
        ):
            after = rows[-1]["id"]
            _pair(pairs, rows)
        await aside([*found, *pairs], partial(_weigh, found, pairs, held))
        return found

    async def links_of(
        self, scope: str, roots: Sequence[str], at: datetime
    ) -> dict[str, dict[str, float]]:
        """The same of some entities."""
        found: dict[str, dict[str, float]] = {}
        held: set[str] = set()
        passages: dict[str, Row] = {}
        for part in _parts(roots, PAGE):
            rows = await self.graph.rows(Q.communities.links_of, scope=scope, roots=part, at=at)
            await aside([*found, *rows], partial(_take, found, rows))
            held |= {row["id"] for row in rows if row["held"]}
            near = await self.graph.rows(
                Q.communities.together_of, scope=scope, roots=part, most=MOST_COMPANY
            )
            passages |= {row["id"]: row for row in near}
        pairs: Pairs = Counter()
        _pair(pairs, passages.values())
        await aside([*found, *pairs], partial(_weigh, found, pairs, held))
        return found

    async def leaves_of(self, scope: str, roots: Iterable[str]) -> set[str]:
        """The finest communities that entities are in."""
        row = await self.graph.one(Q.communities.leaves_of, scope=scope, roots=sorted(roots))
        return set(row["ids"])

    async def damaged(self, scope: str, at: datetime) -> set[str]:
        """Communities that something went from."""
        return set((await self.graph.one(Q.communities.damaged, scope=scope, at=at))["ids"])

    async def every(self, scope: str) -> list[str]:
        """The ids of a scope's communities."""
        return list((await self.graph.one(Q.communities.every, scope=scope))["ids"])

    async def stored(self, scope: str, ids: Iterable[str], damaged: set[str]) -> dict[str, Stored]:
        """Communities as they are kept."""
        found = {}
        for part in _parts(sorted(ids), BATCH):
            for row in await self.graph.rows(Q.communities.stored, scope=scope, ids=part):
                found[row["id"]] = _stored(row, damaged)
        return found

    async def save(self, turn: Turn, tenant: str, at: datetime, plan: Plan) -> None:
        """What a plan writes and takes away, finest first."""
        rows = sorted(plan.rows, key=lambda row: (row.level, row.id))
        leaves = [_written(row) for row in rows if not row.level]
        nests = [_written(row) for row in rows if row.level]
        await self._write(turn, leaves, query=Q.communities.save_leaves, tenant=tenant, at=at)
        await self._write(turn, nests, query=Q.communities.save_nests, tenant=tenant, at=at)
        await self.remove(turn, plan.gone)

    async def describe(self, turn: Turn, at: datetime, outlines: Mapping[str, Outline]) -> None:
        """What summaries show."""
        rows = [_outlined(*item) for item in outlines.items()]
        await self._write(turn, rows, query=Q.communities.describe, at=at)

    async def remove(self, turn: Turn, ids: Sequence[str]) -> None:
        """Communities that no longer are."""
        for part in _parts(ids, BATCH):
            await self.graph.rows(
                Q.communities.remove,
                scope=turn.scope,
                holder=turn.holder,
                until=turn.until,
                ids=part,
            )

    async def facts(self, scope: str, roots: Sequence[str], at: datetime) -> dict[str, list[Told]]:
        """What is held of entities, by root."""
        found: dict[str, list[Told]] = defaultdict(list)
        for part in _parts(roots, PAGE):
            for row in await self.graph.rows(
                Q.communities.facts, scope=scope, roots=part, at=at, limit=OF_AN_ENTITY
            ):
                told = Told(row["id"], row["root"], row["object"], row["confidence"])
                found[row["root"]].append(told)
        return found

    async def texts(self, scope: str, central: Mapping[str, list[str]]) -> dict[str, list[Text]]:
        """The passages that name most of what is central to each community."""
        found: dict[str, list[Text]] = defaultdict(list)
        for part in _parts(sorted(central), BATCH // 5):
            rows = [{"id": community, "roots": central[community]} for community in part]
            for row in await self.graph.rows(
                Q.communities.texts, scope=scope, rows=rows, limit=TEXTS, fan=FAN
            ):
                found[row["community"]].append(_text(row))
        return found

    async def read(self, ids: Sequence[str], scopes: list[str], at: datetime) -> list[Row]:
        """Communities with what they show now, in the order of the ids."""
        rows = await self.graph.rows(Q.communities.read, ids=list(ids), scopes=scopes, at=at)
        place = {identifier: at for at, identifier in enumerate(ids)}
        return sorted(rows, key=lambda row: place[row["community"]["id"]])

    async def page(self, scopes: list[str], where: Row, skip: int, limit: int) -> list[str]:
        """Ids of communities, the largest first; `where` names a level or a parent."""
        rows = await self.graph.rows(
            Q.communities.list_communities,
            scopes=scopes,
            level=where.get("level"),
            parent=where.get("parent"),
            skip=skip,
            limit=limit,
        )
        return [row["id"] for row in rows]

    async def members(self, community: str, scopes: list[str], skip: int, limit: int) -> list[Row]:
        """The entities in a community."""
        rows = await self.graph.rows(
            Q.communities.members, id=community, scopes=scopes, skip=skip, limit=limit
        )
        return [row["entity"] for row in rows]

    async def unworded(self, scope: str, at: datetime, limit: int) -> list[str]:
        """Communities that wait for a model's words, or whose names were written since."""
        rows = await self.graph.rows(Q.communities.unworded, scope=scope, at=at, limit=limit)
        return [row["id"] for row in rows]

    async def wordless(self, at: datetime, limit: int = 1000) -> list[str]:
        """Scopes with communities that wait for a model's words."""
        rows = await self.graph.rows(Q.communities.wordless, at=at, limit=limit)
        return [row["scope"] for row in rows]

    async def word(self, view: CommunityView, words: Row, at: datetime) -> bool:
        """Keep a model's words; False where what they cite has changed meanwhile."""
        row = await self.graph.optional(
            Q.communities.word,
            id=view.id,
            scope=view.scope,
            told_at=view.told_at,
            words=words,
            at=at,
        )
        return row is not None

    async def still_worded(self, community: str, scope: str, at: datetime) -> None:
        """The words of a community are those of what it says now."""
        await self.graph.rows(Q.communities.still_worded, id=community, scope=scope, at=at)

    async def refuse_words(self, community: str, scope: str, reason: str, due: datetime) -> None:
        """Why a community has no words, and when a model is asked again."""
        await self.graph.rows(
            Q.communities.refuse_words, id=community, scope=scope, reason=reason, due_at=due
        )

    async def unword(self, scope: str) -> None:
        """Take a scope's words."""
        await self.graph.rows(Q.communities.unword, scope=scope)

    async def _write(
        self, turn: Turn, rows: Sequence[Row], *, query: Query, **more: object
    ) -> None:
        for part in _parts(rows, BATCH):
            done = await self.graph.rows(
                query, scope=turn.scope, holder=turn.holder, until=turn.until, rows=part, **more
            )
            if not done:
                raise _lost(turn)


def _lost(turn: Turn) -> LeaseLost:
    return LeaseLost(f"another worker has the communities of {turn.scope}")


def _parts(items: Sequence[T], size: int) -> Iterable[list[T]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def _take(found: dict[str, dict[str, float]], rows: Iterable[Row]) -> None:
    for row in rows:
        if not row["held"]:
            continue
        company = found.setdefault(row["root"], {})
        for other in row["related"]:
            company[other] = company.get(other, 0.0) + RELATED


def _pair(pairs: Pairs, passages: Iterable[Row]) -> None:
    """Count the pairs of entities that each passage mentions."""
    for row in passages:
        pairs.update(combinations([(id, root) for id, root in row["named"]], 2))


def _weigh(found: dict[str, dict[str, float]], pairs: Pairs, held: Container[str]) -> None:
    """Add what pairs weigh, each to the entity of the smaller id, where that is held."""
    for ((left, root), (_, other)), count in pairs.items():
        if left in held:
            company = found[root]
            company[other] = company.get(other, 0.0) + math.log2(1 + count)


def _stored(row: Row, damaged: set[str]) -> Stored:
    outline = Outline(
        tuple(Central(entity, score) for entity, score in row["central"]),
        tuple(Cite(fact) for fact in row["facts"]),
        tuple(Cite(*sentence) for sentence in row["sentences"]),
    )
    inner = frozenset(row["inner"])
    place = row["level"], row["size"]
    return Stored(row["id"], *place, inner, row["parent"], outline, row["id"] in damaged)


def _written(row: Written) -> Row:
    return {"id": row.id, "level": row.level, "size": row.size, "inner": sorted(row.inner)}


def _outlined(community: str, outline: Outline) -> Row:
    return {
        "id": community,
        "central": [
            {"id": one.entity, "score": one.score, "place": place}
            for place, one in enumerate(outline.central)
        ],
        "facts": [{"id": one.id, "place": place} for place, one in enumerate(outline.facts)],
        "sentences": [
            {"id": one.id, "start": one.start, "end": one.end, "place": place}
            for place, one in enumerate(outline.sentences)
        ],
    }


def _text(row: Row) -> Text:
    named = tuple(sorted((start, root) for start, root in row["named"]))
    lapsed = tuple((start, end) for start, end in row["lapsed"])
    return Text(row["id"], row["content"], named, lapsed)
