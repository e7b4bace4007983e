"""Who was succeeded, what stopped in a diary's words, and what only looks like it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.extraction.extract import extract
from app.extraction.model import Statement, Utterance
from app.extraction.predicates import standard
from bench.updates import meeting

SAID = datetime(2026, 3, 1, 9, tzinfo=UTC)


def read(text: str, language: str) -> tuple[Statement, ...]:
    return extract(Utterance(text, SAID, language, "Ann Poe")).statements


def retires(language: str, old: str, new: str) -> bool:
    return bool(meeting(read(old, language), read(new, language), standard()))


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("en", "I drink coffee.", "Quit coffee."),
        ("en", "I take metformin.", "My doctor took me off metformin."),
        ("en", "The café opens at eight.", "The café now opens at ten."),
        ("en", "I have a subscription to the Guardian.", "I cancelled the Guardian."),
        ("de", "Ich trinke Kaffee.", "Mit Kaffee aufgehört."),
        ("de", "Anna Welter leitet die Jury.", "Anna Welter hat die Leitung der Jury abgegeben."),
    ],
)
def test_what_is_over_is_retired(language: str, old: str, new: str) -> None:
    assert retires(language, old, new)


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("en", "Our CTO is Mia Berg.", "Our CTO quit coffee."),
        ("en", "Our CTO is Mia Berg.", "Our CTO left Berlin."),
        ("en", "I use Slack.", "I cancelled my Netflix subscription."),
        ("en", "I take metformin.", "My doctor took my mother off metformin."),
        ("en", "I read the Guardian.", "I stopped reading."),
        ("en", "The café opens at eight.", "The café opens at nine tomorrow."),
        ("de", "Mein Arzt heißt Dr. Rao.", "Mein Arzt hat das Metformin abgesetzt."),
        ("de", "Ich nutze Slack.", "Netflix gekündigt."),
    ],
)
def test_what_looks_like_it_retires_nothing(language: str, old: str, new: str) -> None:
    assert read(old, language)
    assert not retires(language, old, new)
