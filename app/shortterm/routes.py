"""Short-term memory over HTTP."""

from __future__ import annotations

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import Limit, Within
from app.kernel.caller import Caller, Role
from app.shortterm.model import Kind
from app.shortterm.schemas import (
    ShortMemoriesOut,
    ShortMemoryChangeIn,
    ShortMemoryIn,
    ShortMemoryOut,
)
from app.shortterm.service import ShortTermService, Sought

Entries = NamedDependency[ShortTermService]


class ShortTermController(Controller):
    """What this agent keeps of its sessions for a while."""

    path = "/v1/short-term-memory"
    tags = ("Short-term memory",)

    @post("/", operation_id="createShortMemory", opt={"requires": Role.WRITER})
    async def create(
        self, data: JSONBody[ShortMemoryIn], caller: NamedDependency[Caller], shortterm: Entries
    ) -> ShortMemoryOut:
        """Keep an entry under a key of a session; 409 where there is one that has not run out."""
        return ShortMemoryOut.of(await shortterm.create(caller, data.scope, data.to_draft()))

    @get("/", operation_id="listShortMemories", opt={"requires": Role.READER})
    async def list_entries(
        self,
        caller: NamedDependency[Caller],
        shortterm: Entries,
        within: Within = None,
        session: FromQuery[str | None] = None,
        key: FromQuery[str | None] = None,
        type: FromQuery[Kind | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> ShortMemoriesOut:
        """Entries of this agent by id, without those that have run out; a list is no access."""
        sought = Sought(session, key, type)
        scopes = caller.among(within)
        rows = await shortterm.page(caller, scopes, sought, cursor or "", limit + 1)
        items = [ShortMemoryOut.of(row) for row in rows[:limit]]
        return ShortMemoriesOut(items, items[-1].id if len(rows) > limit else None)

    @get("/{entry_id:str}", operation_id="getShortMemory", opt={"requires": Role.READER})
    async def read(
        self, entry_id: FromPath[str], caller: NamedDependency[Caller], shortterm: Entries
    ) -> ShortMemoryOut:
        """One entry, which counts as an access; not found once it has run out."""
        return ShortMemoryOut.of(await shortterm.read(caller, entry_id))

    @patch("/{entry_id:str}", operation_id="changeShortMemory", opt={"requires": Role.WRITER})
    async def change(
        self,
        entry_id: FromPath[str],
        data: JSONBody[ShortMemoryChangeIn],
        caller: NamedDependency[Caller],
        shortterm: Entries,
    ) -> ShortMemoryOut:
        """Set value, type or time to live of an entry; a time that is set begins now."""
        return ShortMemoryOut.of(await shortterm.change(caller, entry_id, data.to_change()))

    @post(
        "/{entry_id:str}/refresh",
        operation_id="refreshShortMemory",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def refresh(
        self, entry_id: FromPath[str], caller: NamedDependency[Caller], shortterm: Entries
    ) -> ShortMemoryOut:
        """Let the time of an entry begin anew."""
        return ShortMemoryOut.of(await shortterm.refresh(caller, entry_id))

    @delete(
        "/{entry_id:str}",
        operation_id="deleteShortMemory",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove(
        self, entry_id: FromPath[str], caller: NamedDependency[Caller], shortterm: Entries
    ) -> None:
        """Take an entry out."""
        await shortterm.remove(caller, entry_id)
