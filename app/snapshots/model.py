"""A snapshot as it is stored: made of what is there, so that no package holds it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import StringConstraints

from app.kernel.kind import Gone, Kind, Stored
from app.kernel.vocab import Label
from app.kernel.wire import Moment


class Snapshot(Stored):
    """The Markdown of a scope; `taken_at` is when it became what it is."""

    text: str
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    taken_at: Moment

    def without(self, gone: Gone) -> Self | None:
        """Return None: it quotes what is forgotten, and is taken again."""
        return None


SNAPSHOT = Kind("snapshot", Snapshot, Label.SNAPSHOT, sanitised=("text",), exported=False)
