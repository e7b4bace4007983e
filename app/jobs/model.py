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
class Turn:
    """One turn of a job: what stands on the queue, under a name that no earlier turn had."""

    id: str
    attempts: int
    not_before: datetime

    @property
    def name(self) -> str:
        """The moment counts too: one who runs a dead job again gives its attempts back.

        The queue keeps the entry of a worker that was killed for hours, and would take a new one
        of the same name for the old.
        """
        return f"{self.id}:{self.attempts}:{round(self.not_before.timestamp() * 1000)}"


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
    not_before: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    items: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None

    @property
    def turn(self) -> Turn:
        """Its next turn on the queue."""
        return Turn(self.id, self.attempts, self.not_before)

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
            not_before=row["not_before"],
            started_at=row.get("started_at"),
            finished_at=row.get("finished_at"),
            progress=orjson.loads(row.get("progress") or "{}"),
            result=orjson.loads(row["result"]) if row.get("result") else None,
            items=orjson.loads(row.get("items") or "[]"),
            error=row.get("error"),
        )


@dataclass(slots=True)
class Outcome:
    """What a task reports: a result, and what became of single items.

    `tidy` removes what the task no longer needs; it is called once the job is recorded as done,
    since until then the job may have to run again.
    """

    result: dict[str, Any] = field(default_factory=dict)
    items: list[dict[str, Any]] = field(default_factory=list)
    tidy: Callable[[], None] | None = None

    def dump_items(self) -> str:
        """The items as they are kept, the first thousand of them."""
        return orjson.dumps(self.items[:ITEMS_KEPT], default=str).decode()


class Cancelled(Exception):
    """The job was asked to stop; what it has done so far stays."""


class Superseded(Exception):
    """The lease ran out and another worker has the job: this one has nothing to say any more."""


# Tells progress and renews the lease; raises Cancelled where the job was asked to stop, and
# Superseded where it is another's.
Report = Callable[[dict[str, Any]], Awaitable[None]]
TaskFunction = Callable[[Any, Job, Report], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A task that runs by itself: a cron expression in the worker's time zone."""

    name: str
    cron: str
    task: str
    doc: str


DRY_RUN = "dry_run"  # the argument of a schedule that is to tell what it would do


def is_dry(job: Job) -> bool:
    """Whether a job only tells what it would do."""
    return bool(job.args.get(DRY_RUN))
