"""Lines of receipts, tombstones and the learning log: ids, hashes and counts, no content."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.kernel.fields import Id, Json, Path
from app.kernel.wire import Moment, ShortText, WireModel
from app.lifecycle.model import Taken

Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{32,64}$")]
Names = Annotated[tuple[ShortText, ...], Field(max_length=1_000_000)]


class ReceiptRecord(WireModel):
    """What one erasure took."""

    id: Id
    tenant: Path
    scope: Path
    kind: Taken
    target: ShortText
    by: ShortText
    at: Moment
    state: Literal["removing", "done"]
    counts: Json
    ids: Names = ()
    hashes: Names = ()
    quoted: Names = ()
    survivors: Names = ()
    scopes: Names = ()
    finished_at: Moment | None = None


class TombstoneRecord(WireModel):
    """A hash of what must not come back."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    tenant: Path
    receipt: Id
    created_at: Moment


class LearningRecord(WireModel):
    """One thing that was learnt."""

    id: Digest
    place: Id
    tenant: Path
    scope: Path
    kind: ShortText
    payload: Json
    recorded_at: Moment
    retracted_at: Moment | None = None
