"""Memory of a LlamaIndex agent that Loci keeps: `loci-client[llama-index]`.

The history of a session lies in short-term memory, which this agent alone reads; what is said in it
is captured as well, so that later sessions recall it. Both are sanitised on their way in.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self, TypeVar

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemory

from loci_client.memory import Memory
from loci_client.model import Bundle
from loci_client.problems import LociProblem, is_missing
from loci_client.sessions import Kept, letters, value_of
from loci_client.talk import Talk
from loci_client.verbs import RELEVANT, BundleFilters, TurnFilters, relevant

T = TypeVar("T")
USER = MessageRole.USER
# What other frameworks call the words of the model, and those of a tool.
ROLES = {"chatbot": "assistant", "model": "assistant", "function": "tool"}
MOST = 100  # messages that a model reads of the history


class LociMemory(BaseMemory):  # type: ignore[misc]
    """The memory of one session, as `agent.run(…, memory=…)` takes it.

    The session and the scope are those of `memory`; `user` names whose it is, as in the verbs of
    `Memory`. A model reads the last `messages` of the history, and before them what is recalled
    for the question within `token_budget` tokens, in which the words of others are marked as data:
    nothing of a subject that is not known, or what is at least as relevant as `min_score`, 0 for
    all.
    A message of the history lives `ttl` seconds, or until it is reset.
    """

    _memory: Memory = PrivateAttr()
    _user: str | None = PrivateAttr()
    _kept: Kept = PrivateAttr()
    _messages: int = PrivateAttr()
    _token_budget: int = PrivateAttr()
    _min_score: float | None = PrivateAttr()
    _recalled: tuple[str, Bundle | None] = PrivateAttr(default=("", None))
    _turn: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    def __init__(
        self,
        memory: Memory,
        *,
        user: str | None = None,
        messages: int = MOST,
        token_budget: int = 1000,
        min_score: float | None = None,
        ttl: int | None = None,
    ) -> None:
        super().__init__()
        home = memory.home
        self._memory, self._user = memory, user
        self._kept = Kept(home.session, home.of(user), ttl, home.retries)
        self._messages, self._token_budget = messages, token_budget
        self._min_score = min_score

    @classmethod
    def class_name(cls) -> str:
        """The name by which LlamaIndex knows this class."""
        return "LociMemory"

    @classmethod
    def from_defaults(cls, memory: Memory | None = None, **how: Any) -> Self:
        """A memory of the key's home and a new session, unless one is given."""
        return cls(memory or Memory(), **how)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:
        """What a model reads: the recalled, where something is, then the end of the history.

        Recalled is for `input`, else for the last message of the user.
        """
        history = self.get_all()
        asked = input or next((_text(one) for one in reversed(history) if one.role == USER), "")
        found = self._recall(asked) if asked else None
        recalled = [ChatMessage(found.text, role=MessageRole.SYSTEM)] if found else []
        return recalled + _end(history, self._messages)

    def get_all(self) -> list[ChatMessage]:
        """The whole history, oldest first."""
        return [ChatMessage.model_validate(value_of(row)) for row in self._rows()]

    def put(self, message: ChatMessage) -> None:
        """Add a message behind those that there are, and capture what it says.

        Raises MessagesRefused for a text that Loci does not take; it is not in the history then.
        """
        with self._turn:
            self._capture(message)
            key = letters(self._kept.session or "", uuid.uuid4().hex)
            value = message.model_dump(mode="json", exclude_none=True)
            self._run(partial(self._kept.keep, key, value))

    def set(self, messages: Sequence[ChatMessage]) -> None:
        """Put messages in the place of the history."""
        self.reset()
        for message in messages:
            self.put(message)

    def reset(self) -> None:
        """Take the history out; what was captured stays, until it is forgotten."""
        for row in self._rows():
            self._run(partial(self._kept.drop, row))

    def _rows(self) -> list[Mapping[str, Any]]:
        try:
            return self._memory.loci.run(self._kept.rows())
        except LociProblem as problem:
            if self._user is None or not is_missing(problem):
                raise
            return []  # nothing was put in for this user

    def _run(self, talk: Callable[[], Talk[T]]) -> T:
        return self._memory.loci.run(self._memory.home.with_scope(self._user, talk))

    def _capture(self, message: ChatMessage) -> None:
        text, role = _text(message), message.role.value
        said = {"role": ROLES.get(role, role), "content": text}
        if message.role != USER:
            self._memory.add([said], user=self._user)
        elif text.strip():
            filters: TurnFilters = {"token_budget": self._token_budget}
            if self._min_score is not None:
                filters["min_score"] = self._min_score
            turn = self._memory.turn([said], user=self._user, **filters)
            self._recalled = (text, turn.context)

    def _recall(self, asked: str) -> Bundle | None:
        """What the turn of this question recalled, which leaves its own session out; else what a
        search finds."""
        known, found = self._recalled
        if known != asked:
            held = RELEVANT if self._min_score is None else self._min_score
            how: BundleFilters = {"token_budget": self._token_budget, **relevant(held)}
            found = self._memory.context(asked, user=self._user, **how)
            self._recalled = (asked, found)
        return found if found is not None and found.hits else None


def _text(message: ChatMessage) -> str:
    return message.content or ""


def _end(history: list[ChatMessage], most: int) -> list[ChatMessage]:
    """The last messages from one of the user on: an answer of a tool stands behind its call."""
    if len(history) <= most:
        return history
    last = history[-most:]
    begins = next((place for place, one in enumerate(last) if one.role == USER), 0)
    return last[begins:]
