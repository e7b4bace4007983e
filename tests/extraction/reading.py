"""Shorthand for tests: a text to what is extracted from it."""

from __future__ import annotations

from datetime import UTC, datetime

from app.extraction.extract import extract
from app.extraction.model import Extracted, Mention, Statement, Utterance
from app.values.model import Value

SAID = datetime(2026, 6, 10, 9, 0, tzinfo=UTC)  # a Wednesday
LATER = datetime(2026, 6, 24, 9, 0, tzinfo=UTC)
SPEAKER = "Nora Weiss"


def read(text: str, at: datetime = SAID, speaker: str | None = SPEAKER) -> Extracted:
    """Everything found in the text."""
    return extract(Utterance(text, at, None, speaker))


def statements(text: str, at: datetime = SAID) -> tuple[Statement, ...]:
    """The statements of the text."""
    return read(text, at).statements


def brief(statement: Statement) -> str:
    """`mode subject predicate object`, short enough for a table."""
    return (
        f"{statement.mode} {statement.subject.name} {statement.predicate} {end(statement.object)}"
    )


def end(thing: Mention | Value | None) -> str:
    """The name, or the key of the value."""
    return "" if thing is None else thing.name if isinstance(thing, Mention) else thing.key
