"""Copies of working memory in the graph: kept for a day, so that they outlive a lost Valkey."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.errors import QuotaReached
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.working.model import Limits, Place, Slot

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Copy:
    """What was copied of a task, and until when it is kept; empty where nothing was."""

    values: Sequence[tuple[Slot, bytes]]
    expires_at: datetime | None

    @property
    def bytes(self) -> int:
        """Bytes of all values as JSON."""
        return sum(len(value) for _, value in self.values)


class CopyRepository:
    """Writes, reads and takes out copies, one a task."""

    def __init__(self, graph: Graph, limits: Limits) -> None:
        self.graph = graph
        self.limits = limits

    async def mark(self, tenant: str) -> str:
        """Return the mark that each erasure changes which takes copies of a tenant out."""
        return str((await self.graph.one(Q.working.mark, tenant=tenant))["mark"])

    async def replace(
        self, who: Caller, place: Place, values: Sequence[tuple[Slot, bytes]], mark: str
    ) -> Copy | None:
        """Put a copy in the place of the one before; None where an erasure has changed the mark
        since the values were read. QuotaReached beyond the bytes of agent or tenant, which hold
        for copies as they do for what is copied."""
        moment = now()
        rows = [_row(place, slot, value, moment) for slot, value in values]
        event = audit.event(who, "working.persist", place.scope, place=place.id, values=len(rows))

        async def work(tx: Tx) -> bool:
            locked = await tx.one(Q.working.hold_tenant, tenant=place.tenant, at=moment)
            if locked["mark"] != mark:
                return False
            held = await tx.one(Q.working.copied, **_of(place), at=moment)
            self._require_room(held, sum(row["size"] for row in rows))
            await tx.one(Q.working.replace, **_of(place), rows=rows, audit=event)
            return True

        written = await self.graph.write("working.persist", work)
        return Copy(values, moment + KEPT) if written else None

    async def get(self, place: Place) -> Copy:
        """The copy of a task."""
        rows = await self.graph.rows(Q.working.copy_of, **_of(place), at=now())
        values = [(Slot.parse(row["key"]), row["content"].encode()) for row in rows]
        return Copy(values, rows[0]["expires_at"] if rows else None)

    async def drop(self, who: Caller, place: Place) -> int:
        """Take the copy of a task out; how many values that was."""
        event = audit.event(who, "working.drop-copy", place.scope, place=place.id)
        row = await self.graph.one(Q.working.drop_copy, **_of(place), audit=event)
        return int(row["dropped"])

    async def wrote(self, event: Row) -> None:
        """Write an audit event unless it is there."""
        await self.graph.rows(Q.working.wrote, event=event)

    async def has_principal(self, tenant: str, principal: str) -> bool:
        """Whether a tenant has such an agent or user."""
        found = await self.graph.optional(Q.working.principal, id=principal, tenant=tenant)
        return found is not None

    def _require_room(self, held: Row, more: int) -> None:
        bounds = (("of_agent", "this agent's", self.limits.agent),
                  ("of_tenant", "this tenant's", self.limits.tenant))  # fmt: skip
        for name, whose, most in bounds:
            if held[name] + more > most:
                raise QuotaReached(
                    f"{whose} copies have at most {most} bytes, and {held[name]} are in use",
                    field="task",
                )


def _of(place: Place) -> dict[str, str]:
    return {
        "tenant": place.tenant,
        "agent": place.agent,
        "scope": place.scope,
        "task": place.task,
    }


def _row(place: Place, slot: Slot, value: bytes, moment: datetime) -> Row:
    text = value.decode()
    return {
        "id": place.id_of(slot),
        "tenant": place.tenant,
        "scope": place.scope,
        "author": place.agent,
        "task": place.task,
        "key": slot.field,
        "content": text,
        "content_hash": digest(text),
        "size": len(value),
        "ingested_at": moment,
        "expires_at": moment + KEPT,
    }
