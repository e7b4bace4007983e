"""Wire types of goals. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
from pydantic import Field, field_validator

from app.autonomy.authored import Id, Text
from app.autonomy.wire import StepOut
from app.goals.model import NEXT, Goal, GoalLink, GoalState, Percent
from app.goals.service import Draft
from app.kernel.clock import FOREVER
from app.kernel.wire import ShortText, Title, WireModel
from app.workitems.model import Priority


class GoalIn(WireModel):
    """A new goal; it begins as `active`."""

    title: Title
    description: Text | None = None
    criteria: Text | None = Field(None, description="What tells that it is reached.")
    scope: str | None = Field(
        None, description="Scope path to write to; that of the goal above, else the key's home."
    )
    progress: Percent = Field(0, description="Per cent.")
    priority: Priority = Priority.NORMAL
    owner: ShortText | None = Field(
        None,
        description="`agent:tenant:name`, `user:tenant:name`, or the name of an agent here; "
        "whoever asks if unset.",
    )
    parent_id: Id | None = Field(None, description="The goal above, in the same scope.")

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(**{name: getattr(self, name) for name in type(self).model_fields})


class GoalChangeIn(WireModel):
    """What is to change; a field that is left out stays, null empties it."""

    title: Title | None = None
    description: Text | None = None
    criteria: Text | None = None
    progress: Percent | None = None
    priority: Priority | None = None
    owner: ShortText | None = None

    @field_validator("title", "progress", "priority", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("this cannot be emptied with null")
        return value

    def changes(self) -> dict[str, Any]:
        """Return the fields that were given."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


class GoalAdvanceIn(WireModel):
    """How a goal ends, or goes on."""

    to: GoalState = Field(
        description="`completed` or `abandoned`; `active` takes up an abandoned one."
    )


class GoalLinkIn(WireModel):
    """What a goal is linked to."""

    memory: Id = Field(description="Id of a work item, episode, note, fact or page.")


class GoalOut(msgspec.Struct, frozen=True):
    """A goal; `next` are the states that its state leads to, `stale_at` is when an active one is
    stale unless its progress changes before."""

    id: str
    scope: str
    parent_id: str | None
    state: str
    next: list[str]
    owner: str | None
    priority: str
    progress: int
    progress_at: datetime
    stale_at: datetime | None
    version: int
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, goal: Goal, stale: timedelta) -> GoalOut:
        """Return the wire form of a goal."""
        active = goal.state is GoalState.ACTIVE
        far = FOREVER - goal.progress_at < stale
        return cls(
            id=goal.id,
            scope=goal.scope,
            parent_id=goal.parent_id,
            state=goal.state.value,
            next=[state.value for state in NEXT[goal.state]],
            owner=goal.owner,
            priority=goal.priority.value,
            progress=goal.progress,
            progress_at=goal.progress_at,
            stale_at=goal.progress_at + stale if active and not far else None,
            version=goal.version,
            created_at=goal.created_at,
            created_by=goal.created_by,
            changed_at=goal.changed_at,
            changed_by=goal.changed_by,
            untrusted={
                "title": goal.title,
                "description": goal.description,
                "criteria": goal.criteria,
            },
        )


class GoalsOut(msgspec.Struct, frozen=True):
    """A page of goals; `next` is the cursor of the one after it."""

    items: list[GoalOut]
    next: str | None


class GoalLinkOut(msgspec.Struct, frozen=True):
    """A work item or memory that belongs to a goal."""

    memory: str
    kind: str
    scope: str
    linked_at: datetime
    linked_by: str

    @classmethod
    def of(cls, link: GoalLink) -> GoalLinkOut:
        """Return the wire form of a link."""
        return cls(
            link.memory, link.memory_kind.value, link.memory_scope, link.linked_at, link.linked_by
        )


class GoalReadOut(msgspec.Struct, frozen=True):
    """A goal with its history, oldest first, and its links."""

    goal: GoalOut
    history: list[StepOut]
    links: list[GoalLinkOut]

    @classmethod
    def of(cls, goal: Goal, links: list[GoalLink], stale: timedelta) -> GoalReadOut:
        """Return the wire form of a goal with all that belongs to it."""
        return cls(
            GoalOut.of(goal, stale),
            [StepOut.of(step) for step in goal.history],
            [GoalLinkOut.of(link) for link in links],
        )
