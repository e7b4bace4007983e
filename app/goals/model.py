"""A goal as it is stored and exported, and its links to work items and memories."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, StringConstraints

from app.autonomy.authored import Authored, Id, Who
from app.kernel.clock import FOREVER
from app.kernel.kind import Kind, Place, Readable
from app.kernel.vocab import Label
from app.kernel.wire import Moment
from app.workitems.model import Linked, Priority

TEXTS = ("title", "description", "criteria")


class GoalState(StrEnum):
    """Whether a goal is still pursued."""

    ACTIVE = "active"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


class LinkKind(StrEnum):
    """What a goal is linked to."""

    WORK_ITEM = "work_item"
    EPISODE = "episode"
    NOTE = "note"
    FACT = "fact"
    PAGE = "page"


NEXT: Mapping[GoalState, tuple[GoalState, ...]] = {
    GoalState.ACTIVE: (GoalState.COMPLETED, GoalState.ABANDONED),
    GoalState.COMPLETED: (),
    GoalState.ABANDONED: (GoalState.ACTIVE,),
}
Percent = Annotated[int, Field(ge=0, le=100)]


class Goal(Authored):
    """What an agent is after; `progress_at` is when its progress was last another number, or when
    it was taken up again, and `stale_told_at` when a check told that it has had none since."""

    texts: ClassVar[tuple[str, ...]] = TEXTS
    assigned: ClassVar[tuple[str, ...]] = ("owner",)

    title: Annotated[str, StringConstraints(min_length=1)]
    description: str | None = None
    criteria: str | None = None
    state: GoalState = GoalState.ACTIVE
    progress: Percent = 0
    progress_at: Moment
    stale_told_at: Moment | None = None
    priority: Priority = Priority.NORMAL
    owner: Who | None = None
    parent_id: Id | None = None

    def derived(self) -> dict[str, Any]:
        """Return since when an active goal makes no progress, for the check of stale ones."""
        active = self.state is GoalState.ACTIVE
        return {"idle_since": self.progress_at if active else FOREVER}

    @property
    def told_stale(self) -> bool:
        """Whether a check told that it makes no progress, and it has made none since."""
        return self.stale_told_at is not None

    def refers(self) -> str | None:
        """Return the goal above."""
        return self.parent_id

    def relocated(self, place: Place) -> Self:
        """Return the goal below the one that stands for its former parent."""
        if self.parent_id is None:
            return self
        return self.model_copy(update={"parent_id": place(self.parent_id, self.scope)[0]})

    def detached(self) -> dict[str, Any]:
        """Return what is set where the goal above goes."""
        return {"parent_id": None}


class GoalLink(Linked):
    """A work item or memory that belongs to a goal."""

    end: ClassVar[str] = "goal"

    goal: Id
    memory_kind: LinkKind

    def is_older(self) -> bool:
        """Whether it leads to a memory: work items are declared kinds."""
        return self.memory_kind is not LinkKind.WORK_ITEM


GOAL = Kind(
    "goal",
    Goal,
    Label.GOAL,
    sanitised=TEXTS,
    changed="changed_at",
    readable=Readable(frozenset(["stale_told_at"])),
)
GOAL_LINK = Kind(
    "goal_link",
    GoalLink,
    Label.GOAL_LINK,
    identity=("goal", "memory"),
    part_of=GOAL,
    whole="goal",
    changed="linked_at",
    readable=Readable(),
)
