"""What a line says of the graph that was made of the episodes: entities, facts, and their edges.

These kinds travel with the state of the episodes they were made of, and only the operator takes
them in, in place: everywhere else the episodes are read anew.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from app.kernel.fields import Count, Id, Json, Path, Positive, Properties, Text, Unit
from app.kernel.wire import Moment, ShortText, WireModel

Name = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Key = Annotated[str, StringConstraints(max_length=65_536)]


class CursorRecord(WireModel):
    """How far the consolidation of a scope was; its derived graph comes with the package."""

    scope: Path
    consolidated: Count = 0
    facts: Count = 0
    failed: Count = 0
    reached_at: Moment | None = None
    last_run_at: Moment | None = None
    created_at: Moment | None = None


class EntityRecord(WireModel):
    """What is spoken of, with the names that lead to it."""

    id: Id
    scope: Path
    root: Id = Field(description="Id of the entity that stands for its cluster.")
    canonical_name: Name
    canonical_key: Key
    type: ShortText
    aliases: tuple[Name, ...] = ()
    keys: tuple[Key, ...] = ()
    names: tuple[Key, ...] = Field((), description="Normalised names under which it is found.")
    marks: tuple[ShortText, ...] = ()
    attributes: dict[str, Any] | None = None
    curated: tuple[ShortText, ...] = ()
    labels: tuple[Literal["Concept", "Decision", "Incident", "Lesson", "Source"], ...] = ()
    mention_count: Count = 0
    ingested_at: Moment
    expired_at: Moment | None = None
    stats: Properties = Field(default_factory=dict)


class CompanyRecord(WireModel):
    """Two entities that are mentioned together, the smaller id first."""

    scope: Path
    one: Id
    other: Id
    count: Positive


class MergeRecord(WireModel):
    """The ledger of one pair of entities that may be one, and the edge that its roots follow."""

    id: Id
    scope: Path
    left: Id
    right: Id
    status: Literal["pending", "accepted", "rejected", "undone"]
    evidence: Json | None = None
    changes: Json | None = None
    proposed_at: Moment | None = None
    proposed_by: ShortText | None = None
    decided_at: Moment | None = None
    decided_by: ShortText | None = None
    rule: ShortText | None = None
    left_count: Count | None = None
    right_count: Count | None = None
    edge: Properties = Field(default_factory=dict, description="The edge SAME_AS, as it is.")


class IntervalRecord(WireModel):
    """One interval of a fact, as it was held from `recorded_at` to `retracted_at`."""

    id: Id
    valid_from: Moment
    valid_to: Moment | None = None
    from_precision: ShortText
    to_precision: ShortText
    recorded_at: Moment
    retracted_at: Moment | None = None
    standing: Literal["held", "quarantined"]
    reason: ShortText


class RelationRecord(WireModel):
    """The edge between two entities that stands for a fact."""

    valid_from: Moment
    valid_to: Moment | None = None
    recorded_at: Moment
    live: bool


class ReviewRecord(WireModel):
    """A curator's decision on a fact."""

    id: Id
    verdict: ShortText
    by: ShortText
    at: Moment
    note: Text | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    other: Id | None = Field(None, description="The older fact of a possible change.")
    undone_at: Moment | None = None
    undone_by: ShortText | None = None


class FactRecord(WireModel):
    """A statement with everything that was ever held of it."""

    id: Id
    scope: Path
    key: Id = Field(description="Its belief key: what is settled together.")
    subject: Id
    subject_text: Name
    predicate: ShortText
    object_kind: ShortText
    object_key: Key
    object_text: Key
    object_id: Id | None = None
    negated: bool = False
    qualifier: ShortText | None = Field(None, description="What its value is qualified by.")
    fits: tuple[ShortText, ...] | None = Field(
        None, description="Of an end that leaves open what ended: the predicates that it may end."
    )
    statement: Text
    language: ShortText
    status: Literal["active", "superseded", "quarantined"]
    live: bool = False
    valid_from: Moment
    valid_to: Moment | None = None
    confidence: Unit
    evidence: Count
    principals: Count
    trust: Unit
    importance: Unit
    is_pinned: bool = False
    captured_at: Moment
    ingested_at: Moment
    expired_at: Moment | None = None
    claims: Count = Field(description="How many claims it has; with fewer it is settled anew.")
    intervals: tuple[IntervalRecord, ...] = ()
    reviews: tuple[ReviewRecord, ...] = ()
    relation: RelationRecord | None = None
    stats: Properties = Field(default_factory=dict)


class MentionRecord(WireModel):
    """A range of an episode's text, in characters, that names an entity."""

    entity: Id
    start: Count
    end: Count
    name: Name


class ClaimRecord(WireModel):
    """What one span of an episode says, and on whose authority."""

    id: Id
    fact: Id
    start: Count
    end: Count
    mode: ShortText
    said_at: Moment
    recorded_at: Moment
    since: Moment | None = None
    since_precision: ShortText | None = None
    until: Moment | None = None
    until_precision: ShortText | None = None
    ongoing: bool | None = Field(
        None, description="Whether it held when it was said; none of a change told with its date."
    )
    confidence: Unit
    tier: Annotated[int, Field(ge=0, le=5)]
    principal: ShortText
    trust: Unit
    own: bool = False
    voice: ShortText | None = None
    voids: Id | None = None
    voids_name: Key | None = None
    rest: Key | None = Field(None, description="Words of its clause that were not read.")
    rule: ShortText
    language: ShortText
    model: ShortText | None = None


class LoneRecord(WireModel):
    """A name that one text alone gives, as it was read there, with its places."""

    id: Id
    type: ShortText
    key: Key
    keys: tuple[Key, ...]
    aliases: tuple[Name, ...]
    marks: tuple[ShortText, ...] = ()
    at: tuple[tuple[Count, Count, Name], ...]


class ReadingRecord(WireModel):
    """What was read in one episode."""

    scope: Path
    episode: Id
    mentions: tuple[MentionRecord, ...] = ()
    names: tuple[LoneRecord, ...] = ()
    claims: tuple[ClaimRecord, ...] = ()


class LinkRecord(WireModel):
    """Which fact took the place of another, or stands against it, and when that was so for us."""

    id: Id
    scope: Path
    type: Literal["SUPERSEDED_BY", "CONTRADICTS", "MAY_CHANGE"]
    fact: Id
    other: Id
    reason: ShortText | None = None
    recorded_at: Moment
    retracted_at: Moment | None = None


class AttestationRecord(WireModel):
    """A principal that stands for a fact."""

    id: Id
    scope: Path
    fact: Id
    principal: ShortText
    at: Moment
    revoked_at: Moment | None = None


class PromotionRecord(WireModel):
    """A decision to copy a fact to a wider scope of the tenant."""

    id: Id
    scope: Path
    target: Path
    fact: Id
    copied_to: Id = Field(description="Id of the copy.")
    episode: Id
    attesters: tuple[ShortText, ...] = ()
    score: Unit
    at: Moment
    state: Literal["promoted", "demoted"]
    demoted_at: Moment | None = None
