"""Baselines of core blocks, and what was lost of them, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Controller, delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from app.kernel.caller import Caller, Role
from app.notes.drift import ALARM, BlockBaseline, Drift
from app.notes.drifting import DriftService
from app.notes.schemas import BlockKind

Drifting = NamedDependency[DriftService]
InScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope path; the key's home if unset.")
]


class BaselineOut(msgspec.Struct, frozen=True):
    """How alike a block and the texts of a week were, 0 to 1, when the baseline was taken."""

    id: str
    scope: str
    kind: str
    closeness: float
    sample: int
    model: str
    taken_by: str
    taken_at: datetime
    alarmed_at: datetime | None

    @classmethod
    def of(cls, held: BlockBaseline) -> BaselineOut:
        """Return the wire form of a baseline."""
        return cls(
            held.id,
            held.scope,
            held.block_kind,
            held.closeness,
            held.sample,
            held.model,
            held.taken_by,
            held.taken_at,
            held.alarmed_at,
        )


class DriftOut(msgspec.Struct, frozen=True):
    """A baseline, and what is so now. `state` is steady, drifted (from the `alarm` on), too_few
    texts, or stale: then block or model is another one."""

    baseline: BaselineOut
    state: str
    closeness: float | None
    sample: int
    drift: float | None
    alarm: float

    @classmethod
    def of(cls, found: Drift) -> DriftOut:
        """Return the wire form of a comparison."""
        baseline = BaselineOut.of(found.baseline)
        return cls(baseline, found.state.value, found.closeness, found.sample, found.drift, ALARM)


class DriftController(Controller):
    """How far what is said in a scope has moved away from a core block."""

    path = "/v1/core-blocks/{kind:str}/baseline"
    tags = ("Notes",)

    @put("/", operation_id="takeCoreBlockBaseline", opt={"requires": Role.CURATOR})
    async def take(
        self,
        kind: FromPath[BlockKind],
        caller: NamedDependency[Caller],
        drifting: Drifting,
        scope_path: InScope = None,
    ) -> BaselineOut:
        """Take how alike the block and the texts of the last week are as what is as it should be.
        The daily check tells of a drift from it."""
        return BaselineOut.of(await drifting.take(caller, scope_path, kind))

    @get("/", operation_id="getCoreBlockDrift", opt={"requires": Role.READER})
    async def read(
        self,
        kind: FromPath[BlockKind],
        caller: NamedDependency[Caller],
        drifting: Drifting,
        scope_path: InScope = None,
    ) -> DriftOut:
        """Compare the texts of the last week with the baseline; nothing is told."""
        return DriftOut.of(await drifting.read(caller, scope_path, kind))

    @delete("/", operation_id="dropCoreBlockBaseline", opt={"requires": Role.CURATOR})
    async def drop(
        self,
        kind: FromPath[BlockKind],
        caller: NamedDependency[Caller],
        drifting: Drifting,
        scope_path: InScope = None,
    ) -> None:
        """Give up the baseline; the block stays."""
        await drifting.drop(caller, scope_path, kind)
