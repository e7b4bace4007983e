"""One attribute, two amounts or dates."""

from __future__ import annotations

from app.contradiction.function_words import BOUNDS, CHANGES, ENDING, STARTING, STATIVE, TITLES
from app.contradiction.model import Clash, Verdict
from app.contradiction.pair import Pair
from app.contradiction.reading import Reading, Word
from app.values.compare import incompatible
from app.values.model import Kind
from app.values.states import state_class
from app.values.wording import word_set

_SCHEDULED = word_set(
    "is are ist sind starts start begins begin ends end opens closes expires "
    "beginnt beginnen startet endet enden findet finden laeuft oeffnet schliesst lies "
    "liegt faellt gilt reicht"
)
_MEETING = frozenset(["meet", "meets", "trifft", "treffen"])  # often on several days of the week
_TARGET = frozenset(["to", "auf", "zum", "zu"])
_SHORT = 3  # words of a statement that needs no verb: "budget 5000"


def find(pair: Pair) -> Verdict | None:
    """The same attribute of the same thing has another number; all else is the same."""
    if (
        CHANGES & set(pair.old.tokens)
        or not pair.plain
        or not _states_an_attribute(pair.old)
        or not _states_an_attribute(pair.new)
    ):
        return None
    changed = _changed_values(pair)
    if changed is None or not _same_otherwise(pair, *changed):
        return None
    old, new = changed
    if not incompatible(old.value, new.value) or not _said_alike(pair, old, new):
        return None
    return Verdict(Clash.NUMBER, "the same attribute has another value", old.text, new.text)


def _states_an_attribute(reading: Reading) -> bool:
    if {":", "="} & set(reading.tokens):
        return True
    if CHANGES & set(reading.tokens):
        return True
    if reading.event:
        return False
    return bool(STATIVE & set(reading.tokens)) or len(reading.words) <= _SHORT


def _changed_values(pair: Pair) -> tuple[Word, Word] | None:
    """The one value that differs on each side, where it stands in the predicate."""
    old = [word for word in pair.only_old if word.value is not None]
    new = [word for word in pair.only_new if word.value is not None]
    if len(old) != 1 or len(new) != 1:
        return None
    if not (_in_predicate(pair.old, old[0]) and _in_predicate(pair.new, new[0])):
        return None
    return old[0], new[0]


def _in_predicate(reading: Reading, word: Word) -> bool:
    return word.token > reading.verb if reading.verb is not None else word.token > 0


def _same_otherwise(pair: Pair, old: Word, new: Word) -> bool:
    """All other words are shared; one side may add a name."""
    rest_old = [word for word in pair.only_old if word is not old]
    rest_new = [w for w in pair.only_new if w is not new and w.folded not in CHANGES]
    if rest_old and rest_new:
        return False
    return added_name(pair.old, rest_old) and added_name(pair.new, rest_new)


def added_name(reading: Reading, words: list[Word]) -> bool:
    """Whether the words are no more than the name of whom or what it is about."""
    for word in words:
        before = reading.tokens[word.token - 1] if word.token else ""
        titled = word.folded in TITLES or before in TITLES
        if not word.capital or (reading.language == "de" and not titled):
            return False
    return True


def _said_alike(pair: Pair, old: Word, new: Word) -> bool:
    """Both as a start, an end or neither, and none as a bound; a date as that of an appointment."""
    before_old, before_new = _before(pair.old, old), _before(pair.new, new)
    if CHANGES & set(pair.new.tokens):
        return bool(_TARGET & before_new)
    if _side(before_old) != _side(before_new) or BOUNDS & (before_old | before_new):
        return False
    if old.value is None or old.value.kind is not Kind.DATE:
        return True
    weekday = old.value.key.startswith("date:w")
    return all(_is_appointment(reading, weekday) for reading in (pair.old, pair.new))


def _before(reading: Reading, word: Word) -> set[str]:
    return set(reading.tokens[max(0, word.token - 2) : word.token])


def _side(before: set[str]) -> str:
    if before & ENDING:
        return "end"
    return "start" if before & STARTING else ""


def _is_appointment(reading: Reading, weekday: bool) -> bool:
    """Not "open on Monday": what is so on one day may be so on another."""
    if {":", "="} & set(reading.tokens):
        return True
    verbs = _SCHEDULED if weekday else _SCHEDULED | _MEETING
    if not verbs & set(reading.tokens):
        return False
    return all(state_class(w.folded) is None for w in reading.words if _in_predicate(reading, w))
