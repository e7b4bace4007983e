"""Which of several texts say the same, so that a prompt tells it once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from app.contradiction.twins import are_twins, gist

ALIKE = 8  # texts of the same words, each saying something else, that another is compared with


def once(texts: Sequence[str]) -> list[int]:
    """Return for each text the place of the first one that says the same, which is its own where
    none does. Blanks do not count; texts that say nothing say the same."""
    flat = [" ".join(text.split()) for text in texts]
    same: dict[Hashable, list[int]] = {}
    firsts: list[int] = []
    for place, text in enumerate(flat):
        others = same.setdefault(gist(text), [])
        first = next((n for n in others if are_twins(flat[n], text)), place)
        if first == place and len(others) < ALIKE:
            others.append(place)
        firsts.append(first)
    return firsts
