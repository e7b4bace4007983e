"""Finding the commands hidden in a text, and the stretch of it that each of them takes up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from app.sanitize import clauses
from app.sanitize.cues import Cues
from app.sanitize.disguise import fold_meant, meant, unmarked
from app.sanitize.encoded import decoded
from app.sanitize.fold import View, Words, fold, mended, spaced, unleet
from app.sanitize.marker_rules import FOREIGN, RULES, SQUEEZED, SQUEEZED_CUES, Rule

_WORD = re.compile(r"(?<!\\)[a-z]{3,}")
_CUES = Cues([*SQUEEZED_CUES, *(cue for rule in RULES for cue in rule.cues)])


class Hit(NamedTuple):
    """A marker, and the attack `[start, end)` in characters of the text that it gives away."""

    start: int
    end: int
    id: str


def find_markers(text: str) -> list[Hit]:
    """Every marker in `text` that is a command and not talk about one, in order of position."""
    hits = set(_plain_or_not(text))
    hits.update(
        Hit(hidden.start, hidden.end, "encoded_instruction")
        for hidden in decoded(text)
        if any(_plain_or_not(hidden.text))
    )
    return sorted(hits)


def _plain_or_not(text: str) -> Iterator[Hit]:
    """Markers in the text as it is written, and as it is read."""
    plain = fold(text)
    escaped = meant(text)
    bare = unmarked(text, escaped)
    views = [plain, *(fold_meant(view) for view in (escaped, bare) if view is not None)]
    for view in views:
        closed = spaced(view)
        for reading in (view, closed, unleet(view)):
            if reading is not None:
                yield from _in_view(reading, text)
        whole = mended(closed or view, _words())
        if whole is not None:
            yield from (hit for hit in _in_view(whole, text) if whole.is_cut(hit.start, hit.end))


@cache
def _words() -> Words:
    """The words that commands are made of."""
    return Words(word for rule in RULES for word in _WORD.findall(rule.pattern.pattern))


def _in_view(view: View, text: str) -> Iterator[Hit]:
    held = _CUES.held(view.text)
    for rule in RULES:
        if not held.isdisjoint(rule.cues):
            yield from _by_rule(rule, view, text)
    if not view.text.isascii():
        for match in _foreign().finditer(view.text):
            yield _hit(view, match.start(), match.end(), "ignore_or_forget_context")
    if not held.isdisjoint(SQUEEZED_CUES):
        for match in SQUEEZED.finditer(view.text):
            yield _hit(view, match.start(), match.end(), "ignore_or_forget_context")


@cache
def _foreign() -> re.Pattern[str]:
    """The sentence in other scripts, its letters folded as those of the texts are."""
    folded = "".join(
        fold(char).text if char.isalpha() and not char.isascii() else char for char in FOREIGN
    )
    return re.compile(folded)


def _by_rule(rule: Rule, view: View, text: str) -> Iterator[Hit]:
    cut = 0
    for match in rule.pattern.finditer(view.text):
        start, end = match.span()
        if start < cut:
            # Inside an attack already found: a further hit, with nothing more to weigh.
            yield Hit(*view.span(start, end), rule.id)
            cut = max(cut, end)
        elif _counts(rule, match, view, text):
            begin, cut = clauses.clause_start(view.text, start), _stop(view, end)
            yield Hit(*view.span(begin, cut), rule.id)


def _counts(rule: Rule, match: re.Match[str], view: View, text: str) -> bool:
    """Whether the match is a command, neither talk about one nor a part of a harmless sentence."""
    start, end = match.span()
    if rule.named and not text[view.span(*match.span("name"))[0]].isupper():
        return False
    if clauses.is_mention(view.text, start, end):
        return False
    return not rule.guarded or clauses.is_command(view.text, start)


def _stop(view: View, end: int) -> int:
    return max(end, clauses.attack_end(view.text, end))


def _hit(view: View, start: int, end: int, marker: str) -> Hit:
    return Hit(*view.span(clauses.clause_start(view.text, start), _stop(view, end)), marker)
