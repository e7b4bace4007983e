"""Sentences, clauses and languages."""

from __future__ import annotations

import pytest

from app.extraction.language import language_of
from app.extraction.segment import is_code_like, sentences

SPLITS = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("Mr. Smith met Dr. Gray. He left.", ["Mr. Smith met Dr. Gray.", "He left."]),
    ("Am 4. Mai geht es los. Gut.", ["Am 4. Mai geht es los.", "Gut."]),
    ("Das gilt z.B. hier. Dort nicht.", ["Das gilt z.B. hier.", "Dort nicht."]),
    ("It costs 3.50 euros. Cheap.", ["It costs 3.50 euros.", "Cheap."]),
    ("- first\n- second\n1. third", ["first", "second", "third"]),
    ("She said: \"Go.\" Then she left.", ["She said: \"Go.\"", "Then she left."]),
    ("Launch is June 12. The fair moved.", ["Launch is June 12.", "The fair moved."]),
    ("a; b", ["a", "b"]),
    ("Read `x. y` now. Done.", ["Read", "now.", "Done."]),
    ("", []),
    (" \n ", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[s.start : s.end] for s in sentences(text)] == expected


@pytest.mark.parametrize(
    "text", ["`x`", "std::vec", "a => b", "f(x)", "{a: 1}", "$ make all", "<b>x</b>", "a == b"]
)
def test_code_like(text: str) -> None:
    assert is_code_like(text)


@pytest.mark.parametrize("text", ["a plain sentence", "It is (almost) done.", "3 < 4", "A/B test"])
def test_prose_is_no_code(text: str) -> None:
    assert not is_code_like(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich wohne in Bonn.", "de"),
        ("I live in Bonn.", "en"),
        ("Tom trinkt Wein.", "de"),
        ("Tom drinks wine.", "en"),
        ("Hof Lauber baut Mais an.", "de"),
        ("Rost 5", "en"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_the_hint_decides_without_evidence() -> None:
    assert language_of("Moosling 79", "de") == "de"
