"""An escalation as it is stored and exported, and what becomes of it once it is due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, StringConstraints

from app.autonomy.authored import Authored, Transition, Who
from app.kernel.clock import FOREVER
from app.kernel.kind import Kind, Readable, unpacked
from app.kernel.vocab import Label
from app.kernel.wire import Moment

TEXTS = ("title", "reason", "resolution")
HIGHEST = 100  # level of any escalation, whatever the settings say
SHORTEST, LONGEST_REPEAT = 60, 366 * 86_400  # seconds from one due moment to the next


class EscalationState(StrEnum):
    """Whether it waits, was passed on, or is over."""

    OPEN = "open"
    ESCALATED = "escalated"
    RESOLVED = "resolved"


NEXT: Mapping[EscalationState, tuple[EscalationState, ...]] = {
    EscalationState.OPEN: (EscalationState.ESCALATED, EscalationState.RESOLVED),
    EscalationState.ESCALATED: (EscalationState.ESCALATED, EscalationState.RESOLVED),
    EscalationState.RESOLVED: (),
}
Level = Annotated[int, Field(ge=1, le=HIGHEST)]
Repeat = Annotated[int, Field(ge=SHORTEST, le=LONGEST_REPEAT)]


class Escalation(Authored):
    """What waits for a decision; `raised` are the due moments that have raised its level."""

    texts: ClassVar[tuple[str, ...]] = TEXTS
    assigned: ClassVar[tuple[str, ...]] = ("resolver",)

    title: Annotated[str, StringConstraints(min_length=1)]
    reason: str | None = None
    resolution: str | None = None
    state: EscalationState = EscalationState.OPEN
    resolver: Who | None = None
    level: Level = 1
    most_level: Level
    due_at: Moment
    repeat_seconds: Repeat | None = None
    raised: Annotated[tuple[Moment, ...], Field(max_length=HIGHEST), BeforeValidator(unpacked)] = ()

    @property
    def pending_at(self) -> datetime | None:
        """When its level will be raised; None where nothing will raise it."""
        over = self.state is EscalationState.RESOLVED or self.level >= self.most_level
        return None if over or self.due_at in self.raised else self.due_at

    def derived(self) -> dict[str, Any]:
        """Return when its level will be raised, for the check of what is due."""
        return {"pending_at": self.pending_at or FOREVER}

    def raising(self, at: datetime, by: str) -> dict[str, Any]:
        """Return what is set where its level is raised: one level for its due moment, and the next
        due moment after now where it repeats, so that a clock that jumps raises it once."""
        to = EscalationState.ESCALATED
        update = self.stepped(Transition(at=at, by=by, before=self.state, to=to))
        return {
            **update,
            "level": self.level + 1,
            "raised": (*self.raised, self.due_at)[-HIGHEST:],
            "due_at": next_due(self.due_at, self.repeat_seconds, at),
        }


def next_due(due: datetime, repeat: int | None, at: datetime) -> datetime:
    """Return the first moment of a series after `at`; the due moment itself without a series."""
    if repeat is None or due > at:
        return due
    step = timedelta(seconds=repeat)
    count = (at - due) // step + 1
    return due + count * step


ESCALATION = Kind(
    "escalation",
    Escalation,
    Label.ESCALATION,
    sanitised=TEXTS,
    changed="changed_at",
    readable=Readable(),
)
