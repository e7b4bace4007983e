"""Later texts that tell in other words that something changed, by what they state.

"I quit coffee" shares no word with "Nora drinks espresso". But what it states is about one matter
with that fact, which vectors tell, and a word of change stands in the same sentence, which vectors
do not tell: near misses are as near as updates. Both together are told with the fact as a possible
change, and end nothing (decision 0119).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.embeddings.calibration import Kinds, calibration
from app.extraction.model import Precision
from app.facts.dated import ended
from app.facts.later import SHORT
from app.facts.later_reading import Piece
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

NEAR = 0.9  # how likely what a text states is about one matter with a fact, for it to be told
CHANGES = frozenset(["ends", "begins"])

Pair = tuple[str, str]  # ids of a fact and of a text


@dataclass(frozen=True, slots=True)
class Stated:
    """Where a text states something, and how likely that is about one matter with a fact."""

    start: int
    end: int
    near: float
    over: datetime | None = None  # when the time is over that the text itself gives for it

    def is_before(self, moment: datetime | None) -> bool:
        """Whether the text dates it before a moment; False where either is not known."""
        return moment is not None and self.over is not None and self.over <= moment


def telling(pieces: Sequence[Piece]) -> list[Piece]:
    """The sentences of a short text that have a word of change; none of a longer one, which is
    about more than one thing."""
    if len(pieces) > SHORT:
        return []
    return [piece for piece in pieces if not piece.cues.isdisjoint(CHANGES)]


def changed_by(pieces: Iterable[Piece], stated: Collection[Stated]) -> tuple[int, int] | None:
    """Where the first of some sentences is that states what is about one matter with a fact; None
    where none does."""
    for piece in pieces:
        if any(s.near >= NEAR and s.start < piece.end and piece.start < s.end for s in stated):
            return piece.start, piece.end
    return None


async def stated_near(
    graph: Graph, pairs: Iterable[Pair], scopes: list[str], known_at: datetime
) -> Mapping[Pair, list[Stated]]:
    """What the texts of some pairs state in the fact's own scope, as it was known at a moment: one
    query for all of them, none where there are none.

    Left out is what has no vector yet, what waits in quarantine, and what is a possible change of
    the fact already, or was one before a curator decided.
    """
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for fact, text in pairs:
        asked[fact].add(text)
    if not asked:
        return {}
    rows = [{"fact": fact, "texts": sorted(asked[fact])} for fact in sorted(asked)]
    answer = await graph.one(Q.facts.stated_near, pairs=rows, scopes=scopes, known_at=known_at)
    found: defaultdict[Pair, list[Stated]] = defaultdict(list)
    for row in answer["found"]:
        found[row["fact"], row["text"]].append(_stated(row))
    return found


def _stated(row: Row) -> Stated:
    languages = (row["language"] or "en", row["other"] or "en")
    means = calibration(row["model"] or "")
    near = means.similarity(2 * row["score"] - 1, Kinds.MATTER, languages)
    at = row["at"]
    over = None if at is None else ended(at, Precision(row["precision"]))
    return Stated(row["start"], row["end"], near, over)
