"""The tools of contexts and of what an agent remembers of itself: the profile `contexts`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.contexts.entries import LONGEST_KEY, MemoryType
from app.contexts.model import ContextType, Status
from app.contexts.schemas import (
    ContentIn,
    ContextEntriesOut,
    ContextEntryIn,
    ContextEntryOut,
    ContextHitOut,
    ContextHitsOut,
    ContextIn,
    ContextOut,
    ContextSearchIn,
    ContextsOut,
    ForgetIn,
    RecalledOut,
    RecallOwnIn,
    ReflectedOut,
    RememberIn,
    TypeWord,
)
from app.errors import NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.schemas import Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.workitems.model import Id

Named = Annotated[Id, Field(description="Id of the context.")]
Key = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]


class ListContextsIn(WireModel):
    """Which contexts are wanted."""

    type: ContextType | None = None
    status: Status | None = None
    scopes: Scopes = None
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class AddEntryIn(ContextEntryIn):
    """An entry for a context."""

    context: Named


class ListEntriesIn(WireModel):
    """Which entries of a context are wanted."""

    context: Named
    entry_type: TypeWord | None = None
    memory_type: MemoryType | None = None
    tag: ShortText | None = None
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class EntryNamedIn(WireModel):
    """An entry in use, by its key."""

    context: Named
    key: Key


class UpdateEntryIn(ContentIn):
    """Another content for an entry."""

    context: Named
    key: Key


class SearchContextIn(ContextSearchIn):
    """A question to a context."""

    context: Named


class ReflectIn(WireModel):
    """Nothing is needed."""


async def create(services: Services, caller: Caller, given: ContextIn) -> Told:
    """Make a context."""
    made = await services.contexts.create(caller, given.to_draft())
    return Told(
        ContextOut.of(made, caller.principal), f"Context {made.id} is made in {made.scope}."
    )


async def list_contexts(services: Services, caller: Caller, given: ListContextsIn) -> Told:
    """List contexts."""
    within = None if given.scopes is None else list(given.scopes)
    kinds = {"type": given.type, "reach": None, "status": given.status, "owner": None}
    wanted = {"within": within, **kinds}
    found = await services.contexts.page(caller, wanted, given.cursor or "", given.limit + 1)
    items = [ContextOut.of(one, caller.principal) for one in found[: given.limit]]
    shown = ContextsOut(items, items[-1].id if len(found) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "context.", "contexts."), shown))


async def add(services: Services, caller: Caller, given: AddEntryIn) -> Told:
    """Write an entry."""
    made = await services.context_entries.add(caller, given.context, given.to_draft())
    shown = ContextEntryOut.of(made, now())
    return Told(shown, f"Entry {shown.id} is at version {shown.version}.")


async def entries(services: Services, caller: Caller, given: ListEntriesIn) -> Told:
    """List the entries in use."""
    at = now()
    wanted = {
        "status": Status.ACTIVE,
        "type": given.entry_type,
        "memory": given.memory_type,
        "tag": given.tag.strip().lower() if given.tag else None,
    }
    found = await services.context_entries.page(
        caller, given.context, wanted, given.cursor or "", given.limit + 1
    )
    items = [ContextEntryOut.of(one, at) for one in found[: given.limit]]
    shown = ContextEntriesOut(items, items[-1].id if len(found) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "entry.", "entries."), shown))


async def _keyed(services: Services, caller: Caller, context: str, key: str) -> str:
    """The id of the entry in use under a key; NotFound where there is none."""
    found = await services.context_entries.keyed(caller, context, key)
    if not found:
        raise NotFound("there is no entry in use under that key", field="key")
    return found[0].id


async def read(services: Services, caller: Caller, given: EntryNamedIn) -> Told:
    """Read an entry, which counts as a reading."""
    at, entry = now(), await _keyed(services, caller, given.context, given.key)
    shown = ContextEntryOut.of(
        await services.context_entries.read(caller, given.context, entry), at
    )
    return Told(shown, telling.data(f"Entry {shown.id}.", shown))


async def update(services: Services, caller: Caller, given: UpdateEntryIn) -> Told:
    """Give an entry another content."""
    entry = await _keyed(services, caller, given.context, given.key)
    made = await services.context_entries.update(caller, given.context, entry, given.content, None)
    shown = ContextEntryOut.of(made, now())
    return Told(shown, f"Entry {shown.id} is at version {shown.version}.")


async def archive(services: Services, caller: Caller, given: EntryNamedIn) -> Told:
    """Archive an entry."""
    entry = await _keyed(services, caller, given.context, given.key)
    made = await services.context_entries.archive(caller, given.context, entry)
    return Told(ContextEntryOut.of(made, now()), f"Entry {made.id} is archived.")


async def search(services: Services, caller: Caller, given: SearchContextIn) -> Told:
    """Find entries of one context by meaning."""
    at = now()
    found = await services.context_finding.search(caller, given.context, given.to_asked())
    shown = ContextHitsOut([ContextHitOut.of(each, at) for each in found])
    return Told(shown, telling.data(telling.counted(len(found), "entry.", "entries."), shown))


async def remember(services: Services, caller: Caller, given: RememberIn) -> Told:
    """Keep something of one's own under a key."""
    shown = ContextEntryOut.of(await services.own_memory.remember(caller, given.to_draft()), now())
    return Told(shown, f"Kept as {shown.id}.")


