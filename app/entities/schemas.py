"""Wire types of entities and merges."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import orjson
from pydantic import BeforeValidator, Field, StringConstraints

from app.entities.names import TYPES
from app.entities.service import Change, Neighbourhood
from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.wire import LARGEST, ShortText, WireModel


def _exact(given: Any) -> Any:
    """Refuses a whole number that would lose digits as a float."""
    if isinstance(given, int) and abs(given) > LARGEST:
        raise ValueError(f"a whole number lies between {-LARGEST} and {LARGEST}")
    return given


Scalar = Annotated[
    str | Annotated[int, Field(ge=-LARGEST, le=LARGEST)] | float | bool | None,
    BeforeValidator(_exact),
]
AttributeName = Annotated[str, StringConstraints(min_length=1, max_length=64)]
KINDS = ("Concept", "Decision", "Incident", "Lesson", "Source")


class EntityChangeIn(WireModel):
    """What a curator sets; what is left out stays."""

    aliases: tuple[ShortText, ...] | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Every name that it goes by; one must be a spelling of the canonical name.",
    )
    attributes: dict[AttributeName, Scalar] | None = Field(
        None, max_length=50, description="Attributes to set; null removes one."
    )
    type: ShortText | None = Field(None, description=f"One of {', '.join(TYPES)}.")

    def to_change(self) -> Change:
        """The change that this describes."""
        return Change(self.aliases, self.attributes, self.type)


class MergeIn(WireModel):
    """Two entities of one scope that may be one."""

    left: ShortText = Field(description="Id of the one.")
    right: ShortText = Field(description="Id of the other.")
    reason: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = Field(
        None, description="What speaks for it."
    )


class MemberOut(msgspec.Struct, frozen=True, kw_only=True):
    """One of the entities that were merged into a cluster."""

    id: str
    name: str
    type: str
    mentions: int

    @classmethod
    def of(cls, row: Row) -> MemberOut:
        """The member of these properties."""
        return cls(
            id=row["id"],
            name=row["canonical_name"],
            type=row["type"],
            mentions=row["mention_count"],
        )


class EntityOut(msgspec.Struct, frozen=True, kw_only=True):
    """A person, thing or idea. `members` are what was merged into it, itself included."""

    id: str
    scope: str
    name: str
    type: str
    kinds: list[str]
    aliases: list[str]
    attributes: dict[str, Any]
    mentions: int
    importance: float
    trust: float
    is_pinned: bool
    ingested_at: datetime
    expired_at: datetime | None
    members: list[MemberOut] = msgspec.field(default_factory=list)

    @classmethod
    def of(cls, row: Row) -> EntityOut:
        """The entity of a row with `entity`, `labels` and, for a whole cluster, `members`."""
        entity, members = row["entity"], row.get("members", [])
        names = {name for member in members for name in member["aliases"]}
        return cls(
            id=entity["id"],
            scope=entity["scope"],
            name=entity["canonical_name"],
            type=entity["type"],
            kinds=sorted(set(row["labels"]) & set(KINDS)),
            aliases=sorted(names | set(entity["aliases"])),
            attributes=orjson.loads(entity["attributes"]),
            mentions=sum(m["mention_count"] for m in members) or entity["mention_count"],
            importance=entity["importance"],
            trust=entity["trust"],
            is_pinned=entity["is_pinned"],
            ingested_at=entity["ingested_at"],
            expired_at=open_end(entity["expired_at"]),
            members=[MemberOut.of(member) for member in members] if len(members) > 1 else [],
        )


class EntitiesOut(msgspec.Struct, frozen=True):
    """A page of entities; `next` goes on after it."""

    items: list[EntityOut]
    next: str | None


class NeighbourOut(msgspec.Struct, frozen=True, kw_only=True):
    """An entity some steps away."""

    id: str
    scope: str
    name: str
    type: str
    mentions: int
    distance: int


class EdgeOut(msgspec.Struct, frozen=True, kw_only=True):
    """`COOCCURS` with the number of episodes that mention both, or `RELATES_TO` with its fact."""

    kind: str
    source: str
    target: str
    count: int | None
    predicate: str | None
    fact: str | None


class NeighboursOut(msgspec.Struct, frozen=True, kw_only=True):
    """A neighbourhood, nearest first; `truncated` where there is more than is shown."""

    id: str
    entities: list[NeighbourOut]
    edges: list[EdgeOut]
    truncated: bool

    @classmethod
    def of(cls, found: Neighbourhood) -> NeighboursOut:
        """The wire form of a neighbourhood."""
        order = sorted(found.distance, key=lambda key: (found.distance[key], key))
        return cls(
            id=found.root,
            entities=[_neighbour(found, key) for key in order],
            edges=[_edge(found.edges[key]) for key in sorted(found.edges)],
            truncated=found.cut,
        )


def _neighbour(found: Neighbourhood, key: str) -> NeighbourOut:
    node = found.nodes[key]
    return NeighbourOut(
        id=key,
        scope=node["scope"],
        name=node["canonical_name"],
        type=node["type"],
        mentions=node["mention_count"],
        distance=found.distance[key],
    )


def _edge(edge: Row) -> EdgeOut:
    counted = edge["kind"] == "COOCCURS"
    return EdgeOut(
        kind=edge["kind"],
        source=edge["source"],
        target=edge["target"],
        count=edge["count"] if counted else None,
        predicate=edge["predicate"],
        fact=edge["fact"],
    )


class MergeOut(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal that two entities are one, or what was decided on it.

    `changes` lists whose root the last decision changed, from what and to what.
    """

    id: str
    scope: str
    status: Literal["pending", "accepted", "rejected", "undone"]
    left: MemberOut
    right: MemberOut
    evidence: dict[str, Any]
    proposed_at: datetime
    proposed_by: str
    decided_at: datetime | None
    decided_by: str | None
    changes: list[dict[str, str]]

    @classmethod
    def of(cls, row: Row) -> MergeOut:
        """The merge of a record with both sides."""
        record = row["record"]
        return cls(
            id=record["id"],
            scope=record["scope"],
            status=record["status"],
            left=MemberOut.of(row["left"]),
            right=MemberOut.of(row["right"]),
            evidence=orjson.loads(record["evidence"]),
            proposed_at=record["proposed_at"],
            proposed_by=record["proposed_by"],
            decided_at=record.get("decided_at"),
            decided_by=record.get("decided_by"),
            changes=orjson.loads(record["changes"]),
        )


class MergesOut(msgspec.Struct, frozen=True):
    """A page of merges; `next` goes on after it."""

    items: list[MergeOut]
    next: str | None
