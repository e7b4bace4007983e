"""What a promotion looks at, and what became of each entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.kernel.ids import new_id

NAMED = 1000  # entries that a receipt names; the counts are of all


class Fate(StrEnum):
    """What became of an entry."""

    PROMOTED = "promoted"
    MERGED = "merged"
    UPDATED = "updated"  # it was promoted before, with another value
    REFUSED = "refused"  # long-term memory does not take it: empty, too long, or full
    WAITING = "waiting"  # no model to compare it by, or others wrote all the while
    GONE = "gone"  # another run was first, or its agent took it out


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries are looked at: of some scopes, of an agent, of a session; all where unset.
    With `ran_out` only those whose time is over."""

    scopes: Sequence[str] | None = None
    agent: str | None = None
    session: str | None = None
    ran_out: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one short-term entry; `entry` is the long-term one."""

    short: str
    scope: str
    fate: Fate
    entry: str | None = None
    importance: float | None = None


@dataclass(slots=True)
class Receipt:
    """What a run did, or would do. Audit events name it as their request."""

    dry_run: bool
    at: datetime
    id: str = field(default_factory=new_id)
    counts: Counter[str] = field(default_factory=Counter)
    items: list[Done] = field(default_factory=list)

    def add(self, done: Done) -> None:
        """Count what became of an entry; one that was another run's is not ours to tell of."""
        if done.fate is Fate.GONE:
            return
        self.counts[done.fate.value] += 1
        if len(self.items) < NAMED:
            self.items.append(done)
