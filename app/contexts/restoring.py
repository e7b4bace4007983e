"""Snapshots: taken, listed, restored in one transaction, deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.contexts.entries import Entry, EntryVersion, Reason
from app.contexts.kind import (
    CONTEXT_ENTRY,
    CONTEXT_ENTRY_VERSION,
    CONTEXT_SNAPSHOT,
    CONTEXT_SNAPSHOT_ENTRY,
)
from app.contexts.model import Context
from app.contexts.service import ContextService, event_of
from app.contexts.snapshots import ContextSnapshot, ContextSnapshotEntry, over
from app.contexts.writing import EntryService
from app.errors import NotFound, QuotaReached, StateRefused
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import new_id


@dataclass(frozen=True, slots=True)
class Restored:
    """How many entries a restoration made anew, changed, left alone and archived, and how many
    places of the snapshot were empty."""

    created: int = 0
    updated: int = 0
    kept: int = 0
    archived: int = 0
    erased: int = 0


class ContextSnapshots:
    """Takes a context back to what it held; who manages the context may."""

    def __init__(self, contexts: ContextService, entries: EntryService) -> None:
        self.contexts = contexts
        self.graph = contexts.graph
        self._entries = entries

    async def take(self, caller: Caller, context_id: str, name: str | None) -> ContextSnapshot:
        """Keep the entries in use as they are now; QuotaReached where there are too many."""
        context = await self.contexts.managed(caller, context_id)
        clean = await self.contexts.clean(name, context.scope, "name")

        async def work(tx: Tx) -> ContextSnapshot:
            held = await self.contexts.managing(tx, caller, context.id)
            known = await tx.rows(Q.contexts.snapshots, context=held.id, scope=held.scope)
            most = (await self.contexts.bounds(held.scope)).snapshots
            if len(known) >= most:
                raise QuotaReached(f"a context has at most {most} snapshots: delete one")
            blank = _blank(held, clean, caller.principal)
            entries = await self._active(tx, held)
            places = [
                CONTEXT_SNAPSHOT_ENTRY.placed(ContextSnapshotEntry.took(blank, place, entry))
                for place, entry in enumerate(entries)
            ]
            made = blank.model_copy(update={"entries": len(places), "sha256": over(places)})
            await tx.rows(Q.kinds.restore, rows=[CONTEXT_SNAPSHOT.new(made)])
            await tx.rows(
                Q.kinds.restore, rows=[CONTEXT_SNAPSHOT_ENTRY.new(each) for each in places]
            )
            event = event_of(caller, "context.snapshot", held, snapshot=made.id)
            await tx.rows(Q.contexts.tell, events=[event])
            return made

        return await self.graph.write("contexts.snapshot", work)

    async def page(self, caller: Caller, context_id: str) -> list[ContextSnapshot]:
        """Return the snapshots of a context, oldest first."""
        context = await self.contexts.get(caller, context_id)
        return await self.graph.many(
            Q.contexts.snapshots, ContextSnapshot, context=context.id, scope=context.scope
        )

    async def restore(self, caller: Caller, context_id: str, snapshot_id: str) -> Restored:
        """Replace all entries in use by those of a snapshot, in one transaction; run again, it
        changes nothing. Raises StateRefused where a hash is wrong, or the context is archived."""
        context = await self.contexts.managed(caller, context_id)
        snapshot = await self._snapshot(context, snapshot_id)

        async def work(tx: Tx) -> Restored:
            held = await self.contexts.managing(tx, caller, context.id)
            if held.archived_at is not None:
                raise StateRefused("the context is archived", field="context")
            places = await tx.many(
                Q.contexts.taken, ContextSnapshotEntry, snapshot=snapshot.id, scope=held.scope
            )
            if not snapshot.proves(places):
                raise StateRefused("the hash of the snapshot does not fit", field="snapshot")
            done = await self._replace(tx, held, places)
            event = event_of(caller, "context.restore", held, snapshot=snapshot.id)
            await tx.rows(Q.contexts.tell, events=[event])
            return done

        return await self.graph.write("contexts.restore", work)

    async def delete(self, caller: Caller, context_id: str, snapshot_id: str) -> None:
        """Delete a snapshot; the entries of its context stay as they are."""
        context = await self.contexts.managed(caller, context_id)
        snapshot = await self._snapshot(context, snapshot_id)

        async def work(tx: Tx) -> None:
            held = await self.contexts.managing(tx, caller, context.id)
            rows = await tx.rows(Q.contexts.taken, snapshot=snapshot.id, scope=held.scope)
            ids = [snapshot.id, *(row["place"]["id"] for row in rows)]
            await tx.rows(Q.kinds.drop, ids=ids)
            event = event_of(caller, "context.snapshot.delete", held, snapshot=snapshot.id)
            await tx.rows(Q.contexts.tell, events=[event])

        await self.graph.write("contexts.snapshot_delete", work)

    async def _replace(
        self, tx: Tx, context: Context, places: Sequence[ContextSnapshotEntry]
    ) -> Restored:
        """What is in no snapshot is archived; what is in it is made, changed or left alone."""
        at = now()
        present = {each.key: each for each in await self._active(tx, context)}
        wanted = {str((p.texts or {})["key"]): p for p in places if not p.empty}
        extra = [each for key, each in present.items() if key not in wanted]
        gone = [each.archived(Reason.RESTORED, at) for each in extra]
        made = {key: place.entry(present.get(key), at) for key, place in wanted.items()}
        fresh = [each for key, each in made.items() if key not in present]
        other = [each for key, each in made.items() if each != present.get(key, each)]
        # Keys are freed before they are taken.
        await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(each) for each in gone])
        await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(each) for each in other])
        await tx.rows(Q.kinds.restore, rows=[CONTEXT_ENTRY.new(each) for each in fresh])
        await tx.rows(Q.kinds.restore, rows=_formers(other, present))
        await tx.rows(
            Q.contexts.prune_versions,
            entries=[each.id for each in other],
            scope=context.scope,
            keep=(await self.contexts.bounds(context.scope)).versions,
        )
        kept, empty = len(made) - len(fresh) - len(other), len(places) - len(wanted)
        return Restored(len(fresh), len(other), kept, len(gone), empty)

    async def _active(self, tx: Tx, context: Context) -> list[Entry]:
        """The entries in use of a context whose lock is held, locked themselves."""
        ids = [each.id for each in await self._entries.active(context, tx)]
        place = {"context": context.id, "scope": context.scope}
        held = await tx.many(Q.contexts.lock_entries, Entry, ids=ids, **place, at=now())
        return [each for each in held if each.active]

    async def _snapshot(self, context: Context, snapshot_id: str) -> ContextSnapshot:
        place = {"context": context.id, "scope": context.scope}
        found = await self.graph.many(Q.contexts.snapshot, ContextSnapshot, id=snapshot_id, **place)
        if not found:
            raise NotFound(f"there is no snapshot {snapshot_id}", field="snapshot")
        return found[0]


def _blank(context: Context, name: str | None, by: str) -> ContextSnapshot:
    return ContextSnapshot(
        id=new_id(),
        scope=context.scope,
        context_id=context.id,
        name=name,
        sha256="0" * 64,
        created_at=now(),
        created_by=by,
    )


def _formers(changed: Sequence[Entry], present: Mapping[str, Entry]) -> list[Row]:
    """The contents that are no longer the present ones, as versions."""
    pairs = [(each, present[each.key]) for each in changed]
    former = [EntryVersion.former(held) for made, held in pairs if made.version != held.version]
    return [CONTEXT_ENTRY_VERSION.new(CONTEXT_ENTRY_VERSION.placed(each)) for each in former]
