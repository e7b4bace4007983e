"""One thing in two states that exclude each other."""

from __future__ import annotations

from app.contradiction.function_words import COPULAS, FUNCTION, HAVE
from app.contradiction.model import Clash, Verdict
from app.contradiction.numbers import added_name
from app.contradiction.pair import Pair, _missing
from app.contradiction.reading import Reading, Word
from app.values.model import Kind
from app.values.states import exclusive_states, parse_state
from app.values.wording import word_set

_LONGEST = 5  # tokens of a state with its verb
_PAST = frozenset(["was", "were", "war", "waren"])
_FINITE = word_set(
    "laeuft laufen ruht funktioniert runs steht stehen findet finden takes"
)  # verbs that are states by themselves
_TODAY = frozenset(["today", "heute"])
_SHORT = 4  # letters of words such as "an", "zu", "off": states only right after a verb


def find(pair: Pair) -> Verdict | None:
    """The same thing is said to be open and closed, active and completed, and the like."""
    if not pair.same_mood or pair.old.indefinite or pair.new.indefinite:
        return None
    old, new = _state_of(pair.old), _state_of(pair.new)
    if old is None or new is None or not exclusive_states(old[1], new[1]):
        return None
    if not _same_thing(pair, old[0], new[0]) or _is_past(pair.old) or _is_past(pair.new):
        return None
    return Verdict(
        Clash.STATE, "the same thing is in another state", old[1].replace("_", " "), new[1]
    )


def _state_of(reading: Reading) -> tuple[tuple[Word, ...], str] | None:
    """The other words and the state that the sentence ends with."""
    dates = {w.token for w in reading.values}
    indices = [i for i, t in enumerate(reading.tokens) if i not in dates and t not in "?"]
    for size in range(min(_LONGEST, len(indices)), 0, -1):
        tail = indices[-size:]
        tokens = [reading.tokens[i] for i in tail]
        state = parse_state(" ".join(t for t in tokens if t not in ":="))
        if state is not None and _is_predicate(reading, tail[0], tokens):
            inside = set(tail)
            return tuple(w for w in reading.words if w.token not in inside), state
    return None


def _is_predicate(reading: Reading, start: int, tokens: list[str]) -> bool:
    if start == 0 or tokens[0] in COPULAS | HAVE or tokens[0] in ":=" or tokens[0] in _FINITE:
        return True
    before = reading.tokens[start - 1]
    if before in COPULAS or before in ":=":
        return True
    linked = bool(COPULAS & set(reading.tokens[:start]))
    return (
        linked
        and len(tokens[0]) > _SHORT
        and (before in FUNCTION or before in _TODAY or not before.isalpha())
    )


def _same_thing(pair: Pair, old: tuple[Word, ...], new: tuple[Word, ...]) -> bool:
    """The same other words; the later text may add when, either may add a name."""
    more_old = list(_missing(old, new))
    more_new = [w for w in _missing(new, old) if not _is_when(pair.new, w)]
    if more_old and more_new:
        return False
    return added_name(pair.old, more_old) and added_name(pair.new, more_new)


def _is_when(reading: Reading, word: Word) -> bool:
    """A date in the predicate; one in the subject tells which thing is meant: rent for June."""
    return (
        word.value is not None
        and word.value.kind is Kind.DATE
        and reading.verb is not None
        and word.token > reading.verb
    )


def _is_past(reading: Reading) -> bool:
    """ "was active" is no longer; "was approved" still is."""
    if not _PAST & set(reading.tokens):
        return False
    return not reading.tokens[-1].endswith(("ed", "en", "t"))
