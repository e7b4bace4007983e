"""Entries of contexts over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import IfMatch, Limit, one_of, version_of
from app.contexts.entries import ENTRY_TYPES, LONGEST_KEY, EntryType, MemoryType
from app.contexts.model import Status
from app.contexts.schemas import (
    ContentIn,
    ContextEntriesOut,
    ContextEntryIn,
    ContextIntegrityOut,
    EntryVersionOut,
    EntryVersionsOut,
    FactsIn,
    ImportedOut,
)
from app.contexts.schemas import ContextEntryOut as EntryOut
from app.contexts.writing import EntryService
from app.kernel.caller import Caller, Role
from app.kernel.clock import now

Entries = NamedDependency[EntryService]
OfEntryType = Annotated[
    str | None,
    QueryParameter(name="entry_type", enum=[*EntryType], description="Only entries of this type."),
]
OfMemoryType = Annotated[
    str | None,
    QueryParameter(name="memory_type", enum=[*MemoryType], description="Only of this memory."),
]
InStatus = Annotated[
    str, QueryParameter(name="status", enum=[*Status], description="In use, or archived.")
]
UnderKey = Annotated[
    str | None,
    QueryParameter(name="key", max_length=LONGEST_KEY, description="The entry in use under a key."),
]


class ContextEntryController(Controller):
    """Entries of a context."""

    path = "/v1/contexts/{context:str}"
    tags = ("Contexts",)

    @post("/entries", operation_id="createContextEntry", opt={"requires": Role.WRITER})
    async def create(
        self,
        context: FromPath[str],
        data: JSONBody[ContextEntryIn],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryOut:
        """Write an entry; 409 where its key is taken, but that a fact takes another value."""
        return EntryOut.of(await context_entries.add(caller, context, data.to_draft()), now())

    @post(
        "/facts",
        operation_id="importContextFacts",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def import_facts(
        self,
        context: FromPath[str],
        data: JSONBody[FactsIn],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> ImportedOut:
        """Write facts, all or none; keys that are there stay as they are unless told otherwise."""
        drafts = [fact.to_draft() for fact in data.facts]
        done = await context_entries.load(caller, context, drafts, overwrite=data.overwrite)
        return ImportedOut.of(done)

    @get("/entries", operation_id="listContextEntries", opt={"requires": Role.READER})
    async def list_entries(
        self,
        context: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
        key: UnderKey = None,
        kind: OfEntryType = None,
        memory: OfMemoryType = None,
        status: InStatus = Status.ACTIVE.value,
        tag: FromQuery[str | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> ContextEntriesOut:
        """List entries, oldest first; a list counts as no reading."""
        at = now()
        if key is not None:
            found = await context_entries.keyed(caller, context, key)
            return ContextEntriesOut([EntryOut.of(entry, at) for entry in found], None)
        wanted = {
            "status": one_of(Status, status, "status"),
            "type": one_of(EntryType, ENTRY_TYPES.get(kind or "", kind), "entry_type"),
            "memory": one_of(MemoryType, memory, "memory_type"),
            "tag": tag.strip().lower() if tag else None,
        }
        found = await context_entries.page(caller, context, wanted, cursor or "", limit + 1)
        items = [EntryOut.of(entry, at) for entry in found[:limit]]
        return ContextEntriesOut(items, items[-1].id if len(found) > limit else None)

    @get("/entries/{entry:str}", operation_id="getContextEntry", opt={"requires": Role.READER})
    async def read(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryOut:
        """Read an entry as it was before this reading, which is counted."""
        at = now()
        return EntryOut.of(await context_entries.read(caller, context, entry), at)

    @put(
        "/entries/{entry:str}/content",
        operation_id="updateContextEntry",
        opt={"requires": Role.WRITER},
    )
    async def update(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        data: JSONBody[ContentIn],
        caller: NamedDependency[Caller],
        context_entries: Entries,
        if_match: IfMatch = None,
    ) -> EntryOut:
        """Give an entry another content; the former one is kept, and the same changes nothing."""
        expected = version_of(if_match)
        made = await context_entries.update(caller, context, entry, data.content, expected)
        return EntryOut.of(made, now())

    @post(
        "/entries/{entry:str}/boost",
        operation_id="boostContextEntry",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def boost(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryOut:
        """Make an entry more important by .1, up to 1."""
        return EntryOut.of(await context_entries.weigh(caller, context, entry, up=True), now())

    @post(
        "/entries/{entry:str}/reduce",
        operation_id="reduceContextEntry",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def reduce(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryOut:
        """Make an entry less important by .1, down to 0."""
        return EntryOut.of(await context_entries.weigh(caller, context, entry, up=False), now())

    @post(
        "/entries/{entry:str}/seal",
        operation_id="sealContextEntry",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def seal(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryOut:
        """Keep the SHA-256 of an entry; `integrity` tells from then on whether it still fits."""
        return EntryOut.of(await context_entries.seal(caller, context, entry), now())

    @delete(
        "/entries/{entry:str}",
        operation_id="archiveContextEntry",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def archive(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryOut:
        """Archive an entry, whose key is free then; it can still be read by its id."""
        return EntryOut.of(await context_entries.archive(caller, context, entry), now())

    @get(
        "/entries/{entry:str}/versions",
        operation_id="listContextEntryVersions",
        opt={"requires": Role.READER},
    )
    async def versions(
        self,
        context: FromPath[str],
        entry: FromPath[str],
        caller: NamedDependency[Caller],
        context_entries: Entries,
    ) -> EntryVersionsOut:
        """List the former contents of an entry, newest first."""
        found = await context_entries.versions(caller, context, entry)
        return EntryVersionsOut([EntryVersionOut.of(version) for version in found])

    @get("/integrity", operation_id="checkContextIntegrity", opt={"requires": Role.READER})
    async def integrity(
        self, context: FromPath[str], caller: NamedDependency[Caller], context_entries: Entries
    ) -> ContextIntegrityOut:
        """Check the seals of all entries in use."""
        counts, tampered = await context_entries.integrity(caller, context)
        return ContextIntegrityOut(**counts, entries=tampered)
