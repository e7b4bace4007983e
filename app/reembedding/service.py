"""Switching a scope to another embedding model: fill, compare, switch, roll back, finish.

While a model is prepared every new text gets a vector in both spaces, so that a switch and a
rollback are one write and lose nothing. A search reads one space at a time for each scope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import structlog

from app.embeddings.model import Embedder, Role
from app.errors import Conflict, InvalidInput, NotFound
from app.indexing.repository import create_index, drop_index
from app.indexing.spaces import FIRST, NAMED, SPACES, Space, SpaceMap, Spaces, Use
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.caller import Role as Right
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.reembedding.model import Choice, State, overlap

log = structlog.get_logger()
DEFAULT = "default"  # the model of the settings themselves
SAMPLED = 50  # questions of the scope that a comparison takes where none are given
RETIRING = 3.0  # seconds after which no search knows a space any more that was given up


@dataclass(frozen=True, slots=True)
class Place:
    """A scope, what it chose, and the scopes that go by its choice."""

    scope: str
    choice: Choice
    members: list[str]


@dataclass(frozen=True, slots=True)
class Filling:
    """How many memories have a vector in a space, lack one, or were refused by its model."""

    done: int
    lacking: int
    failed: int


class ReembeddingService:
    """Moves scopes between vector spaces; `options` are the index settings of a vector length."""

    def __init__(
        self, graph: Graph, spaces: Spaces, options: Callable[[int], dict[str, Any]]
    ) -> None:
        self._graph = graph
        self._spaces = spaces
        self._options = options

    async def status(self, caller: Caller, scope: str) -> Row:
        """The models of a scope and how far the one beside is; NotFound, Forbidden by role."""
        place = await self._place(caller, scope, Right.READER)
        beside = place.choice.beside
        filling = await self.filling(place, NAMED[beside]) if beside else None
        names = await self._names()
        return {
            "scope": place.scope,
            "model": names[place.choice.space],
            "state": place.choice.state.value,
            "beside": names[beside] if beside else None,
            "filling": filling,
            "known": [DEFAULT, *self._spaces.names],
        }

    async def prepare(self, caller: Caller, scope: str, model: str) -> Place:
        """Begin to fill a space of `model` beside the one that is searched.

        Raises InvalidInput (`model`) for a model that the settings do not name, Conflict where the
        scope has it already, is busy with another, or where every space is taken.
        """
        place = await self._place(caller, scope, Right.ADMIN)
        space = await self._space(model)
        kind = "embedding.prepare"
        return await self._move(caller, place.scope, kind, lambda c: c.prepared(space.name))

    async def compare(
        self, caller: Caller, scope: str, questions: Sequence[str], k: int
    ) -> dict[str, Any]:
        """How far the answers of both spaces agree: overlap@k of each question.

        Without questions it takes those that were lately put to a search here, as far as their
        words are kept, then those of conversations, then titles: `sampled` counts each.
        """
        place = await self._place(caller, scope, Right.ADMIN)
        if place.choice.beside is None:
            raise Conflict("there is no other model beside this scope's", field="scope")
        sampled = {} if questions else await self._sampled(place.members)
        asked = list(questions) or [text for texts in sampled.values() for text in texts]
        spaces = (NAMED[place.choice.space], NAMED[place.choice.beside])
        chosen = await self._spaces.fresh()
        shares = []
        for question in asked:
            before, after = [
                await self._nearest(space, chosen, (question, place.members, k)) for space in spaces
            ]
            shares.append(overlap(before, after, k))
        return {
            "questions": len(shares),
            "k": k,
            "overlap": round(mean(shares), 4) if shares else None,
            "least": round(min(shares), 4) if shares else None,
            "sampled": {name: len(texts) for name, texts in sampled.items()},
        }

    async def switch(self, caller: Caller, scope: str) -> Place:
        """Search the filled space from now on; Conflict while a memory has no vector there."""
        place = await self._place(caller, scope, Right.ADMIN)
        return await self._move(caller, place.scope, "embedding.switch", Choice.switched, full=True)

    async def roll_back(self, caller: Caller, scope: str) -> Place:
        """Search the former space again; the other goes on being filled."""
        place = await self._place(caller, scope, Right.ADMIN)
        kind = "embedding.rollback"
        return await self._move(caller, place.scope, kind, Choice.rolled_back, full=True)

    async def finish(self, caller: Caller, scope: str) -> Space:
        """Give up the space that is not searched; its vectors are to be cleared."""
        place = await self._place(caller, scope, Right.ADMIN)
        if place.choice.beside is None:
            raise Conflict("there is no other model beside this scope's", field="scope")
        given_up = NAMED[place.choice.beside]
        await self._move(caller, place.scope, "embedding.finish", Choice.finished)
        return given_up

    async def members(self, scope: str) -> Place:
        """A scope with those that go by its choice: itself and what is below without one."""
        rows = await self._graph.rows(Q.reembedding.tenant_scopes, tenant=scope.partition("/")[0])
        uses = {row["path"]: Use(NAMED[row["space"]]) for row in rows if row["space"]}
        stored = {row["path"]: _choice(row) for row in rows if row["space"]}
        source = _nearest(scope, uses)
        members = [
            row["path"]
            for row in rows
            if _within(row["path"], scope) and _nearest(row["path"], uses) in (source, scope)
        ]
        return Place(scope, stored.get(source, Choice()) if source else Choice(), members)

    async def filling(self, place: Place, space: Space) -> Filling:
        """How far a space is filled, beside the one that the place is searched in."""
        row = await self._graph.one(
            space.over(query=Q.reembedding.missing),
            scopes=place.members,
            held=NAMED[place.choice.space].hash_name,
        )
        return Filling(**row)

    async def let_wait(self, members: Sequence[str], space: Space) -> int:
        """Let what lacks a vector in a space wait for the indexing pass; how many that are."""
        row = await self._graph.one(
            space.over(query=Q.reembedding.await_space), scopes=list(members)
        )
        return int(row["waiting"])

    async def mend(self) -> int:
        """The same of every scope that chose a space: imports and races leave gaps."""
        chosen = await self._spaces.fresh()
        waiting = 0
        for path, use in chosen.uses.items():
            place = await self.members(path)
            for space in use.written:
                waiting += await self.let_wait(place.members, space)
        return waiting

    async def clear(self, scope: str, space: Space) -> int:
        """Take the vectors of a space that a scope gave up; an unused space goes as a whole."""
        await asyncio.sleep(RETIRING)
        place = await self.members(scope)
        if space.name in (place.choice.space, place.choice.beside):
            return 0  # it was taken up again meanwhile
        row = await self._graph.one(
            space.over(query=Q.reembedding.clear_space),
            scopes=place.members,
            first=space.first_window,
            beyond=space.beyond,
        )
        used = {r["name"] for r in await self._graph.rows(Q.reembedding.spaces_in_use)}
        if space is not FIRST and space.name not in used:
            await self._graph.raw(drop_index(space))
            await self._graph.rows(Q.reembedding.drop_space, name=space.name)
        return int(row["cleared"])

    async def _place(self, caller: Caller, scope: str, right: Right) -> Place:
        path = str(parse_scope(scope))
        caller.require(path, right)
        return await self.members(path)

    async def _move(
        self,
        caller: Caller,
        scope: str,
        kind: str,
        move: Callable[[Choice], Choice],
        *,
        full: bool = False,
    ) -> Place:
        """One change of a scope's choice, decided under its lock."""

        async def work(tx: Tx) -> Choice:
            row = await tx.optional(Q.reembedding.lock_scope, scope=scope, at=now())
            if row is None:
                raise NotFound(f"there is no scope {scope}", field="scope")
            place = await self.members(scope)
            before = _choice(row) if row["space"] else place.choice
            after = move(before)
            if full:
                await self._full(place, NAMED[after.space])
            event = audit.event(caller, kind, scope, space=after.space, beside=after.beside)
            await tx.rows(
                Q.reembedding.choose,
                scope=scope,
                space=after.space,
                beside=[after.beside] if after.beside else [],
                state=after.state.value,
                audit=event,
            )
            return after

        after = await self._graph.write(kind, work)
        await self._spaces.fresh()
        return Place(scope, after, (await self.members(scope)).members)

    async def _full(self, place: Place, space: Space) -> None:
        found = await self.filling(place, space)
        if found.lacking:
            raise Conflict(
                f"{found.lacking} memories have no vector of that model yet", field="scope"
            )

    async def _space(self, model: str) -> Space:
        """The space of a model: its own, or the first that is free."""
        if model == DEFAULT:
            return FIRST
        if model not in self._spaces.names:
            known = ", ".join((DEFAULT, *self._spaces.names))
            raise InvalidInput(
                f"the settings name no model {model!r}; known: {known}", field="model"
            )
        embedder = await self._spaces.model(model)
        known_as = {
            r["name"]: r["setting"] for r in await self._graph.rows(Q.reembedding.known_spaces)
        }
        own = [name for name, setting in known_as.items() if setting == model]
        free = [space.name for space in SPACES if space.name not in known_as]
        if not own and not free:
            raise Conflict(
                f"{len(SPACES)} models are in use, the most at once: finish one first",
                field="model",
            )
        return await self._opened(NAMED[(own or free)[0]], model, embedder)

    async def _opened(self, space: Space, model: str, embedder: Embedder) -> Space:
        info = embedder.info
        identity = {"model": info.name, "version": info.version, "dimension": info.dimension}
        stored = await self._graph.one(
            Q.reembedding.take_space, name=space.name, setting=model, at=now(), **identity
        )
        if stored != {"setting": model, **identity}:
            raise Conflict(
                f"{stored['setting']!r} has vectors of {stored['model']} {stored['version']} "
                f"({stored['dimension']} dimensions): give the other model a name of its own",
                field="model",
            )
        await self._graph.raw(create_index(space), options=self._options(info.dimension))
        await self._graph.raw("CALL db.awaitIndexes(600)")
        return space

    async def _names(self) -> dict[str, str]:
        rows = await self._graph.rows(Q.reembedding.known_spaces)
        return {row["name"]: row["setting"] or DEFAULT for row in rows} | {FIRST.name: DEFAULT}

    async def _sampled(self, members: Sequence[str]) -> dict[str, list[str]]:
        """Questions to compare by, each once, by where they come from."""
        row = await self._graph.one(
            Q.reembedding.sample_questions, scopes=list(members), limit=SAMPLED
        )
        seen: set[str] = set()
        found: dict[str, list[str]] = {}
        for name in ("recorded", "said", "titles"):
            fresh = [text for text in dict.fromkeys(row[name]) if text not in seen]
            found[name] = fresh[: SAMPLED - len(seen)]
            seen.update(found[name])
        return found

    async def _nearest(
        self, space: Space, chosen: SpaceMap, question: tuple[str, list[str], int]
    ) -> list[str]:
        text, members, k = question
        embedder = await self._spaces.embedder(space, chosen)
        vector = (await embedder.embed([text], Role.QUERY))[0]
        found = await self._graph.one(
            space.over(query=Q.reembedding.nearest), v=vector, scopes=members, limit=3 * k
        )
        return list(found["ids"])


async def ensure_further_indexes(graph: Graph, options: Callable[[int], dict[str, Any]]) -> None:
    """Make the indexes of further spaces in use that are missing, as after a migration that has
    them made anew; `options` gives the settings for a number of dimensions."""
    for row in await graph.rows(Q.reembedding.known_spaces):
        space = NAMED[row["name"]]
        if space is not FIRST:
            await graph.raw(create_index(space), options=options(row["dimension"]))
    await graph.raw("CALL db.awaitIndexes(600)")


def _choice(row: Row) -> Choice:
    beside = row["beside"] or []
    return Choice(row["space"], beside[0] if beside else None, State(row["state"]))


def _nearest(path: str, uses: dict[str, Use]) -> str:
    """The nearest scope that chose for itself, or nothing."""
    while path and path not in uses:
        path = path.rpartition("/")[0]
    return path


def _within(path: str, scope: str) -> bool:
    return path == scope or path.startswith(f"{scope}/")
