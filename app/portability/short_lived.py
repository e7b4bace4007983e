"""Short-term memory, and copies of working memory, in a package.

Both belong to one agent, and to nobody else whatever his role; so only who administers a scope
exports what is kept there, and the agent's name comes along. Ends of life are moments and stay
what they are: what has run out when a package is read is left out of it. A copy of a task is one
thing: the newest takes the place of the one that is there, and values of an older one stay out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from app.kernel.clock import FOREVER, now, open_end
from app.kernel.cypher import Q, Query
from app.kernel.fields import Count, Path, Unit
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import checked_id, digest
from app.kernel.scope import parse_scope
from app.kernel.wire import Moment, WireModel
from app.lifecycle.graves import graves
from app.lifecycle.model import buried_content
from app.portability.bounds import Bounds
from app.portability.derived import write_new
from app.portability.episodes import author_of
from app.portability.kind import At, Batch, Kind, Record, Reject, Selection, Written, cleaned
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.sanitize.policy import SanitizePolicy
from app.shortterm.model import IMPORTANCE, LONGEST_TTL
from app.shortterm.model import Kind as EntryKind
from app.shortterm.service import entry_id
from app.working.copies import KEPT
from app.working.model import SHARED, Part, Place, Slot
from app.working.values import packed, require_short, unpacked

PAGE = 100
Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Who = Annotated[str, StringConstraints(min_length=1, max_length=200)]
COUNTED_BY_READING = ("count", "last_access", "importance", "gained_at", "ready", "processed_at")


class ShortMemoryRecord(WireModel):
    """An entry of an agent's session; one without `expires_at` never runs out. Its time runs from
    `began_at`, which refreshing it moves; where none is given, from `ingested_at`."""

    scope: Path
    agent: Who
    session: Name
    key: Name
    kind: EntryKind
    value: Any
    ttl: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None
    expires_at: Moment | None = None
    began_at: Moment | None = None
    ingested_at: Moment
    updated_at: Moment
    count: Count = 0
    last_access: Moment | None = None
    importance: Unit | None = None
    gained_at: Moment | None = None
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
    content = _content(record.value, Part.KEYS, policy)
    return _row(at, scope, identifier, content) | {
        "agent": agent,
        "whole": identifier,
        "weight": 1,
        "said": record.updated_at,
        "aside": digest("ran out", identifier, at.moment.isoformat())[:32],
        "properties": {
            **_counted(record, at),
            "id": identifier,
            "scope": scope,
            "tenant": parse_scope(scope).tenant,
            "author": agent,
            "session": visible(record.session),
            "key": record.key,
            "kind": str(record.kind),
            **content,
            "ttl": record.ttl,
            "expires_at": record.expires_at or FOREVER,
            "began_at": record.began_at and min(record.began_at, at.moment),
            "ingested_at": record.ingested_at,
            "updated_at": record.updated_at,
        },
    }


def prepare_copy(record: WorkingCopyRecord, at: At) -> Row:
    """The row of a copied value. What an agent shares is kept for the target's id here."""
    place = _place(record.scope, record.agent, record.task, at)
    scope = place.scope
    part, _, name = record.key.partition(":")
    slot = Slot.named(part, name) if name else Slot.single(part)
    identifier = place.id_of(slot)
    # No copy was made later than it comes, or it would be the newest for good.
    made = min(record.ingested_at, at.rules.moment)
    content = _content(record.value, slot.part, at.policy(scope))
    return _row(at, scope, identifier, content) | {
        "agent": place.agent,
        "whole": place.id,
        "weight": content["size"],
        "said": made,
        "properties": {
            "id": identifier,
            "tenant": place.tenant,
            "scope": scope,
            "author": place.agent,
            "task": place.task,
            "key": slot.field,
            **content,
            "ingested_at": made,
            "expires_at": record.expires_at,
        },
    }


def whole_copy(record: Mapping[str, str], at: At) -> str | None:
    """Return the id of the task whose copy a record belongs to; None where it names none."""
    if not {"scope", "agent", "task"} <= record.keys():
        return None
    return _place(record["scope"], record["agent"], record["task"], at).id


def _place(path: str, who: str, named: str, at: At) -> Place:
    """Return the place that a scope, an agent and a task of a package have here."""
    scope = at.scope(path)
    agent = author_of(who, scope, at)
    target = named.removeprefix(SHARED)
    shared = named.startswith(SHARED)
    task = f"{SHARED}{author_of(target, scope, at)}" if shared else checked_id(target, "task")
    return Place(parse_scope(scope).tenant, scope, agent, task)


def _counted(record: ShortMemoryRecord, at: At) -> Row:
    """What readings have made of an entry; of an entry that nobody vouches for, of a new one."""
    if not at.rules.vouched:
        return {"count": 0, "importance": IMPORTANCE}
    return record.model_dump(include=set(COUNTED_BY_READING), exclude_none=True)


