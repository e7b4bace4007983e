"""What a buffer does when messages come in, and when it is cleared. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.conversations.kind import MESSAGE
from app.conversations.model import Conversation, Message, State
from app.scopes.tuning import tuned


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many messages a buffer holds, how long they are held back when nothing is said, and
    whether turns without a scope lie in the agent's leaf."""

    messages: int = tuned("conversations.messages")
    open_for: timedelta = tuned(
        "conversations.open_seconds", lambda seconds: timedelta(seconds=seconds)
    )
    leaf: bool = tuned("conversations.leaf")


@dataclass(slots=True)
class Flow:
    """A buffer under a change: its conversation, what it holds in order, what it was told of
    before by episode, and every message that changed."""

    conversation: Conversation
    held: list[Message]
    known: Mapping[str, Message] = field(default_factory=dict)
    changed: dict[str, Message] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)  # episodes that left, in order

    def clear(self, at: datetime, bounds: Bounds) -> None:
        """Let everything leave: the conversation begins anew."""
        self._leave(len(self.held), at)
        update = {"began": self.conversation.said, "began_at": at}
        self.conversation = self.conversation.model_copy(update=update)
        self._touch(at, bounds)

    def take(self, episodes: Iterable[str], at: datetime, bounds: Bounds) -> None:
        """Let episodes come in, in order; what is too much leaves, the oldest first.

        One that is in the buffer stays where it is, and one that has left comes in again.
        """
        for episode in episodes:
            if any(message.memory == episode for message in self.held):
                continue
            said = self.conversation.said + 1
            self.conversation = self.conversation.model_copy(update={"said": said})
            message = self.changed.get(episode) or self.known.get(episode) or self._new(episode, at)
            self._note(message.entered(said, at))
            self.held.append(self.changed[episode])
            self._leave(len(self.held) - bounds.messages, at)
        self._touch(at, bounds)

    def _new(self, episode: str, at: datetime) -> Message:
        talk = self.conversation
        return MESSAGE.placed(
            Message(
                id="new",
                scope=talk.scope,
                agent=talk.agent,
                conversation=talk.conversation,
                memory=episode,
                seq=0,
                entered_at=at,
            )
        )

    def _leave(self, count: int, at: datetime) -> None:
        for _ in range(count):
            message = self.held.pop(0)
            self._note(message.left(at))
            self.gone.append(message.memory)

    def _note(self, message: Message) -> None:
        self.changed[message.memory] = message

    def _touch(self, at: datetime, bounds: Bounds) -> None:
        update = {"changed_at": at, "open_until": at + bounds.open_for}
        self.conversation = self.conversation.model_copy(update=update)

    @property
    def left(self) -> list[str]:
        """The episodes that left and are not in the buffer again, in order."""
        stays = {message.memory for message in self.held}
        return [one for one in dict.fromkeys(self.gone) if one not in stays]

    @property
    def new(self) -> list[Message]:
        """Messages that were not there before."""
        return [one for name, one in self.changed.items() if name not in self.known]

    @property
    def old(self) -> list[Message]:
        """Messages that were there and changed."""
        return [one for name, one in self.changed.items() if name in self.known]


def flow(conversation: Conversation, messages: Iterable[Message]) -> Flow:
    """Return the buffer of a conversation, given its buffered messages and any others."""
    known = {message.memory: message for message in messages}
    buffered = [message for message in known.values() if message.state is State.BUFFERED]
    return Flow(conversation, sorted(buffered, key=lambda one: one.seq), known)
