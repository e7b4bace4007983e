"""How relevant a hit is to its question, between 0 and 1, whatever answer it stands in.

Two witnesses: how like an answer its vector is, and which share of the question's words it holds.
Each is calibrated, and a logistic model joins them: of hits of relevance 0.8 four in five were
answers, where half of what was looked at were answers, and the others near misses and random texts
in equal parts. Decision 0032 has the measurements, `python -m bench calibration` makes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from app.embeddings.calibration import bounded
from app.embeddings.tokens import is_word
from app.indexing.analysis import detect_language, query_terms, telling_terms
from app.indexing.stop_words import STOP_WORDS
from app.kernel.graph import Row

EVEN = 0.3  # share of a question's words that speaks neither for a text nor against it
OF_VECTOR = 0.57  # of the vector's log odds, beside words
OF_WORDS, WORDS_ALONE = 4.7, 6.9  # log odds of all words against none, beside a vector or without
WORD = re.compile(r"\S+")


class Spot(NamedTuple):
    """Where a text holds words of a question, and the places of these in it."""

    start: int
    end: int
    places: frozenset[int]


VERY_NEAR = 0.85  # similarity of a text in another language that says enough by itself
FEW, APART = 4, 0.8  # others that make a measure, and log odds by which one stands out of them


@dataclass(frozen=True, slots=True)
class Asked:
    """The telling words of a question, each with its forms, and its language; `spoken` where a
    small word shows that it is of a language at all, `worded` where another word does too."""

    words: tuple[tuple[str, ...], ...]
    language: str
    spoken: bool = True
    worded: bool = True

    @classmethod
    def of(cls, question: str) -> Asked:
        """As the text index is asked."""
        plain = re.findall(r"[^\W\d_]+", question.casefold())
        spoken = not STOP_WORDS.isdisjoint(plain)
        worded = any(is_word(word) for word in plain if word not in STOP_WORDS)
        return cls(tuple(query_terms(question)), detect_language(question), spoken, worded)

    def held(self, memory: Row) -> int:
        """How many of the words a memory holds, in its text or in what it is about."""
        return len(self.which(memory))

    def which(self, memory: Row) -> frozenset[int]:
        """The places of those words."""
        return self._among({*memory["terms"].split(), *memory["about_terms"].split()})

    def within(self, text: str) -> frozenset[int]:
        """The places of the words that a short text holds."""
        return self._among({form for forms in query_terms(text) for form in forms})

    def spots(self, text: str) -> list[Spot]:
        """Where a text holds words of the question that are no stop words, in order."""
        known: dict[str, frozenset[int]] = {}
        spots = []
        for found in WORD.finditer(text):
            if (word := found[0]) not in known:
                terms = telling_terms(word)
                known[word] = self._among({form for forms in terms for form in forms})
            if known[word]:
                spots.append(Spot(*found.span(), known[word]))
        return spots

    def _among(self, terms: set[str]) -> frozenset[int]:
        return frozenset(n for n, forms in enumerate(self.words) if not terms.isdisjoint(forms))


def relevance(asked: Asked, memory: Row, similarity: float | None, *, alone: bool = True) -> float:
    """Between 0.01 and 0.99; `similarity` is calibrated, and None where no vector was compared.

    Words of another language than the question's cannot be the same, so there the vector may speak
    `alone`; not of a question whose language does not show, as nonsense is near to anything.
    """
    share = asked.held(memory) / len(asked.words) if asked.words else EVEN
    joined = bounded(joint(share, similarity))
    if similarity is None or not alone or not foreign(asked, memory):
        return joined
    return max(joined, similarity)


def foreign(asked: Asked, memory: Row) -> bool:
    """Whether a memory is of another language than the question, as far as that shows its own."""
    return asked.spoken and memory["language"] != asked.language


def stands_out(similarity: float, others: Sequence[float]) -> bool:
    """Whether one similarity is clearly more than those of the others that were found: what is as
    near as everything else is near by chance. A few others say nothing of that, and what is very
    near answers whatever the others do."""
    if similarity >= VERY_NEAR or len(others) < FEW:
        return True
    return _odds(similarity) - _odds(median(others)) >= APART


def joint(share: float, similarity: float | None) -> float:
    """The relevance by the share of words (0 to 1) and, where there is one, the vector."""
    if similarity is None:
        return _logistic(WORDS_ALONE * (share - EVEN))
    return _logistic(OF_VECTOR * _odds(similarity) + OF_WORDS * (share - EVEN))


def _odds(share: float) -> float:
    bound = bounded(share)
    return math.log(bound / (1 - bound))


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
