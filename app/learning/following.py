"""How the messages of a conversation begin and end tasks. Pure.

What a user says next tells of the task before it (`app/learning/wording.py`): a correction or the
same again goes on with it, thanks end it, and a new task ends it and begins another. Half an hour
of silence ends it too, and so does a conversation that begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.conversations.noise import is_useful, rewritten
from app.learning.evidence import Told, added
from app.learning.model import LONGEST_TASK, Segment
from app.learning.scoring import Continuation
from app.learning.wording import NEW_TASK, continuation_of


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it came into a buffer: its place there, its episode, and its words."""

    seq: int
    episode: str
    role: str
    text: str
    at: datetime


@dataclass(slots=True)
class Following:
    """The tasks of a conversation under its messages: the one that is open, and those that ended,
    each with when it did."""

    begin: Callable[[Said, str], Segment]
    idle: timedelta
    open: Segment | None = None
    ended: list[tuple[Segment, datetime]] = field(default_factory=list)

    def take(self, messages: Iterable[Said], began: int = 0) -> None:
        """Let messages come in, in order; with the first one behind `began` the conversation begins
        anew."""
        last = 0
        for said in messages:
            held = self.open
            anew = last <= began < said.seq and last > 0
            if held is not None and (anew or said.at - held.changed_at > self.idle):
                self._end(held.changed_at)
            last = said.seq
            if said.role == "user":
                self._user(said)
            elif self.open is not None:
                self._goes_on(said.at, Told(answer=said.text))

    def _user(self, said: Said) -> None:
        if self.open is None:
            self._begin(said, said.text)
            return
        says = continuation_of(self.open.task, said.text)
        ends = says in (Continuation.THANKS, Continuation.NEW_TASK)
        turns = (self.open.evidence.turns or 0) + (not ends)
        self._goes_on(said.at, Told(reply=said.text, turns=turns))
        if ends:
            self._end(said.at)
            rest = rewritten(said.text)
            if NEW_TASK.search(rest):
                self._begin(said, rest)

    def _begin(self, said: Said, words: str) -> None:
        if is_useful(words).keep:
            self.open = self.begin(said, words.strip()[:LONGEST_TASK])

    def _goes_on(self, at: datetime, told: Told) -> None:
        held = self.open
        if held is not None:
            evidence = added(held.evidence, told, held.task)
            update = {"evidence": evidence, "changed_at": max(at, held.changed_at)}
            self.open = held.model_copy(update=update)

    def _end(self, at: datetime) -> None:
        if self.open is not None:
            self.ended.append((self.open, at))
        self.open = None
