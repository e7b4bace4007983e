"""How far what is said in a scope has moved away from a core block. Pure.

A baseline says how alike the block and the texts of a week were when somebody took it. What they
have lost of that since is the drift.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints

from app.kernel.kind import Gone, Kind, Stored
from app.kernel.vocab import Label
from app.kernel.wire import Moment
from app.notes.attested import BlockKind, Hash, Id, Who

ALARM = 0.15  # of a similarity: from this drift on it is told
WINDOW = timedelta(days=7)  # how old the newest texts may be
SAMPLE, LEAST = 256, 8  # texts that are compared at most, and at least
WINDOWS = 16  # of a block that are compared, the first ones; more than any block has today
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class DriftState(StrEnum):
    """What a comparison with the baseline says."""

    STEADY = "steady"
    DRIFTED = "drifted"
    TOO_FEW = "too_few"  # of the last week's texts there are fewer than eight
    STALE = "stale"  # the block, its windows or the model are others: take the baseline anew


class BlockBaseline(Stored):
    """How alike a core block and what was said were, by the nearest of so many `windows` of the
    block; `alarmed_at` is when a drift was told that has not gone back since."""

    block_kind: BlockKind
    block: Id
    block_hash: Hash
    model: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    closeness: Share
    sample: Annotated[int, Field(ge=LEAST, le=SAMPLE)]
    windows: Annotated[int, Field(ge=1, le=WINDOWS)] = 1
    taken_by: Who
    taken_at: Moment
    alarmed_at: Moment | None = None

    def refers(self) -> str | None:
        """Return the block."""
        return self.block

    def people(self) -> Iterable[str]:
        """Return who took it."""
        return {self.taken_by} - {""}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the baseline with who took it replaced."""
        return self.model_copy(update={"taken_by": name(self.taken_by) if self.taken_by else ""})

    def without(self, gone: Gone) -> Self | None:
        """Return the baseline without who took it; None where its block goes."""
        if gone.took(self.block):
            return None
        return self.model_copy(
            update={"taken_by": "" if gone.wrote(self.taken_by) else self.taken_by}
        )


@dataclass(frozen=True, slots=True)
class Measure:
    """The texts of the last week against a block, by a model."""

    block_hash: str
    model: str
    closeness: float
    sample: int
    windows: int = 1


@dataclass(frozen=True, slots=True)
class Drift:
    """A baseline, what is so now, and how far the two are apart; None where that says nothing."""

    baseline: BlockBaseline
    state: DriftState
    closeness: float | None
    sample: int
    drift: float | None
    at: datetime


def closeness(similarities: Sequence[float]) -> float:
    """Return the mean similarity, 0 to 1; 0 of none."""
    return sum(similarities) / len(similarities) if similarities else 0.0


def drifted(baseline: BlockBaseline, now: Measure, at: datetime) -> Drift:
    """Return how far what is said has moved since the baseline; nearer than it is no drift."""
    of = (baseline.block_hash, baseline.model, baseline.windows)
    if of != (now.block_hash, now.model, now.windows):
        return Drift(baseline, DriftState.STALE, None, now.sample, None, at)
    if now.sample < LEAST:
        return Drift(baseline, DriftState.TOO_FEW, None, now.sample, None, at)
    lost = round(min(max(baseline.closeness - now.closeness, 0.0), 1.0), 4)
    state = DriftState.DRIFTED if lost >= ALARM else DriftState.STEADY
    return Drift(baseline, state, round(now.closeness, 4), now.sample, lost, at)


BLOCK_BASELINE = Kind(
    "block_baseline",
    BlockBaseline,
    Label.BLOCK_BASELINE,
    identity=("block_kind",),
    changed="taken_at",
)
