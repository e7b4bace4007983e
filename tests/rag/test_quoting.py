"""What of the hits answers, and where nothing does: pure."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.indexing.analysis import analyse, detect_language
from app.rag.quoting import quoted
from app.rag.wanted import Wanted
from app.search.model import Hit

AT = datetime(2026, 3, 2, tzinfo=UTC)


def hit(text: str, relevance: float, speaker: str | None = None) -> Hit:
    language = detect_language(text)
    memory = {
        "id": text, "kind": "episode", "content": text, "language": language, "speaker": speaker,
        "title": None, "terms": " ".join(analyse(text, language)), "about_terms": "",
        "captured_at": AT,
    }  # fmt: skip
    return Hit(text, 1, 1.0, {}, memory, (0, len(text)), 0, relevance=relevance)


def said(question: str, *hits: Hit, missing: tuple[str, ...] = ()) -> list[str]:
    return [quote.text for quote in quoted(question, hits, missing)]


def test_a_source_is_quoted_that_says_a_name_of_the_question() -> None:
    own = hit("The necklace is from my grandmother.", 0.7, "Alva Storm")
    other = hit("The necklace of a queen is in the museum.", 0.7, "Birk Lind")
    question = "Where is the necklace of Alva from?"
    assert said(question, own, other) == [own.id]
    assert said(question, other) == []
    # Where no name is asked for, whoever speaks may answer.
    assert said("Where is the necklace of the queen?", other) == [other.id]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Alva Storm allergic to?", "Alva Storm came by train."),
        ("Wogegen ist Alva Storm allergisch?", "Alva Storm kam mit dem Zug."),
    ],
)
def test_where_nothing_but_names_is_said_nothing_is_known(question: str, text: str) -> None:
    assert said(question, hit(text, 0.6)) == []
    # A source that is surely relevant may say it in other words.
    assert said(question, hit(text, 0.85)) == [text]


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("Wo arbeitet Piet Lund in Bremen?", True),
        ("Wo wohnt Noras Schwester?", False),  # Nora is known
        ("Was kostet Milch in Bremen?", False),  # any noun, for all that shows
        ("Wer ist der Chef von Orrin Tate?", True),
        ("Where does Piet Lund work in Bremen?", True),
    ],
)
def test_a_full_name_that_nobody_says_is_not_known_in_german_either(
    question: str, lacking: bool
) -> None:
    texts = ["Nora wohnt in Bremen.", "Der Chef kommt aus Kiel."]
    missing = [word.strip("?") for word in question.split()]
    assert Wanted.of(question).lacks(missing, texts) is lacking
    told = [hit(text, 0.9) for text in texts]
    if lacking:
        assert said(question, *told, missing=tuple(missing)) == []


def test_words_of_a_list_are_no_full_name() -> None:
    assert Wanted.of("Wohnt Zelda, Mia oder Piet Lund in Kiel?").sure == (("Piet", "Lund"),)
