"""Pruning by command: of notes that say the same, one stays and the others are hidden.

The operator decides by calling it. What is hidden can be shown again, and reads as before at an
earlier moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.contradiction.repetition import says_the_same
from app.kernel.graph import Row
from app.lifecycle.duplicates import DuplicateService
from app.lifecycle.forgetting import ForgettingService
from app.lifecycle.sweep import sweeper
from app.notes.model import MADE
from app.notes.repository import NoteRepository


@dataclass(frozen=True, slots=True)
class Pruned:
    """A note that is hidden, or would be, and the one that stays."""

    hidden: str
    kept: str
    similarity: float


class PruneService:
    """Hides what is said twice."""

    def __init__(
        self, doubling: DuplicateService, notes: NoteRepository, forgetting: ForgettingService
    ) -> None:
        self._doubling = doubling
        self._notes = notes
        self._forgetting = forgetting

    async def prune(self, scope: str, *, dry_run: bool = True) -> list[Pruned]:
        """Return what is hidden in a scope, or would be; again it finds nothing more."""
        found: list[Pruned] = []
        gone: set[str] = set()
        for double in await self._doubling.report(scope):
            if double.kind != "note" or gone & {double.left, double.right}:
                continue
            pair = await self._pair((double.left, double.right), scope)
            if pair is not None:
                kept, hidden = pair
                gone.add(hidden)
                found.append(Pruned(hidden, kept, double.similarity))
        if found and not dry_run:
            places = [{"id": one.hidden, "scope": scope} for one in found]
            await self._forgetting.apply(sweeper(scope), "forget", places)
        return found

    async def _pair(self, ids: Sequence[str], scope: str) -> tuple[str, str] | None:
        """The one of two that stays, and the other; None where one may not be hidden or is gone."""
        rows = [await self._notes.get(one, [scope]) for one in ids]
        notes = [row["note"] for row in rows if row]
        if len(notes) < 2 or not _repeats(*notes):
            return None
        spare = [note for note in notes if note["namespace"] not in MADE and not note["is_pinned"]]
        if not spare:
            return None
        hidden = max(spare, key=_weight)
        return next(note["id"] for note in notes if note is not hidden), hidden["id"]


def _repeats(one: Row, other: Row) -> bool:
    """Whether two notes of one namespace say the same, neither more than the other."""
    language = one["language"] if one["language"] == other["language"] else "en"
    alike = one["namespace"] == other["namespace"]
    return alike and says_the_same(one["content"], other["content"], language)


def _weight(note: Row) -> tuple[int, datetime, str]:
    """What was confirmed more often comes first, then what is older."""
    return -int(note["confirmations"]), note["ingested_at"], note["id"]
