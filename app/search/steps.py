"""What a search did beside its legs, and why it did not where it was asked to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StepName(StrEnum):
    """Steps that a request may ask for."""

    HYDE = "hyde"
    RERANK = "rerank"


class StepState(StrEnum):
    """How a step ended; the search goes on whatever that is."""

    DONE = "done"
    SKIPPED = "skipped"  # a rule, a budget or a setting is against it
    FAILED = "failed"  # what it needs did not answer, or not usably


@dataclass(frozen=True, slots=True)
class Step:
    """One step that was asked for; `reason` where it was not done."""

    name: StepName
    state: StepState
    reason: str = ""
