"""The tools of memory by its words, which only the profile `memory` lists."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from pydantic import Field, StringConstraints, model_validator

from app.kernel.caller import Caller, Role
from app.kernel.graph import Row
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.reading import search
from app.mcp.schemas import RecallIn, Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.mcp.writing import note
from app.notes.entries import WRITTEN, Fitting, Place
from app.notes.model import written_namespace
from app.notes.schemas import NoteIn, NoteReceiptOut, Text
from app.search.schemas import FoundOut

Part = Annotated[str, StringConstraints(min_length=1, max_length=8_000, strip_whitespace=True)]
Pattern = Annotated[str, StringConstraints(min_length=3, max_length=8_000, strip_whitespace=True)]
Old = Annotated[
    Part, Field(description="The entry's id, its whole text, or a part that only it contains.")
]


class PlacedIn(WireModel):
    """Where entries are looked for."""

    namespace: ShortText | None = Field(
        None, description="knowledge, methods, project-state or learnings; all if unset."
    )
    scopes: Scopes = None

    def to_place(self, caller: Caller) -> Place:
        """Return the place; NotFound for a scope that is not seen, InvalidInput (`namespace`)."""
        spaces = (written_namespace(self.namespace),) if self.namespace else WRITTEN
        return Place(caller.among(self.scopes), spaces)


class MemoryUpdateIn(PlacedIn):
    """Which entry is to say what."""

    old: Old
    new: Text = Field(description="The new text, whole.")


class MemoryDeleteIn(PlacedIn):
    """Which entries are to be hidden: those that contain a text, or the one that says just that."""

    pattern: Pattern | None = Field(None, description="A text that they contain, in any case.")
    exact: Part | None = Field(None, description="The whole text, or an id, instead.")
    most: Annotated[int, Field(ge=1, le=200)] = Field(
        20, description="Where more entries fit, none is hidden."
    )
    dry_run: bool = Field(False, description="Only tell what would be hidden.")

    @model_validator(mode="after")
    def _one(self) -> MemoryDeleteIn:
        if (self.pattern is None) == (self.exact is None):
            raise ValueError("give either pattern or exact")
        return self


class MemoryListIn(PlacedIn):
    """Which entries are listed."""

    contains: ShortText = Field("", description="Only entries that contain this text.")
    cursor: str | None = Field(None, description="`next` of the page before.")
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class MemoryPromoteIn(PlacedIn):
    """Which entry goes where."""

    entry: Old
    scope: str = Field(description="The broader scope, above that of the entry.")


class MemoryEntryOut(msgspec.Struct, frozen=True):
    """One entry of memory."""

    id: str
    scope: str
    namespace: str
    author: str
    version: int
    confidence: float
    confirmations: int
    valid_from: datetime
    updated_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> MemoryEntryOut:
        """Return the wire form of a note."""
        plain = {n: row[n] for n in cls.__struct_fields__ if n != "untrusted"}
        told = {"content": row["content"], "title": row.get("title"), "tags": row["tags"]}
        return cls(**plain, untrusted=told)


class MemoriesOut(msgspec.Struct, frozen=True):
    """A page of entries; `next` is the cursor of the one after it."""

    items: list[MemoryEntryOut]
    next: str | None


class MemoryUpdatedOut(msgspec.Struct, frozen=True):
    """The entry as it is now, and the text that it had; `changed` is false where they are one."""

    entry: MemoryEntryOut
    changed: bool
    untrusted: dict[str, Any]


class MemoryDeletedOut(msgspec.Struct, frozen=True):
    """What is hidden, or would be; `others` fit as well, and are not the caller's to hide."""

    dry_run: bool
    entries: list[MemoryEntryOut]
    others: list[str]


class MemoryPromotedOut(msgspec.Struct, frozen=True):
    """The entry in the broader scope, and the one that it comes from, if `hidden` now."""

    entry: NoteReceiptOut
    source: str
    source_scope: str
    hidden: bool


async def recall(services: Services, caller: Caller, given: RecallIn) -> Told:
    """Recall from what a prompt gets its context from; nothing is a text that says so."""
    found = await search(services, caller, given)
    shown = found.value
    if isinstance(shown, FoundOut) and not shown.hits:
        return Told(shown, "Nothing is known of that.")
    return found


