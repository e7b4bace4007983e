"""How far a run has come: what is kept in its job, so that a killed run goes on from there."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

OWN = (
    "a tenant with an audit chain of its own keeps it ({} left out); the events of the package are "
    "kept beside it"
)


@dataclass(slots=True)
class Tally:
    """Lines of one kind by what became of them."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    updated: int = 0
    changed: int = 0

    @property
    def lines(self) -> int:
        return sum(asdict(self).values())

    def told(self) -> dict[str, int]:
        """The counts; of what is known and was brought up to date, or says something else, only
        where there is some."""
        given: dict[str, int] = asdict(self)
        return {name: n for name, n in given.items() if n or name not in ("updated", "changed")}


@dataclass(slots=True)
class Mark:
    """Where a file is finished up to: the next line, counted from 1, and its first byte."""

    line: int = 1
    offset: int = 0
    done: bool = False


@dataclass(slots=True)
class Progress:
    """Marks by file, tallies by kind. Everything before a mark is committed and counted; `left`
    counts by file what the tenant's own audit chain leaves out.

    A run that was killed may have committed up to a few batches more: those lines are duplicates
    when it goes on.
    """

    moment: datetime
    marks: dict[str, Mark] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    rejects_bytes: int = 0
    prepare_seconds: float = 0.0
    seconds: float = 0.0

    def mark(self, file: str) -> Mark:
        return self.marks.setdefault(file, Mark())

    def tally(self, kind: str) -> Tally:
        return self.tallies.setdefault(kind, Tally())

    def leave(self, file: str, count: int) -> None:
        """Count records of a file that were left out."""
        if count:
            self.left[file] = self.left.get(file, 0) + count

    @property
    def lines(self) -> int:
        """Lines done, of all kinds."""
        return sum(tally.lines for tally in self.tallies.values()) + sum(self.left.values())

    @property
    def bytes(self) -> int:
        """Bytes done, of all files."""
        return sum(mark.offset for mark in self.marks.values())

    def to_json(self) -> dict[str, Any]:
        """As it is kept in the job."""
        return asdict(self)

    @classmethod
    def of(cls, stored: dict[str, Any], moment: datetime) -> Progress:
        """What was kept, or the beginning."""
        if not stored.get("marks"):
            return cls(moment)
        return cls(
            moment=datetime.fromisoformat(stored["moment"]),
            marks={name: Mark(**mark) for name, mark in stored["marks"].items()},
            tallies={name: Tally(**tally) for name, tally in stored["tallies"].items()},
            skipped=dict(stored["skipped"]),
            left=dict(stored.get("left", {})),
            rejects_bytes=stored["rejects_bytes"],
            prepare_seconds=stored["prepare_seconds"],
            seconds=stored["seconds"],
        )

    def result(self) -> dict[str, Any]:
        """What is told at the end."""
        kinds = {name: tally.told() for name, tally in self.tallies.items()}
        return {
            "kinds": kinds,
            "skipped": self.skipped | {name: OWN.format(n) for name, n in self.left.items()},
            "records": self.lines,
            "seconds": round(self.seconds, 3),
            "sanitise_seconds": round(self.prepare_seconds, 3),
            "records_per_second": round(self.lines / self.seconds, 1) if self.seconds else 0.0,
        }
