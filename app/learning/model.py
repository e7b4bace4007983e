"""Segments of tasks, what they used, intents, and the learning log, as they are stored.

The log alone says what was learnt: score, label and intent of a segment and the state of an intent
follow from the entries that are in force, and are stored beside them for lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.conversations.model import LONGEST_NAME
from app.kernel.ids import digest
from app.kernel.kind import Gone, Place, Searched, Stored, unpacked
from app.kernel.wire import Moment, WireModel
from app.learning.scoring import Assessment, CheckKind, Continuation, Resolution
from app.scopes.sessions import session_id

LOCI = "loci"  # who acts where a schedule does
LONGEST_TASK = 5000  # characters
MOST_CALLS = 1000  # tool calls, and verifications, that evidence holds
Who = Annotated[str, StringConstraints(max_length=200)]
Session = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Text = Annotated[str, StringConstraints(min_length=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=2**31)]
Amount = Annotated[float, Field(ge=0, le=1e12)]


class SegmentState(StrEnum):
    """Whether a task goes on."""

    OPEN = "open"
    ENDED = "ended"


class IntentState(StrEnum):
    """How sure an intent is; one whose finding was rolled back is withdrawn."""

    FOUND = "found"
    CONFIRMED = "confirmed"
    WITHDRAWN = "withdrawn"


class LearningType(StrEnum):
    """What was learnt."""

    INTENT_DISCOVERED = "intent_discovered"
    INTENT_CONFIRMED = "intent_confirmed"
    INTENT_CLASSIFIED = "intent_classified"
    SKILL_CREATED = "skill_created"
    SKILL_IMPROVED = "skill_improved"
    MEMORY_UPDATED = "memory_updated"
    RESOLUTION_SCORED = "resolution_scored"


class Used(StrEnum):
    """What a task may have used."""

    SKILL = "skill"
    EPISODE = "episode"
    NOTE = "note"
    FACT = "fact"
    PAGE = "page"
    ENTITY = "entity"


class Actor(StrEnum):
    """Who wrote: the classes of MOA's changelog that Loci has."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class Check(WireModel):
    """One verification of a result."""

    kind: CheckKind
    passed: bool


class Evidence(WireModel):
    """What is known of how a task went. Of replies and answers only what they say of it is kept."""

    tools: Annotated[tuple[bool, ...], Field(max_length=MOST_CALLS)] | None = None
    checks: Annotated[tuple[Check, ...], Field(max_length=MOST_CALLS)] | None = None
    continuation: Continuation | None = None
    assessment: Assessment | None = None
    turns: Count | None = None
    cost: Amount | None = None
    cancelled: bool = False
    over_budget: bool = False


class Segment(Stored):
    """A task from its beginning to its end; its agent's alone to write, so that it goes with him.

    `changed_at` is when something was last told of it; `turn` is the episode that began it, None
    where its agent did.
    """

    task: Text
    session_key: Session | None = None
    agent: Who
    trace: Id | None = None
    turn: Id | None = None
    state: SegmentState = SegmentState.OPEN
    started_at: Moment
    changed_at: Moment
    ended_at: Moment | None = None
    evidence: Annotated[Evidence, BeforeValidator(unpacked)] = Field(default_factory=Evidence)
    score: Share | None = None
    label: Resolution | None = None
    certainty: Share | None = None
    intent: Id | None = None

    @property
    def seconds(self) -> float:
        """How long it took, up to what was last told of it."""
        return max((self.changed_at - self.started_at).total_seconds(), 0.0)

    def derived(self) -> dict[str, Any]:
        """Return what figures and sweeps ask for: `idle_since` of what is open, duration, turns."""
        ended = self.state is SegmentState.ENDED
        return {
            "session": self.spoken_in() or "",
            "idle_since": None if ended else self.changed_at,
            "seconds": self.seconds if ended else None,
            "turns": self.evidence.turns if ended else None,
            "cost": self.evidence.cost if ended else None,
        }

    def spoken_in(self) -> str | None:
        """Return the id of the session that goes by the client's name for it."""
        return session_id(self.scope, self.session_key) if self.session_key else None

    def searched(self) -> Searched | None:
        """Return the task, tagged with the label; None as long as it is open."""
        if self.ended_at is None:
            return None
        tags = (self.label.value,) if self.label else ()
        return Searched(self.task, self.ended_at, session=self.spoken_in() or "", tags=tags)

    def refers(self) -> str | None:
        """Return the trace, or the episode that began it."""
        return self.trace or self.turn

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the segment as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def relocated(self, place: Place) -> Self:
        """Return the segment with what stands for its trace and its intent."""
        update: dict[str, Any] = {}
        if self.trace is not None:
            update["trace"] = place(self.trace, self.scope)[0]
        if self.turn is not None:
            update["turn"] = place(self.turn, self.scope, older=True)[0]
        if self.intent is not None:
            update["intent"] = place(self.intent, self.scope)[0]
        return self.model_copy(update=update)

    def without(self, gone: Gone) -> Self | None:
        """Return the segment without its trace where that is gone; None where somebody is its agent
        or named by the task, and where its session, or the words that it quotes, are forgotten."""
        if gone.wrote(self.agent) or gone.named(self.task):
            return None
        if gone.ended(self.spoken_in()):
            return None
        if gone.took(self.turn):
            return None
        return self.model_copy(update={"trace": None}) if gone.took(self.trace) else self


