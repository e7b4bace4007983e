"""Scores of passages and of answers: pure. The constants are those of seed 000 (annex 2.a)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.indexing.analysis import query_terms
from app.indexing.stop_words import STOP_WORDS

LEAST, BONUS, LARGE = 0.5, 0.1, 3
ORIGINAL, OVERLAP, PLACE, PER_PLACE = 0.5, 0.3, 0.2, 0.1
ENOUGH, GOOD = 3, 0.5
# Calibrated relevance from which on a text may answer: of texts that have nothing to do with a
# question few reach 0.1, of those that answer in another language some have no more than 0.35.
LIKELY = 0.25
SHORT = 3  # letters; shorter words leave no gap
FADES = 0.8  # of a seed's score with each hop


@dataclass(frozen=True, slots=True)
class Candidate:
    """A result as the answerer sees it: `score` as the search gave it."""

    id: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its relevance to the question, between 0 and 1."""

    candidate: Candidate
    relevance: float


def passage_score(similarity: float | None, size: int) -> float:
    """At least 0.5, a tenth more in a community of more than three, at most 1."""
    score = max(similarity or 0.0, LEAST) + (BONUS if size > LARGE else 0.0)
    return min(score, 1.0)


def reranked(query: str, found: Sequence[Candidate]) -> list[Ranked]:
    """By half the score (against the best), the words shared with the question, and the place."""
    terms = _terms(query)
    top = max((one.score for one in found), default=0.0)
    ranked = []
    for place, one in enumerate(found):
        original = one.score / top if top > 0 else 0.0
        forms = _forms(one.text)
        held = sum(not forms.isdisjoint(term) for term in terms)
        shared = held / len(terms) if terms else 0.0
        relevance = ORIGINAL * original + OVERLAP * shared + PLACE / (1 + PER_PLACE * place)
        ranked.append(Ranked(one, round(relevance, 6)))
    return sorted(ranked, key=lambda one: (-one.relevance, one.candidate.id))


def sufficient(ranked: Sequence[Ranked]) -> bool:
    """At least three results, of a mean relevance of at least a half."""
    return len(ranked) >= ENOUGH and mean(ranked) >= GOOD


def mean(ranked: Sequence[Ranked]) -> float:
    """Mean relevance; 0 of nothing."""
    return sum(one.relevance for one in ranked) / len(ranked) if ranked else 0.0


def gaps(query: str, texts: Sequence[str]) -> list[str]:
    """Words of the question that no result has in any form, as they were written."""
    known = frozenset[str]().union(*(_forms(text) for text in texts)) if texts else frozenset()
    return [word for term, word in _terms(query).items() if known.isdisjoint(term)]


def _terms(query: str) -> Mapping[tuple[str, ...], str]:
    """The analysed words of a question by their forms, with how they were written."""
    found: dict[tuple[str, ...], str] = {}
    for word in re.findall(r"[^\W_]+", query):
        forms = query_terms(word)
        if len(word) >= SHORT and forms and word.casefold() not in STOP_WORDS:
            found.setdefault(forms[0], word)
    return found


def _forms(text: str) -> frozenset[str]:
    return frozenset(form for forms in query_terms(text) for form in forms)
