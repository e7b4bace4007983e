"""Wire types of escalations. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pydantic import Field, field_validator

from app.autonomy.authored import Text
from app.autonomy.wire import StepOut
from app.escalations.model import Escalation, Level, Repeat
from app.escalations.service import Draft
from app.kernel.wire import Moment, ShortText, Title, WireModel


class EscalationIn(WireModel):
    """A new escalation; it begins as `open`, on level 1."""

    title: Title
    reason: Text | None = None
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    resolver: ShortText | None = Field(
        None,
        description="Who resolves it: `agent:tenant:name`, `user:tenant:name`, or the name of an "
        "agent here; any writer if unset.",
    )
    due_at: Moment = Field(description="Past this moment its level is raised, once.")
    repeat_seconds: Repeat | None = Field(
        None, description="After how many seconds it is due again; never if unset."
    )
    most_level: Level | None = Field(
        None, description="The level that it stays at; that of the settings if unset."
    )

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(**{name: getattr(self, name) for name in type(self).model_fields})


class EscalationChangeIn(WireModel):
    """What is to change; a field that is left out stays, null empties it."""

    title: Title | None = None
    reason: Text | None = None
    resolver: ShortText | None = None
    due_at: Moment | None = None
    repeat_seconds: Repeat | None = None

    @field_validator("title", "due_at", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("this cannot be emptied with null")
        return value

    def changes(self) -> dict[str, Any]:
        """Return the fields that were given."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


class ResolveIn(WireModel):
    """How an escalation was resolved."""

    resolution: Text | None = None


class EscalationOut(msgspec.Struct, frozen=True):
    """An escalation with its history, oldest first; `pending_at` is when its level is raised
    next, and null where nothing will raise it."""

    id: str
    scope: str
    state: str
    level: int
    most_level: int
    due_at: datetime
    repeat_seconds: int | None
    pending_at: datetime | None
    resolver: str | None
    version: int
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    history: list[StepOut]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: Escalation) -> EscalationOut:
        """Return the wire form of an escalation."""
        return cls(
            id=found.id,
            scope=found.scope,
            state=found.state.value,
            level=found.level,
            most_level=found.most_level,
            due_at=found.due_at,
            repeat_seconds=found.repeat_seconds,
            pending_at=found.pending_at,
            resolver=found.resolver,
            version=found.version,
            created_at=found.created_at,
            created_by=found.created_by,
            changed_at=found.changed_at,
            changed_by=found.changed_by,
            history=[StepOut.of(step) for step in found.history],
            untrusted={
                "title": found.title,
                "reason": found.reason,
                "resolution": found.resolution,
            },
        )


class EscalationsOut(msgspec.Struct, frozen=True):
    """A page of escalations; `next` is the cursor of the one after it."""

    items: list[EscalationOut]
    next: str | None
