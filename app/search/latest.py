"""Of what one speaker said on the same matter, the later word stands above the earlier.

Most of what people update is never one structured fact ("I'm on page 220 now"). So hits that
answer the same words of the question, with scores that are close, are put in the order of time,
unless the question is about the past.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.indexing.analysis import query_terms
from app.kernel.graph import Row

NEAR = 0.4  # least score of the later word, as a share of the earlier one's
SAME = 0.5  # least overlap (Jaccard) of the question's words that both hold
SAME_NOW = 0.3  # the same where the question asks for the latest itself
LEAST, LEAST_NOW = 2, 1  # words of the question that the later word must hold

_PAST = re.compile(
    r"\b(?:previous\w*|before|earlier|former\w*|used to|first|initial\w*|original\w*|back then|ago"
    r"|last|yesterday|(?:19|20)\d\d|january|february|march|april|may|june|july|august|september"
    r"|october|november|december"
    r"|früher\w*|vorher\w*|vorige\w*|zuvor|damals|ehemal\w*|einst|zuerst|erste[nrs]?|anfangs"
    r"|anfänglich\w*|ursprünglich\w*|letzte[nmrs]?|gestern|januar|februar|märz|mai|juni|juli|oktober"
    r"|dezember)\b"
    r"|^\W*(?:when (?:did|was|were)|wann (?:hat|haben|habe|war|waren|wurde|wurden))\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|current\w*|most recent\w*|recently|latest|newest|these days|at the moment|today"
    r"|still|jetzt|nun|aktuell\w*|derzeit\w*|gegenwärtig\w*|momentan|zurzeit|zuletzt|neuste[nmrs]?"
    r"|neueste[nmrs]?|heute|noch|mittlerweile|inzwischen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """One hit in the order of scores; `about` are the places of the question's words it holds."""

    memory: Row
    score: float
    about: frozenset[int]

    @property
    def voice(self) -> tuple[str, str]:
        """Who speaks."""
        return self.memory["role"] or "", self.memory["speaker"] or self.memory["author"] or ""


def latest_first(
    question: str,
    memories: Sequence[Row],
    scores: Sequence[float],
    records: frozenset[str] = frozenset(),
) -> tuple[list[int], dict[str, list[str]]]:
    """Places of the hits in their new order, and for each overtaken one the ids of later words.

    `memories` come best first; only talk moves, and only among the places that talk has: no
    `records`, nor what has a title and no speaker.
    """
    limits = _limits(question)
    slots = [p for p, memory in enumerate(memories) if is_talk(memory, records)]
    order = list(range(len(memories)))
    if limits is None or len(slots) < 2:
        return order, {}
    words = query_terms(question)
    said = {p: Word(memories[p], scores[p], _about(words, memories[p])) for p in slots}
    moved: list[int] = []
    later: dict[str, list[str]] = {}
    for place in slots:
        at = len(moved)
        while at and _overtakes(said[place], said[moved[at - 1]], *limits):
            at -= 1
            later.setdefault(memories[moved[at]]["id"], []).append(memories[place]["id"])
        moved.insert(at, place)
    for slot, place in zip(slots, moved, strict=True):
        order[slot] = place
    return order, later


def is_talk(memory: Row, records: frozenset[str] = frozenset()) -> bool:
    """Whether somebody says it in talk: no record, nor what has a title and no speaker."""
    if memory["kind"] != "episode" or memory["id"] in records:
        return False
    return bool(memory.get("speaker") or not memory.get("title"))


def asks_of_the_past(question: str) -> bool:
    """Whether its words say that a question is about what was, in English or German."""
    return bool(_PAST.search(question)) and not _NOW.search(question)


def asks_of_today(words: str) -> bool:
    """Whether words say that a question is about now, in English or German."""
    return bool(_NOW.search(words))


def _limits(question: str) -> tuple[float, int] | None:
    """Least overlap and least words; None for a question about the past."""
    if _NOW.search(question):
        return SAME_NOW, LEAST_NOW
    return None if asks_of_the_past(question) else (SAME, LEAST)


def _about(words: Sequence[tuple[str, ...]], memory: Row) -> frozenset[int]:
    held = set(memory["terms"].split())
    return frozenset(n for n, forms in enumerate(words) if not held.isdisjoint(forms))


def _overtakes(later: Word, earlier: Word, same: float, least: int) -> bool:
    if later.memory["captured_at"] <= earlier.memory["captured_at"]:
        return False
    if later.score < NEAR * earlier.score or later.voice != earlier.voice:
        return False
    shared, both = len(later.about & earlier.about), len(later.about | earlier.about)
    return len(later.about) >= least and shared >= same * both
