"""Entries of an agent's sessions: made, read and counted, changed, and never read once run out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.errors import AlreadyExists, NotFound, QuotaReached
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.sanitize.policy import SanitizePolicy
from app.scopes.service import ScopeService
from app.shortterm.model import (
    IMPORTANCE,
    READ,
    UNSET,
    Change,
    Draft,
    Limits,
    anew,
    end_of,
    refreshed,
)
from app.working.model import Limits as WorkingLimits
from app.working.model import Part
from app.working.values import dumped, packed, require_short

LONG = 2_000  # bytes of a value beyond which it is sanitised off the event loop


@dataclass(frozen=True, slots=True)
class Sought:
    """Which entries are listed: all of a session, a key or a kind, or simply all."""

    session: str | None = None
    key: str | None = None
    kind: str | None = None


class ShortTermService:
    """An agent is the principal of its key: nobody else sees its entries, whatever his role.

    `bounds` says how large a value may be. Each method raises NotFound for what is not
    there, has run out, or is another agent's.
    """

    def __init__(
        self, graph: Graph, scopes: ScopeService, limits: Limits, bounds: WorkingLimits
    ) -> None:
        self.graph = graph
        self.limits = limits
        self._scopes = scopes
        self._bounds = bounds

    async def create(self, who: Caller, scope: str | None, draft: Draft) -> Row:
        """Make an entry. Raises AlreadyExists (`key`) where the session has one of that key that
        has not run out, QuotaReached, TooLarge, and what the sanitising step refuses."""
        path = who.require(str(parse_scope(scope or who.home)), Role.WRITER)
        policy = await self._scopes.policy(path)
        require_plain(draft.session, "session", policy)
        require_plain(draft.key, "key", policy)
        limits = await self._scopes.limits(self.limits, path)
        draft = replace(draft, ttl=limits.seconds(draft.ttl))
        content = await self._content(draft.value, path, policy)
        entry = _entry(who, path, draft, content, limits)
        moment: datetime = entry["ingested_at"]

        async def work(tx: Tx) -> bool:
            hold = {"agent": who.principal, "tenant": who.tenant, "at": moment}
            held = (await tx.one(Q.shortterm.hold_agent, **hold))["held"]
            if held >= limits.entries:
                raise QuotaReached(f"an agent has at most {limits.entries} entries", field="key")
            aside = digest("ran out", entry["id"], moment.isoformat())[:32]
            row = await tx.one(Q.shortterm.create_entry, entry=entry, aside=aside, at=moment)
            if row["made"]:
                await _tell(tx, who, "create", entry)
            return bool(row["made"])

        if not await self.graph.write("shortterm.create", work):
            raise AlreadyExists(f"the session has an entry {draft.key}", field="key")
        return entry

    async def read(self, who: Caller, entry: str) -> Row:
        """One entry, counted as an access, which adds to its importance once in a day; the third
        one is told as an event, to this agent."""

        async def work(tx: Tx) -> Row:
            given = {**_one(who, entry), "first": IMPORTANCE, "more": READ}
            found = _found(await tx.optional(Q.shortterm.read, **given))
            often = (await self._scopes.limits(self.limits, found["scope"])).often
            if found["count"] >= often and not found.get("ready"):
                await tx.rows(Q.shortterm.ready, id=entry, scope=found["scope"])
                await tx.rows(Q.events.put, rows=[_ready(found)])
            return found

        return await self.graph.write("shortterm.read", work)

    async def refresh(self, who: Caller, entry: str) -> Row:
        """Let the time of an entry begin anew; one that never runs out stays as it is."""
        stored = await self._writable(who, entry)
        limits = await self._scopes.limits(self.limits, stored["scope"])

        async def work(tx: Tx) -> Row:
            given = _one(who, entry)
            held = _found(await tx.optional(Q.shortterm.hold, **given))
            found = await _set(tx, given, refreshed(held, given["at"], limits))
            await _tell(tx, who, "refresh", found)
            return found

        return await self.graph.write("shortterm.refresh", work)

    async def change(self, who: Caller, entry: str, change: Change) -> Row:
        """Set value, kind or time to live, which begins anew then; another value begins the days of
        an entry anew. Raises as `create` does."""
        stored = await self._writable(who, entry)
        limits = await self._scopes.limits(self.limits, stored["scope"])
        properties: dict[str, Any] = {}
        if change.value is not UNSET:
            policy = await self._scopes.policy(stored["scope"])
            properties |= _stored(await self._content(change.value, stored["scope"], policy))
        if change.kind is not UNSET:
            properties["kind"] = str(change.kind)

        async def work(tx: Tx) -> Row:
            given = _one(who, entry)
            held = _found(await tx.optional(Q.shortterm.hold, **given))
            at: datetime = given["at"]
            # When the value was written, and nothing else.
            written = {"updated_at": at} if change.value is not UNSET else {}
            timed = anew(held, change, at, limits)
            found = await _set(tx, given, {**properties, **written, **timed})
            await _tell(tx, who, "change", found)
            return found

        return await self.graph.write("shortterm.change", work)

    async def remove(self, who: Caller, entry: str) -> None:
        """Take an entry out."""
        stored = await self._writable(who, entry)

        async def work(tx: Tx) -> None:
            if not (await tx.one(Q.shortterm.remove, **_one(who, entry)))["removed"]:
                _found(None)
            await _tell(tx, who, "remove", stored)

        await self.graph.write("shortterm.remove", work)

    async def page(
        self, who: Caller, scopes: list[str], sought: Sought, after: str, limit: int
    ) -> list[Row]:
        """Entries by id, not counted as accesses."""
        rows = await self.graph.rows(
            Q.shortterm.page,
            tenant=who.tenant,
            agent=who.principal,
            scopes=scopes,
            session=sought.session and visible(sought.session),
            key=sought.key,
            kind=sought.kind,
            at=now(),
            after=after,
            limit=limit,
        )
        return [row["entry"] for row in rows]

    async def newest(
        self, who: Caller, scopes: list[str], session: str | None, limit: int
    ) -> list[Row]:
        """The entries of a session, or of all, that were written last, not counted as accesses."""
        rows = await self.graph.rows(
            Q.shortterm.newest,
            tenant=who.tenant,
            agent=who.principal,
            scopes=scopes,
            session=session and visible(session),
            at=now(),
            limit=limit,
        )
        return [row["entry"] for row in rows]

    async def _writable(self, who: Caller, entry: str) -> Row:
        stored = _found(await self.graph.optional(Q.shortterm.get, **_one(who, entry)))
        who.require(stored["scope"], Role.WRITER)
        return stored

    async def _content(self, value: Any, scope: str, policy: SanitizePolicy) -> bytes:
        size, most = len(dumped(value)), (await self._scopes.limits(self._bounds, scope)).value
        require_short(size, most)
        if size > LONG:
            content = await asyncio.to_thread(packed, value, Part.KEYS, policy)
        else:
            content = packed(value, Part.KEYS, policy)
        require_short(len(content), most)
        return content


def entry_id(scope: str, agent: str, session: str, key: str) -> str:
    """Return the id that the entry of a session's key has."""
    return digest("short", scope, agent, visible(session), key)[:32]


