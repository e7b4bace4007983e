"""Words that too many texts of a scope hold to tell what one of them is about.

To find that out costs a query of the text index each time, and texts are added far more often than
taken away: so it is remembered for a while, by a hash, which keeps no word of anybody's text.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable

KEPT_SECONDS = 60.0  # after that a word of which texts were deleted tells again
MOST = 200_000  # words of all scopes


class CommonWords:
    """A bounded memory of one process; what it does not know is asked."""

    def __init__(self, kept_seconds: float = KEPT_SECONDS, most: int = MOST) -> None:
        self._kept = kept_seconds
        self._most = most
        self._until: dict[int, float] = {}

    def holds(self, word: Hashable) -> bool:
        """Whether a word was found to be common a short while ago."""
        return self._until.get(hash(word), 0.0) > time.monotonic()

    def add(self, words: Iterable[Hashable]) -> None:
        """Remember words that were found to be common."""
        until = time.monotonic() + self._kept
        for word in words:
            if len(self._until) >= self._most:
                self._until.clear()
            self._until[hash(word)] = until