def _row(at: At, scope: str, identifier: str, content: Row) -> Row:
    return {
        "line": at.line,
        "scope": scope,
        "scopes": [scope],
        "subject": identifier,
        "moment": at.moment,
        "buried": buried_content(identifier, content["content_hash"]),
    }


def _content(value: Any, part: Part, policy: SanitizePolicy) -> Row:
    """A sanitised value as it is stored."""
    content = packed(value, part, policy)
    text = content.decode()
    return {"content": text, "content_hash": digest(text), "size": len(content)}


# The lines of what is older than what else there is of the same whole, and by whole the ids of what
# newer values take the place of.
Older = tuple[set[int], dict[str, list[str]]]
NOTHING: Older = (set(), {})


@dataclass(frozen=True, slots=True)
class Store:
    """How much of a kind a scope takes in: what an agent and its tenant have, and until when a row
    is kept at most. `older` finds the rows that are older than what there is of the same whole,
    and the ids of what newer ones take the place of."""

    kind: str
    of_agent: Callable[[Bounds], int]
    of_tenant: Callable[[Bounds], int | None]
    ends: Callable[[Bounds, Row], datetime]
    says: Callable[[Bounds], str]
    older: Callable[[Tx, Sequence[Row]], Awaitable[Older]] | None = None


SAVE: dict[str, Query] = {
    "short_memory": Q.portability.save_short_memories,
    "working_copy": Q.portability.save_working_copies,
}
USED: dict[str, Query] = {
    "short_memory": Q.portability.used_short_memory,
    "working_copy": Q.portability.used_working_copies,
}
WEIGHTS: dict[str, Query] = {
    "short_memory": Q.portability.weigh_short_memories,
    "working_copy": Q.portability.weigh_working_copies,
}
EXPORT: dict[str, Query] = {
    "short_memory": Q.portability.export_short_memories,
    "working_copy": Q.portability.export_working_copies,
}


async def write(store: Store, tx: Tx, batch: Batch) -> Written:
    """Write what is new, has not run out, was not erased here, and has room. An
    operator who restores what was there is not bounded."""
    given = batch.rows if batch.rules.keeps else [_capped(store, batch, r) for r in batch.rows]
    living = [row for row in given if row["properties"]["expires_at"] > now()]
    gone = await _erased(tx, batch, living)
    fresh = [row for row in living if row["line"] not in gone]
    older, replaced = await store.older(tx, fresh) if store.older and fresh else NOTHING
    newest = [row for row in fresh if row["line"] not in older]
    rejects = [] if batch.rules.keeps else await _without_room(store, tx, batch, (newest, replaced))
    full = {reject.line for reject in rejects}
    rows = [row for row in newest if row["line"] not in full]
    if replaced:
        await _make_way(tx, rows, replaced)
    part = Batch(batch.file, rows, batch.rules)
    done = await write_new(tx, part, store.kind, SAVE[store.kind]) if rows else Written()
    done.duplicates += len(gone)
    done.rejects += rejects
    done.left = len(batch.rows) - len(living) + len(older)
    return done


def _capped(store: Store, batch: Batch, row: Row) -> Row:
    """A row that is kept no longer than one that is written in its scope, also once its time
    begins anew."""
    own, bounds = row["properties"], batch.bounds[row["scope"]]
    capped = {"expires_at": min(own["expires_at"], store.ends(bounds, row))}
    if own.get("ttl") is not None:
        capped["ttl"] = min(own["ttl"], bounds.short.ttl_most)
    return {**row, "properties": {**own, **capped}}


async def _erased(tx: Tx, batch: Batch, rows: Sequence[Row]) -> set[int]:
    """The lines of rows that were erased here: of what was said before a value of its name was
    erased, and of the very value that was.

    A restore takes the latter too where it was said afterwards; who imports might say so only.
    """
    if batch.rules.revives:
        return set()
    found = await graves(tx, {value for row in rows for value in (row["subject"], row["buried"])})

    def lies(row: Row, value: str, *, renewed: bool) -> bool:
        tenant, at = found.get(value, (None, None))
        if tenant != row["properties"]["tenant"] or at is None:
            return False
        return not (renewed and row["said"] > at)

    return {
        row["line"]
        for row in rows
        if lies(row, row["subject"], renewed=True)
        or lies(row, row["buried"], renewed=batch.rules.keeps)
    }


async def _older_copies(tx: Tx, rows: Sequence[Row]) -> Older:
    """The lines of values of a task of which a newer copy comes or is here, and by task the ids of
    the copies here that are older than what comes."""
    tenants = sorted({row["properties"]["tenant"] for row in rows})
    await tx.rows(Q.portability.hold_working_copies, tenants=tenants, at=now())
    places = {row["whole"]: {"id": row["whole"], **_task_of(row)} for row in rows}
    newest = {each[0]["whole"]: max(row["said"] for row in each) for each in _by_whole(rows)}
    held = await tx.rows(
        Q.portability.held_working_copies,
        places=[places[whole] for whole in sorted(places)],
        at=now(),
    )
    replaced = {row["place"]: row["ids"] for row in held if row["moment"] < newest[row["place"]]}
    for row in held:
        newest[row["place"]] = max(newest[row["place"]], row["moment"])
    return {row["line"] for row in rows if row["said"] < newest[row["whole"]]}, replaced


