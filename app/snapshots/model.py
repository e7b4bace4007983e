"""A snapshot as it is stored: made of what is there, so that no package holds it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints

from app.kernel.kind import Gone, Kind, Stored
from app.kernel.vocab import Label
from app.kernel.wire import Moment

NO_TEXT = "0" * 64  # the hash of a page of which the text was taken away


class Snapshot(Stored):
    """The Markdown of a scope; `taken_at` is when it became what it is."""

    text: str
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    taken_at: Moment

    def without(self, gone: Gone) -> Self | None:
        """Return None: it quotes what is forgotten, and is taken again."""
        return None


class DayPage(Stored):
    """What was said on a day (UTC) in a scope, by its sentences; `version` counts its changes. A
    page of which a text was forgotten, discarded or flagged, or came back, is `due`: it is shown to
    nobody until it is made anew. Where a model worded it, `words` are its sentences and
    `worded_by` is its name; `words_key` tells what it was asked, also where nothing of its answer
    stood."""

    day: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    text: str
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    version: Annotated[int, Field(ge=1, le=2**53 - 1)] = 1
    made_at: Moment
    due: bool | None = None
    words: str | None = None
    words_key: str | None = None
    worded_by: str | None = None

    def without(self, gone: Gone) -> Self | None:
        """Return the page without a word, to be made again: it quotes what is forgotten."""
        bare = dict.fromkeys(("words", "words_key", "worded_by"))
        return self.model_copy(update={"text": "", "sha256": NO_TEXT, "due": True, **bare})


SNAPSHOT = Kind("snapshot", Snapshot, Label.SNAPSHOT, sanitised=("text",), exported=False)
DAY_PAGE = Kind(
    "day_page",
    DayPage,
    Label.DAY_PAGE,
    identity=("day",),
    sanitised=("text", "words"),
    exported=False,
)
