"""What stands first in a sentence: names that are names, and words that only have the capital.

`openings.jsonl` has 120 English and 120 German sentences by somebody who saw no rule, with the
names in them and the words that are none. Half of them, by a hash of their ids, was looked at while
the rules were made; of the other half only the totals were counted.
`pytest -rP tests/extraction/test_openings.py` prints the figures of both.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.entities.names import read_name
from app.extraction.extract import extract
from app.extraction.mentions import Rules
from app.extraction.model import Mention, Utterance
from tests.extraction.reading import SAID, statements

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("openings.jsonl").read_text(encoding="utf-8").splitlines()
]


@dataclass(frozen=True, slots=True)
class Counted:
    """Of one language and half: names that are right, found and wanted, and first words that are
    no name and became one or a part of one."""

    right: int
    found: int
    wanted: int
    first: int


def is_seen(row: dict[str, Any]) -> bool:
    return hashlib.sha256(row["id"].encode()).digest()[0] % 2 == 0


def key(name: str) -> str:
    """A name as entities are compared: without a title."""
    return read_name(name, "person").canonical


def named(text: str) -> set[str]:
    """The names that become entities, those of statements among them."""
    found = extract(Utterance(text, SAID)).mentions
    return {key(m.name) for m in found if m.named and not m.is_speaker}


def counted(language: str, *, seen: bool) -> Counted:
    right = found = wanted = first = 0
    for row in ROWS:
        if row["lang"] == language and is_seen(row) == seen:
            got, want = named(row["text"]), {key(name) for name in row["names"]}
            none = {word.lower() for word in row["not"]}
            right, found, wanted = right + len(got & want), found + len(got), wanted + len(want)
            first += any(name.split()[0] in none for name in got)
    return Counted(right, found, wanted, first)


@pytest.mark.parametrize(
    ("language", "seen", "precision", "recall", "first"),
    [
        ("en", True, 0.96, 0.91, 2),
        ("en", False, 0.82, 0.8, 6),
        ("de", True, 0.83, 0.78, 4),
        ("de", False, 0.83, 0.8, 4),
    ],
)
def test_names_at_the_start_of_a_sentence(
    language: str, seen: bool, precision: float, recall: float, first: int
) -> None:
    figures = counted(language, seen=seen)
    sys.stdout.write(f"{language} {'seen' if seen else 'not seen'} {figures}\n")
    assert figures.right / figures.found >= precision
    assert figures.right / figures.wanted >= recall
    assert figures.first <= first


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("en", "Maybe Anna is late.", ["Anna"]),
        ("en", "Perhaps Acme Inc. pays.", ["Acme Inc"]),
        ("en", "Remind Tom tomorrow.", ["Tom"]),
        ("en", "Poor Anna broke a leg.", ["Anna"]),
        ("en", "Even Emily came.", ["Emily"]),
        ("en", "Tom still owes me a coffee.", ["Tom"]),
        ("en", "Hope Holt said so.", ["Hope Holt"]),
        ("en", "Will Holt said so.", ["Will Holt"]),
        ("en", "Will Anna come along?", ["Anna"]),
        ("en", "Rent is due on Monday.", []),
        ("en", "Breakfast was fine.", []),
        ("en", "Nobody told me.", []),
        ("en", "Buy stamps and glue.", []),
        ("en", "New York is loud.", ["New York"]),
        ("en", "She flew to New York last week.", ["New York"]),
        (
            "en",
            "We agree. Iron Anna is a film. He saw Iron Anna twice.",
            ["Iron Anna", "Iron Anna"],
        ),
        ("de", "Vielleicht kommt Anna.", ["Anna"]),
        ("de", "Leider ist sie krank.", []),
        ("de", "Bald ist es so weit.", []),
        ("de", "Gut, dann bis morgen.", []),
        ("de", "Stimmt, das war gestern.", []),
        ("de", "Hab gestern Brot gekauft.", []),
        ("de", "Bisher war alles gut.", []),
        ("de", "Freitags gehen wir schwimmen.", []),
        ("de", "Hat Karl angerufen?", ["Karl"]),
        ("de", "Frag Nina.", ["Nina"]),
        ("de", "Sag Karl Bescheid.", ["Karl"]),
        ("de", "Gib Saela das Buch.", ["Saela"]),
        ("de", "Herzlichen Dank!", []),
        ("de", "Milch kostet zwei Euro.", []),
        ("de", "Kestrel kostet zwei Euro.", ["Kestrel"]),
        ("de", "Saela hat Karl gesehen.", ["Saela", "Karl"]),
        ("de", "Saela und der Gast kamen.", ["Saela"]),
        ("de", "Kestrel ist teuer. Der Kestrel fliegt.", []),
        ("de", "Ausgerechnet Karl hält die Rede.", ["Karl"]),
        ("de", "Gestern trank Nora Kaffee.", ["Nora"]),
        ("de", "Rainer Obst hat gekündigt.", ["Rainer Obst"]),
        ("de", "Ich fuhr gestern mit Rainer Obst zurück.", ["Rainer Obst"]),
    ],
)
def test_a_first_word_is_judged_by_what_is_beside_it(
    language: str, text: str, names: list[str]
) -> None:
    assert [m.name for m in Rules().mentions(text, language)] == names


@pytest.mark.parametrize(
    ("text", "subject", "value"),
    [
        ("Unfortunately Tom lives in Trier.", "Tom", "Trier"),
        ("Unfortunately the office is in Trier.", "office", "Trier"),
        ("Ausgerechnet Tom wohnt in Trier.", "Tom", "Trier"),
        ("Letztlich wohnt Tom in Trier.", "Tom", "Trier"),
        ("Normalerweise trinkt Tom Kaffee.", "Tom", "Kaffee"),
        ("Freitags holt Tom die Kinder.", "Tom", "Kinder"),
    ],
)
def test_a_statement_is_about_the_name_and_not_the_word_before_it(
    text: str, subject: str, value: str
) -> None:
    (said, *_) = statements(text)
    told = said.object
    assert said.subject.name == subject
    assert (told.name if isinstance(told, Mention) else told.text) == value


@pytest.mark.parametrize("text", ["Soon Tom lives in Trier.", "Irgendwann wohnt Tom in Trier."])
def test_what_is_not_yet_so_is_not_stated(text: str) -> None:
    assert statements(text) == ()
