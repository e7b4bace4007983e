"""Whether a text says no more than another has said."""

from __future__ import annotations

from app.contradiction.compare import compare
from app.contradiction.function_words import REVERSING
from app.contradiction.pair import Pair
from app.contradiction.reading import read
from app.contradiction.sentences import sentences
from app.contradiction.twins import are_twins

COVERED = 0.7  # share of the later text's words that the earlier must have, seed 003


def adds_nothing(old: str, new: str, language: str) -> bool:
    """Whether each sentence of the later text has one in the earlier with its values, its names
    and at least 0.7 of its words, denied and held alike, and no word in the place of another."""
    if are_twins(old, new):
        return True
    spoken = language if language in ("en", "de") else "en"
    earlier = [read(sentence, spoken) for sentence in sentences(old)]
    later = [read(sentence, spoken) for sentence in sentences(new)]
    return bool(later) and all(any(_said(Pair(o, n)) for o in earlier) for n in later)


def says_the_same(one: str, other: str, language: str) -> bool:
    """Whether two texts may become one: neither adds anything to the other, neither contradicts
    the other, and no word of one alone turns what it says around."""
    if compare(one, other, language).found or compare(other, one, language).found:
        return False
    return (
        _turns(one, language) == _turns(other, language)
        and adds_nothing(one, other, language)
        and adds_nothing(other, one, language)
    )


def _turns(text: str, language: str) -> list[str]:
    """Every word of a text that denies, or turns around, what it says."""
    spoken = language if language in ("en", "de") else "en"
    readings = [read(sentence, spoken) for sentence in sentences(text)]
    turning = [token for reading in readings for token in reading.tokens if token in REVERSING]
    denying = ["not" for reading in readings for _ in reading.denials]
    return sorted(turning + denying)


def _said(pair: Pair) -> bool:
    if pair.old.text == pair.new.text:
        return True
    if bool(pair.old.denials) != bool(pair.new.denials) or not pair.same_mood:
        return False
    added = pair.only_new
    if any(word.value is not None or _is_name(pair, word.token) for word in added):
        return False
    # "The upper drawer" and "the lower drawer" share all words but one, as near as vectors get.
    if added and pair.only_old:
        return False
    return len(added) <= (1 - COVERED) * len(pair.new.words)


def _is_name(pair: Pair, token: int) -> bool:
    """English capitals inside a sentence; German ones say nothing, so any noun counts there."""
    word = next(word for word in pair.new.words if word.token == token)
    return word.capital and (token > 0 or pair.language == "de")
