"""Snapshots over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import WireModel
from app.snapshots.model import Snapshot
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
