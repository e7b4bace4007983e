"""Which proposal learnings belong to that suggest a skill together: pure.

What grows is told once: an open proposal takes what is new, and what was decided on is not asked
about again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.kernel.graph import Row
from app.skills.vocabulary import ProposalStatus

OPEN = frozenset(
    [
        ProposalStatus.RESEARCH,
        ProposalStatus.DRAFT,
        ProposalStatus.SUBMITTED,
        ProposalStatus.UNDER_REVIEW,
    ]
)


@dataclass(frozen=True, slots=True)
class Place:
    """The learnings of one proposal; `proposal` is None where it is to be made."""

    proposal: str | None
    notes: tuple[str, ...]


def place(known: Iterable[Row], notes: Sequence[str], least: int) -> Place | None:
    """Where learnings go, given the proposals about them (id, status, sources) in their order.

    Those of a proposal that was decided on are left out. The first open one has the others; without
    one, `least` of them make a new one. None where there are too few.
    """
    rows = list(known)
    decided = {note for row in rows if row["status"] not in OPEN for note in row["sources"]}
    rest = tuple(note for note in notes if note not in decided)
    standing = next((row["id"] for row in rows if row["status"] in OPEN), None)
    if not rest or (standing is None and len(rest) < least):
        return None
    return Place(standing, rest)


def about(known: Iterable[Row], notes: Sequence[str]) -> list[Row]:
    """The proposals that share a source with the learnings."""
    wanted = set(notes)
    return [row for row in known if wanted & set(row["sources"])]
