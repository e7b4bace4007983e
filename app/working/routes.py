"""Working memory over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.kernel.caller import Caller, Role
from app.kernel.scope import parse_scope
from app.working.model import Part, Slot
from app.working.schemas import (
    WorkingClearedOut,
    WorkingCopyOut,
    WorkingHandedOut,
    WorkingLimitsOut,
    WorkingLoadedOut,
    WorkingLoadIn,
    WorkingSharedOut,
    WorkingStoredOut,
    WorkingTaskOut,
    WorkingTasksOut,
    WorkingValueIn,
    WorkingValueOut,
)
from app.working.service import WorkingService, given_by, given_to, own

InScope = Annotated[
    str | None,
    QueryParameter(name="scope", description="Scope path; the key's home if unset."),
]
Memory = NamedDependency[WorkingService]
Named = Literal["keys", "results", "tools"]
Single = Literal["state", "conversation", "scratch-pad"]
Grown = Literal["conversation", "scratch-pad"]


@get(
    "/v1/working-limits",
    operation_id="getWorkingLimits",
    tags=["Working memory"],
    opt={"requires": Role.READER},
)
async def limits(working: Memory) -> WorkingLimitsOut:
    """How much working memory may hold, and for how long; settings set it."""
    return WorkingLimitsOut.of(working.limits)


class WorkingController(Controller):
    """What this agent has at hand for its tasks."""

    path = "/v1/working-memory"
    tags = ("Working memory",)

    @get("/", operation_id="listWorkingTasks", opt={"requires": Role.READER})
    async def tasks(
        self, caller: NamedDependency[Caller], working: Memory, within: InScope = None
    ) -> WorkingTasksOut:
        """The tasks of this agent in a scope, and how much it has in use."""
        scope = caller.require(str(parse_scope(within or caller.home)), Role.READER)
        return WorkingTasksOut.of(scope, *await working.tasks(caller, scope))

    @get("/{task:str}", operation_id="listWorkingKeys", opt={"requires": Role.READER})
    async def keys(
        self,
        task: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
        part: FromQuery[Part | None] = None,
        name: FromQuery[str | None] = None,
    ) -> WorkingTaskOut:
        """What a task holds, without the values: all, or of one part and name, so that an empty
        list says that there is nothing."""
        place = own(caller, within, task, Role.READER)
        listed = [
            one
            for one in await working.keys(place)
            if part in (None, one.slot.part) and name in (None, one.slot.name)
        ]
        return WorkingTaskOut.of(place, listed)

    @delete(
        "/{task:str}",
        operation_id="clearWorkingTask",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def clear(
        self,
        task: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingClearedOut:
        """Take all of a task out; a copy in the graph stays until its day is over."""
        return WorkingClearedOut(await working.clear(own(caller, within, task, Role.WRITER)))

    @put("/{task:str}/copy", operation_id="persistWorkingTask", opt={"requires": Role.WRITER})
    async def persist(
        self,
        task: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingCopyOut:
        """Copy all of a task into the graph, where it is kept for 24 hours, in the place of the
        copy before; a task that holds nothing is not found, and leaves that copy."""
        place = own(caller, within, task, Role.WRITER)
        return WorkingCopyOut.of(place, await working.persist(caller, place))

    @get("/{task:str}/copy", operation_id="getWorkingCopy", opt={"requires": Role.READER})
    async def copied(
        self,
        task: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingCopyOut:
        """How much of a task is copied in the graph, and until when."""
        place = own(caller, within, task, Role.READER)
        return WorkingCopyOut.of(place, await working.copied(place))

    @delete(
        "/{task:str}/copy",
        operation_id="deleteWorkingCopy",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def drop_copy(
        self,
        task: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> None:
        """Take the copy of a task out of the graph."""
        await working.drop_copy(caller, own(caller, within, task, Role.WRITER))

    @post(
        "/{task:str}/copy/load",
        operation_id="loadWorkingTask",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def load(
        self,
        task: FromPath[str],
        data: JSONBody[WorkingLoadIn],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingLoadedOut:
        """Bring the copy of a task back; what the task holds by now stays unless `replace`."""
        place = own(caller, within, task, Role.WRITER)
        return WorkingLoadedOut(*await working.load(caller, place, data.ttl, replace=data.replace))

    @put("/{task:str}/{part:str}", operation_id="putWorkingPart", opt={"requires": Role.WRITER})
    async def put_part(
        self,
        task: FromPath[str],
        part: FromPath[Single],
        data: JSONBody[WorkingValueIn],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingStoredOut:
        """Keep the `state` of a task, its `conversation` (a list of messages) or its `scratch-pad`
        (a text)."""
        place, slot = own(caller, within, task, Role.WRITER), Slot.single(part)
        kept = await working.store(caller, place, slot, data.to_given())
        return WorkingStoredOut.of(place, slot, kept)

    @post(
        "/{task:str}/{part:str}",
        operation_id="appendWorkingPart",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def append(
        self,
        task: FromPath[str],
        part: FromPath[Grown],
        data: JSONBody[WorkingValueIn],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingStoredOut:
        """Add one message to the `conversation`, or a text to the `scratch-pad` on a line of its
        own; nothing that is added at the same time is lost. Its time to live begins anew."""
        place, slot = own(caller, within, task, Role.WRITER), Slot.single(part)
        kept = await working.append(caller, place, slot, data.to_given())
        return WorkingStoredOut.of(place, slot, kept)

    @get("/{task:str}/{part:str}", operation_id="getWorkingPart", opt={"requires": Role.READER})
    async def get_part(
        self,
        task: FromPath[str],
        part: FromPath[Single],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingValueOut:
        """The state, conversation or scratch pad of a task."""
        place = own(caller, within, task, Role.READER)
        return WorkingValueOut.of(place, await working.retrieve(place, Slot.single(part)))

    @delete(
        "/{task:str}/{part:str}",
        operation_id="removeWorkingPart",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove_part(
        self,
        task: FromPath[str],
        part: FromPath[Single],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> None:
        """Take the state, conversation or scratch pad of a task out."""
        await working.remove(own(caller, within, task, Role.WRITER), Slot.single(part))

    @put(
        "/{task:str}/{part:str}/{name:str}",
        operation_id="putWorkingValue",
        opt={"requires": Role.WRITER},
    )
    async def put_value(
        self,
        task: FromPath[str],
        part: FromPath[Named],
        name: FromPath[str],
        data: JSONBody[WorkingValueIn],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingStoredOut:
        """Keep a value under a name: of `keys`, of `results` (a step's), or of `tools` (a tool's
        state)."""
        place, slot = own(caller, within, task, Role.WRITER), Slot.named(part, name)
        kept = await working.store(caller, place, slot, data.to_given())
        return WorkingStoredOut.of(place, slot, kept)

    @get(
        "/{task:str}/{part:str}/{name:str}",
        operation_id="getWorkingValue",
        opt={"requires": Role.READER},
    )
    async def get_value(
        self,
        task: FromPath[str],
        part: FromPath[Named],
        name: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingValueOut:
        """The value of a name; not found once its time is over."""
        place = own(caller, within, task, Role.READER)
        return WorkingValueOut.of(place, await working.retrieve(place, Slot.named(part, name)))

    @delete(
        "/{task:str}/{part:str}/{name:str}",
        operation_id="removeWorkingValue",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove_value(
        self,
        task: FromPath[str],
        part: FromPath[Named],
        name: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> None:
        """Take the value of a name out."""
        await working.remove(own(caller, within, task, Role.WRITER), Slot.named(part, name))


class WorkingShareController(Controller):
    """What one agent hands to another one of the same tenant, which alone reads it."""

    path = "/v1/working-shares"
    tags = ("Working memory",)

    @put("/{agent:str}/{name:str}", operation_id="shareWorking", opt={"requires": Role.WRITER})
    async def share(
        self,
        agent: FromPath[str],
        name: FromPath[str],
        data: JSONBody[WorkingValueIn],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingHandedOut:
        """Hand a value to `agent` under a name; to be read it has to see the scope."""
        place, slot = given_to(caller, within, agent), Slot.named(Part.KEYS, name)
        kept = await working.share(caller, place, slot, data.to_given())
        return WorkingHandedOut(place.scope, place.reader, slot.name, *kept)

    @get("/{agent:str}/{name:str}", operation_id="getWorkingShare", opt={"requires": Role.READER})
    async def retrieve(
        self,
        agent: FromPath[str],
        name: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> WorkingSharedOut:
        """What `agent` has handed to this one under a name."""
        place = given_by(caller, within, agent)
        return WorkingSharedOut.of(
            place, await working.retrieve(place, Slot.named(Part.KEYS, name))
        )

    @delete(
        "/{agent:str}/{name:str}",
        operation_id="unshareWorking",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def unshare(
        self,
        agent: FromPath[str],
        name: FromPath[str],
        caller: NamedDependency[Caller],
        working: Memory,
        within: InScope = None,
    ) -> None:
        """Take back what was handed to `agent`."""
        place = given_to(caller, within, agent)
        await working.unshare(caller, place, Slot.named(Part.KEYS, name))
