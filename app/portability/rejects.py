"""The rejects file: a line a refused record, with where it stood and why, never what it said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import orjson

from app.portability.kind import Reject


def _there(reject: Reject) -> Reject:
    return reject


class RejectsFile:
    """Appends; a run that goes on first cuts off what lies beyond its mark."""

    def __init__(
        self, path: Path, size: int, where: Callable[[Reject], Reject] | None = None
    ) -> None:
        self.path = path
        self._where = where or _there
        self.size = size
        if size == 0:
            path.unlink(missing_ok=True)
        elif path.exists():
            with path.open("r+b") as opened:
                opened.truncate(size)
        else:
            self.size = 0

    def add(self, rejects: Iterable[Reject]) -> None:
        """Write these at once; the file is made with the first."""
        text = b"".join(orjson.dumps(self._where(reject).to_json()) + b"\n" for reject in rejects)
        if text:
            with self.path.open("ab") as opened:
                opened.write(text)
            self.size += len(text)
