"""What a turn of a conversation borrows from the turns around it, for its index entry.

A short turn ("Yes, last Friday") is found by what its neighbours talk of; a long text speaks for
itself, and would only be blurred. Nor does it lend: what stands in it is found in it, and a few
walls of text would else make every turn beside them an answer to everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

CONTEXT_BEFORE, CONTEXT_AFTER = 4, 2  # turns whose terms stand in the context field
WINDOW_BEFORE = 2  # turns in front of the own text in the text that is embedded

_NEIGHBOUR_TERMS = 64
_LENDS = 80  # most terms of a neighbour that lends any
_ENTRY_TERMS = 160  # own and borrowed together
_NEIGHBOUR_CHARS = 300
_LONG_TEXT = 1200  # characters; such a text is embedded alone


def context_terms(
    own: Sequence[str], before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
) -> list[str]:
    """Terms borrowed from the neighbours (each side nearest first), the nearest first.

    At most 64 of each neighbour, none of one of more than 80, and with the own ones at most 160.
    """
    borrowed: list[str] = []
    for terms in _alternating(before[:CONTEXT_BEFORE], after[:CONTEXT_AFTER]):
        if len(terms) > _LENDS:
            continue
        room = _ENTRY_TERMS - len(own) - len(borrowed)
        borrowed += terms[: max(0, min(room, _NEIGHBOUR_TERMS))]
    return borrowed


def window_text(own: str, before: Sequence[str]) -> str:
    """The text to embed: the lines before (nearest first, shortened) and the own line."""
    if len(own) > _LONG_TEXT:
        return own
    lines = [line[:_NEIGHBOUR_CHARS] for line in before[:WINDOW_BEFORE]]
    return "\n".join([*reversed(lines), own])


def _alternating(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
) -> Iterable[Sequence[str]]:
    for place in range(max(len(before), len(after))):
        if place < len(before):
            yield before[place]
        if place < len(after):
            yield after[place]
