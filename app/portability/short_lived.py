"""Short-term memory, and copies of working memory, in a package.

Both belong to one agent, and to nobody else whatever his role; so only who administers a scope
exports what is kept there, and the agent's name comes along. Ends of life are moments and stay
what they are: what has run out when a package is read is left out of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from app.kernel.clock import FOREVER, now, open_end
from app.kernel.cypher import Q, Query
from app.kernel.fields import Count, Path
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import checked_id, digest
from app.kernel.scope import parse_scope
from app.kernel.wire import Moment, WireModel
from app.portability.derived import write_unburied
from app.portability.episodes import author_of
from app.portability.kind import At, Batch, Kind, Record, Reject, Selection, Written, cleaned
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.sanitize.policy import SanitizePolicy
from app.settings import ShortTermSettings, WorkingSettings
from app.shortterm.model import LONGEST_TTL
from app.shortterm.model import Kind as EntryKind
from app.shortterm.service import entry_id
from app.working.model import SHARED, Part, Place, Slot
from app.working.values import packed, require_short, unpacked

PAGE = 100
Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Who = Annotated[str, StringConstraints(min_length=1, max_length=200)]
COUNTED_BY_READING = ("count", "last_access", "ready", "processed_at")


class ShortMemoryRecord(WireModel):
    """An entry of an agent's session; one without `expires_at` never runs out."""

    scope: Path
    agent: Who
    session: Name
    key: Name
    kind: EntryKind
    value: Any
    ttl: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None
    expires_at: Moment | None = None
    ingested_at: Moment
    updated_at: Moment
    count: Count = 0
    last_access: Moment | None = None
    ready: bool | None = None
    processed_at: Moment | None = None


class WorkingCopyRecord(WireModel):
    """One value of a task as it was copied; `key` is its part, with its name where it has one."""

    scope: Path
    agent: Who
    task: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    value: Any
    ingested_at: Moment
    expires_at: Moment


def prepare_entry(record: ShortMemoryRecord, at: At) -> Row:
    """The row of an entry, under the id that its agent, session and key have here."""
    scope = at.scope(record.scope)
    policy = at.policy(scope)
    require_plain(record.session, "session", policy)
    require_plain(record.key, "key", policy)
    agent = author_of(record.agent, scope, at)
    identifier = entry_id(scope, agent, record.session, record.key)
    own = record.model_dump(include=set(COUNTED_BY_READING), exclude_none=True)
    return _row(at, scope, identifier) | {
        "agent": agent,
        "weight": 1,
        "said": record.updated_at,
        "properties": {
            **own,
            "id": identifier,
            "scope": scope,
            "tenant": parse_scope(scope).tenant,
            "author": agent,
            "session": visible(record.session),
            "key": record.key,
            "kind": str(record.kind),
            **_content(record.value, Part.KEYS, policy, at),
            "ttl": record.ttl,
            "expires_at": record.expires_at or FOREVER,
            "ingested_at": record.ingested_at,
            "updated_at": record.updated_at,
        },
    }


def prepare_copy(record: WorkingCopyRecord, at: At) -> Row:
    """The row of a copied value. What an agent shares is kept for the target's id here."""
    scope = at.scope(record.scope)
    tenant = parse_scope(scope).tenant
    agent = author_of(record.agent, scope, at)
    shared = record.task.startswith(SHARED)
    target = record.task.removeprefix(SHARED)
    task = f"{SHARED}{author_of(target, scope, at)}" if shared else checked_id(target, "task")
    part, _, name = record.key.partition(":")
    slot = Slot.named(part, name) if name else Slot.single(part)
    identifier = Place(tenant, scope, agent, task).id_of(slot)
    content = _content(record.value, slot.part, at.policy(scope), at)
    return _row(at, scope, identifier) | {
        "agent": agent,
        "weight": content["size"],
        "said": record.ingested_at,
        "properties": {
            "id": identifier,
            "tenant": tenant,
            "scope": scope,
            "author": agent,
            "task": task,
            "key": slot.field,
            **content,
            "ingested_at": record.ingested_at,
            "expires_at": record.expires_at,
        },
    }


def _row(at: At, scope: str, identifier: str) -> Row:
    return {
        "line": at.line,
        "scope": scope,
        "scopes": [scope],
        "subject": identifier,
        "graves": [identifier],
    }


def _content(value: Any, part: Part, policy: SanitizePolicy, at: At) -> Row:
    """A sanitised value as it is stored; whoever restores what was there is not bounded."""
    content = packed(value, part, policy)
    if not at.rules.keeps:
        require_short(len(content), WorkingSettings().value_bytes)
    text = content.decode()
    return {"content": text, "content_hash": digest(text), "size": len(content)}


