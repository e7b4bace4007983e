"""The same statement with one word turned into its opposite."""

from __future__ import annotations

from app.contradiction.lexicon import COLOURS, FREQUENCIES
from app.contradiction.model import Clash, Verdict
from app.contradiction.pair import Pair
from app.contradiction.reading import Reading, Word
from app.contradiction.stems import opposite


def find(pair: Pair) -> Verdict | None:
    """One word differs on each side: opposites, or two colours or frequencies of one thing."""
    if not pair.plain or pair.old.event or pair.new.event:
        return None  # what someone does at a moment, such as lifting, may be followed by lowering
    if len(pair.only_old) != 1 or len(pair.only_new) != 1:
        return None
    old, new = pair.only_old[0], pair.only_new[0]
    if not _in_predicate(pair.old, old) or not _in_predicate(pair.new, new):
        return None
    if not opposite(old.folded, new.folded, pair.language) and not _of_one_set(pair, old, new):
        return None
    return Verdict(Clash.ANTONYM, "one word is the opposite of the other", old.text, new.text)


def _in_predicate(reading: Reading, word: Word) -> bool:
    return reading.verb is None or word.token > reading.verb


def _of_one_set(pair: Pair, old: Word, new: Word) -> bool:
    last = (pair.old.tokens[-1], pair.new.tokens[-1])
    both = {old.folded, new.folded}
    return last == (old.folded, new.folded) and (both <= COLOURS or both <= FREQUENCIES)
