"""A conversation of an agent, and its messages by the episodes that hold their words.

A message is first in the buffer, then mid-term memory. Both hold ids only: the episode is captured
at once, and says what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, model_validator

from app.kernel.kind import Gone, Place, Stored
from app.kernel.wire import Moment

LONGEST_NAME = 400  # characters
LONGEST_BUFFER = 100  # messages
LONGEST_WINDOW = 50  # messages
LONGEST_REASON = 200  # characters
RULES = "rules"  # who judged where no model did

Who = Annotated[str, StringConstraints(max_length=200)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]


class State(StrEnum):
    """Where a message is."""

    BUFFERED = "buffered"  # in the agent's context, and recalled to nobody
    MID_TERM = "mid_term"  # found by searches


class Verdict(StrEnum):
    """What became of a message in mid-term memory once somebody looked."""

    KEEP = "keep"
    DISCARD = "discard"  # no search finds it unless asked to; nothing is erased


class Conversation(Stored):
    """A conversation of one agent; `said` numbers its messages, and those up to `began` are of a
    time before it began anew. What is in its buffer is held back until `open_until`; tasks have
    followed its messages up to `followed`, and its answers were sorted up to `extracted`."""

    agent: Who
    conversation: Name
    said: Count = 0
    began: Count = 0
    began_at: Moment
    changed_at: Moment
    open_until: Moment
    followed: Count = 0
    extracted: Count = 0

    @model_validator(mode="before")
    @classmethod
    def _without_sorting(cls, given: Any) -> Any:
        """Take what an older package holds as sorted: nothing said before is sorted later."""
        if isinstance(given, Mapping) and given.get("extracted") is None:
            return {**given, "extracted": given.get("said", 0)}
        return given

    def derived(self) -> dict[str, Any]:
        """Return whether there are messages that no task has followed, or that were not sorted."""
        return {
            "unfollowed": True if self.said > self.followed else None,
            "unsorted": True if self.said > self.extracted else None,
        }

    def people(self) -> Iterable[str]:
        """Return the agent."""
        return {self.agent}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the conversation as one of another agent."""
        return self.model_copy(update={"agent": name(self.agent)})

    def without(self, gone: Gone) -> Self | None:
        """Return None, with which its messages go, where its agent or its name is forgotten."""
        if gone.wrote(self.agent) or gone.named(self.conversation):
            return None
        return self


class Message(Stored):
    """A message of a conversation: `memory` is its episode, `seq` its place, `first` the one that
    it had before it was sent again.

    The verdict tells who gave it, a model or our rules, why, how many memories were made of the
    exchange, and what the model's answer about that cost, once for each exchange.
    """

    agent: Who
    conversation: Name
    memory: Id
    seq: Count
    first: Count = 0
    state: State = State.BUFFERED
    entered_at: Moment
    left_at: Moment | None = None
    verdict: Verdict | None = None
    judged_at: Moment | None = None
    judged_by: Annotated[str, StringConstraints(max_length=200)] | None = None
    reason: str | None = None
    memories: Annotated[int, Field(ge=0, le=2)] = 0
    tokens: Count = 0
    cost: Annotated[float, Field(ge=0)] | None = None

    def derived(self) -> dict[str, Any]:
        """Return the scope of the episode, and since when the message waits for a verdict."""
        return {"memory_scope": self.scope, "waiting": self.waiting}

    @property
    def waiting(self) -> datetime | None:
        """Since when it waits for a verdict; None where it does not."""
        waits = self.state is State.MID_TERM and self.verdict is None
        return self.left_at if waits else None

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
        return self.model_copy(update={"memory": place(self.memory, self.scope, older=True)[0]})

    def without(self, gone: Gone) -> Self | None:
        """Return the message without a reason that names somebody; None where its episode, its
        agent or the name of the conversation goes."""
        if gone.took(self.memory) or gone.wrote(self.agent) or gone.named(self.conversation):
            return None
        if self.reason and gone.named(self.reason):
            return self.model_copy(update={"reason": None})
        return self

    def entered(self, seq: int, at: datetime) -> Self:
        """Return the message as it comes into the buffer, once more where it has been there."""
        update = {"seq": seq, "state": State.BUFFERED, "entered_at": at, "left_at": None}
        if self.seq == 0:
            update["first"] = seq
        return self.model_copy(update=update)

    def left(self, at: datetime) -> Self:
        """Return the message as it goes into mid-term memory."""
        return self.model_copy(update={"state": State.MID_TERM, "left_at": at})
