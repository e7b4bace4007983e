from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.indexing.analysis import analyse, detect_language, fold, query_terms
from app.indexing.irregular import BASES
from app.indexing.stop_words import STOP_WORDS


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The meeting was moved to Thursday because of the strike.", "en"),
        ("Die Besprechung wurde wegen des Streiks auf Donnerstag verlegt.", "de"),
        ("12345 -- 67", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "language", "terms"),
    [
        ("Researching adoption agencies", "en", ["research", "adopt", "agenc"]),
        ("Die Häuser", "de", ["die", "haus"]),
        ("Caroline's dogs don't bark", "en", ["carolin", "dog", "do", "bark"]),
        ("She went and bought it", "en", ["she", "go", "and", "buy", "it"]),
        ("Er ging", "de", ["er", "geh"]),
        ("co-operate", "en", ["cooper", "co", "oper"]),
        ("RFC-1149", "en", ["rfc1149", "rfc", "1149"]),
        ("on 2024-05-03", "en", ["on", "20240503", "2024", "05", "03"]),
        ("1,234.56", "en", ["123456", "1", "234", "56"]),
        ("someone@example.org", "en", ["someoneexampleorg", "someon", "exampl", "org"]),
        ("ＦＵＬＬ width ①", "en", ["full", "width", "1"]),
        ("snake_case", "en", ["snakecas", "snake", "case"]),
        ("a" * 5000, "en", ["a" * 64]),
        ("— … !?", "en", []),
    ],
)
def test_the_terms_of_a_text(text: str, language: str, terms: list[str]) -> None:
    assert analyse(text, language) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller", "Mueller"),
        ("Straße", "Strasse"),
        ("überweisen", "ueberweisen"),
        ("Überweisung", "ÜBERWEISUNG"),
        ("Haus", "Häuser"),
        ("gesehen", "sieht"),
    ],
)
def test_german_spellings_meet(one: str, other: str) -> None:
    assert analyse(one, "de") == analyse(other, "de")


@pytest.mark.parametrize("pair", [("café", "cafe"), ("naïve", "naive"), ("children", "child")])
def test_english_spellings_meet(pair: tuple[str, str]) -> None:
    assert analyse(pair[0], "en") == analyse(pair[1], "en")


def test_an_unknown_language_is_read_as_english() -> None:
    assert analyse("running dogs", "fr") == analyse("running dogs", "en")


def test_a_question_has_the_forms_of_both_languages() -> None:
    assert query_terms("agencies") == [("agenc", "agenci")]
    assert query_terms("Wann hat Müller die Häuser gekauft?") == [
        ("wann",),
        ("muller", "mull"),
        ("hauser", "haus"),
        ("gekauft",),
    ]


def test_a_question_finds_what_a_text_of_either_language_says() -> None:
    for text, language, question in [
        ("Caroline researched agencies", "en", "Which agency did Caroline research?"),
        ("Sie hat die Verträge unterschrieben", "de", "Welcher Vertrag?"),
    ]:
        forms = {form for word in query_terms(question) for form in word}
        assert forms & (set(analyse(text, language)) - STOP_WORDS)


def test_stop_words_go_unless_nothing_else_is_left() -> None:
    assert query_terms("the cat and the dog") == [("cat",), ("dog",)]
    assert query_terms("to be or not to be") == [("to",), ("be",), ("or",), ("not",)]
    assert query_terms("") == []


def test_names_of_people_and_months_are_no_stop_words() -> None:
    assert not STOP_WORDS & {"may", "will", "mark", "us", "don", "mai"}


def test_every_stop_word_is_one_folded_token() -> None:
    assert all(len(analyse(word, "en")) == 1 for word in STOP_WORDS)


def test_irregular_forms_lead_to_one_base_each() -> None:
    for bases in BASES.values():
        assert not set(bases) & set(bases.values())


def test_fold() -> None:
    assert fold("straße") == "straße"
    assert fold("éàü") == "eau"


@given(st.text(max_size=200), st.sampled_from(["en", "de"]))
def test_terms_hold_nothing_that_a_query_language_reads(text: str, language: str) -> None:
    terms = analyse(text, language)
    assert terms == analyse(text, language)
    assert all(term and not set(term) & set(' \t\n+-&|!(){}[]^"~*?:\\/') for term in terms)


def test_threads_do_not_disturb_each_other() -> None:
    texts = [f"running houses number {n} went children" for n in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda t: analyse(t, "en"), texts)) == [
            analyse(text, "en") for text in texts
        ]
