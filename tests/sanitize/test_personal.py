"""Dates of birth, addresses, documents and health: what is found, and what only looks so."""

from __future__ import annotations

import time

import pytest

from app.sanitize import Action, SanitizePolicy, sanitize
from app.sanitize.pii import find_pii
from app.sanitize.policy import PII_CLASSES
from app.sanitize.privacy import LEVELS, highest, level_of, named, number
from tests.sanitize.personal_cases import FOUND, HARMLESS, is_held_back

ALL = frozenset(PII_CLASSES) - {"name"}
WORDS = ("birth_date", "address", "passport", "health")
HOSTILE = (
    "I have ", "diagnosed with a a a ", "born on 1 ", "am 1. ", "1 A A A ", "Am A 1 ", "P<AAA<",
    "passport is A1A1A1 ", "number of my passport ", "my asthma ", "habe 2019 ", "was born in aa ",
    "12 Street, A A A ", "wohne ", "blood pressure ", "krebs" * 10, "Aweg 1", "allergic to a a a ",
)  # fmt: skip


def kinds(text: str) -> set[str]:
    return {find.kind for find in find_pii(text, ALL)}


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("held_back", [False, True])
def test_what_words_tell_of_a_person_is_found(kind: str, held_back: bool) -> None:
    texts = [text for text in FOUND[kind] if is_held_back(text) is held_back]
    assert {text: kinds(text) for text in texts} == {text: {kind} for text in texts}


@pytest.mark.parametrize("held_back", [False, True])
def test_what_only_looks_so_is_none(held_back: bool) -> None:
    texts = [text for text in HARMLESS if is_held_back(text) is held_back]
    assert {text: kinds(text) for text in texts if kinds(text)} == {}


def test_both_halves_hold_enough() -> None:
    for texts in (*FOUND.values(), HARMLESS):
        assert 0.3 < sum(map(is_held_back, texts)) / len(texts) < 0.7


def test_a_document_is_redacted_and_the_rest_is_tagged() -> None:
    text = "Born on 14 March 1987, passport number C01X00T47, allergic to latex."
    result = sanitize(text, SanitizePolicy())
    assert result.text == text.replace("C01X00T47", "[passport]")
    assert result.tags == ("pii:birth_date", "pii:health")
    assert result.privacy == "phi"
    again = sanitize(result.text, SanitizePolicy())
    assert (again.text, again.tags) == (result.text, result.tags)


def test_a_long_find_never_covers_a_number_that_is_redacted() -> None:
    text = "I live at 42 Rosewood Avenue, Box 4111 1111 1111 1111. My asthma, SSN 536-90-4399."
    everything = SanitizePolicy(address=Action.REDACT, health=Action.REDACT)
    for policy in (SanitizePolicy(), everything):
        cleaned = sanitize(text, policy).text
        assert "4111" not in cleaned
        assert "536-90" not in cleaned


def test_what_is_not_looked_for_has_no_level() -> None:
    keep = SanitizePolicy(health=Action.KEEP)
    assert sanitize("I have asthma.", keep).privacy == "none"
    assert sanitize("I have asthma.", SanitizePolicy()).privacy == "phi"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Email alice@example.com and SSN 123-45-6789", "phi"),
        ("Write to alice@example.com", "pii"),
        ("to DE89 3704 0044 0532 0130 00 please", "restricted"),
        ("password=hunter22 and I have asthma", "restricted"),
        ("The meeting is on Thursday.", "none"),
    ],
)
def test_levels_by_class(text: str, level: str) -> None:
    assert sanitize(text, SanitizePolicy()).privacy == level


def test_the_order_of_levels() -> None:
    assert [number(level) for level in LEVELS] == [0, 1, 2, 3]
    assert [named(place) for place in (None, 0, 1, 2, 3)] == ["none", *LEVELS]
    assert highest("pii", None, "phi", "none") == "phi"
    assert highest() == "none"
    assert level_of(()) == "none"


def test_hostile_texts_take_time_in_proportion() -> None:
    for piece in HOSTILE:
        text = (piece * (40_000 // len(piece) + 1))[:40_000]
        start = time.process_time()
        find_pii(text, frozenset(WORDS))
        assert time.process_time() - start < 5, piece
