"""Questions as they are asked: kept in the memory of a process, written every few seconds.

No search waits for a write, and none fails by it; a crash loses the records of some seconds.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from app.errors import LociError
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.ids import new_id
from app.kernel.periodic import Periodic
from app.questions.model import Asked, Outcome, Question
from app.questions.writing import QuestionWriter

EVERY = 2.0  # seconds between two writes
FULL = 5000  # records that wait; more are counted and left out
BATCH = 500  # records of one transaction


@dataclass(slots=True)
class Telling:
    """A question under way: whoever answers it says what it came to."""

    asked: Asked
    caller: Caller
    at: datetime = field(default_factory=now)
    begin: float = field(default_factory=time.perf_counter)
    outcome: Outcome = field(default_factory=Outcome)

    def ended(self, error: str | None) -> Question:
        """The record of it."""
        return Question(
            id=new_id(),
            asked=self.asked,
            scope=self.caller.home,
            scopes=_put_to(self.asked, self.caller),
            tenant=self.caller.tenant,
            principal=self.caller.principal,
            at=self.at,
            milliseconds=(time.perf_counter() - self.begin) * 1000,
            outcome=self.outcome,
            error=error,
        )


class QuestionLog:
    """A buffer before the writer; `dropped` counts what did not fit since the start."""

    def __init__(self, writer: QuestionWriter, most: int = FULL) -> None:
        self._writer = writer
        self._most = most
        self._waiting: list[Question] = []
        self.periodic = Periodic("questions", EVERY, self.flush)
        self.dropped = 0

    @contextlib.contextmanager
    def asking(self, caller: Caller, asked: Asked) -> Iterator[Telling]:
        """Record a question when the block ends; an error of ours is recorded and goes on."""
        telling = Telling(asked, caller)
        try:
            yield telling
        except LociError as error:
            self._note(telling.ended(error.code))
            raise
        self._note(telling.ended(None))

    def _note(self, question: Question) -> None:
        if len(self._waiting) >= self._most:
            self.dropped += 1
        else:
            self._waiting.append(question)

    async def flush(self) -> int:
        """Write what waits; how many were kept. What cannot be written now waits on."""
        kept = 0
        while self._waiting:
            batch = self._waiting[:BATCH]
            kept += await self._writer.write(batch)
            del self._waiting[: len(batch)]
        return kept


def _put_to(asked: Asked, caller: Caller) -> tuple[str, ...]:
    """The scopes that a question counts at: those it names, and the home where it names none."""
    everything = not asked.scopes or sorted(asked.scopes) == caller.visible
    return (caller.home,) if everything else asked.scopes
