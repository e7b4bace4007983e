"""One transaction of the learning loop: what it writes goes into log and changelog with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from app.errors import NotFound
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import new_id
from app.kernel.kind import Kind, S
from app.learning.kind import LEARNED_CHANGE, LEARNED_ENTRY
from app.learning.model import (
    Actor,
    Figures,
    LearnedChange,
    LearnedEntry,
    LearningType,
    Operation,
)


@dataclass(slots=True)
class Pen:
    """Collects what a transaction writes in one scope, whose lock it holds."""

    tx: Tx
    who: Caller
    scope: str
    batch: str
    at: datetime = field(default_factory=now)
    created: list[Row] = field(default_factory=list)
    updated: dict[str, Row] = field(default_factory=dict)
    changes: list[tuple[Operation, str, str]] = field(default_factory=list)

    @classmethod
    async def take(cls, tx: Tx, who: Caller, scope: str, batch: str) -> Self:
        """Lock a scope for writing in it; NotFound where it was deleted."""
        if await tx.optional(Q.autonomy.lock_scope, scope=scope, at=now()) is None:
            raise NotFound(f"there is no scope {scope}", field="scope")
        return cls(tx, who, scope, batch)

    async def locked(self, kind: Kind[S], ids: Sequence[str]) -> dict[str, S]:
        """Return values of a kind in this scope, with their locks held."""
        found = await self.tx.many(
            Q.autonomy.lock,
            kind.struct,
            ids=sorted(set(ids)),
            kind=kind.name,
            scopes=[self.scope],
            at=self.at,
        )
        return {value.id: value for value in found}

    def make(self, kind: Kind[S], value: S) -> S:
        """Let a new value be written."""
        self.created.append(kind.new(value))
        self.changes.append((Operation.CREATE, value.id, kind.name))
        return value

    def change(self, kind: Kind[S], value: S) -> S:
        """Let a value be written whose lock is held."""
        self.updated[value.id] = kind.row(value)
        self.changes.append((Operation.UPDATE, value.id, kind.name))
        return value

    def learn(
        self, what: LearningType, about: str | None, kind: str, figures: Figures, **more: Any
    ) -> LearnedEntry:
        """Let an entry of the log be written; `more` are fields that differ from what is usual."""
        fields: dict[str, Any] = {
            "id": new_id(),
            "actor": self.who.principal,
            "valid_from": self.at,
            **more,
        }
        entry = LearnedEntry(
            scope=self.scope,
            type=what,
            about=about,
            about_kind=kind,
            batch=self.batch,
            figures=figures,
            recorded_at=self.at,
            **fields,
        )
        return self.make(LEARNED_ENTRY, entry)

    async def write(self, done: str, **told: Any) -> None:
        """Write all of it, with the changelog's next versions and an audit event."""
        parts = [row for row in self.created if row["properties"]["whole"] is not None]
        wholes = [row for row in self.created if row["properties"]["whole"] is None]
        await self.tx.rows(Q.kinds.restore, rows=wholes)
        if parts:  # a part is made beside a whole that is there
            await self.tx.rows(Q.kinds.restore, rows=parts)
        await self.tx.rows(Q.kinds.change, rows=list(self.updated.values()))
        await self.tx.rows(Q.kinds.restore, rows=await self._rows())
        event = audit.event(self.who, done, self.scope, batch=self.batch, **told)
        await self.tx.rows(Q.autonomy.tell, events=[event])

    async def _rows(self) -> list[Row]:
        last = await self.tx.optional(Q.learning.last_version, scope=self.scope)
        first = (last["version"] if last else 0) + 1
        return [
            LEARNED_CHANGE.new(LEARNED_CHANGE.placed(self._change(first + n, *change)))
            for n, change in enumerate(self.changes)
        ]

    def _change(self, version: int, operation: Operation, target: str, kind: str) -> LearnedChange:
        known = self.who.kind in (Actor.USER, Actor.AGENT)
        return LearnedChange(
            id="new",
            scope=self.scope,
            version=version,
            operation=operation,
            target=target,
            target_kind=kind,
            actor_kind=Actor(self.who.kind) if known else Actor.SYSTEM,
            at=self.at,
        )
