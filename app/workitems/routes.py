"""Work items over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import IfMatch, Within, one_of, version_of
from app.kernel.caller import Caller, Role
from app.workitems.model import State
from app.workitems.schemas import (
    AdvanceIn,
    WorkItemChangeIn,
    WorkItemIn,
    WorkItemOut,
    WorkItemsOut,
    WorkLinkIn,
    WorkLinkOut,
    WorkTreeOut,
)
from app.workitems.service import Wanted, WorkService

Depth = Annotated[
    int, QueryParameter(ge=0, le=8, description="Levels below the item; 0 is the item alone.")
]
Most = Annotated[int, QueryParameter(ge=1, le=200, description="Most items of a page.")]
InState = Annotated[
    str | None,
    QueryParameter(name="state", enum=[*State], description="Only items in this state."),
]
Roots = Annotated[bool, QueryParameter(description="Only items with none above.")]
Text = Annotated[str | None, QueryParameter(description="A part of the title, in any case.")]
Subtree = Annotated[bool, QueryParameter(description="What lies below goes as well.")]


class WorkController(Controller):
    """What is to be done, as a tree."""

    path = "/v1/work-items"
    tags = ("Work items",)

    @post("/", operation_id="createWorkItem", opt={"requires": Role.WRITER})
    async def create(
        self,
        data: JSONBody[WorkItemIn],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
    ) -> WorkItemOut:
        """Make an item, at the top or below another one."""
        return WorkItemOut.of(await work.create(caller, data.to_draft()))

    @get("/", operation_id="listWorkItems", opt={"requires": Role.READER})
    async def list_items(
        self,
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
        within: Within = None,
        in_state: InState = None,
        assignee: FromQuery[str | None] = None,
        parent_id: FromQuery[str | None] = None,
        roots: Roots = False,
        tag: FromQuery[str | None] = None,
        text: Text = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> WorkItemsOut:
        """List the items that all of the given filters fit, oldest first; one is needed."""
        wanted = Wanted(one_of(State, in_state, "state"), assignee, parent_id, roots, tag, text)
        found = await work.page(caller, within, wanted, cursor or "", limit + 1)
        items = [WorkItemOut.of(item) for item in found[:limit]]
        return WorkItemsOut(items, items[-1].id if len(found) > limit else None)

    @get("/{item:str}", operation_id="getWorkItem", opt={"requires": Role.READER})
    async def read(
        self,
        item: FromPath[str],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
        depth: Depth = 3,
    ) -> WorkTreeOut:
        """Read an item with its history, links, and what is below it."""
        return WorkTreeOut.of(await work.tree(caller, item, depth))

    @patch("/{item:str}", operation_id="changeWorkItem", opt={"requires": Role.WRITER})
    async def change(
        self,
        item: FromPath[str],
        data: JSONBody[WorkItemChangeIn],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
        if_match: IfMatch = None,
    ) -> WorkItemOut:
        """Change texts, assignee, priority or the moment at which it is due."""
        expected = version_of(if_match)
        return WorkItemOut.of(await work.update(caller, item, data.changes(), expected))

    @delete(
        "/{item:str}",
        operation_id="deleteWorkItem",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove(
        self,
        item: FromPath[str],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
        subtree: Subtree = False,
    ) -> None:
        """Delete an item with its links; one with items below it only with `subtree`."""
        await work.delete(caller, item, subtree=subtree)

    @post(
        "/{item:str}/advance",
        operation_id="advanceWorkItem",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def advance(
        self,
        item: FromPath[str],
        data: JSONBody[AdvanceIn],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
    ) -> WorkItemOut:
        """Take an item into another state; 409 names those that its state leads to."""
        return WorkItemOut.of(await work.advance(caller, item, data.to, data.expected_from))

    @post("/{item:str}/links", operation_id="linkWorkItem", opt={"requires": Role.WRITER})
    async def link(
        self,
        item: FromPath[str],
        data: JSONBody[WorkLinkIn],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
    ) -> WorkLinkOut:
        """Link an item to a memory; the same again changes nothing."""
        return WorkLinkOut.of(await work.link(caller, item, data.memory))

    @delete(
        "/{item:str}/links/{memory:str}",
        operation_id="unlinkWorkItem",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def unlink(
        self,
        item: FromPath[str],
        memory: FromPath[str],
        caller: NamedDependency[Caller],
        work: NamedDependency[WorkService],
    ) -> None:
        """Take a link away; the memory stays."""
        await work.unlink(caller, item, memory)