async def recall(services: Services, caller: Caller, given: RecallOwnIn) -> Told:
    """Recall what one has kept."""
    at = now()
    found = await services.own_memory.recall(caller, given.query, given.limit)
    shown = RecalledOut.of(found, at)
    says = telling.counted(len(found.found), "entry.", "entries.")
    return Told(shown, telling.data(says, shown))


async def forget(services: Services, caller: Caller, given: ForgetIn) -> Told:
    """Leave a tenth of the importance of what one has kept."""
    shown = ContextEntryOut.of(await services.own_memory.forget(caller, given.key), now())
    return Told(shown, f"Entry {shown.id} has the importance {shown.importance}.")


async def reflect(services: Services, caller: Caller, _: ReflectIn) -> Told:
    """Write down what was read most."""
    made = await services.own_memory.reflect(caller)
    shown = ReflectedOut(None if made is None else ContextEntryOut.of(made, now()))
    says = "Nothing to reflect on now." if made is None else f"Entry {made.id} tells of it."
    return Told(shown, says)


CONTEXTS = (
    Tool(
        "context_create",
        "Make a context",
        "Make a context, in which entries stand under keys; you own it.",
        ContextIn,
        ContextOut,
        create,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "context_list",
        "List contexts",
        "List the contexts that this key sees.",
        ListContextsIn,
        ContextsOut,
        list_contexts,
    ),
    Tool(
        "context_add",
        "Write an entry",
        "Write an entry of a context under a key; a fact takes another value, any other key that "
        "is taken is refused.",
        AddEntryIn,
        ContextEntryOut,
        add,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        "context_entries",
        "List entries",
        "List the entries of a context that are in use.",
        ListEntriesIn,
        ContextEntriesOut,
        entries,
    ),
    Tool(
        "context_read",
        "Read an entry",
        "Read the entry under a key; it counts as a reading.",
        EntryNamedIn,
        ContextEntryOut,
        read,
    ),
    Tool(
        "context_update",
        "Update an entry",
        "Give the entry under a key another content; the former one is kept.",
        UpdateEntryIn,
        ContextEntryOut,
        update,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "context_archive",
        "Archive an entry",
        "Archive the entry under a key, which is free then.",
        EntryNamedIn,
        ContextEntryOut,
        archive,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        "context_search",
        "Search a context",
        "Find entries of a context by meaning.",
        SearchContextIn,
        ContextHitsOut,
        search,
    ),
    Tool(
        "own_remember",
        "Remember for yourself",
        "Keep something under a key in your own context, which you alone write.",
        RememberIn,
        ContextEntryOut,
        remember,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "own_recall",
        "Recall your own",
        "Recall what you have kept, by meaning, else by words.",
        RecallOwnIn,
        RecalledOut,
        recall,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "own_forget",
        "Forget your own",
        "Leave a tenth of the importance of what you have kept under a key.",
        ForgetIn,
        ContextEntryOut,
        forget,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        "own_reflect",
        "Reflect",
        "Write down what of your own you have read most; at most every 15 minutes.",
        ReflectIn,
        ReflectedOut,
        reflect,
        requires=Role.WRITER,
        again=False,
    ),
)
