"""Intervals of facts, and why they are as they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.extraction.model import Precision


class Standing(StrEnum):
    """Whether an interval is believed or waits for a review."""

    HELD = "held"
    QUARANTINED = "quarantined"


class Reason(StrEnum):
    """Why an interval is as it is."""

    STATED = "stated"
    LATER_VALUE = "later_value"
    STOPPED = "stopped"
    SOURCE_NAMES_END = "source_names_end"
    RESUMED = "resumed"
    CORRECTED = "corrected"
    LOWER_TIER = "lower_tier"
    OTHER_PRINCIPAL = "other_principal"
    NO_ORDER = "no_order_in_time"
    OTHER_UNIT = "other_unit"
    REJECTED = "rejected"
    DOUBTED = "doubted"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """One interval of one fact, half-open, with the reason of its end (or of its standing)."""

    fact: str
    valid_from: datetime
    valid_to: datetime
    from_precision: Precision
    to_precision: Precision
    standing: Standing
    reason: Reason


@dataclass(frozen=True, slots=True)
class Held:
    """An interval of one value, or of its negation, while it is being laid out."""

    fact: str
    value: str
    negative: bool
    start: datetime
    end: datetime
    from_precision: Precision
    to_precision: Precision
    reason: Reason
    partial: bool = False  # of what speaks for it, nothing was read to the last word

    def contains(self, moment: datetime) -> bool:
        """Whether the interval holds at the moment."""
        return self.start <= moment < self.end

    def conflicts(self, other: Held) -> bool:
        """Whether both cannot be so at one time, given a functional predicate or one value."""
        if self.negative or other.negative:
            return self.negative != other.negative and self.value == other.value
        return self.value != other.value

    def segment(self, standing: Standing) -> Segment:
        """The interval as it is stored."""
        return Segment(
            self.fact,
            self.start,
            self.end,
            self.from_precision,
            self.to_precision,
            standing,
            self.reason,
        )
