"""Wire types of consolidation and of the fast path."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, model_validator

from app.consolidation.fast import Observation, Remembered
from app.facts.schemas import FactOut
from app.kernel.graph import Row
from app.kernel.wire import Moment, ShortText, TagName, WireModel

PredicateName = Annotated[
    str,
    StringConstraints(
        min_length=1, max_length=120, strip_whitespace=True, pattern=r"^[^\W\d_][\w :/.%&+'-]*$"
    ),
]
EntityType = Literal[
    "person",
    "organization",
    "project",
    "product",
    "technology",
    "place",
    "event",
    "concept",
    "group",
    "artifact",
    "decision",
    "incident",
    "lesson",
    "source",
    "unknown",
]


class ThingIn(WireModel):
    """An entity by its name, or a literal by its text."""

    name: ShortText | None = Field(None, description="Name of an entity.")
    type: EntityType = Field("unknown", description="What kind of thing it is.")
    value: ShortText | None = Field(
        None, description="A literal instead: a number with its unit, a date, a state, a text."
    )

    @model_validator(mode="after")
    def _one(self) -> ThingIn:
        if (self.name is None) == (self.value is None):
            raise ValueError("give either name or value")
        return self

    def packed(self) -> dict[str, Any]:
        """As an episode keeps it."""
        if self.name is not None:
            return {"name": self.name, "type": self.type}
        return {"value": self.value}


class SubjectIn(WireModel):
    """What a statement is about."""

    name: ShortText = Field(description="Name of the entity.")
    type: EntityType = Field("unknown", description="What kind of thing it is.")


class StatementIn(WireModel):
    """One statement with its interval, in place of a text."""

    subject: SubjectIn = Field(description="What it is about.")
    predicate: PredicateName = Field(description="Name of the predicate, such as `lives_in`.")
    object: ThingIn = Field(description="What is said of it.")
    mode: Literal["assert", "end", "deny", "correct"] = Field(
        "assert",
        description="`end`: it has stopped; `deny`: it is not so; `correct`: what was said before "
        "was an error.",
    )
    valid_from: Moment | None = Field(None, description="From when it holds in the world.")
    valid_to: Moment | None = Field(None, description="Until when, not included.")
    precision: Literal["instant", "day", "month", "year"] = Field(
        "instant", description="How exactly both moments are known."
    )
    replaces: ThingIn | None = Field(None, description="The value that it takes the place of.")

    @model_validator(mode="after")
    def _in_order(self) -> StatementIn:
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise ValueError("valid_to lies before valid_from")
        return self

    def packed(self) -> dict[str, Any]:
        """As an episode keeps it."""
        fields: dict[str, Any] = {
            "subject": {"name": self.subject.name, "type": self.subject.type},
            "predicate": self.predicate,
            "object": self.object.packed(),
            "mode": self.mode,
            "precision": self.precision,
            "ongoing": self.valid_from is None,
        }
        if self.valid_from:
            fields["valid_from"] = self.valid_from.isoformat()
        if self.valid_to:
            fields["valid_to"] = self.valid_to.isoformat()
        if self.replaces:
            fields["replaces"] = self.replaces.packed()
        return fields


WHO = (
    "Who says it: by the kind of the key's principal if unset. "
    "An agent that quotes a user says `user`, and stays below that user's own word."
)


class RememberIn(WireModel):
    """A short observation: a text to read, or a statement."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=8000)] | None = Field(
        None, description="What to remember; rules read it."
    )
    statement: StatementIn | None = Field(None, description="What to remember, already read.")
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    session: ShortText = Field("remembered", description="Your own name of the conversation.")
    role: Literal["user", "assistant", "tool"] | None = Field(None, description=WHO)
    speaker: ShortText | None = Field(None, description="Name of the person who says it.")
    said_at: Moment | None = Field(None, description="When it was said; now if unset.")
    origin: ShortText = Field("api", description="What it came from.")
    tags: tuple[TagName, ...] = Field((), max_length=32, description="Labels to filter by.")

    @model_validator(mode="after")
    def _one(self) -> RememberIn:
        if (self.text is None) == (self.statement is None):
            raise ValueError("give either text or statement")
        return self

    def to_observation(self) -> Observation:
        """What is to be remembered."""
        given = {name: getattr(self, name) for name in _SEEN}
        statement = self.statement.packed() if self.statement else None
        return Observation(statement=statement, **given)


