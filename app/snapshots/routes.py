"""Snapshots over HTTP."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import WireModel
from app.snapshots.diary import DiaryService
from app.snapshots.model import DayPage, Snapshot
from app.snapshots.service import SnapshotService

OfScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope; the key's home if unset.")
]
Stored = Annotated[
    bool, QueryParameter(description="As it was taken last, at 05:30 or by hand; else as of now.")
]


class SnapshotIn(WireModel):
    """Of which scope a snapshot is taken."""

    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    dry_run: bool = Field(True, description="Tell whether it would change, and store nothing.")


class SnapshotOut(msgspec.Struct, frozen=True):
    """A snapshot; `taken_at` is when it became what it is, `sha256` the hash of its Markdown."""

    scope: str
    sha256: str
    taken_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: Snapshot) -> SnapshotOut:
        """Return the wire form of a snapshot."""
        return cls(found.scope, found.sha256, found.taken_at, {"markdown": found.text})


class SnapshotTakenOut(msgspec.Struct, frozen=True):
    """Whether a snapshot differs, or would, from the one that was stored before."""

    scope: str
    dry_run: bool
    changed: bool
    sha256: str
    taken_at: datetime


class SnapshotController(Controller):
    """Skills, learnings, knowledge and statistics of a scope as Markdown."""

    path = "/v1/snapshots"
    tags = ("Autonomy",)

    @get("/", operation_id="getSnapshot", opt={"requires": Role.READER})
    async def read(
        self,
        caller: NamedDependency[Caller],
        snapshots: NamedDependency[SnapshotService],
        within: OfScope = None,
        stored: Stored = False,
    ) -> SnapshotOut:
        """Read the snapshot of one scope, without what lies below it."""
        scope = caller.require(within or caller.home, Role.READER)
        found = await (snapshots.stored(scope) if stored else snapshots.render(scope))
        return SnapshotOut.of(found)

    @post(
        "/",
        operation_id="takeSnapshot",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def take(
        self,
        data: JSONBody[SnapshotIn],
        caller: NamedDependency[Caller],
        snapshots: NamedDependency[SnapshotService],
    ) -> SnapshotTakenOut:
        """Store a snapshot of a scope, as the schedule does at 05:30; by default a dry run."""
        scope = caller.require(data.scope or caller.home, Role.CURATOR)
        taken = await snapshots.take(scope, caller, dry_run=data.dry_run)
        made = taken.snapshot
        return SnapshotTakenOut(scope, data.dry_run, taken.changed, made.sha256, made.taken_at)


class DayIn(WireModel):
    """Of which day of a scope a page is made."""

    day: date = Field(description="The day, in UTC.")
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    dry_run: bool = Field(
        True, description="Tell whether it would change, store nothing and ask no model."
    )


class DayPageOut(msgspec.Struct, frozen=True):
    """The page of a day; `version` counts its changes, `made_at` is when it became what it is. `by`
    is `extract`, or the model that wrote the summary above the sentences."""

    scope: str
    day: str
    version: int
    sha256: str
    made_at: datetime
    untrusted: dict[str, Any]
    by: str

    @classmethod
    def of(cls, page: DayPage) -> DayPageOut:
        """Return the wire form of a page."""
        told = {"markdown": page.text}
        by = page.worded_by or "extract"
        return cls(page.scope, page.day, page.version, page.sha256, page.made_at, told, by)


class DayPagesOut(msgspec.Struct, frozen=True):
    """Pages of days, the newest first; `next` is the day before which the rest lies."""

    items: list[DayPageOut]
    next: str | None


class DayMadeOut(msgspec.Struct, frozen=True):
    """Whether the page of a day changed, or would; none where nothing was said that day."""

    scope: str
    day: str
    dry_run: bool
    changed: bool
    version: int | None


class DayController(Controller):
    """Pages of days: what was said in a scope on each, by its own sentences, and above them in
    those of a model where there is one."""

    path = "/v1/snapshots/days"
    tags = ("Autonomy",)

    @get("/", operation_id="listDayPages", opt={"requires": Role.READER})
    async def list(
        self,
        caller: NamedDependency[Caller],
        diary: NamedDependency[DiaryService],
        within: OfScope = None,
        day: Annotated[date | None, QueryParameter(description="One day alone.")] = None,
        before: Annotated[date | None, QueryParameter(description="Days before this one.")] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=100, description="Most pages.")] = 31,
    ) -> DayPagesOut:
        """List the pages of days of one scope, as they were made last."""
        scope = caller.require(within or caller.home, Role.READER)
        found = await diary.pages(scope, day, before, limit)
        more = found[-1].day if len(found) == limit and day is None else None
        return DayPagesOut([DayPageOut.of(page) for page in found], more)

    @post(
        "/",
        operation_id="makeDayPage",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def make(
        self,
        data: JSONBody[DayIn],
        caller: NamedDependency[Caller],
        diary: NamedDependency[DiaryService],
    ) -> DayMadeOut:
        """Make the page of a day anew, as the schedule does each night; by default a dry run."""
        scope = caller.require(data.scope or caller.home, Role.CURATOR)
        page, changed = await diary.make(scope, data.day, caller, dry_run=data.dry_run)
        version = None if page is None else page.version
        return DayMadeOut(scope, data.day.isoformat(), data.dry_run, changed, version)
