"""A context of whole units under an exact number of tokens: pure.

Everything between the markers is others' words, escaped, so that nothing in it can close them.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.embeddings.tokens import count_tokens
from app.rag.model import Context, Entry, Unit
from app.search.bundle import CLOSE, NOTICE, OPEN

SUMMARIES = 0.25  # share of the budget that summaries have first; what they leave goes to paths


def packed(units: Sequence[Unit], budget: int) -> Context:
    """The best units that fit, each whole, with a ledger of all; units come best first of a kind.

    The text that is returned has been counted as it is. Where not even the frame fits, it is
    empty.
    """
    frame = count_tokens(_text([]))
    if frame > budget:
        entries = tuple(_entry(unit, kept=False, reason="budget") for unit in units)
        return Context("", 0, budget, 0, (), entries)
    summaries = [unit for unit in units if unit.kind == "summary"]
    paths = [unit for unit in units if unit.kind != "summary"]
    kept = _fill([], summaries, frame + int((budget - frame) * (SUMMARIES if paths else 1.0)))
    kept = _fill(kept, paths, budget)
    # What paths left may still hold a summary that was too long for its share.
    kept = _fill(kept, [unit for unit in summaries if unit not in kept], budget)
    ordered = [unit for unit in (*summaries, *paths) if unit in kept]
    text = _text(ordered)
    entries = tuple(
        _entry(unit, kept=unit in kept, reason="" if unit in kept else "budget") for unit in units
    )
    return Context(text, count_tokens(text), budget, frame, tuple(ordered), entries)


def _fill(kept: list[Unit], units: Sequence[Unit], most: int) -> list[Unit]:
    for unit in units:
        if count_tokens(_text([*kept, unit])) <= most:
            kept = [*kept, unit]
    return kept


def _entry(unit: Unit, *, kept: bool, reason: str) -> Entry:
    return Entry(unit.id, unit.kind, count_tokens(unit.text), kept, reason)


def _text(units: Sequence[Unit]) -> str:
    return "\n".join([NOTICE, OPEN, *(unit.text for unit in units), CLOSE])
