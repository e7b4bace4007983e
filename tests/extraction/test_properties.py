"""Whatever the text, extraction neither fails nor points outside it."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.extract import extract
from app.extraction.model import Extracted, Mention, Utterance

from .update_pairs import UPDATES

WORDS = sorted({w for rows in UPDATES.values() for a, b, _ in rows for w in (a + " " + b).split()})
MOMENTS = st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
TALK = st.lists(st.sampled_from([*WORDS, ",", ".", "?", ":", ";", "\n", "not", "nicht", "(", '"']))


def within(text: str, found: Extracted) -> bool:
    """Whether every span lies in the text."""
    spans = [s.span for s in found.statements] + [m.span for m in found.mentions]
    for statement in found.statements:
        for part in (statement.subject, statement.object, statement.replaces):
            if isinstance(part, Mention):
                spans.append(part.span)
    return all(0 <= s.start <= s.end <= len(text) for s in spans)


@settings(max_examples=300, deadline=None)
@given(TALK.map(" ".join), MOMENTS)
def test_mixed_words(text: str, at: datetime) -> None:
    said = Utterance(text, at, None, "Nora Weiss")
    found = extract(said)
    assert within(text, found)
    assert all(0 < s.confidence <= 1 for s in found.statements)
    assert all(s.text.strip() and s.rule and s.predicate for s in found.statements)
    assert extract(said) == found


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), MOMENTS)
def test_any_text(text: str, at: datetime) -> None:
    assert within(text, extract(Utterance(text, at)))
