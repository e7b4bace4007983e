"""The tools of work items, which only the profile `work` lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.workitems.model import Id, State
from app.workitems.schemas import (
    AdvanceIn,
    WorkItemIn,
    WorkItemOut,
    WorkItemsOut,
    WorkLinkIn,
    WorkLinkOut,
    WorkTreeOut,
)
from app.workitems.service import Wanted

Item = Annotated[Id, Field(description="Id of the item.")]


class WorkQueryIn(WireModel):
    """Which items are wanted; one filter at least."""

    state: State | None = None
    assignee: ShortText | None = Field(None, description="Its principal, or the name of an agent.")
    parent_id: Id | None = Field(None, description="Only items right below this one.")
    roots: bool = Field(False, description="Only items with none above.")
    tag: ShortText | None = None
    text: ShortText | None = Field(None, description="A part of the title, in any case.")
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class WorkTreeIn(WireModel):
    """Which item is read, and how far below it."""

    item: Item
    depth: Annotated[int, Field(ge=0, le=8)] = 3


class WorkAdvanceIn(AdvanceIn):
    """Which item goes into which state."""

    item: Item


class WorkConnectIn(WorkLinkIn):
    """Which item is linked to what."""

    item: Item


async def create(services: Services, caller: Caller, given: WorkItemIn) -> Told:
    """Make an item."""
    shown = WorkItemOut.of(await services.work.create(caller, given.to_draft()))
    return Told(shown, f"Work item {shown.id} is made in {shown.scope}.")


async def query(services: Services, caller: Caller, given: WorkQueryIn) -> Told:
    """List items by filters."""
    scopes = None if given.scopes is None else list(given.scopes)
    wanted = Wanted(
        given.state, given.assignee, given.parent_id, given.roots, given.tag, given.text
    )
    if wanted.nothing:
        raise InvalidInput("give one filter at least: state, assignee, roots …", field="state")
    found = await services.work.page(caller, scopes, wanted, given.cursor or "", given.limit + 1)
    items = [WorkItemOut.of(item) for item in found[: given.limit]]
    shown = WorkItemsOut(items, items[-1].id if len(found) > given.limit else None)
    says = telling.counted(len(items), "work item.", "work items.")
    return Told(shown, telling.data(says, shown))


async def tree(services: Services, caller: Caller, given: WorkTreeIn) -> Told:
    """Read an item with what is below it."""
    shown = WorkTreeOut.of(await services.work.tree(caller, given.item, given.depth))
    return Told(shown, telling.data(f"Work item {shown.item.id} is {shown.item.state}.", shown))


async def advance(services: Services, caller: Caller, given: WorkAdvanceIn) -> Told:
    """Move an item into another state."""
    done = await services.work.advance(caller, given.item, given.to, given.expected_from)
    shown = WorkItemOut.of(done)
    return Told(shown, f"Work item {shown.id} is {shown.state}.")


async def link(services: Services, caller: Caller, given: WorkConnectIn) -> Told:
    """Link an item to a memory."""
    shown = WorkLinkOut.of(await services.work.link(caller, given.item, given.memory))
    return Told(shown, f"{shown.kind} {shown.memory} is linked.")


WORK = (
    Tool(
        name="work_create",
        title="Make a work item",
        description="Make something that is to be done, at the top or below another item.",
        takes=WorkItemIn,
        gives=WorkItemOut,
        run=create,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="work_query",
        title="List work items",
        description="List work items by state, assignee, tag, part of the title or place.",
        takes=WorkQueryIn,
        gives=WorkItemsOut,
        run=query,
    ),
    Tool(
        name="work_tree",
        title="Read a work item",
        description="Read a work item with its history, its links and what is below it.",
        takes=WorkTreeIn,
        gives=WorkTreeOut,
        run=tree,
    ),
    Tool(
        name="work_advance",
        title="Advance a work item",
        description="Move a work item into another state; `next` of an item names those that there "
        "are. With `expected_from`, of two who take the same item one wins.",
        takes=WorkAdvanceIn,
        gives=WorkItemOut,
        run=advance,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="work_link",
        title="Link a work item",
        description="Link a work item to an episode, note, fact or page.",
        takes=WorkConnectIn,
        gives=WorkLinkOut,
        run=link,
        requires=Role.WRITER,
    ),
)
