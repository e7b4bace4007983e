"""A work item as it is stored and exported, and its links to memories.

`depth` grows by one from an item to those below it, so that no circle can stand, not even one that
a package brings. It is the place at the time of making: where an item above goes, it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.kernel.kind import Gone, Place, Searched, Stored, unpacked
from app.kernel.wire import Moment, TagName, Title, WireModel

LONGEST = 20_000  # characters of a description
MOST_TAGS = 32
MOST_STEPS = 500  # of one history, the newest ones; audit events tell of all
DEEPEST = 63  # depth of an item; the root has 0


class State(StrEnum):
    """How far an item has come."""

    TODO = "todo"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    DONE = "done"
    DROPPED = "dropped"


class Priority(StrEnum):
    """How much it matters."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


class MemoryKind(StrEnum):
    """What an item is linked to."""

    EPISODE = "episode"
    NOTE = "note"
    FACT = "fact"
    PAGE = "page"


NEXT: Mapping[State, tuple[State, ...]] = {
    State.TODO: (State.IN_PROGRESS, State.BLOCKED, State.DROPPED),
    State.IN_PROGRESS: (State.TODO, State.BLOCKED, State.DONE, State.DROPPED),
    State.BLOCKED: (State.TODO, State.IN_PROGRESS, State.DROPPED),
    State.DONE: (),
    State.DROPPED: (),
}

Who = Annotated[str, StringConstraints(max_length=200)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Tags = Annotated[list[TagName], Field(max_length=MOST_TAGS)]
TEXTS = ("title", "description", "tags")


class Texts(WireModel):
    """What clients may write; what is stored may be longer, by what the sanitising step puts in."""

    title: Title = "-"
    description: Text | None = None
    tags: Tags = Field(default_factory=list)


class Step(WireModel):
    """One advance: from which state to which, by whom, and when."""

    at: Moment
    by: Who
    before: State
    to: State


class WorkItem(Stored):
    """What is to be done, below another item or at the top; `writers` tells who wrote which text
    last."""

    title: Annotated[str, StringConstraints(min_length=1)]
    description: str | None = None
    state: State = State.TODO
    assignee: Who | None = None
    priority: Priority = Priority.NORMAL
    due_at: Moment | None = None
    tags: Annotated[list[str], Field(max_length=MOST_TAGS), BeforeValidator(unpacked)] = Field(
        default_factory=list
    )
    parent_id: Id | None = None
    depth: Annotated[int, Field(ge=0, le=DEEPEST)] = 0
    version: Annotated[int, Field(ge=1, le=2**53 - 1)] = 1
    created_at: Moment
    created_by: Who
    changed_at: Moment
    changed_by: Who
    writers: Annotated[dict[str, Who], BeforeValidator(unpacked)] = Field(default_factory=dict)
    history: Annotated[
        tuple[Step, ...], Field(max_length=MOST_STEPS), BeforeValidator(unpacked)
    ] = ()

    @property
    def next(self) -> tuple[State, ...]:
        """The states that its state leads to."""
        return NEXT[self.state]

    def derived(self) -> dict[str, Any]:
        """Return what lists ask the graph for: tags, and the title in lower case."""
        return {"labels": list(self.tags), "lower": self.title.lower()}

    def searched(self) -> Searched:
        """Return the title with the description."""
        text = "\n\n".join(part for part in (self.title, self.description) if part)
        return Searched(text, self.created_at, title=self.title, tags=tuple(self.tags))

    def refers(self) -> str | None:
        """Return the item above."""
        return self.parent_id

    def people(self) -> Iterable[str]:
        """Return everybody who made, changed, wrote, advanced or has the item."""
        named = {self.created_by, self.changed_by, *self.writers.values()}
        return {*named, self.assignee or "", *(step.by for step in self.history)}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the item with every principal replaced."""
        return self._with_people(lambda one: name(one) if one else one)

    def relocated(self, place: Place) -> Self:
        """Return the item below the one that stands for its former parent."""
        if self.parent_id is None:
            return self
        return self.model_copy(update={"parent_id": place(self.parent_id, self.scope)[0]})

    def without(self, gone: Gone) -> Self | None:
        """Return the item without what somebody wrote and what names him; None where he made it
        and nobody else has written a word of it.

        A title that goes gives way to the id. Where the item above goes, it is at the top.
        """
        words = [self.writers.get(name, self.created_by) for name in self._written()]
        if gone.wrote(self.created_by) and all(gone.wrote(by) for by in words):
            return None
        lost = {name for name in self._written() if self._goes(name, gone)}
        kept = self._with_people(lambda one: "" if gone.wrote(one) else one)
        update: dict[str, Any] = {"assignee": kept.assignee or None}
        if "title" in lost:
            update["title"] = self.id
        if "description" in lost:
            update["description"] = None
        if "tags" in lost:
            own = gone.wrote(self.writers.get("tags", self.created_by))
            update["tags"] = [] if own else [tag for tag in self.tags if not gone.named(tag)]
        if gone.took(self.parent_id):
            update["parent_id"] = None
        return kept.model_copy(update={**update, "version": self.version + bool(lost)})

    def _written(self) -> list[str]:
        return [name for name in TEXTS if getattr(self, name)]

    def _goes(self, name: str, gone: Gone) -> bool:
        value = getattr(self, name)
        named = any(map(gone.named, value if isinstance(value, list) else [value]))
        return named or gone.wrote(self.writers.get(name, self.created_by))

    def _with_people(self, name: Callable[[str], str]) -> Self:
        steps = tuple(step.model_copy(update={"by": name(step.by)}) for step in self.history)
        return self.model_copy(
            update={
                "created_by": name(self.created_by),
                "changed_by": name(self.changed_by),
                "assignee": name(self.assignee) if self.assignee else None,
                "writers": {field: name(by) for field, by in self.writers.items()},
                "history": steps,
            }
        )


class Linked(Stored):
    """A link that goes with either of its ends; the field that `end` names holds the one it is a
    part of, and a kind of its own says what the other is."""

    end: ClassVar[str]

    memory: Id
    memory_scope: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    linked_at: Moment
    linked_by: Who

    def refers(self) -> str | None:
        """Return what is linked to."""
        return self.memory

    def people(self) -> Iterable[str]:
        """Return who made the link."""
        return {self.linked_by}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the link with its maker replaced."""
        return self.model_copy(update={"linked_by": name(self.linked_by) if self.linked_by else ""})

    def is_older(self) -> bool:
        """Whether what is linked to has a label of its own, and no declared kind."""
        return True

    def relocated(self, place: Place) -> Self:
        """Return the link between what stands for its two ends."""
        end, _ = place(getattr(self, self.end), self.scope)
        memory, scope = place(self.memory, self.memory_scope, older=self.is_older())
        return self.model_copy(update={self.end: end, "memory": memory, "memory_scope": scope})

    def without(self, gone: Gone) -> Self | None:
        """Return the link without its maker; None where what it leads to is gone."""
        if gone.took(self.memory):
            return None
        return self.model_copy(
            update={"linked_by": "" if gone.wrote(self.linked_by) else self.linked_by}
        )


class WorkLink(Linked):
    """A memory that belongs to an item."""

    end: ClassVar[str] = "item"

    item: Id
    memory_kind: MemoryKind