async def update(services: Services, caller: Caller, given: MemoryUpdateIn) -> Told:
    """Put a text in the place of another one."""
    place = given.to_place(caller)
    before, after = await services.entries.update(caller, place, given.old, given.new)
    changed = before["version"] != after["version"]
    told = {"before": before["content"]}
    shown = MemoryUpdatedOut(MemoryEntryOut.of(after), changed, told)
    says = f"Entry {after['id']} is at version {after['version']}"
    return Told(shown, telling.data(f"{says}{'.' if changed else ', as before.'}", shown))


async def delete(services: Services, caller: Caller, given: MemoryDeleteIn) -> Told:
    """Hide entries by their words."""
    fits = await _fitting(services, caller, given)
    if not given.dry_run:
        await services.entries.hide(caller, fits.entries)
    items = [MemoryEntryOut.of(row) for row in fits.entries]
    shown = MemoryDeletedOut(given.dry_run, items, [row["id"] for row in fits.others])
    verb = "would be hidden" if given.dry_run else "hidden"
    says = f"{telling.counted(len(items), 'entry', 'entries')} {verb}."
    if fits.others:
        says += f" {telling.counted(len(fits.others), 'entry', 'entries')} of others stay."
    return Told(shown, telling.data(says, shown))


async def _fitting(services: Services, caller: Caller, given: MemoryDeleteIn) -> Fitting:
    place = given.to_place(caller)
    if given.pattern is not None:
        return await services.entries.fitting(caller, place, given.pattern, given.most)
    one = await services.entries.one(place, given.exact or "", "exact", parts=False)
    return Fitting([one], [])


async def listed(services: Services, caller: Caller, given: MemoryListIn) -> Told:
    """List entries."""
    rows = await services.entries.page(
        given.to_place(caller), given.contains, given.cursor or "", given.limit + 1
    )
    items = [MemoryEntryOut.of(row) for row in rows[: given.limit]]
    shown = MemoriesOut(items, items[-1].id if len(rows) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "entry.", "entries."), shown))


async def promote(services: Services, caller: Caller, given: MemoryPromoteIn) -> Told:
    """Move an entry into a broader scope."""
    done = await services.entries.promote(caller, given.to_place(caller), given.entry, given.scope)
    receipt = NoteReceiptOut.of(done.receipt)
    shown = MemoryPromotedOut(receipt, done.source["id"], done.source["scope"], done.hidden)
    says = f"Entry {receipt.id} stands in {receipt.scope}."
    if not done.hidden:
        says = f"Entry {receipt.id} waits for a decision in {receipt.scope}; the source stays."
    return Told(shown, says)


MEMORY = (
    Tool(
        name="memory_store",
        title="Store a memory",
        description="Store something worth keeping in your own words, in one of the namespaces "
        "knowledge, methods, project-state and learnings.",
        takes=NoteIn,
        gives=NoteReceiptOut,
        run=note,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
    Tool(
        name="memory_recall",
        title="Recall memories",
        description="Recall what is known for a question, from what contexts of prompts are made "
        "of; nothing where the subject is not known.",
        takes=RecallIn,
        gives=FoundOut,
        run=recall,
    ),
    Tool(
        name="memory_update",
        title="Update a memory",
        description="Replace the text of an entry, which is named by its id, its text, or a part "
        "of it that no other entry contains. The former text is kept as a version.",
        takes=MemoryUpdateIn,
        gives=MemoryUpdatedOut,
        run=update,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="memory_delete",
        title="Delete memories",
        description="Hide entries that contain a text, or the one that says exactly that; tells "
        "which. Nothing is erased, and `forget` with `undo` shows one again.",
        takes=MemoryDeleteIn,
        gives=MemoryDeletedOut,
        run=delete,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="memory_list",
        title="List memories",
        description="List the entries that are held, by namespace and scope.",
        takes=MemoryListIn,
        gives=MemoriesOut,
        run=listed,
    ),
    Tool(
        name="memory_promote",
        title="Promote a memory",
        description="Move an entry of your own into a broader scope, where more agents read it.",
        takes=MemoryPromoteIn,
        gives=MemoryPromotedOut,
        run=promote,
        requires=Role.WRITER,
        destructive=True,
        again=False,
    ),
)