class SegmentUse(Stored):
    """A skill or memory that a task used; it goes with either of them."""

    segment: Id
    memory: Id
    memory_kind: Used
    memory_scope: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    rank: Annotated[int, Field(ge=1, le=1000)] | None = None
    agent: Who
    used_at: Moment

    def refers(self) -> str | None:
        """Return what was used."""
        return self.memory

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the use as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def relocated(self, place: Place) -> Self:
        """Return the use between what stands for its two ends."""
        segment, _ = place(self.segment, self.scope)
        memory, scope = place(self.memory, self.memory_scope)
        return self.model_copy(update={"segment": segment, "memory": memory, "memory_scope": scope})

    def without(self, gone: Gone) -> Self | None:
        """Return the use; None where its agent or what was used is gone."""
        return None if gone.wrote(self.agent) or gone.took(self.memory) else self


class Intent(Stored):
    """What several tasks are after, by the words of one of them; `author` wrote these."""

    name: Text
    example: Id | None = None
    author: Who
    state: IntentState = IntentState.FOUND
    found_at: Moment
    changed_at: Moment

    def refers(self) -> str | None:
        """Return the segment whose task it quotes."""
        return self.example

    def people(self) -> Iterable[str]:
        """Return who wrote its words."""
        return {self.author}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the intent in the words of another agent."""
        return self.model_copy(update={"author": name(self.author) if self.author else ""})

    def relocated(self, place: Place) -> Self:
        """Return the intent with what stands for its example."""
        if self.example is None:
            return self
        return self.model_copy(update={"example": place(self.example, self.scope)[0]})

    def without(self, gone: Gone) -> Self | None:
        """Return the intent by its id where its words are somebody's, or name him, or go."""
        lost = gone.wrote(self.author) or gone.named(self.name) or gone.took(self.example)
        if not lost:
            return self
        by = "" if gone.wrote(self.author) else self.author
        return self.model_copy(update={"name": self.id, "example": None, "author": by})


Signal = Literal["tool", "verification", "continuation", "self_assessment", "structural"]


class Figures(WireModel):
    """What an entry tells beside its type: figures and ids, no text of a client."""

    score: Share | None = None
    label: Resolution | None = None
    certainty: Share | None = None
    signals: dict[Signal, Share] | None = None
    intent: Id | None = None
    similarity: Share | None = None
    segments: Count | None = None
    version: (
        Annotated[str, StringConstraints(pattern=r"^[0-9.]{1,64}(-exp\.[0-9]{1,6})?$")] | None
    ) = None
    episodes: Count | None = None
    facts: Count | None = None
    expired: Count | None = None

    def told(self) -> dict[str, Any]:
        """Return those that are known."""
        return self.model_dump(mode="json", exclude_none=True)


class LearnedEntry(Stored):
    """One entry of the log: what was learnt of what, when it holds, and when Loci knew.

    It holds from `valid_from` to `valid_to` of the world's clock; the end was told at `closed_at`,
    before which it was not known. `batch` is the run or the request that wrote it.
    """

    type: LearningType
    about: Id | None = None
    about_kind: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,32}$")]
    batch: Id
    figures: Annotated[Figures, BeforeValidator(unpacked)] = Field(default_factory=Figures)
    actor: Who
    valid_from: Moment
    valid_to: Moment | None = None
    recorded_at: Moment
    closed_at: Moment | None = None

    def derived(self) -> dict[str, Any]:
        """Return what sweeps ask for: whether the entry is open."""
        return {"in_force": self.closed_at is None}

    def holds(self, as_of: datetime, known_at: datetime) -> bool:
        """Return whether the entry held at one moment, as far as was known at another."""
        if self.recorded_at > known_at or self.valid_from > as_of:
            return False
        told = self.closed_at is not None and self.closed_at <= known_at
        return not told or self.valid_to is None or self.valid_to > as_of

    def refers(self) -> str | None:
        """Return what it is about."""
        return self.about

    def people(self) -> Iterable[str]:
        """Return who caused it."""
        return {self.actor} - {"", LOCI}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the entry with who caused it replaced."""
        return self.model_copy(update={"actor": _named(name, self.actor)})

    def relocated(self, place: Place) -> Self:
        """Return the entry about what stands for the former one."""
        update: dict[str, Any] = {}
        if self.about is not None:
            update["about"] = place(self.about, self.scope)[0]
        if (intent := self.figures.intent) is not None:
            new = {"intent": place(intent, self.scope)[0]}
            update["figures"] = self.figures.model_copy(update=new)
        return self.model_copy(update=update)

    def without(self, gone: Gone) -> Self | None:
        """Return the entry without who caused it; None where what it is about is gone."""
        if gone.took(self.about):
            return None
        return self.model_copy(update={"actor": "" if gone.wrote(self.actor) else self.actor})


class Operation(StrEnum):
    """What was done to a node."""

    CREATE = "create"
    UPDATE = "update"
    ERASE = "erase"


class LearnedChange(Stored):
    """One row of the changelog: the versions of a scope count on by one with every write.

    What is erased leaves the hash of its id.
    """

    version: Annotated[int, Field(ge=1, le=2**53 - 1)]
    operation: Operation
    target: Id | None = None
    target_kind: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,32}$")]
    target_hash: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    actor_kind: Actor
    at: Moment

    def refers(self) -> str | None:
        """Return what was written."""
        return self.target

    def without(self, gone: Gone) -> Self | None:
        """Return the row with a hash for what is erased."""
        if self.target is None or not gone.took(self.target):
            return self
        left = {"operation": Operation.ERASE, "target": None, "target_hash": digest(self.target)}
        return self.model_copy(update=left)


def _named(name: Callable[[str], str], who: str) -> str:
    return who if who in ("", LOCI) else name(who)
