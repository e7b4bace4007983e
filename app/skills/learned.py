"""Learnings: how much they count, when they are shared, and how good what is shared is.

Formulas of seed 000 (annex 2.a), pure. `injections` counts how often a learning stood in a prompt,
`positive` how often it was called useful.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

INJECTIONS_KNOWN, INJECTIONS_RATED = 5, 3
OWN_SHARE, SHOWN_SHARE = 0.3, 0.7
VERIFY_IMPORTANCE, VERIFY_CONFIDENCE = 0.15, 0.1
DISPROVED_IMPORTANCE, DISPROVED_CONFIDENCE = 0.05, 0.1
FRESH, AGING = timedelta(days=7), timedelta(days=30)
SHARE_IMPORTANCE, SHARE_ACCESS, SHARE_CONFIDENCE, SHARE_EFFECTIVENESS = 0.7, 2, 0.7, 0.4
COVERAGE, EFFECTIVENESS, AMOUNT, ENOUGH = 0.3, 0.4, 0.3, 50
SEMANTIC, FALLBACK = 0.65, 0.5
KEYWORDS, KEYWORD_LETTERS = 5, 3
S_WEIGHT, U_WEIGHT, R_WEIGHT, T_WEIGHT = 0.30, 0.25, 0.25, 0.20
HEADING = re.compile(r"^#{1,6} \S", re.M)
BULLET = re.compile(r"^[^\S\n]*(?:[-*+]|\d+[.)]) \S", re.M)
CODE = re.compile(r"^```|`[^`\n]+`", re.M)


class Freshness(StrEnum):
    """By when a learning was last touched."""

    FRESH = "fresh"
    AGING = "aging"
    STALE = "stale"


class MatchMode(StrEnum):
    """Which step of the ladder answered a question."""

    SEMANTIC = "semantic"
    FALLBACK = "semantic_fallback"
    KEYWORD = "keyword"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Shown:
    """How often something stood in a prompt, and how often it was useful there."""

    injections: int = 0
    positive: int = 0


def effectiveness(shown: Shown) -> float | None:
    """Positive over injections, once there are three."""
    if shown.injections < INJECTIONS_RATED:
        return None
    return min(shown.positive / shown.injections, 1.0)


def effective_importance(importance: float, shown: Shown) -> float:
    """The importance itself below five injections, else
    `.3 importance + .7 (positive + 2) / (injections + 4)` to four places."""
    if shown.injections < INJECTIONS_KNOWN:
        return importance
    rated = (shown.positive + 2) / (shown.injections + 4)
    return round(OWN_SHARE * importance + SHOWN_SHARE * rated, 4)


def verified(importance: float, confidence: float) -> tuple[float, float]:
    """Importance and confidence after a check that held: +.15 and +.1, at most 1."""
    return (
        min(round(importance + VERIFY_IMPORTANCE, 6), 1.0),
        min(round(confidence + VERIFY_CONFIDENCE, 6), 1.0),
    )


def disproved() -> tuple[float, float]:
    """Importance and confidence after a check that failed: .05 and .1."""
    return DISPROVED_IMPORTANCE, DISPROVED_CONFIDENCE


def freshness(untouched: timedelta) -> Freshness:
    """Fresh below 7 days, aging below 30, else stale."""
    if untouched < FRESH:
        return Freshness.FRESH
    return Freshness.AGING if untouched < AGING else Freshness.STALE


def compound_score(coverage: float, effective: Sequence[float], active: int) -> float:
    """`100 (.3 category coverage + .4 mean effectiveness + .3 min(active / 50, 1))`; the mean is
    .5 where nothing is known. To one decimal."""
    mean = sum(effective) / len(effective) if effective else 0.5
    share = COVERAGE * coverage + EFFECTIVENESS * mean + AMOUNT * min(active / ENOUGH, 1.0)
    return round(100 * share, 1)


def may_be_shared(importance: float, confidence: float, access: int, shown: Shown) -> str | None:
    """Why a learning is not shared yet, naming what is too small; None where it may be."""
    if importance < SHARE_IMPORTANCE:
        return f"its importance is below {SHARE_IMPORTANCE}"
    if access < SHARE_ACCESS:
        return f"it was read fewer than {SHARE_ACCESS} times"
    if confidence < SHARE_CONFIDENCE:
        return f"its confidence is below {SHARE_CONFIDENCE}"
    known = effectiveness(shown)
    if known is not None and known < SHARE_EFFECTIVENESS:
        return f"it was useful in fewer than {SHARE_EFFECTIVENESS:.0%} of its prompts"
    return None


def quality(text: str, tags: int, shown: Shown, idle: timedelta | None) -> float:
    """The quality of shared knowledge, `.30 S + .25 U + .25 R + .20 T`, to three places.

    S is how it is built, U how often it was used, R its rating (here: the share of its prompts in
    which it was useful, on the seed's scale of 1 to 5), T how long ago it was used (None: never).
    """
    return quality_of(structure(text, tags), shown.injections, _rating(shown), idle)


def quality_of(built: float, uses: int, rating: float | None, idle: timedelta | None) -> float:
    """The same by its parts; `rating` is a mean of 1 to 5."""
    usage = 0.1 if uses == 0 else min(math.log10(uses + 1) / 3, 1.0)
    rated = 0.5 if rating is None else (rating - 1) / 4
    days = None if idle is None else idle / timedelta(days=1)
    recent = 0.8 if days is None else max(math.exp(-0.01 * days), 0.2)
    total = S_WEIGHT * built + U_WEIGHT * usage + R_WEIGHT * rated + T_WEIGHT * recent
    return round(total, 3)


def structure(text: str, tags: int) -> float:
    """`.3 + min(length / 2000, .2) + .1` each for headings, lists and code, and
    `min(.03 tags, .1)`."""
    built = sum(0.1 for sign in (HEADING, BULLET, CODE) if sign.search(text))
    return 0.3 + min(len(text) / 2000, 0.2) + built + min(0.03 * tags, 0.1)


def _rating(shown: Shown) -> float | None:
    known = effectiveness(shown)
    return None if known is None else 1 + 4 * known


def rank(similarity: float, effective: float) -> float:
    """`similarity (.5 + .5 effective importance)`."""
    return similarity * (0.5 + 0.5 * effective)


def match_mode(best: float | None) -> MatchMode:
    """Which step the best similarity reaches; NONE sends it to the words."""
    if best is not None and best >= SEMANTIC:
        return MatchMode.SEMANTIC
    return MatchMode.FALLBACK if best is not None and best >= FALLBACK else MatchMode.NONE


def keywords(words: Sequence[str], stop: frozenset[str]) -> list[str]:
    """The first five telling words of three letters or more: stop words go before the cap."""
    telling = dict.fromkeys(w for w in words if len(w) >= KEYWORD_LETTERS and w not in stop)
    return list(telling)[:KEYWORDS]


def hits_needed(words: int) -> int:
    """How many of so many words must be found: half of them, and two where there are two."""
    return max(math.ceil(words / 2), 2 if words >= 2 else 1)
