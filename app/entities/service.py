"""Reading entities and their neighbourhood, and what a curator changes by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from app.entities.following import follow_rules, touched_by
from app.entities.merges import OnRootsChanged, nothing_depends
from app.entities.model import alias_id
from app.entities.names import FAMILIES, TYPES, name_keys, prefix_key, read_name, tidy
from app.entities.repository import EntityRepository
from app.entities.resolve import display_name, named
from app.errors import Forbidden, InvalidInput, LociError, NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.sanitize.aside import aside
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.scopes.service import ScopeService

MOST_NODES = 200  # entities that a neighbourhood shows
FAN = 50  # edges of each kind that one entity adds to a neighbourhood


@dataclass(frozen=True, slots=True)
class Sought:
    """What a list is narrowed by: a name, a beginning of one, a type."""

    scopes: list[str]
    known_at: datetime
    name: str | None = None
    prefix: str | None = None
    type: str | None = None
    after: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Change:
    """What a curator sets; None leaves a thing as it is, a None attribute removes it."""

    aliases: tuple[str, ...] | None = None
    attributes: Mapping[str, Any] | None = None
    type: str | None = None


@dataclass(slots=True)
class Neighbourhood:
    """What lies within some steps of an entity; `distance` is in steps. `cut` tells that there is
    more than is shown."""

    root: str
    distance: dict[str, int] = field(default_factory=dict)
    nodes: dict[str, Row] = field(default_factory=dict)
    edges: dict[tuple[str, ...], Row] = field(default_factory=dict)
    cut: bool = False


class EntityService:
    """Entities as callers see them: a cluster is one, by the id of any of its members.

    `on_roots_changed` is called as for a `MergeService`, where an edit changes what a name means.
    """

    def __init__(
        self,
        repository: EntityRepository,
        scopes: ScopeService,
        on_roots_changed: OnRootsChanged = nothing_depends,
    ) -> None:
        self.repository = repository
        self._scopes = scopes
        self._on_roots_changed = on_roots_changed

    async def get(self, caller: Caller, entity: str, known_at: datetime) -> Row:
        """The cluster of an entity; NotFound where absent or not visible."""
        row = await self.repository.get(entity, caller.visible, known_at)
        if row is None:
            raise NotFound(f"there is no entity {entity}")
        return row

    async def page(self, sought: Sought) -> list[Row]:
        """Entities in the order of their ids; a name or prefix is compared by its key."""
        page = {
            "scopes": sought.scopes,
            "type": sought.type,
            "known_at": sought.known_at,
            "after": sought.after,
            "limit": sought.limit,
        }
        if sought.name is not None:
            keys = keys_of_any_type(sought.name, sought.type)
            aliases = [alias_id(scope, key) for scope in sought.scopes for key in keys]
            return await self.repository.bearers(aliases, **page)
        prefix = None if sought.prefix is None else prefix_key(sought.prefix)
        return await self.repository.page(prefix, **page)

    async def neighbourhood(
        self, caller: Caller, entity: str, depth: int, moments: tuple[datetime, datetime]
    ) -> Neighbourhood:
        """Breadth first up to `depth` steps; `moments` are as_of and known_at."""
        as_of, known_at = moments
        row = await self.get(caller, entity, known_at)
        root = row["entity"]["id"]
        found = Neighbourhood(root, {root: 0}, {root: row["entity"]})
        frontier = [root]
        for step in range(1, depth + 1):
            edges = await self.repository.hop(
                sorted(frontier), scopes=caller.visible, as_of=as_of, known_at=known_at, fan=FAN
            )
            frontier = _grow(found, edges, step)
            if not frontier:
                break
        return found

    async def change(self, caller: Caller, entity: str, change: Change) -> Row:
        """Set aliases, attributes or the type of a cluster's root.

        Raises NotFound, Forbidden without the curator's role, and InvalidInput for a type or name
        that cannot be read, or a list of aliases that lacks the canonical name.
        """
        if change.type is not None and change.type not in TYPES:
            raise InvalidInput(f"type is one of {', '.join(TYPES)}", field="type")
        place = await self.repository.graph.optional(
            Q.entities.place, id=entity, scopes=caller.visible
        )
        if place is None:
            raise NotFound(f"there is no entity {entity}")
        scope = place["scope"]
        if not caller.may(scope, Role.CURATOR):
            raise Forbidden(f"this key needs the role curator in {scope}")
        policy = await self._scopes.policy(scope)
        given = (change.aliases, change.attributes)
        clean = await aside(given, lambda: _cleaned(change, policy))

        async def work(tx: Tx) -> None:
            await tx.rows(Q.entities.hold_names, scope=scope, at=now())
            await self._write(tx, caller, entity, clean)

        await self.repository.graph.write("entities.edit", work)
        return await self.get(caller, entity, now())

    async def _write(self, tx: Tx, caller: Caller, entity: str, change: Change) -> None:
        row = await tx.optional(Q.entities.lock_entity, id=entity, scopes=caller.visible, at=now())
        if row is None:
            raise NotFound(f"there is no entity {entity}")
        stored = row["entity"]
        properties = _properties(stored, change)
        fields = sorted(set(properties) & {"aliases", "attributes", "type"})
        await tx.one(
            Q.entities.edit,
            id=stored["id"],
            scope=stored["scope"],
            properties=properties,
            names=named(stored["scope"], properties["keys"]),
            audit=audit.event(caller, "entity.edit", stored["scope"], fields=fields),
        )
        touched = touched_by([stored, {**stored, **properties}])
        moved = await follow_rules(tx, stored["scope"], touched, now())
        if moved:
            await self._on_roots_changed(tx, moved)


def _grow(found: Neighbourhood, edges: Iterable[Row], step: int) -> list[str]:
    fresh: list[str] = []
    for edge in edges:
        other = edge["other"]
        if other not in found.distance:
            if len(found.distance) >= MOST_NODES:
                found.cut = True
                continue
            found.distance[other] = step
            found.nodes[other] = edge["entity"]
            fresh.append(other)
        source, target = edge["root"], other
        if not edge["outgoing"] or (edge["kind"] == "COOCCURS" and target < source):
            source, target = target, source
        key = (edge["kind"], source, target, edge["fact"] or "")
        found.edges[key] = {**edge, "source": source, "target": target}
    return fresh


def keys_of_any_type(name: str, kind: str | None = None) -> list[str]:
    """The keys of a name under one type or under any; InvalidInput as in `name_keys`."""
    kinds = [kind] if kind else [*FAMILIES, "unknown"]
    return sorted({key for each in kinds for key in name_keys(name, each)})


def _cleaned(change: Change, policy: SanitizePolicy) -> Change:
    aliases = change.aliases
    if aliases is not None:
        aliases = tuple(_clean(name, "aliases", policy) for name in aliases)
    attributes = change.attributes
    if attributes is not None:
        attributes = {
            name: _clean(value, "attributes", policy) if isinstance(value, str) else value
            for name, value in attributes.items()
        }
    return Change(aliases, attributes, change.type)


def _clean(text: str, field_name: str, policy: SanitizePolicy) -> str:
    try:
        return sanitize(text, policy).text
    except LociError as error:
        error.field = field_name
        raise


def _properties(stored: Row, change: Change) -> dict[str, Any]:
    """What a change writes: the whole of each field that it touches, and the keys that follow."""
    kind = change.type or stored["type"]
    properties: dict[str, Any] = {"keys": stored["keys"], "curated": stored["curated"]}
    if change.type is not None:
        properties["type"] = kind
        properties["curated"] = sorted({*stored["curated"], "type"})
    if change.attributes is not None:
        merged = {**orjson.loads(stored["attributes"]), **change.attributes}
        kept = {name: value for name, value in merged.items() if value is not None}
        properties["attributes"] = orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode()
    if change.aliases is not None:
        properties |= _renamed(stored["canonical_key"], change.aliases, kind)
    return properties


def _renamed(canonical: str, aliases: Iterable[str], kind: str) -> dict[str, Any]:
    names = sorted({tidy(alias) for alias in aliases})
    reads = [read_name(name, kind) for name in names]
    keys = sorted({key for read in reads for key in read.keys})
    if canonical not in keys:
        raise InvalidInput(f"the list must keep a spelling of {canonical!r}", field="aliases")
    own = [read.text for read in reads if canonical in read.keys]
    return {"aliases": names, "keys": keys, "canonical_name": display_name(own)}
