"""One statement denies what the other affirms."""

from __future__ import annotations

import re

from app.contradiction.function_words import ALMOST, NOBODY
from app.contradiction.model import Clash, Verdict
from app.contradiction.pair import Pair, written
from app.contradiction.reading import Reading, Word, read
from app.values.wording import word_set

_CONTRAST = re.compile(r",?\s+sondern\s|,?\s+but(?:\s+rather)?\s")
_WITHOUT = frozenset(["without", "ohne"])
_WITH = frozenset(["with", "mit"])
_JOINED = word_set("and or nor und oder noch neither weder")


def find(pair: Pair) -> Verdict | None:
    """A denial of all that it denies is a contradiction where the other text affirms at least as
    much: "not peeling" against "peeling a potato", not "not peeling a carrot"."""
    if bool(pair.old.denials) == bool(pair.new.denials) or not pair.same_mood:
        return None
    later = bool(pair.new.denials)
    denying, affirming = (pair.new, pair.old) if later else (pair.old, pair.new)
    denied = _denied_part(denying)
    if not _denies_once(denied) or not _all_denied_is_affirmed(pair, denied, affirming):
        return None
    return Verdict(
        Clash.NEGATION,
        "one text denies what the other affirms",
        old=written(pair.old.words) if not later else written(affirming.words),
        new=written(pair.new.words),
    )


def _denied_part(reading: Reading) -> Reading:
    """The statement up to "sondern" or "but", which name what holds instead."""
    found = _CONTRAST.search(reading.text)
    if found is None or not any(reading.denials):
        return reading
    part = read(reading.text[: found.start()], reading.language)
    return part if part.denials else reading


def _denies_once(reading: Reading) -> bool:
    """Whether the denials are one, or one for each of several joined statements."""
    between = zip(reading.denials, reading.denials[1:], strict=False)
    return bool(reading.denials) and all(
        _JOINED & set(reading.tokens[first : second + 1]) for first, second in between
    )


def _all_denied_is_affirmed(pair: Pair, denied: Reading, affirming: Reading) -> bool:
    if ALMOST & set(affirming.tokens) or not _linked_alike(denied, affirming):
        return False
    if _lacks_a_part(denied) and (denied.indefinite or affirming.indefinite):
        return False  # a man with no shirt and a man with a shirt are two men
    if len(denied.words) < 2 and len(denied.words) != len(affirming.words):
        return False
    if not denied.words or not pair.covered(denied.words, affirming.words):
        return False
    return _same_actor(pair, denied, affirming)


def _lacks_a_part(denied: Reading) -> bool:
    """Whether what is denied is a thing that goes with another: without, with no."""
    return any(
        denied.tokens[i] in _WITHOUT or (i and denied.tokens[i - 1] in _WITH)
        for i in denied.denials
    )


def _linked_alike(one: Reading, other: Reading) -> bool:
    """Not "is no driver" against "has a driver"."""
    if len(one.links) != 1 or len(other.links) != 1 or _WITHOUT & set(one.tokens):
        return True
    return one.links == other.links or _is_existential(one) or _is_existential(other)


def _same_actor(pair: Pair, denied: Reading, affirming: Reading) -> bool:
    """Whether who acts and what is done are the same, told by the order of words, which is too
    free in German. "There is no dog" speaks of all dogs; "the dog is not" of one only, so that a
    white dog may be another."""
    if pair.language != "en" or ("by" in denied.tokens) != ("by" in affirming.tokens):
        return True
    if denied.verb is None or affirming.verb is None or NOBODY & set(denied.tokens):
        return True
    if not pair.covered(denied.subject, affirming.subject):
        return False
    if _is_existential(denied) or len(denied.words) == len(affirming.words):
        return True
    return len(denied.subject) == len(affirming.subject) and _same_act(pair, denied, affirming)


def _same_act(pair: Pair, denied: Reading, affirming: Reading) -> bool:
    """Whether the first word after the verb, mostly what is done, is the same."""
    return pair.covered(_after_verb(denied), _after_verb(affirming))


def _after_verb(reading: Reading) -> tuple[Word, ...]:
    return tuple(w for w in reading.words if reading.verb is None or w.token > reading.verb)[:1]


def _is_existential(reading: Reading) -> bool:
    return reading.tokens[:1] in (("there",), ("es",))
