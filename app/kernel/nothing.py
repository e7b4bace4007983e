"""Questions of which the answer was nothing a moment ago, so that they are not asked again."""

from __future__ import annotations

import time
from collections.abc import Hashable


class KnownEmpty:
    """Remembers for `seconds` what had no answer, at most `most` keys of it. What comes meanwhile
    is missed for so long, unless `clear` is called for it."""

    def __init__(self, seconds: float = 1.0, most: int = 512) -> None:
        self._seconds, self._most = seconds, most
        self._until: dict[Hashable, float] = {}

    def __contains__(self, key: Hashable) -> bool:
        return self._until.get(key, 0.0) > time.monotonic()

    def add(self, key: Hashable) -> None:
        """Note that a question had no answer just now."""
        if len(self._until) >= self._most:
            self._until.clear()
        self._until[key] = time.monotonic() + self._seconds

    def clear(self) -> None:
        """Forget all of it: something has come."""
        self._until.clear()
