"""What two are to each other, an hour as all that is said, and subjects without an article."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.extraction.extract import extract
from app.extraction.model import Mention, Mode, Utterance

AT = datetime(2026, 6, 1, tzinfo=UTC)


def read(text: str) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of what is asserted."""
    return [
        (
            s.subject.name,
            s.predicate,
            s.object.name if isinstance(s.object, Mention) else s.object.text,
        )
        for s in extract(Utterance(text, AT, speaker="Ada Finch")).statements
        if s.mode is Mode.ASSERT
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Wes and Tanya are married.", ("Wes", "married_to", "Tanya")),
        ("Anneliese und Horst sind verheiratet.", ("Anneliese", "married_to", "Horst")),
        ("Farah and Dominic are engaged.", ("Farah", "is", "engaged to Dominic")),
        ("Lena und Korbinian sind ein Paar.", ("Lena", "is", "ein Paar mit Korbinian")),
    ],
)
def test_a_pair_is_said_of_the_first_with_the_name_of_the_other(
    text: str, told: tuple[str, str, str]
) -> None:
    assert read(text) == [told]


@pytest.mark.parametrize(
    "text",
    [
        "Wes and Tanya are not married.",
        "Wes and Tanya were together.",
        "Are Wes and Tanya married?",
        "The cat and the dog are together.",
        "and are married.",
    ],
)
def test_what_makes_no_pair_is_read_as_none(text: str) -> None:
    assert all(p != "married_to" and "with" not in v for _, p, v in read(text))


def test_an_hour_alone_is_kept_in_its_words() -> None:
    assert ("Daily", "is", "um 9 Uhr") in read("Das Daily ist um 9 Uhr.")
