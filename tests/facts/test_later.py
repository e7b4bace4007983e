"""Which later texts may have changed a fact: pure, in English and German."""

from __future__ import annotations

import pytest

from app.facts.later import changing, held_words, read

DOSE = held_words("Mum", "is", "on 50 mg of sertraline")
RENT = held_words("Miete Ladenlokal", "measure:be:EUR", "1.900 Euro")
STAFF = held_words("Postfach 12", "managed_by", "Frau Ebner")


def told(held: object, text: str, language: str = "en", speaker: str = "") -> str | None:
    place = changing(held, read(text, language, speaker))  # type: ignore[arg-type]
    return None if place is None else text[place[0] : place[1]]


@pytest.mark.parametrize(
    ("held", "text", "language"),
    [
        (DOSE, "The GP put Mum up to 75 this morning.", "en"),
        (DOSE, "They took her off it. No more sertraline from Monday.", "en"),
        (RENT, "Die Miete fürs Ladenlokal steigt im Mai auf 2.050.", "de"),
        (STAFF, "Frau Ebner hat gekündigt.", "de"),
        (STAFF, "Postfach 12 macht künftig jemand anders.", "de"),
    ],
)
def test_a_sentence_with_a_word_of_change_beside_the_facts_words_is_told(
    held: object, text: str, language: str
) -> None:
    assert told(held, text, language) is not None


@pytest.mark.parametrize(
    ("held", "text", "language"),
    [
        (DOSE, "Mum likes the new doctor a lot, and the nurse and the garden too.", "en"),
        (DOSE, "Is Mum still on sertraline, or did they stop it?", "en"),
        (DOSE, "If they ever stop the sertraline, tell me.", "en"),
        (DOSE, "Dad quit smoking.", "en"),
        (RENT, "Die Nebenkosten steigen im Mai auf 300 Euro.", "de"),
        (STAFF, "Herr Lang hat gekündigt.", "de"),
        (STAFF, "Frau Ebner ist nett.", "de"),
    ],
)
def test_what_speaks_of_no_change_or_of_another_thing_is_not(
    held: object, text: str, language: str
) -> None:
    assert told(held, text, language) is None


def test_the_sentence_itself_is_told() -> None:
    text = "Busy week. The GP put Mum up to 75 this morning. Call me."
    assert told(DOSE, text) == "The GP put Mum up to 75 this morning."


BREAD = held_words("Ann", "get_from", "our bread from Tilly's on Crane Street")


def test_the_words_of_a_short_text_may_stand_in_two_sentences() -> None:
    closed = "Tilly's has shut for good, such a shame."
    assert told(BREAD, f"{closed} Where do we get bread now?") == closed
    assert told(BREAD, f"{closed} So it goes.") is None
    between = "It rained again. So be it. We stayed in. Nobody called."
    assert told(BREAD, f"{closed} {between} Where do we get bread now?") is None


def test_a_speaker_speaks_of_himself() -> None:
    held = held_words("Owen Tudor", "take", "5 mg ramipril")
    text = "I'm at 10 since today."
    assert told(held, text, speaker="Owen Tudor") == text
    assert told(held, text, speaker="Lucy Marr") is None


def test_words_that_too_many_texts_hold_tell_nothing() -> None:
    assert told(STAFF.among(STAFF.subject), "Frau Ebner hat gekündigt.", "de") is None


def test_a_language_without_lists_is_read_as_english() -> None:
    assert told(DOSE, "No more sertraline.", "fr") is not None
