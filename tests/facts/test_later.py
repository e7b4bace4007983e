"""Which later texts may have changed a fact: pure, in English and German."""

from __future__ import annotations

import pytest

from app.facts.later import changing, held_words, parts, read

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


WHEAT = held_words("Nordparzelle", "stand", "Winterweizen")


@pytest.mark.parametrize(
    ("held", "text", "language"),
    [
        (WHEAT, "Der Weizen ist jetzt gedroschen.", "de"),
        (RENT, "Die Ladenmiete steigt im Mai auf 2.050.", "de"),
    ],
)
def test_a_german_word_stands_for_a_compound_that_it_is_part_of(
    held: object, text: str, language: str
) -> None:
    assert told(held, text, language) is not None
    assert told(held, text, "en") is None


def test_short_parts_and_words_within_are_no_compound() -> None:
    assert told(WHEAT, "Im Winterweiß fehlt jetzt der Wein.", "de") is None
    assert told(held_words("Ilka", "have", "Nussallergie"), "Das Ass ist jetzt weg.", "de") is None


def test_the_particle_of_a_verb_may_stand_apart() -> None:
    held = held_words("Lunch", "is", "done by Green Fork")
    assert told(held, "Green Fork let us down, sadly.") is not None
    assert told(held, "Green Fork let the whole of our big party down, sadly.") is None


def test_a_condition_before_a_colon_is_none_of_the_rest() -> None:
    held = held_words("Daily", "is", "9 Uhr")
    text = "Falls sich wer wundert: Das Daily ist jetzt um 10 Uhr."
    assert told(held, text, "de") == text
    assert told(held, "Das Daily ist jetzt, falls es klappt, um 10 Uhr.", "de") is None


def test_what_somebody_is_quoted_with_changes_nothing() -> None:
    assert told(STAFF, 'Im Film heißt es: "Frau Ebner hat gekündigt."', "de") is None


def test_a_short_text_of_the_subject_is_about_one_word_of_the_fact() -> None:
    held = held_words("Aisha Noor", "go", "to the Tuesday pottery class at the Arches")
    text = "Enough of pottery. My wrists couldn't take it any more, gave up my slot."
    assert told(held, text, speaker="Aisha Noor") is not None
    assert told(held, text, speaker="Gil Tann") is None


def test_the_words_of_the_predicate_tell_what_it_is_about() -> None:
    held = held_words("Aisha Noor", "works_for", "Halden Logistics")
    text = "That's it, my job is done. Last day today."
    assert told(held, text, speaker="Aisha Noor") is not None
    assert told(held, "My soup is done. Last day today.", speaker="Aisha Noor") is None


def test_parts_are_beginnings_and_ends_that_leave_a_word_over() -> None:
    found = set(parts(("winterweizen", "winterweiz")))
    assert {"wint", "weiz", "winterweiz*"} <= found
    assert found.isdisjoint({"winterwe", "eiz"})
    assert parts(("ort",)) == ()


def test_what_was_done_by_the_subject_is_a_sign_without_a_word_of_change() -> None:
    held = held_words("Vanessa", "is", "Kevin zusammen")
    text = "Die Vanessa hat den Kevin vor die Tür gesetzt."
    assert told(held, text, "de") == text
    assert told(held, "Die Vanessa mag den Kevin sehr.", "de") is None
    pottery = held_words("Aisha Noor", "go", "to the pottery class")
    mine = "I walked out of pottery with a sore wrist"
    assert told(pottery, mine, speaker="Aisha Noor") == mine
    assert told(pottery, mine, speaker="Gil Tann") is None


def test_who_speaks_is_known_where_no_text_holds_his_name() -> None:
    held = held_words("Aisha Noor", "take", "5 mg ramipril")
    bare = held.among(held.other)
    text = "I'm at 10 since today."
    assert told(bare, text, speaker="Aisha Noor") == text


def test_titles_and_units_of_time_are_about_nobody() -> None:
    assert (
        told(held_words("Sonja", "doctor", "Frau Dr. Nemitz"), "Frau Lang geht jetzt.", "de")
        is None
    )
