"""Entries of a context: written, read and counted, changed, weighed, sealed, archived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from app.access.parameters import principal_of
from app.contexts.drafting import Draft, entry_of, reworded
from app.contexts.entries import (
    CLIENTS,
    Entry,
    EntryVersion,
    MemoryType,
    Reason,
    Verdict,
    packed,
    slot_of,
)
from app.contexts.formulas import boosted, reduced
from app.contexts.kind import CONTEXT_ENTRY, CONTEXT_ENTRY_VERSION
from app.contexts.model import Context, Status
from app.contexts.service import ContextService, event_of
from app.errors import (
    AlreadyExists,
    InvalidInput,
    NotFound,
    QuotaReached,
    StateRefused,
    TooLarge,
    VersionMismatch,
)
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.pools.data import check

WEIGHTS = ("importance", "base_importance", "based_at", "decayed_days", "forgotten_at")
PAGE = 500


@dataclass(frozen=True, slots=True)
class Imported:
    """Keys of facts that were new, that got another value, and that stayed as they were."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


class EntryService:
    """Every operation on entries; who may not see their context is told that there is none."""

    def __init__(self, contexts: ContextService) -> None:
        self.contexts = contexts
        self.graph = contexts.graph

    async def add(self, caller: Caller, context_id: str, draft: Draft) -> Entry:
        """Write an entry under a key. A fact whose key is taken by a fact gets the new value.

        Raises AlreadyExists (`key`) where another entry in use has it, and what `entry_of` raises.
        """
        context = await self.contexts.writable(caller, context_id)
        entry = await self.drafted(caller, context, draft)

        async def work(tx: Tx) -> Entry:
            return await self.put(tx, caller, context, entry, update=False)

        return await self.contexts.writing(caller, context, "contexts.add", work)

    async def load(
        self, caller: Caller, context_id: str, drafts: Sequence[Draft], *, overwrite: bool
    ) -> Imported:
        """Write facts together, all or none; keys that are there keep their values unless told."""
        context = await self.contexts.writable(caller, context_id)
        entries = [await self.drafted(caller, context, draft) for draft in drafts]

        async def work(tx: Tx) -> Imported:
            done = Imported()
            for entry in entries:
                held = await self.in_use(tx, context, entry.key)
                if held is None:
                    await self.put(tx, caller, context, entry, update=False)
                    done.created.append(entry.key)
                elif not overwrite or packed(held.value) == packed(entry.value):
                    done.kept.append(entry.key)
                else:
                    await self.put(tx, caller, context, entry, update=True)
                    done.updated.append(entry.key)
            return done

        return await self.contexts.writing(caller, context, "contexts.load", work)

    async def read(self, caller: Caller, context_id: str, entry_id: str) -> Entry:
        """Return an entry as it was before this reading, which is counted; NotFound."""
        context = await self.contexts.get(caller, context_id)
        entry = await self._entry(context, entry_id)
        await self.contexts.read_by(caller, context, "read", [entry.id])
        return entry

    async def page(
        self, caller: Caller, context_id: str, wanted: Row, after: str, limit: int
    ) -> list[Entry]:
        """Return entries by id. A list is no reading."""
        context = await self.contexts.get(caller, context_id)
        place = {"context": context.id, "scope": context.scope}
        return await self.graph.many(
            Q.contexts.entries, Entry, **place, **wanted, after=after, limit=limit
        )

    async def keyed(self, caller: Caller, context_id: str, key: str) -> list[Entry]:
        """Return the entry in use under a key, if there is one."""
        context = await self.contexts.get(caller, context_id)
        clean = await self.contexts.clean(key, context.scope, "key")
        slots = [slot_of(context.id, clean)]
        return await self.graph.many(Q.contexts.keyed, Entry, slots=slots, scope=context.scope)

    async def update(
        self, caller: Caller, context_id: str, entry_id: str, value: Any, expected: int | None
    ) -> Entry:
        """Give an entry another content; the former one is kept as a version, and the same one
        changes nothing. Raises VersionMismatch where `expected` is another version."""
        context = await self.contexts.writable(caller, context_id)
        clean = await self.value(value, context.scope)

        async def act(tx: Tx, held: Entry) -> Entry:
            if expected is not None and expected != held.version:
                raise VersionMismatch(f"the entry has version {held.version}", field="If-Match")
            return await self._reword(tx, caller, context, held, clean)

        return await self.change(caller, context, entry_id, act)

    async def weigh(self, caller: Caller, context_id: str, entry_id: str, *, up: bool) -> Entry:
        """Make an entry a step more or less important."""
        step = boosted if up else reduced
        context = await self.contexts.writable(caller, context_id)

        async def act(tx: Tx, held: Entry) -> Entry:
            made = held.weighed(step(held.importance), now())
            kind = f"context.entry.{'boost' if up else 'reduce'}"
            return await self.reweigh(tx, caller, context, made, kind)

        return await self.change(caller, context, entry_id, act)

    async def archive(self, caller: Caller, context_id: str, entry_id: str) -> Entry:
        """Archive an entry, whose key is free then."""
        context = await self.contexts.writable(caller, context_id)

        async def act(tx: Tx, held: Entry) -> Entry:
            made = held.archived(Reason.REMOVED, now())
            return await self.store(tx, caller, context, made, "context.entry.archive")

        return await self.change(caller, context, entry_id, act)

    async def seal(self, caller: Caller, context_id: str, entry_id: str) -> Entry:
        """Keep the SHA-256 of content and metadata as they are now; the same again changes
        nothing."""
        context = await self.contexts.writable(caller, context_id)

        async def act(tx: Tx, held: Entry) -> Entry:
            if held.verdict is Verdict.VALID:
                return held
            made = held.model_copy(update={"seal": held.fingerprint()})
            return await self.store(tx, caller, context, made, "context.entry.seal")

        return await self.change(caller, context, entry_id, act)

    async def integrity(self, caller: Caller, context_id: str) -> tuple[dict[str, int], list[str]]:
        """Return how many entries in use have each verdict, and the ids of those tampered with."""
        context = await self.contexts.get(caller, context_id)
        counts = dict.fromkeys((verdict.value for verdict in Verdict), 0)
        tampered: list[str] = []
        for entry in await self.active(context):
            counts[entry.verdict.value] += 1
            if entry.verdict is Verdict.TAMPERED:
                tampered.append(entry.id)
        return counts, tampered

    async def versions(self, caller: Caller, context_id: str, entry_id: str) -> list[EntryVersion]:
        """Return the former contents of an entry, newest first."""
        context = await self.contexts.get(caller, context_id)
        entry = await self._entry(context, entry_id)
        return await self.graph.many(
            Q.contexts.versions, EntryVersion, entry=entry.id, scope=context.scope
        )

    # --- for the services beside --------------------------------------------------------------

    async def drafted(self, caller: Caller, context: Context, draft: Draft) -> Entry:
        """Return the entry of a draft: sanitised, its agents by their ids."""
        fields = {name: getattr(draft, name) for name in CLIENTS if name != "value"}
        given = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        clean = {k: await self.contexts.clean(v, context.scope, k) for k, v in given.items()}
        for name in ("agent", "from_agent"):
            named = getattr(draft, name)
            clean[name] = principal_of(caller, named, name) if named else None
        if clean["agent"] is None and caller.kind == "agent":
            clean["agent"] = caller.principal
        value = await self.value(draft.value, context.scope)
        ready = replace(draft, **{**clean, "tags": tuple(clean["tags"]), "value": value})
        return entry_of(ready, context, caller.principal, now())

    async def value(self, given: Any, scope: str) -> Any:
        """Return a content as it may be stored; TooLarge, and what the sanitising step raises."""
        check(given, "content")
        if given is None or given in ("", {}, []):
            raise InvalidInput("the content is empty", field="content")
        most = (await self.contexts.bounds(scope)).content_bytes
        if len(packed(given).encode()) > most:
            raise TooLarge(f"content has at most {most} bytes", field="content")
        return await self.contexts.clean(given, scope, "content")

    async def active(self, context: Context, tx: Tx | None = None) -> list[Entry]:
        """Return every entry in use, by id."""
        found: list[Entry] = []
        after, reader = "", tx or self.graph
        while page := await reader.many(Q.contexts.entries, Entry, **_all(context, after)):
            found += page
            after = page[-1].id
        return found

    async def upkept(self, context: Context, before: datetime, *, facts: bool) -> list[Entry]:
        """Return every entry in use that was made before a moment, by id; facts never fade, and
        are left out where they are not asked for."""
        found: list[Entry] = []
        after = ""
        where = {"context": context.id, "scope": context.scope, "facts": facts, "before": before}
        while page := await self.graph.many(
            Q.contexts.upkept, Entry, **where, after=after, limit=_all(context, after)["limit"]
        ):
            found += page
            after = page[-1].id
        return found

    async def counted(self, context: Context) -> int:
        """Return how many entries of a context are in use."""
        row = await self.graph.one(Q.contexts.count, context=context.id, scope=context.scope)
        return int(row["entries"])

    async def put(
        self, tx: Tx, caller: Caller, context: Context, entry: Entry, *, update: bool
    ) -> Entry:
        """Store a new entry in a context whose lock is held, or give the one that has its key the
        new content, where both are facts or that is asked for."""
        held = await self.in_use(tx, context, entry.key)
        if held is None:
            await self._room(tx, context)
            await tx.rows(Q.kinds.restore, rows=[CONTEXT_ENTRY.new(entry)])
            event = event_of(caller, "context.entry.create", context, entry=entry.id)
            await tx.rows(Q.contexts.tell, events=[event])
            return entry
        facts = held.memory_type is entry.memory_type is MemoryType.FACTUAL
        if not (update or facts):
            raise AlreadyExists("an entry in use has this key", field="key")
        return await self._reword(tx, caller, context, held, entry.value)

    async def change(
        self,
        caller: Caller,
        context: Context,
        entry_id: str,
        act: Callable[[Tx, Entry], Any],
    ) -> Entry:
        """Change one entry in use, with the locks of its context and of itself; NotFound, and
        StateRefused for one that is archived."""

        async def work(tx: Tx) -> Entry:
            place = {"context": context.id, "scope": context.scope}
            found = await tx.many(Q.contexts.lock_entries, Entry, ids=[entry_id], **place, at=now())
            if not found:
                raise _missing(entry_id)
            if not found[0].active:
                raise StateRefused("the entry is archived", field="entry")
            made: Entry = await act(tx, found[0])
            return made

        return await self.contexts.writing(caller, context, "contexts.change", work)

    async def store(
        self, tx: Tx, caller: Caller, context: Context, entry: Entry, kind: str
    ) -> Entry:
        """Store an entry whose lock is held, and tell of it."""
        await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(entry)])
        event = event_of(caller, kind, context, entry=entry.id, version=entry.version)
        await tx.rows(Q.contexts.tell, events=[event])
        return entry

    async def rewrite(
        self, tx: Tx, caller: Caller, context: Context, entry: Entry, former: Sequence[EntryVersion]
    ) -> Entry:
        """Store an entry, whose lock is held, with all contents that it had before."""
        keep = (await self.contexts.bounds(entry.scope)).versions
        placed = [CONTEXT_ENTRY_VERSION.placed(each) for each in former[-keep:] if keep]
        await tx.rows(Q.kinds.restore, rows=[CONTEXT_ENTRY_VERSION.new(each) for each in placed])
        await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY_VERSION.row(each) for each in placed])
        await tx.rows(Q.contexts.prune_versions, entries=[entry.id], scope=entry.scope, keep=keep)
        return await self.store(tx, caller, context, entry, "context.entry.update")

    async def reweigh(
        self, tx: Tx, caller: Caller, context: Context, entry: Entry, kind: str
    ) -> Entry:
        """Store what an entry weighs, whose lock is held, and tell of it."""
        await tx.rows(Q.contexts.weigh, rows=[weights(entry)], scope=context.scope)
        event = event_of(caller, kind, context, entry=entry.id)
        await tx.rows(Q.contexts.tell, events=[event])
        return entry

    # --- within -------------------------------------------------------------------------------

    async def _reword(
        self, tx: Tx, caller: Caller, context: Context, held: Entry, value: Any
    ) -> Entry:
        made = reworded(held, value, caller.principal, now())
        if made is None and held.kept_at is None:
            return held
        if made is None:  # what a client says itself is no longer only promoted
            own = held.model_copy(update={"kept_at": None})
            return await self.store(tx, caller, context, own, "context.entry.update")
        keep = (await self.contexts.bounds(held.scope)).versions
        if keep:
            former = CONTEXT_ENTRY_VERSION.placed(EntryVersion.former(held))
            await tx.rows(Q.kinds.restore, rows=[CONTEXT_ENTRY_VERSION.new(former)])
        await tx.rows(Q.contexts.prune_versions, entries=[held.id], scope=held.scope, keep=keep)
        return await self.store(tx, caller, context, made, "context.entry.update")

    async def in_use(self, tx: Tx, context: Context, key: str) -> Entry | None:
        """Return the entry in use that has a key, and its lock; None where none has."""
        slots = [slot_of(context.id, key)]
        found = await tx.many(
            Q.contexts.lock_keys, Entry, slots=slots, scope=context.scope, at=now()
        )
        return found[0] if found else None

    async def _room(self, tx: Tx, context: Context) -> None:
        count = await tx.one(Q.contexts.count, context=context.id, scope=context.scope)
        most = (await self.contexts.bounds(context.scope)).entries
        if count["entries"] >= most:
            raise QuotaReached(f"a context has at most {most} entries in use")

    async def _entry(self, context: Context, entry_id: str) -> Entry:
        place = {"context": context.id, "scope": context.scope}
        found = await self.graph.many(Q.contexts.entry, Entry, id=entry_id, **place)
        if not found:
            raise _missing(entry_id)
        return found[0]


def weights(entry: Entry) -> Row:
    """Return the properties of what an entry weighs."""
    return {"id": entry.id, **{name: getattr(entry, name) for name in WEIGHTS}}


def _all(context: Context, after: str) -> Row:
    return {
        "context": context.id,
        "scope": context.scope,
        "status": Status.ACTIVE,
        "type": None,
        "memory": None,
        "tag": None,
        "after": after,
        "limit": PAGE,
    }


def _missing(entry_id: str) -> NotFound:
    return NotFound(f"there is no entry {entry_id}", field="entry")