_SEEN = ("session", "role", "text", "scope", "speaker", "said_at", "origin", "tags")


class SupersedeIn(WireModel):
    """Another value in the place of the one that a fact holds."""

    fact: ShortText = Field(description="Id of the fact whose value is replaced.")
    object: ThingIn = Field(description="The new value.")
    valid_from: Moment | None = Field(None, description="From when it holds; now if unset.")
    correct: bool = Field(
        False, strict=True, description="The old value was an error and never held."
    )
    session: ShortText = Field("remembered", description="Your own name of the conversation.")
    role: Literal["user", "assistant", "tool"] | None = Field(None, description=WHO)
    speaker: ShortText | None = Field(None, description="Name of the person who says it.")

    def to_observation(self) -> Observation:
        """The statement without its value, subject and predicate, which are the fact's."""
        statement: dict[str, Any] = {
            "mode": "correct" if self.correct else "assert",
            "ongoing": True,  # whoever replaces a value says that the new one holds now
        }
        if self.valid_from:
            statement["valid_from"] = self.valid_from.isoformat()
        return Observation(
            session=self.session, role=self.role, statement=statement, speaker=self.speaker
        )


class RememberedOut(msgspec.Struct, frozen=True):
    """What was stored: the episode, and the facts that it supports."""

    status: Literal["accepted", "duplicate"]
    episode: str
    scope: str
    facts: list[FactOut]
    quarantined: list[str]
    superseded: list[str]

    @classmethod
    def of(cls, found: Remembered) -> RememberedOut:
        """The wire form of what was stored."""
        return cls(
            status="accepted" if found.receipt.status == "accepted" else "duplicate",
            episode=found.receipt.id or "",
            scope=found.receipt.scope or "",
            facts=[FactOut.of(row) for row in found.facts],
            quarantined=_by_status(found.facts, "quarantined"),
            superseded=_by_status(found.facts, "superseded"),
        )


class ModelStatusOut(msgspec.Struct, frozen=True):
    """What a language model has yet to read in a scope, and what today's questions came to.

    `due` counts those that wait for another day's budget too (`waiting`); `failed` and `skipped`
    are left to the rules. Tokens are of this day in UTC, those set aside included. Where the
    scope's rules want no model, `enabled` is false and nothing is sent.
    """

    enabled: bool
    due: int
    waiting: int
    failed: int
    skipped: int
    tokens: int
    budget: int
    asked: int
    cached: int
    failures: int
    accepted: int
    dropped: int


class RestoringOut(msgspec.Struct, frozen=True):
    """An import that restores a scope: until it is done, or the time is up, nobody else reads."""

    run: str
    until: datetime


class ScopeStatusOut(msgspec.Struct, frozen=True):
    """How far one scope is."""

    scope: str
    raw: int
    in_progress: int
    failed: int
    consolidated: int
    facts: int
    lag_seconds: float
    reached_at: datetime | None
    last_run_at: datetime | None
    model: ModelStatusOut | None = None
    restoring: RestoringOut | None = None


class ConsolidationOut(msgspec.Struct, frozen=True):
    """How far each visible scope is, and the episodes that could not be read.

    `model` names the language model that reads after the rules, null where none is configured;
    `model_failures` are the episodes that it could not be asked about, with the reason.
    """

    scopes: list[ScopeStatusOut]
    failures: list[dict[str, Any]]
    model: str | None = None
    model_failures: list[dict[str, Any]] = []


class ConsolidateIn(WireModel):
    """What to take up."""

    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    again: Literal["none", "failed", "all", "model"] = Field(
        "none",
        description="Take failed episodes up again, read all of them once more, or have the "
        "language model read all of them.",
    )


class ConsolidatingOut(msgspec.Struct, frozen=True):
    """The job that consolidates, to look at under /v1/jobs."""

    job: str
    scope: str
    again: int


def _by_status(rows: list[Row], wanted: str) -> list[str]:
    return sorted(row["fact"]["id"] for row in rows if row["fact"]["status"] == wanted)
