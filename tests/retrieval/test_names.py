"""Names of passages and where texts name them, from what is written alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.names import (
    given_keys,
    heading_keys,
    longest,
    namings,
    opening_keys,
    partings,
    phrases,
    title_keys,
    words,
    written,
)


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("Blue Harbour", {"blue harbour": "title"}),
        ("The Blue Harbour", {"blue harbour": "title"}),
        ("Mercury (planet)", {"mercury planet": "title", "mercury": "bare"}),
        ("Lambert, Margrave of Tuscany", {
            "lambert margrave of tuscany": "title",
            "lambert": "short",
        }),
        ("The Who", {"the who": "title"}),
        ("It", {}),
        ("1984", {}),
        ("Anna's Garden", {"anna garden": "title"}),
        ("word " * 20, {}),
        ("…", {}),
    ],
)  # fmt: skip
def test_a_title_answers_to_keys(title: str, keys: dict[str, str]) -> None:
    assert title_keys(title) == keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Teutberga (died 875) was a queen.", {"teutberga": "subject"}),
        ("The Long Mile is a film, also known as Der Lange Weg.",
         {"long mile": "subject", "lange weg": "alias"}),
        ("Ada Roth (born Ada Maria Klein) was an engineer.",
         {"ada roth": "subject", "ada maria klein": "alias"}),
        ("He was a teacher in Bremen.", {}),
        ("March was a wet month.", {}),
        ("a lower case beginning is a beginning", {}),
    ],
)  # fmt: skip
def test_an_opening_says_what_it_is_about(text: str, keys: dict[str, str]) -> None:
    assert opening_keys(text) == keys


def test_an_untitled_text_must_say_what_its_subject_is() -> None:
    assert opening_keys("Sounds good, see you at eight.") == {}
    assert opening_keys("Lake Orla is the deepest lake.") == {"lake orla": "subject"}


@pytest.mark.parametrize(
    ("text", "key", "named"),
    [
        ("She lives in New York now.", "new york", True),
        ("a new york minute", "new york", False),
        ("So Charlie Day wrote it.", "day", False),
        ("Day wrote it.", "day", True),
        ("In Paris it rains.", "paris", True),
        ("Who is The Who?", "the who", True),
        ("who is the who?", "the who", False),
        ("Anna's Garden is shut.", "anna garden", True),
    ],
)
def test_a_text_names_a_key(text: str, key: str, *, named: bool) -> None:
    assert (key in namings(words(text), {key})) is named


def test_of_names_that_overlap_the_longest_counts() -> None:
    text = words("From New York City to York.")
    found = namings(text, {"new york", "new york city", "york", "city"})
    assert set(longest(found.items())) == {"new york city", "york"}
    assert len(found["york"]) == 2, "beside another capital it is part of a longer name"


@pytest.mark.parametrize(
    ("title", "text", "subjects"),
    [
        ("Kettle tax", "In 1975, the town of Orla was a port.", set()),
        ("Kettle tax", "The Republic of Orla has a low one.", set()),
        ("Kettle tax", "Ada Roth said so.", set()),
        ("Kettle tax", "The Tax on Kettles of 1975 has ended.", {"tax on kettles of 1975"}),
        ("Ada Roth", "Adelheid Klein (4 May 1931) has retired.", {"adelheid klein"}),
        ("Ada Roth", "Adelheid Klein was a singer.", {"adelheid klein"}),
        ("In Bremen", "In Bremen was shot in Orla.", {"in bremen"}),
    ],
)
def test_a_text_with_a_title_may_open_with_something_else(
    title: str, text: str, subjects: set[str]
) -> None:
    assert {key for key, how in opening_keys(text, title).items() if how == "subject"} == subjects


def test_what_is_written_like_a_name_is_no_stop_word() -> None:
    assert written("The It was American. Lina Wert met Otto Brandt.", "en") == {
        "lina wert",
        "otto brandt",
    }


@given(st.text(max_size=200))
def test_any_text_has_words_where_they_stand(text: str) -> None:
    found = words(text)
    assert all(text[w.start : w.end] for w in found)
    assert [w.start for w in found] == sorted(w.start for w in found)
    for naming in phrases(found):
        assert naming.key == " ".join(w.folded for w in found[naming.first : naming.stop])


def test_a_word_inside_a_longer_name_is_told_apart() -> None:
    text = words("So Charlie Day wrote Day, in Los Angeles.")
    assert namings(text, {"day"}) == {"day": [4, 5]}
    assert partings(text, {"day", "los", "so"}) == {"day": [2, 3], "los": [6, 7]}


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((), {}),
        (("Pumps", "Care of the Valves"), {"care of the valves": "heading"}),
        (("Care of the Valves", "History"), {}),
    ],
)
def test_a_heading_of_several_words_is_a_name(path: tuple[str, ...], keys: dict[str, str]) -> None:
    assert heading_keys(path) == keys


def test_the_ends_of_a_given_triple_are_names_unless_they_are_clauses() -> None:
    triples = [
        ("Ada Roth", "was born in", "Bremen"),
        ("he", "said", "w b c d e f g"),
        ("1", "", ""),
    ]
    assert given_keys(triples) == {"ada roth", "bremen"}
