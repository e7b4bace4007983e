"""Jobs as values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from app.kernel.graph import Row

ITEMS_KEPT = 1000  # outcomes of single items that a job keeps


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work: what, for whom, how far."""

    id: str
    task: str
    tenant: str
    scope: str
    state: str
    args: dict[str, Any]
    attempts: int
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    items: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None

    @classmethod
    def of(cls, row: Row) -> Job:
        """A job from its node's properties."""
        return cls(
            id=row["id"],
            task=row["task"],
            tenant=row["tenant"],
            scope=row["scope"],
            state=row["state"],
            args=orjson.loads(row["args"]),
            attempts=row["attempts"],
            created_at=row["created_at"],
            started_at=row.get("started_at"),
            finished_at=row.get("finished_at"),
            progress=orjson.loads(row.get("progress") or "{}"),
            result=orjson.loads(row["result"]) if row.get("result") else None,
            items=orjson.loads(row.get("items") or "[]"),
            error=row.get("error"),
        )


@dataclass(slots=True)
class Outcome:
    """What a task reports: a result, and what became of single items."""

    result: dict[str, Any] = field(default_factory=dict)
    items: list[dict[str, Any]] = field(default_factory=list)

    def dump_items(self) -> str:
        """The items as they are kept, the first thousand of them."""
        return orjson.dumps(self.items[:ITEMS_KEPT], default=str).decode()


class Cancelled(Exception):
    """The job was asked to stop; what it has done so far stays."""


# Tells progress, renews the lease, and raises Cancelled where the job was asked to stop.
Report = Callable[[dict[str, Any]], Awaitable[None]]
TaskFunction = Callable[[Any, Job, Report], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A task that runs by itself: a cron expression in the worker's time zone."""

    name: str
    cron: str
    task: str
    doc: str
