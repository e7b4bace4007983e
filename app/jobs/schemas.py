"""Wire types of jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from app.jobs.model import Job


class JobOut(msgspec.Struct, frozen=True):
    """A job and what became of its items."""

    id: str
    task: str
    scope: str
    state: str
    attempts: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: dict[str, Any]
    result: dict[str, Any] | None
    items: list[dict[str, Any]]
    error: str | None

    @classmethod
    def of(cls, job: Job) -> JobOut:
        """The wire form of a job; its arguments stay inside."""
        return cls(**{name: getattr(job, name) for name in cls.__struct_fields__})


class JobsOut(msgspec.Struct, frozen=True):
    """A page of jobs, newest first; `next` is the id to continue after."""

    items: list[JobOut]
    next: str | None


class ScheduleOut(msgspec.Struct, frozen=True):
    """A task that runs by itself."""

    name: str
    cron: str
    timezone: str
    doc: str
    last_due_at: datetime | None
    last_run_at: datetime | None
    last_outcome: str | None


class SchedulesOut(msgspec.Struct, frozen=True):
    """Every schedule."""

    items: list[ScheduleOut]
    next: None = None
