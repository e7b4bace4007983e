"""Values of a session in short-term memory, which the agent of the key alone reads.

For adapters: conversations without a network, as `talk` has them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from loci_client.problems import LociProblem
from loci_client.talk import Retries, Talk, exact, exchange, pages, reading, writing

PATH = "/v1/short-term-memory"
KIND = "conversation"
PAGE = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the values of a session lie: its name (None reads all), the scope (the key's home if
    None), and how many seconds each lives (for good if None)."""

    session: str | None
    scope: str | None
    ttl: int | None
    retries: Retries

    def rows(self, key: str | None = None) -> Talk[list[Any]]:
        """Values with their keys, oldest first; of one key where that is given."""
        place: dict[str, Any] = {"session": self.session, "scope": self.scope, "type": KIND}
        found = yield from pages(reading("GET", PATH, key=key, limit=PAGE, **place), self.retries)
        return sorted(
            found, key=lambda row: (datetime.fromisoformat(row["created_at"]), row["key"])
        )

    def keep(self, key: str, value: Any) -> Talk[Any]:
        """Keep a value under a key that is not taken, or in the place of what is there."""
        made = exact("POST", PATH, self._body(key, value))
        try:
            return (yield from exchange(made, self.retries))
        except LociProblem as problem:
            if problem.code != "AlreadyExists":
                raise
        row = (yield from self.rows(key))[0]
        change = exact("PATCH", _of(row), {"value": value, "ttl": self.ttl})
        return (yield from exchange(change, self.retries))

    def drop(self, row: Mapping[str, Any]) -> Talk[bool]:
        """Take a value out; False where somebody else has done so."""
        try:
            yield from exchange(writing("DELETE", _of(row)), self.retries)
        except LociProblem as problem:
            if problem.status != 404:
                raise
            return False
        return True

    def _body(self, key: str, value: Any) -> dict[str, Any]:
        body = {"session": self.session, "key": key, "value": value, "type": KIND, "ttl": self.ttl}
        return body if self.scope is None else {**body, "scope": self.scope}


def letters(*parts: str) -> str:
    """A name for parts of any kind, of 32 letters: digits might be taken for a telephone number."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()[:16]
    return "".join(chr(97 + (byte >> 4)) + chr(97 + (byte & 15)) for byte in digest)


def value_of(row: Mapping[str, Any]) -> Any:
    """The value of a row."""
    return row["untrusted"]["value"]


def _of(row: Mapping[str, Any]) -> str:
    return f"{PATH}/{quote(row['id'], safe='')}"
