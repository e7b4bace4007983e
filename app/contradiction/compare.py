"""The door of the slice: does a later text contradict an earlier one?"""

from __future__ import annotations

from app.contradiction import antonyms, correction, exclusive, negation, numbers, states
from app.contradiction.language import languages_of
from app.contradiction.model import NONE, Verdict
from app.contradiction.pair import Pair
from app.contradiction.reading import Reading, read
from app.contradiction.sentences import sentences

_FEW = 2  # words of a sentence that is compared with any other
_RULES = (
    correction.find,
    negation.find,
    numbers.find,
    states.find,
    exclusive.find,
    antonyms.find,
)


def compare(old: str, new: str, language: str | None = None) -> Verdict:
    """The first structural reason for which `new` contradicts `old`, or a verdict of none.

    `language` is `en` or `de`; without it each text's small words tell. Texts in two languages are
    not compared. How alike the texts are plays no part.
    """
    spoken = [language, language] if language else languages_of(old, new)
    if spoken[0] != spoken[1] or spoken[0] not in ("en", "de"):
        return NONE
    said = dict.fromkeys(sentences(old))
    says = dict.fromkeys(sentences(new))
    earlier = [read(sentence, spoken[0]) for sentence in said if sentence not in says]
    later = [read(sentence, spoken[0]) for sentence in says if sentence not in said]
    pairs = (Pair(one, other) for one in earlier for other in later if _related(one, other))
    found = (verdict for pair in pairs if (verdict := _first(pair)) is not None)
    return next(found, NONE)


def _related(one: Reading, other: Reading) -> bool:
    """Whether two sentences share a third of the shorter one's words, as every rule asks for."""
    least = min(len(one.words), len(other.words))
    return least <= _FEW or 3 * len(one.keys & other.keys) >= least


def _first(pair: Pair) -> Verdict | None:
    found = (rule(pair) for rule in _RULES)
    return next((verdict for verdict in found if verdict is not None), None)
