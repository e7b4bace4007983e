"""A conversation as it was said, its messages, and notes beside preferences and entities.

The words of a message are an episode's, which is found, read and erased like any other. Those that
no episode may hold stand in the message itself and are recalled nowhere else: what a system said,
and what has no words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.kernel.kind import Gone, Place, Stored, unpacked
from app.kernel.wire import Moment
from app.pools.data import without
from app.scopes.sessions import session_id

LONGEST_NAME = 200  # characters of the name of a conversation, which is its session's

Who = Annotated[str, StringConstraints(max_length=200)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
Json = Annotated[dict[str, Any], BeforeValidator(unpacked)]


class Voice(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Apart(StrEnum):
    """Why a message has no episode."""

    SYSTEM = "system"
    EMPTY = "empty"


class Transcript(Stored):
    """A conversation of one agent; `said` numbers its messages, `said_at` is the last one's."""

    agent: Who
    conversation: Name
    user: Who | None = None
    metadata: Json = Field(default_factory=dict)
    said: Count = 0
    began_at: Moment
    changed_at: Moment
    said_at: Moment

    def spoken_in(self) -> str | None:
        """Return the id of the session that its episodes are of."""
        return session_id(self.scope, self.conversation)

    def derived(self) -> dict[str, Any]:
        """Return the id of the session."""
        return {"session": self.spoken_in()}

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the conversation as one of another agent."""
        return self.model_copy(update={"agent": name(self.agent)})

    def without(self, gone: Gone) -> Self | None:
        """Return the conversation without what names somebody in its metadata; None, with which
        its messages go, where its agent, its session, its user or its name is forgotten."""
        texts = (self.conversation, self.user or "")
        if gone.wrote(self.agent) or any(gone.named(text) for text in texts):
            return None
        if gone.ended(self.spoken_in()):
            return None
        return self.model_copy(update={"metadata": _unnamed(self.metadata, gone)})


class TranscriptMessage(Stored):
    """A message: `memory` is the episode with its words, or `apart` tells why it has none and
    `words` are kept here. `changes` tells what the sanitising step did to it."""

    agent: Who
    conversation: Name
    key: Who
    number: Count
    voice: Voice
    said_at: Moment
    memory: Id | None = None
    apart: Apart | None = None
    words: str | None = None
    metadata: Json = Field(default_factory=dict)
    changes: tuple[str, ...] = ()

    def derived(self) -> dict[str, Any]:
        """Return the scope of the episode, where there is one, and the id of the session."""
        scope = self.scope if self.memory else None
        return {"memory_scope": scope, "session": self.spoken_in()}

    def spoken_in(self) -> str | None:
        """Return the id of the session that its episode is of."""
        return session_id(self.scope, self.conversation)

    def refers(self) -> str | None:
        """Return the episode."""
        return self.memory

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the message as one of another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def relocated(self, place: Place) -> Self:
        """Return the message with what stands for its episode."""
        if self.memory is None:
            return self
        return self.model_copy(update={"memory": place(self.memory, self.scope)[0]})

    def without(self, gone: Gone) -> Self | None:
        """Return the message without what names somebody in its metadata; None where its episode,
        its agent, its session or the name of its conversation goes, or its own words name him."""
        texts = (self.conversation, self.words or "")
        if gone.took(self.memory) or gone.wrote(self.agent) or any(map(gone.named, texts)):
            return None
        if gone.ended(self.spoken_in()):
            return None
        return self.model_copy(update={"metadata": _unnamed(self.metadata, gone)})

    def shown(self) -> dict[str, Any]:
        """Return the metadata with what Loci tells of the message, under names that begin with
        `loci`."""
        told: dict[str, Any] = {}
        if self.apart is not None:
            told["loci_apart"] = self.apart.value
        if self.changes:
            told["loci_sanitised"] = list(self.changes)
        return {**self.metadata, **told}


class OfMemory(Stored):
    """What an agent says of one note or entity, which lies in the same scope."""

    agent: Who
    memory: Id

    def derived(self) -> dict[str, Any]:
        """Return the scope of the note or entity."""
        return {"memory_scope": self.scope}

    def refers(self) -> str | None:
        """Return the note or entity."""
        return self.memory

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the value as another agent's."""
        return self.model_copy(update={"agent": name(self.agent)})

    def relocated(self, place: Place) -> Self:
        """Return the value with what stands for its note or entity."""
        return self.model_copy(update={"memory": place(self.memory, self.scope)[0]})


class Preference(OfMemory):
    """What a note says somebody prefers: of which category, and in which context."""

    category: Annotated[str, StringConstraints(min_length=1)]
    context: str | None = None
    noted_at: Moment

    def without(self, gone: Gone) -> Self | None:
        """Return the preference without a context that names somebody; None where its note or its
        agent goes, or the category names him."""
        if gone.took(self.memory) or gone.wrote(self.agent) or gone.named(self.category):
            return None
        if self.context and gone.named(self.context):
            return self.model_copy(update={"context": None})
        return self


class EntityVerdict(OfMemory):
    """What an agent says of an entity: a score of 0 to 1, and whether it is as it should be."""

    score: Annotated[float, Field(ge=0, le=1)] | None = None
    confirmed: bool | None = None
    given_at: Moment

    def without(self, gone: Gone) -> Self | None:
        """Return the verdict; None where its agent or the entity is gone."""
        return None if gone.wrote(self.agent) or gone.took(self.memory) else self


def later(moment: datetime, last: datetime) -> datetime:
    """Return a moment that no earlier message of a conversation has."""
    return max(moment, last)


def _unnamed(data: dict[str, Any], gone: Gone) -> dict[str, Any]:
    kept: dict[str, Any] = without({"m": data}, (), _nobody, gone.named).get("m", {})
    return kept


def _nobody(principal: str) -> bool:
    """Metadata has no second writer."""
    return False
