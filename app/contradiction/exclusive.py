"""Another value of what has one value at a time: where one lives, who leads, what it is called."""

from __future__ import annotations

from app.contradiction.frames import ONLY, PLAIN_ROLES, ROLES, SHARED_SUBJECTS, VERBS, WIDE_PLACES
from app.contradiction.function_words import COPULAS, TITLES
from app.contradiction.model import Clash, Verdict
from app.contradiction.pair import Pair, written
from app.contradiction.reading import Reading, Word
from app.values.wording import word_set

_ONE_OF_MANY = word_set("a an ein eine einer eines einem einen some auch also another")


def find(pair: Pair) -> Verdict | None:
    """The statements share who and what, in a frame that has one value, and name two values."""
    if not pair.plain or not pair.only_old or not pair.only_new:
        return None
    old, new = _without_gender(pair)
    if not old or not new or not _are_values(pair, old, new):
        return None
    if not (_by_verb(pair, old, new) or _by_role(pair, old, new)):
        return None
    return Verdict(
        Clash.EXCLUSIVE, "it can have one such value at a time", written(old), written(new)
    )


def _without_gender(pair: Pair) -> tuple[list[Word], list[Word]]:
    """What differs, without a role that differs in gender alone: Leiter, Leiterin."""
    old = [w for w in pair.only_old if not _other_gender(w, pair.only_new)]
    new = [w for w in pair.only_new if not _other_gender(w, pair.only_old)]
    return _without_titles(old), _without_titles(new)


def _without_titles(words: list[Word]) -> list[Word]:
    return [word for word in words if word.folded not in TITLES]


def _other_gender(word: Word, others: tuple[Word, ...]) -> bool:
    forms = {word.folded, word.folded.removesuffix("in"), word.folded + "in"}
    return _is_role(word) and any(other.folded in forms for other in others)


def _are_values(pair: Pair, old: list[Word], new: list[Word]) -> bool:
    if SHARED_SUBJECTS & set(pair.old.tokens + pair.new.tokens):
        return False
    if any(w.folded in WIDE_PLACES or w.value is not None for w in (*old, *new)):
        return False
    return not any(_holds(a.folded, b.folded) for a in old for b in new)


def _holds(one: str, other: str) -> bool:
    """Köln and Köln-Ehrenfeld."""
    return one.startswith(f"{other}-") or other.startswith(f"{one}-")


def _by_verb(pair: Pair, old: list[Word], new: list[Word]) -> bool:
    return _led_in(pair.old, old) and _led_in(pair.new, new)


def _led_in(reading: Reading, values: list[Word]) -> bool:
    """Whether the words are names that a verb of the list leads in."""
    first = values[0].token
    if not all(word.capital for word in values):
        return False
    for index, token in enumerate(reading.tokens[:first]):
        if token in VERBS and index:
            between = set(reading.tokens[index + 1 : first])
            prepositions = VERBS[token]
            return bool(prepositions & between) if prepositions else not between & _ONE_OF_MANY
    return False


def _by_role(pair: Pair, old: list[Word], new: list[Word]) -> bool:
    """Whether "the role is X" became "the role is Y", in either order of both parts."""
    return all(_is_role_statement(r, v) for r, v in ((pair.old, old), (pair.new, new)))


def _is_role_statement(reading: Reading, values: list[Word]) -> bool:
    link = next((i for i, t in enumerate(reading.tokens) if t in COPULAS or t in ":="), None)
    if link is None or reading.event:
        return False
    inside = {word.token for word in values}
    left = [word for word in reading.words if word.token < link]
    right = [word for word in reading.words if word.token > link]
    for role_side, value_side, end in ((left, right, True), (right, left, False)):
        if {w.token for w in value_side if w.folded not in TITLES} != inside or not any(
            map(_is_role, role_side)
        ):
            continue
        tokens = reading.tokens[link + 1 :] if end else reading.tokens[:link]
        return not set(tokens) & _ONE_OF_MANY and _nameable(role_side, values)
    return False


def _nameable(role_side: list[Word], values: list[Word]) -> bool:
    """Names, or plain words where the role itself says that there is one."""
    if all(word.capital for word in values):
        return True
    if any(w.folded in PLAIN_ROLES for w in role_side):
        return True
    return len(values) == 1 and any(w.folded.startswith(ONLY) for w in role_side)


def _is_role(word: Word) -> bool:
    if word.folded in ROLES or word.folded.startswith(ONLY):
        return True
    return any(word.folded.endswith(role) for role in ROLES if len(role) > 4)
