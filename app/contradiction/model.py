"""What the comparison of two texts gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Clash(StrEnum):
    """The structural reason for which a later text cannot stand beside an earlier one."""

    NONE = "none"
    NEGATION = "negation"
    NUMBER = "number"
    STATE = "state"
    EXCLUSIVE = "exclusive"
    CORRECTION = "correction"
    ANTONYM = "antonym"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`old` and `new` are what clashes, as written; `reason` is a sentence for people."""

    kind: Clash
    reason: str = ""
    old: str = ""
    new: str = ""

    @property
    def found(self) -> bool:
        return self.kind is not Clash.NONE


NONE = Verdict(Clash.NONE)
