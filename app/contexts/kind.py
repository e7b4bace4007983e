"""What the engines need to know of contexts, their entries, versions, snapshots and accesses."""

from __future__ import annotations

from app.contexts.entries import CLIENTS, Entry, EntryVersion
from app.contexts.model import Access, Context
from app.contexts.snapshots import ContextSnapshot, ContextSnapshotEntry
from app.indexing.declared import indexed
from app.kernel.kind import Kind
from app.kernel.vocab import Label

CONTEXT = Kind(
    "context",
    Context,
    Label.PERSISTENT_CONTEXT,
    sanitised=("name", "description"),
    changed="changed_at",
)
CONTEXT_ENTRY = Kind(
    "context_entry",
    Entry,
    Label.CONTEXT_ENTRY,
    sanitised=CLIENTS,
    part_of=CONTEXT,
    whole="context_id",
    changed="changed_at",
    entry=indexed,
    recalled=True,
    plural="context_entries",
)
CONTEXT_ENTRY_VERSION = Kind(
    "context_entry_version",
    EntryVersion,
    Label.CONTEXT_ENTRY_VERSION,
    identity=("entry_id", "version"),
    sanitised=("value",),
    part_of=CONTEXT,
    whole="context_id",
    changed="changed_at",
)
CONTEXT_SNAPSHOT = Kind(
    "context_snapshot",
    ContextSnapshot,
    Label.CONTEXT_SNAPSHOT,
    sanitised=("name",),
    part_of=CONTEXT,
    whole="context_id",
    changed="created_at",
)
CONTEXT_SNAPSHOT_ENTRY = Kind(
    "context_snapshot_entry",
    ContextSnapshotEntry,
    Label.CONTEXT_SNAPSHOT_ENTRY,
    identity=("snapshot_id", "place"),
    sanitised=("texts",),
    part_of=CONTEXT,
    whole="context_id",
    changed="created_at",
    plural="context_snapshot_entries",
)
# Who read what is told here, and is nobody else's to bring.
CONTEXT_ACCESS = Kind(
    "context_access",
    Access,
    Label.CONTEXT_ACCESS,
    part_of=CONTEXT,
    whole="context_id",
    exported=False,
    narrow=True,
    plural="context_accesses",
)
