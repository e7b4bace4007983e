"""The later text says itself that something has taken the place of something else."""

from __future__ import annotations

from app.contradiction.frames import WIDE_PLACES
from app.contradiction.function_words import CHANGES, CORRECTING, LIVES, MOVES, REPLACING
from app.contradiction.model import Clash, Verdict
from app.contradiction.pair import Pair, written
from app.contradiction.reading import Reading, Word
from app.values.wording import word_set

_FROM = frozenset(["from", "von", "vom"])
_TO = word_set("to into nach zu zum zur auf in")
_IN = frozenset(["in"])
_INSTEAD = tuple(tuple(phrase.split()) for phrase in REPLACING)
_SPEAKERS = frozenset(["we", "i", "wir", "ich"])
_MOST_CORRECTED = 3  # words of the part that an announced correction changes


def find(pair: Pair) -> Verdict | None:
    """ "from X to Y", "Y instead of X", "Correction: ..." against a text that says X."""
    if "condition" in pair.new.moods or pair.old.denials:
        return None
    return _moved(pair) or _relocated(pair) or _replaced(pair) or _announced(pair)


def _moved(pair: Pair) -> Verdict | None:
    """Something went from X to Y, and X is what the old text says of it."""
    if not CHANGES & set(pair.new.tokens) or pair.new.denials:
        return None
    for start, token in enumerate(pair.new.tokens):
        if token not in _FROM:
            continue
        end = next((i for i in range(start + 1, len(pair.new.tokens))
                    if pair.new.tokens[i] in _TO), None)  # fmt: skip
        if end is None:
            continue
        left = [w for w in pair.new.words if start < w.token < end]
        to = [w for w in pair.new.words if w.token > end and w.folded not in CHANGES]
        others = [w for w in pair.new.words if w.token < start or w.token > end]
        same = _about_same(pair, left, others)
        if _was(pair.old, left) and _is_new(pair.old, to) and same:
            return Verdict(Clash.CORRECTION, "it has changed from one to the other",
                           written(left), written(to))  # fmt: skip
    return None


def _relocated(pair: Pair) -> Verdict | None:
    """Someone lives in X and has moved to Y."""
    if not MOVES & set(pair.new.tokens) or not LIVES & set(pair.old.tokens) or pair.new.denials:
        return None
    left, to = _led_by(pair.old, _IN), _led_by(pair.new, _TO)
    others = [w for w in pair.new.words if w not in to]
    if not left or not to or any(_same(w, v) for w in left for v in to):
        return None
    if any(w.folded in WIDE_PLACES for w in (*left, *to)) or not _about_same(pair, left, others):
        return None
    return Verdict(Clash.CORRECTION, "it has moved elsewhere", written(left), written(to))


def _led_by(reading: Reading, prepositions: frozenset[str]) -> list[Word]:
    """The names right after the last of the prepositions."""
    found: list[Word] = []
    for word in reading.words:
        if word.capital and word.token and reading.tokens[word.token - 1] in prepositions:
            found = [word]
    return found


def _replaced(pair: Pair) -> Verdict | None:
    """Y instead of X: the words after "instead of" are those of the old text."""
    start = _after_instead(pair.new)
    if start is None or pair.new.denials:
        return None
    left: list[Word] = []
    for word in pair.new.words:
        if word.token >= start and _said(pair.old, word):
            left.append(word)
        elif word.token >= start:
            break
    others = [w for w in pair.new.words if w not in left]
    instead = [w for w in others if not _said(pair.old, w)]
    if not left or not instead or any(_same(w, v) for w in left for v in others):
        return None
    kept = [w for w in pair.old.words if not any(_same(w, v) for v in left)]
    if not all(any(_same(w, v) for v in others) for w in kept):
        return None
    return Verdict(Clash.CORRECTION, "it has been replaced", written(left), written(instead))


def _announced(pair: Pair) -> Verdict | None:
    """A correction is announced, and a small part differs."""
    if not CORRECTING & set(pair.new.tokens) or pair.new.denials or not pair.same_mood:
        return None
    new = [w for w in pair.only_new if w.folded not in CORRECTING]
    old = list(pair.only_old)
    if not 0 < len(new) <= _MOST_CORRECTED or not 0 < len(old) <= _MOST_CORRECTED:
        return None
    shared = len(pair.old.words) - len(old)
    subject = pair.old.subject
    if not subject or shared < len(old) or any(w in old for w in subject):
        return None
    return Verdict(Clash.CORRECTION, "a correction is announced", written(old), written(new))


def _after_instead(reading: Reading) -> int | None:
    for index in range(len(reading.tokens)):
        for phrase in _INSTEAD:
            if reading.tokens[index : index + len(phrase)] == phrase:
                return index + len(phrase)
    return None


def _was(old: Reading, left: list[Word]) -> bool:
    return bool(left) and all(_said(old, word) for word in left)


def _is_new(old: Reading, to: list[Word]) -> bool:
    return any(not _said(old, word) for word in to)


def _about_same(pair: Pair, left: list[Word], others: list[Word]) -> bool:
    """Whether the subject of the old text is named in the rest of the new one."""
    old = pair.old
    if old.tokens[0] in _SPEAKERS:
        return old.tokens[0] in pair.new.tokens
    subject = [w for w in old.subject if not any(_same(w, v) for v in left)]
    return bool(subject) and all(any(_same(w, v) for v in others) for w in subject)


def _said(reading: Reading, word: Word) -> bool:
    return any(_same(word, other) for other in reading.words)


def _same(one: Word, other: Word) -> bool:
    """The same word; of two amounts the same number, since the unit is often said once."""
    if one.key == other.key:
        return True
    if one.value is None or other.value is None or one.value.number is None:
        return False
    return one.value.number == other.value.number