@dataclass(frozen=True, slots=True)
class Store:
    """How much of a kind an agent and its tenant may have."""

    kind: str
    of_agent: int
    of_tenant: int | None
    says: str


SAVE: dict[str, Query] = {
    "short_memory": Q.portability.save_short_memories,
    "working_copy": Q.portability.save_working_copies,
}
USED: dict[str, Query] = {
    "short_memory": Q.portability.used_short_memory,
    "working_copy": Q.portability.used_working_copies,
}
EXPORT: dict[str, Query] = {
    "short_memory": Q.portability.export_short_memories,
    "working_copy": Q.portability.export_working_copies,
}


async def write(store: Callable[[], Store], tx: Tx, batch: Batch) -> Written:
    """Write what is new, has not run out, was not erased here, and has room. An operator who
    restores what was there is not counted."""
    kept = store()
    living = [row for row in batch.rows if row["properties"]["expires_at"] > now()]
    rejects = [] if batch.rules.keeps else await _without_room(kept, tx, batch, living)
    full = {reject.line for reject in rejects}
    rows = [row for row in living if row["line"] not in full]
    if not rows:
        return Written(rejects=rejects, left=len(batch.rows) - len(living))
    part = Batch(batch.file, rows, batch.rules)
    done = await write_unburied(tx, part, kept.kind, query=SAVE[kept.kind])
    done.rejects += rejects
    done.left = len(batch.rows) - len(living)
    return done


async def _without_room(store: Store, tx: Tx, batch: Batch, rows: Sequence[Row]) -> list[Reject]:
    """The rows for which an agent, or its tenant, has no room left."""
    rejects: list[Reject] = []
    spent: dict[str, int] = {}
    for row in rows:
        tenant = row["properties"]["tenant"]
        if tenant not in spent:
            spent[tenant] = 0
        if row["agent"] not in spent:
            ids = [each["subject"] for each in rows]
            used = await tx.one(
                USED[store.kind], tenant=tenant, agent=row["agent"], ids=ids, at=now()
            )
            spent[row["agent"]] = used["of_agent"]
            spent[tenant] = max(spent[tenant], used["of_tenant"])
        agent, whole = spent[row["agent"]] + row["weight"], spent[tenant] + row["weight"]
        if agent > store.of_agent or (store.of_tenant is not None and whole > store.of_tenant):
            line = row["line"]
            rejects.append(
                Reject(batch.file, line, "QuotaReached", store.says, "agent", row["scope"])
            )
            continue
        spent[row["agent"]], spent[tenant] = agent, whole
    return rejects


async def export_entries(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Yield every entry that has not run out, by scope and id."""
    async for entry in _living(graph, "short_memory", chosen):
        own = {name: entry.get(name) for name in ShortMemoryRecord.model_fields}
        own |= {"agent": entry["author"], "value": unpacked(entry["content"].encode())}
        yield _told(own | {"expires_at": open_end(entry["expires_at"])})


async def export_copies(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Yield every copied value that has not run out, by scope and id."""
    async for copy in _living(graph, "working_copy", chosen):
        own = {name: copy.get(name) for name in WorkingCopyRecord.model_fields}
        yield _told(own | {"agent": copy["author"], "value": unpacked(copy["content"].encode())})


def _told(record: Record) -> Record:
    """A record with its value as it is: an empty list is a value, too."""
    return {**cleaned(record), "value": record["value"]}


async def _living(graph: Graph, kind: str, chosen: Selection) -> AsyncIterator[Row]:
    for scope in chosen.audited:
        after = ""
        while page := await graph.rows(
            EXPORT[kind], scope=scope, after=after, at=now(), limit=PAGE
        ):
            for row in page:
                yield row["node"]
            after = page[-1]["node"]["id"]


def unread(record: Record) -> Record:
    """An entry without what reading it changes."""
    return {name: value for name, value in record.items() if name not in COUNTED_BY_READING}


def _entries() -> Store:
    most = ShortTermSettings().entries
    return Store(
        "short_memory",
        most,
        None,
        f"an agent has at most {most} entries",
    )


def _copies() -> Store:
    limits = WorkingSettings()
    return Store(
        "working_copy",
        limits.agent_bytes,
        limits.tenant_bytes,
        "the copies of the agent or its tenant have no more room",
    )


SHORT_MEMORY = Kind(
    "short_memory",
    "short_memories.jsonl",
    ShortMemoryRecord,
    prepare_entry,
    partial(write, _entries),
    export_entries,
    counted=unread,
    serial=True,
    batch=100,
)
WORKING_COPY = Kind(
    "working_copy",
    "working_copies.jsonl",
    WorkingCopyRecord,
    prepare_copy,
    partial(write, _copies),
    export_copies,
    serial=True,
    batch=100,
)