def _ready(entry: Row) -> Row:
    """The event that an entry was read often."""
    return told(
        "short_memory.ready",
        entry["scope"],
        entry["id"],
        entry["last_access"],
        actor=entry["author"],
        readers=[entry["author"]],
    )


async def _set(tx: Tx, given: dict[str, Any], properties: dict[str, Any]) -> Row:
    return _found(await tx.optional(Q.shortterm.change, **given, properties=properties))


async def _tell(tx: Tx, who: Caller, act: str, entry: Row) -> None:
    """Write the audit event of a change: which entry, no word of it, its session or its key."""
    event = audit.event(who, f"shortterm.{act}", entry["scope"], entry=entry["id"])
    await tx.rows(Q.shortterm.tell, events=[{**event, "target": entry["id"]}])


def _one(who: Caller, entry: str) -> dict[str, Any]:
    return {"id": entry, "scopes": who.visible, "agent": who.principal, "at": now()}


def _found(row: Row | None) -> Row:
    if row is None:
        raise NotFound("there is no such entry that this key may read")
    entry: Row = row["entry"]
    return entry


def _stored(content: bytes) -> dict[str, Any]:
    text = content.decode()
    return {"content": text, "content_hash": digest(text), "size": len(content)}


def _entry(who: Caller, scope: str, draft: Draft, content: bytes, limits: Limits) -> Row:
    moment, session = now(), visible(draft.session)
    return {
        "id": entry_id(scope, who.principal, draft.session, draft.key),
        "scope": scope,
        "tenant": who.tenant,
        "author": who.principal,
        "session": session,
        "key": draft.key,
        "kind": str(draft.kind),
        **_stored(content),
        "ttl": draft.ttl,
        "began_at": moment,
        "expires_at": end_of(draft.ttl, moment, moment, limits),
        "count": 0,
        "importance": IMPORTANCE,
        "ingested_at": moment,
        "updated_at": moment,
    }
