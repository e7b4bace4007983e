"""Many literals looked for at once: hardly any of them is in an ordinary text, and to ask for each
of three hundred took a quarter of the time of the sanitising step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Set

_BEGINNING = 3  # characters of a literal that a text is asked for first
_SHORT = 2048  # characters; in a longer text each literal is found sooner than all its beginnings


class Cues:
    """Literals of which a text holds some."""

    def __init__(self, literals: Iterable[str]) -> None:
        self._all = frozenset(literals)
        self._brief = [one for one in self._all if len(one) < _BEGINNING]
        beginning: defaultdict[str, list[str]] = defaultdict(list)
        for one in self._all.difference(self._brief):
            beginning[one[:_BEGINNING]].append(one)
        self._beginning = dict(beginning)

    def held(self, text: str) -> Set[str]:
        """Return those that `text` holds."""
        return {one for one in self._likely(text) if one in text}

    def _likely(self, text: str) -> Collection[str]:
        if len(text) > _SHORT:
            return self._all
        begun = set(map("".join, zip(text, text[1:], text[2:], strict=False)))
        near = begun & self._beginning.keys()
        return [*self._brief, *(one for key in near for one in self._beginning[key])]
