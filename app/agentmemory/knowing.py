"""Entities, facts and relationships: statements of the client, and what stands in the graph.

An entity is there as long as something speaks of it, so that adding one is a statement: what it is,
or how it is described.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from app.agentmemory.names import known_as, told_type, type_of
from app.consolidation.fast import FastPath, Observation, Remembered
from app.entities.merges import MergeService, Proposal
from app.entities.service import Change, EntityService, Sought
from app.errors import Conflict, Forbidden, InvalidInput, NotFound
from app.facts.service import FactService
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.lifecycle.forgetting import ForgettingService
from app.sanitize.aside import sanitize_tree_aside
from app.scopes.service import ScopeService
from app.search.model import Filters, SearchRequest
from app.search.service import SearchService
from app.transcripts.kind import ENTITY_VERDICT
from app.transcripts.model import EntityVerdict
from app.transcripts.service import Said, TranscriptService

SESSION = "agent-memory"  # of statements that belong to no conversation
DESCRIPTION, TYPE = "description", "is_a"  # predicates of what is said of a new entity
NEW_VALUE: dict[str, Any] = {"mode": "assert", "precision": "instant", "ongoing": True}
FAN = 50  # relationships that one entity of a graph shows
MOST_FACTS = 2000  # descriptions that are looked at
MOST_MENTIONS = 200


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity as the protocol shows it; `kind` is one of its types, in small letters."""

    id: str
    name: str
    kind: str
    aliases: tuple[str, ...]
    description: str | None
    created_at: datetime
    scope: str
    members: tuple[str, ...]
    ours: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A fact that relates two entities."""

    id: str
    source: str
    target: str
    predicate: str
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """What this works with; `graph_nodes` are the most entities of a graph."""

    fast: FastPath
    entities: EntityService
    merges: MergeService
    facts: FactService
    searches: SearchService
    forgetting: ForgettingService
    transcripts: TranscriptService
    scopes: ScopeService
    graph_nodes: int


class KnowledgeService:
    """Every operation on entities and facts; written are those of the caller's home."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def add_entity(
        self, caller: Caller, name: str, kind: str, description: str | None
    ) -> Thing:
        """State what an entity is, or how it is described; one that is there is added to."""
        subject = {"name": name, "type": type_of(kind)}
        said = (DESCRIPTION, description) if description else (TYPE, kind.lower())
        done = await self._state(caller, caller.home, subject, said[0], {"value": said[1]})
        return await self.thing(caller, _fact(done)["subject"])

    async def add_fact(self, caller: Caller, subject: str, predicate: str, value: str) -> Row:
        """State a fact of two things by their names; the fact's row."""
        ends = {"name": subject, "type": "unknown"}, {"name": value, "type": "unknown"}
        done = await self._state(caller, caller.home, ends[0], predicate.lower(), ends[1])
        return _fact(done)

    async def relate(
        self, caller: Caller, source: str, target: str, predicate: str, properties: dict[str, Any]
    ) -> Relation:
        """State a fact of two entities of one scope."""
        one, other = await self.thing(caller, source), await self.thing(caller, target)
        if one.scope != other.scope:
            raise InvalidInput("entities of two scopes are not related", field="target_id")
        ends = [{"name": each.name, "type": each.ours} for each in (one, other)]
        policy = await self._parts.scopes.policy(one.scope)
        clean: dict[str, Any] = await sanitize_tree_aside(properties, policy, "properties")
        done = await self._state(caller, one.scope, ends[0], predicate.lower(), ends[1], properties)
        return Relation(_fact(done)["id"], one.id, other.id, predicate, clean)

    async def thing(self, caller: Caller, given: str) -> Thing:
        """Return an entity by the id of any of its members; NotFound."""
        found = await self._things(caller, await self._rows(caller, known_as(given)))
        if not found:
            raise NotFound(f"there is no entity {given}", field="entity_id")
        return found[0]

    async def named(self, caller: Caller, name: str) -> Thing | None:
        """Return the entity that goes by just this name, before others that bear it."""
        sought = Sought(scopes=caller.visible, known_at=now(), name=name)
        found = await self._things(caller, await self._parts.entities.page(sought))
        exact = [thing for thing in found if name in (thing.name, *thing.aliases)]
        return next(iter([*exact, *found]), None)

    async def page(self, caller: Caller, kind: str | None, limit: int) -> list[Thing]:
        """Return entities in the order of their ids."""
        sought = Sought(scopes=caller.visible, known_at=now(), limit=self._parts.graph_nodes)
        found = await self._things(caller, await self._parts.entities.page(sought))
        return _of_kind(found, kind)[:limit]

    async def search(self, caller: Caller, query: str, kind: str | None, limit: int) -> list[Thing]:
        """Return entities that go by a name, whose name begins so, or of which facts say what a
        search finds, in this order."""
        if not query.strip():
            return []
        rows: dict[str, Row] = {}
        for by in ({"name": query}, {"prefix": query}):
            sought = Sought(scopes=caller.visible, known_at=now(), limit=limit, **by)
            rows |= {row["entity"]["id"]: row for row in await self._page(sought)}
        told = await self._told_of(caller, query, limit)
        rows |= {
            row["entity"]["id"]: row
            for row in await self._rows(caller, told)
            if row["entity"]["id"] not in rows
        }
        found = await self._things(caller, list(rows.values()))
        return _of_kind(found, kind)[:limit]

    async def related(
        self, caller: Caller, given: str, predicate: str | None, depth: int
    ) -> list[tuple[Thing, int]]:
        """Return entities that facts relate to one, within some steps, the nearest first."""
        start = await self.thing(caller, given)
        seen, frontier = {start.id: 0}, [start.id]
        for step in range(1, depth + 1):
            edges = await self._edges(caller, frontier)
            ends = [e for e in edges if predicate is None or e.predicate == predicate.lower()]
            near = {end for e in ends for end in (e.source, e.target)}
            frontier = sorted(near - seen.keys())[: self._parts.graph_nodes]
            seen |= dict.fromkeys(frontier, step)
        things = await self._things(caller, await self._rows(caller, [*seen][1:]))
        return sorted(((each, seen[each.id]) for each in things), key=lambda p: (p[1], p[0].id))

    async def relations(self, caller: Caller, given: str) -> list[Relation]:
        """Return the facts that relate an entity to others."""
        return await self._edges(caller, [(await self.thing(caller, given)).id])

    async def graph(self, caller: Caller) -> tuple[list[Thing], list[Relation]]:
        """Return entities, as many as the settings allow, and the facts between them."""
        things = await self.page(caller, None, self._parts.graph_nodes)
        ids = {thing.id for thing in things}
        edges = await self._edges(caller, sorted(ids))
        return things, [e for e in edges if e.source in ids and e.target in ids]

    async def change(
        self, caller: Caller, given: str, name: str | None, description: str | None
    ) -> Thing:
        """Add a name to an entity, as a curator, and say how it is described from now on."""
        thing = await self.thing(caller, given)
        if name is not None and name not in thing.aliases:
            names = tuple(dict.fromkeys((*thing.aliases, name)))
            await self._parts.entities.change(caller, thing.id, Change(aliases=names))
        if description is not None and description != thing.description:
            await self._describe(caller, thing, description)
        return await self.thing(caller, thing.id)

    async def delete(self, caller: Caller, given: str) -> bool:
        """Forget what the caller has stated of an entity, which is gone unless something else
        speaks of it; whether there was one.

        Raises Conflict where the caller has stated nothing of it.
        """
        rows = await self._rows(caller, known_as(given))
        if not rows:
            return False
        members = [member["id"] for member in rows[0]["members"]]
        places = await self._graph.rows(
            Q.agentmemory.stated_by,
            entities=members,
            author=caller.principal,
            scopes=caller.visible,
        )
        for scope in {place["scope"] for place in places}:
            caller.require(scope, Role.WRITER)
        if not places:
            raise Conflict("what speaks of this entity was said by others, or in a text")
        await self._parts.forgetting.apply(caller, "forget", places)
        return True

    async def merge(
        self, caller: Caller, source: str, target: str, name: str | None = None
    ) -> Thing:
        """Make two entities one, as a curator, and return it by the id of the target; the same
        again changes nothing."""
        one, other = await self.thing(caller, source), await self.thing(caller, target)
        caller.require(other.scope, Role.WRITER)
        if not caller.may(other.scope, Role.CURATOR):
            raise Forbidden(f"this key needs the role curator in {other.scope}")
        if one.id != other.id:
            await self._merged(caller, one, other)
        if name is not None:
            await self.change(caller, other.id, name, None)
        made = await self.thing(caller, other.id)
        # Once merged, both go by one id, which may be the source's.
        given = [identifier for identifier in known_as(target) if identifier in made.members]
        return replace(made, id=given[0] if given else made.id)

    async def judge(
        self, caller: Caller, given: str, score: float | None, confirmed: bool | None
    ) -> Thing:
        """Keep what the caller says of an entity, in place of what it said before."""
        thing = await self.thing(caller, given)
        verdict = EntityVerdict(
            id="new",
            scope=thing.scope,
            agent=caller.principal,
            memory=thing.id,
            score=score,
            confirmed=confirmed,
            given_at=now(),
        )
        await self._parts.transcripts.note(caller, ENTITY_VERDICT, verdict, "entity.judge")
        return thing

    async def history(self, caller: Caller, given: str) -> tuple[Thing, list[Said]]:
        """Return an entity and the caller's messages that mention it, in any conversation."""
        thing = await self.thing(caller, given)
        rows = await self._graph.rows(
            Q.transcripts.mentioning,
            entities=list(thing.members),
            agent=caller.principal,
            scopes=[caller.home],
            limit=MOST_MENTIONS,
        )
        return thing, [Said.of(row) for row in rows]

    # --- within -------------------------------------------------------------------------------

    @property
    def _graph(self) -> Any:
        return self._parts.transcripts.graph

    async def _describe(self, caller: Caller, thing: Thing, description: str) -> None:
        """Put a description in the place of the one that is shown, or state the first."""
        value = {"value": description}
        seen = Observation(session=SESSION, role=None, statement=NEW_VALUE, origin=SESSION)
        # Without a moment, so that the same again is one; with one where that did not do: what was
        # taken back or deleted before is stated anew.
        for said_at in (None, now()):
            held = await self._descriptions(caller, thing.members)
            if held and held[-1]["fact"]["object_text"] == description:
                return
            if held:
                put = replace(seen, said_at=said_at)
                await self._parts.fast.supersede(caller, held[-1]["fact"]["id"], value, put)
        if not held:
            subject = {"name": thing.name, "type": thing.ours}
            await self._state(caller, thing.scope, subject, DESCRIPTION, value, said_at=now())

    async def _state(
        self,
        caller: Caller,
        scope: str,
        subject: dict[str, Any],
        predicate: str,
        value: dict[str, Any],
        properties: dict[str, Any] | None = None,
        said_at: datetime | None = None,
    ) -> Remembered:
        statement = {**NEW_VALUE, "subject": subject, "predicate": predicate, "object": value}
        if properties:
            statement["properties"] = properties
        seen = Observation(
            session=SESSION,
            role=None,
            statement=statement,
            scope=scope,
            said_at=said_at,
            origin=SESSION,
        )
        done = await self._parts.fast.remember(caller, seen)
        if done.receipt.status == "duplicate" and done.over:
            # Something else has been so since, or it was taken back: it is so anew.
            done = await self._parts.fast.remember(caller, replace(seen, said_at=now()))
        return done

    async def _merged(self, caller: Caller, one: Thing, other: Thing) -> None:
        merges = self._parts.merges
        try:
            await merges.propose(caller, one.id, other.id, None)
        except Conflict:
            if (await self.thing(caller, one.id)).id == other.id:
                return
        made = await merges.get(caller, Proposal(other.scope, one.id, other.id, {}).id)
        if made["record"]["status"] == "pending":
            await merges.decide(caller, made["record"]["id"], "accept")

    async def _page(self, sought: Sought) -> list[Row]:
        try:
            return await self._parts.entities.page(sought)
        except InvalidInput:
            return []  # no letter in it: nobody goes by that

    async def _told_of(self, caller: Caller, query: str, limit: int) -> list[str]:
        """Return entities that found facts are about, the best first."""
        filters = Filters(scopes=caller.visible, kinds=["fact"], reader=caller.principal)
        found = await self._parts.searches.search(
            SearchRequest(query=query, filters=filters, limit=2 * limit, asker=caller.home)
        )
        at = now()
        ids = [hit.id for hit in found.hits]
        rows = await self._parts.facts.repository.get(ids, caller.visible, at, at)
        ends = {row["fact"]["id"]: row["fact"] for row in rows}
        told = [ends[id][end] for id in ids if id in ends for end in ("subject", "object_id")]
        return list(dict.fromkeys(each for each in told if each))

    async def _rows(self, caller: Caller, ids: Iterable[str]) -> list[Row]:
        at = now()
        found = [await self._parts.entities.repository.get(one, caller.visible, at) for one in ids]
        rows = {row["entity"]["id"]: row for row in found if row is not None}
        return list(rows.values())

    async def _things(self, caller: Caller, rows: Sequence[Row]) -> list[Thing]:
        """Return the entities of rows of which anything still speaks, with their descriptions."""
        roots = [row["entity"]["id"] for row in rows]
        alive = await self._graph.rows(Q.agentmemory.spoken_of, roots=roots, scopes=caller.visible)
        there = {row["id"] for row in alive}
        kept = [row for row in rows if row["entity"]["id"] in there]
        members = [member["id"] for row in kept for member in row["members"]]
        told = await self._descriptions(caller, members)
        return [_thing(row, told) for row in kept]

    async def _descriptions(self, caller: Caller, members: Sequence[str]) -> list[Row]:
        """Return the facts that describe some entities and hold now, the latest last."""

        def since(row: Row) -> tuple[datetime, datetime, str]:
            interval = row["interval"]
            return interval["valid_from"], interval["recorded_at"], row["fact"]["id"]

        at = now()
        rows: list[Row] = await self._graph.rows(
            Q.facts.list_held,
            subjects=list(members),
            scopes=caller.visible,
            predicates=[DESCRIPTION],
            as_of=at,
            known_at=at,
            after="",
            limit=MOST_FACTS,
        )
        # A denial ("is not a painter") holds as well, and describes nothing.
        return sorted((row for row in rows if not row["fact"]["negated"]), key=since)

    async def _edges(self, caller: Caller, roots: Sequence[str]) -> list[Relation]:
        at = now()
        rows = await self._parts.entities.repository.hop(
            list(roots), scopes=caller.visible, as_of=at, known_at=at, fan=FAN
        )
        made = {}
        for row in rows:
            if row["kind"] == "RELATES_TO":
                ends = (
                    (row["root"], row["other"]) if row["outgoing"] else (row["other"], row["root"])
                )
                made[row["fact"]] = Relation(row["fact"], *ends, row["predicate"])
        return [made[fact] for fact in sorted(made)]


def _fact(done: Remembered) -> Row:
    if not done.facts:
        raise Conflict("the statement cannot be kept as a fact; its text was captured")
    fact: Row = done.facts[0]["fact"]
    return fact


def _thing(row: Row, descriptions: Sequence[Row]) -> Thing:
    entity, members = row["entity"], row["members"]
    ids = tuple(member["id"] for member in members)
    names = {name for member in members for name in member["aliases"]} | {*entity["aliases"]}
    facts = [row["fact"] for row in descriptions]
    told = [fact["object_text"] for fact in facts if fact["subject"] in ids]
    return Thing(
        id=entity["id"],
        name=entity["canonical_name"],
        kind=told_type(entity["type"]),
        aliases=tuple(sorted(names)),
        description=told[-1] if told else None,
        created_at=entity["ingested_at"],
        scope=entity["scope"],
        members=ids,
        ours=entity["type"],
    )


def _of_kind(things: Sequence[Thing], kind: str | None) -> list[Thing]:
    wanted = None if kind is None else told_type(type_of(kind))
    return [thing for thing in things if wanted in (None, thing.kind)]