def _task_of(row: Row) -> Row:
    own = row["properties"]
    return {name: own[name] for name in ("tenant", "scope", "task")} | {"agent": row["agent"]}


async def _without_room(
    store: Store, tx: Tx, batch: Batch, coming: tuple[Sequence[Row], Mapping[str, list[str]]]
) -> list[Reject]:
    """The rows for which an agent, or its tenant, has no room left; of what belongs together, all
    or none. What is refused takes the place of nothing, and frees no room for the rest."""
    rows, replaced = coming
    held = await _weights(store, tx, rows, replaced)
    rejects: list[Reject] = []
    of_agents: dict[str, int] = {}
    of_tenants: dict[str, int] = {}
    for together in _by_whole(rows):
        row = together[0]
        agent, tenant = row["agent"], row["properties"]["tenant"]
        if agent not in of_agents:
            used = await tx.one(USED[store.kind], tenant=tenant, agent=agent, at=now())
            of_agents[agent] = used["of_agent"]
            of_tenants.setdefault(tenant, used["of_tenant"])
        more = _more(together, replaced.get(row["whole"], []), held)
        bounds = batch.bounds[row["scope"]]
        most = store.of_tenant(bounds)
        if more > 0 and (
            of_agents[agent] + more > store.of_agent(bounds)
            or (most is not None and of_tenants[tenant] + more > most)
        ):
            says = store.says(bounds)
            rejects += [
                Reject(batch.file, each["line"], "QuotaReached", says, "agent", row["scope"])
                for each in together
            ]
            continue
        of_agents[agent] += more
        of_tenants[tenant] += more
    return rejects


async def _weights(
    store: Store, tx: Tx, rows: Sequence[Row], replaced: Mapping[str, list[str]]
) -> dict[str, int]:
    """What is here and has not run out of what comes, and of what that takes the place of: by id
    what it weighs."""
    freed = (each for ids in replaced.values() for each in ids)
    ids = sorted({*(row["subject"] for row in rows), *freed})
    found = await tx.rows(WEIGHTS[store.kind], ids=ids, at=now())
    return {row["id"]: row["weight"] for row in found}


def _more(together: Iterable[Row], freed: Sequence[str], held: Mapping[str, int]) -> int:
    """How much more there is once rows are written: those that are here already stay as they are,
    unless they are among what is freed."""
    stays = held.keys() - set(freed)
    new: dict[str, int] = {
        row["subject"]: row["weight"] for row in together if row["subject"] not in stays
    }
    return sum(new.values()) - sum(held.get(each, 0) for each in freed)


def _by_whole(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows that belong together, in the order of the first of each."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["whole"], []).append(row)
    return list(found.values())


async def _make_way(tx: Tx, rows: Sequence[Row], replaced: Mapping[str, list[str]]) -> None:
    """Take out what the copies that come take the place of."""
    coming = {row["whole"] for row in rows}
    ids = sorted(each for whole, held in replaced.items() if whole in coming for each in held)
    await tx.rows(Q.portability.drop_working_copies, ids=ids)


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


def _fits(row: Row, bounds: Bounds) -> None:
    require_short(row["properties"]["size"], bounds.working.value)


def _end_of_entry(bounds: Bounds, row: Row) -> datetime:
    """When an entry is gone at the latest: one without a time of its own, never."""
    own, most = row["properties"], bounds.short
    if own["ttl"] is None and own["expires_at"] == FOREVER:
        return FOREVER
    taken: datetime = row["moment"]
    said: datetime = own["updated_at"]
    written = min(said, taken) + timedelta(days=most.days)
    return min(written, taken + timedelta(seconds=most.ttl_most))


ENTRIES = Store(
    "short_memory",
    of_agent=lambda bounds: bounds.short.entries,
    of_tenant=lambda bounds: None,
    ends=_end_of_entry,
    says=lambda bounds: f"an agent has at most {bounds.short.entries} entries",
)
COPIES = Store(
    "working_copy",
    of_agent=lambda bounds: bounds.working.agent,
    of_tenant=lambda bounds: bounds.working.tenant,
    ends=lambda bounds, row: row["moment"] + KEPT,
    says=lambda bounds: "the copies of the agent or its tenant have no more room",
    older=_older_copies,
)
SHORT_MEMORY = Kind(
    "short_memory",
    "short_memories.jsonl",
    ShortMemoryRecord,
    prepare_entry,
    partial(write, ENTRIES),
    export_entries,
    counted=unread,
    serial=True,
    batch=100,
    fits=_fits,
)
WORKING_COPY = Kind(
    "working_copy",
    "working_copies.jsonl",
    WorkingCopyRecord,
    prepare_copy,
    partial(write, COPIES),
    export_copies,
    serial=True,
    batch=100,
    fits=_fits,
    whole=whole_copy,
)
