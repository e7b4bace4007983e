"""Whether one text says all that another says, and nothing that turns it. Pure.

Less is asked than of twins: the longer text may say more. Each word of the shorter one stands in
the longer one, in the same order; what the longer one has besides denies, limits, conditions and
counts nothing.
"""

from __future__ import annotations

from functools import cache

from app.contradiction.compare import compare
from app.contradiction.function_words import ALMOST, BOUNDS, DUTY, NEGATORS
from app.contradiction.language import languages_of
from app.contradiction.lexicon import FREQUENCIES
from app.contradiction.stems import key
from app.contradiction.twins import FORMER, LONGEST, PERSONS, QUANTIFIERS, are_twins, pieces
from app.values.wording import word_set

CONDITIONS = word_set(
    "if unless until till before after when while except without instead maybe perhaps probably "
    "may might could would should can once since though although but only just "
    "wenn falls sofern bis bevor nachdem waehrend ohne ausser statt vielleicht wohl wahrscheinlich "
    "koennte wuerde sollte kann darf sobald seit obwohl aber nur"
)
TURNING = (
    NEGATORS | BOUNDS | ALMOST | FREQUENCIES | DUTY | QUANTIFIERS | FORMER | PERSONS | CONDITIONS
)


def says_within(one: str, other: str) -> bool:
    """Return whether the other text says all of the one. Takes time that grows with their length;
    texts of more than 1,000 characters are told apart."""
    if are_twins(one, other):
        return True
    languages = languages_of(one, other)
    if max(len(one), len(other)) > LONGEST or languages[0] != languages[1]:
        return False
    language = languages[0]
    inner, outer = pieces(one, language), pieces(other, language)
    more = _beside(inner, outer)
    turning = _turning(language)
    if not inner or more is None or any(_turns(word, turning) for word in more):
        return False
    return not compare(one, other, language).found and not compare(other, one, language).found


def _beside(inner: list[str], outer: list[str]) -> list[str] | None:
    """What a text has beside the words of another, in their order; None where it lacks one."""
    more, place = [], 0
    for word in outer:
        if place < len(inner) and word == inner[place]:
            place += 1
        else:
            more.append(word)
    return more if place == len(inner) else None


def _turns(word: str, turning: frozenset[str]) -> bool:
    return word in turning or not word[:1].isalpha()


@cache
def _turning(language: str) -> frozenset[str]:
    """The words that turn a text, as its pieces have them."""
    return TURNING | {key(word, language) for word in TURNING}
