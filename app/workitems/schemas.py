"""Wire types of work items. What clients wrote stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pydantic import Field, field_validator

from app.kernel.wire import Moment, ShortText, Title, WireModel
from app.workitems.model import Id, Priority, State, Tags, Text, WorkItem, WorkLink
from app.workitems.service import Draft, Tree


class WorkItemIn(WireModel):
    """A new item; it begins as `todo`."""

    title: Title
    description: Text | None = None
    scope: str | None = Field(
        None, description="Scope path to write to; that of the item above, else the key's home."
    )
    parent_id: Id | None = Field(None, description="The item above, in the same scope.")
    assignee: ShortText | None = Field(
        None, description="`agent:tenant:name`, `user:tenant:name`, or the name of an agent here."
    )
    priority: Priority = Priority.NORMAL
    due_at: Moment | None = None
    tags: Tags = Field(default_factory=list, description="Labels to filter by.")

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(**{name: getattr(self, name) for name in type(self).model_fields})


class WorkItemChangeIn(WireModel):
    """What is to change; a field that is left out stays, null empties it."""

    title: Title | None = None
    description: Text | None = None
    assignee: ShortText | None = None
    priority: Priority | None = None
    due_at: Moment | None = None
    tags: Tags | None = None

    @field_validator("title", "priority", "tags", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("this cannot be emptied with null")
        return value

    def changes(self) -> dict[str, Any]:
        """Return the fields that were given."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


class AdvanceIn(WireModel):
    """Into which state an item goes."""

    to: State
    expected_from: State | None = Field(
        None, description="The state that it must have now; 409 if another."
    )


class WorkLinkIn(WireModel):
    """What an item is linked to."""

    memory: Id = Field(description="Id of an episode, note, fact or page that the key sees.")


class WorkItemOut(msgspec.Struct, frozen=True):
    """An item; `next` are the states that its state leads to."""

    id: str
    scope: str
    parent_id: str | None
    state: str
    next: list[str]
    assignee: str | None
    priority: str
    due_at: datetime | None
    version: int
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, item: WorkItem) -> WorkItemOut:
        """Return the wire form of an item."""
        return cls(
            id=item.id,
            scope=item.scope,
            parent_id=item.parent_id,
            state=item.state.value,
            next=[state.value for state in item.next],
            assignee=item.assignee,
            priority=item.priority.value,
            due_at=item.due_at,
            version=item.version,
            created_at=item.created_at,
            created_by=item.created_by,
            changed_at=item.changed_at,
            changed_by=item.changed_by,
            untrusted={
                "title": item.title,
                "description": item.description,
                "tags": list(item.tags),
            },
        )


class WorkItemsOut(msgspec.Struct, frozen=True):
    """A page of items; `next` is the cursor of the one after it."""

    items: list[WorkItemOut]
    next: str | None


class WorkStepOut(msgspec.Struct, frozen=True):
    """One advance."""

    at: datetime
    by: str
    before: str
    to: str


class WorkLinkOut(msgspec.Struct, frozen=True):
    """A memory that belongs to an item."""

    memory: str
    kind: str
    scope: str
    linked_at: datetime
    linked_by: str

    @classmethod
    def of(cls, link: WorkLink) -> WorkLinkOut:
        """Return the wire form of a link."""
        return cls(
            link.memory, link.memory_kind.value, link.memory_scope, link.linked_at, link.linked_by
        )


class WorkTreeOut(msgspec.Struct, frozen=True):
    """An item with its history, oldest first, its links, and what is below it, level by level;
    `complete` tells whether nothing lies deeper and nothing was left out."""

    item: WorkItemOut
    history: list[WorkStepOut]
    links: list[WorkLinkOut]
    below: list[WorkItemOut]
    complete: bool

    @classmethod
    def of(cls, tree: Tree) -> WorkTreeOut:
        """Return the wire form of a tree."""
        steps = tree.item.history
        return cls(
            WorkItemOut.of(tree.item),
            [WorkStepOut(s.at, s.by, s.before.value, s.to.value) for s in steps],
            [WorkLinkOut.of(link) for link in tree.links],
            [WorkItemOut.of(item) for item in tree.below],
            tree.complete,
        )
