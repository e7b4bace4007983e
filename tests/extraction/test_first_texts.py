"""First texts of everyday talk give a fact, and those that state nothing give none.

`first_texts.jsonl` was written before any rule was held against it: 160 texts that say something,
with what a list of facts should hold, and 40 that state nothing. Half of them, by a hash of the id,
was looked at while the rules were made; the other half was only counted.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from app.extraction.model import ANYTHING, Mention, Mode, Statement
from app.extraction.predicates import may_end, standard
from bench.floors import HALVES, half_of
from tests.extraction.reading import SPEAKER, statements
from tests.facts.spoken import spoken

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("first_texts.jsonl").read_text("utf-8").splitlines()
]


def says(one: Statement, row: dict[str, Any]) -> bool:
    """Whether a statement is about what the row names, and has the word that tells it."""
    thing = one.object.name if isinstance(one.object, Mention) else one.object.text
    names = {"I": SPEAKER.lower(), "we": "we"}
    told = f"{one.predicate} {thing} {one.rest}".lower().replace(":", " ")
    about = names.get(row["subject"], row["subject"].lower())
    return about in f"{one.subject.name} {thing}".lower() and row["says"].lower() in told


def counted(half: str, language: str) -> tuple[int, int, int]:
    """How many texts of a half give a statement, how many the one that is wanted, and how many of
    those that state nothing give one."""
    given = right = nothing = 0
    for row in ROWS:
        if half_of(row["id"]) == half and row["lang"] == language:
            found = statements(row["text"])
            if "says" not in row:
                nothing += bool(found)
                continue
            given += bool(found)
            right += any(says(one, row) for one in found)
    return given, right, nothing


@pytest.mark.parametrize(
    ("half", "language", "least", "right", "most"),
    [
        (HALVES[0], "en", 34, 33, 1),
        (HALVES[0], "de", 40, 36, 1),
        (HALVES[1], "en", 37, 36, 1),
        (HALVES[1], "de", 35, 32, 0),
    ],
)
def test_first_texts_give_what_they_say(
    half: str, language: str, least: int, right: int, most: int
) -> None:
    given, said, nothing = counted(half, language)
    assert given >= least
    assert said >= right
    assert nothing <= most


READ = [
    # The subject stands behind the verb.
    ("Um den Schulgarten kümmert sich Herr Adam.", "Herr Adam kümmert sich um den Schulgarten"),
    ("Elternfragen beantwortet Frau Kolbe.", "Frau Kolbe beantwortet Elternfragen"),
    # Joined subjects, and a verb that no list has.
    ("Our lodgers share a bathroom.", "Our lodgers share a bathroom"),
    ("Mein Bruder Ulf und seine Frau erwarten Zwillinge.", "Ulf erwartet Zwillinge"),
    # What one does as a rule.
    ("Yes, I snore.", "I snore"),
    ("Opa schnarcht.", "Opa schnarcht"),
    # What somebody did.
    ("Marta married Theo in 2019.", "Marta married Theo"),
    ("My brother broke his ankle.", "My brother broke his ankle"),
    ("Wir haben ein Ferienhaus gekauft.", "Wir kauften ein Ferienhaus"),
    # What has to be done with a thing, or by somebody.
    ("Claims have to be approved by Hal.", "Claims have to be approved by Hal"),
    ("Anträge müssen vom Vorstand genehmigt werden.",
     "Anträge müssen vom Vorstand genehmigt werden"),
    ("Kautionen über 900 Euro muss Frau Beck freigeben.",
     "Frau Beck muss Kautionen über 900 Euro freigeben"),
    # 's as a verb.
    ("Rent's 640 a month.", "Rent is 640 a month"),
    ("My dentist's called Amadi.", None),
    # A note without a verb; a time and nothing else.
    ("Dentist with Mia: 4 May, 10 am.", "Dentist with Mia is 4 May, 10 am"),
    ("Das Straßenfest steigt am 20. Juni.", "Das Straßenfest steigt am 20. Juni"),
    # One's own, and what kind of thing it is.
    ("My bike is an old Velora.", "My bike is an old Velora"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), READ)
def test_plain_sentences_are_told_as_they_are(text: str, told: str | None) -> None:
    language = "de" if any(c in text for c in "äöüß") or " ein " in text or "Opa" in text else "en"
    if text.startswith("Elternfragen"):
        language = "de"
    found = [sentence for sentence, _ in spoken(text, language)]
    assert found
    assert told is None or told in found


@pytest.mark.parametrize(
    "text",
    [
        "The kids must be exhausted.",
        "I have to be honest.",
        "Das muss ein Irrtum sein.",
        "Tom muss krank sein.",
        "I agree.",
        "I will.",
        "I hope.",
        "Events like that are fun.",
        "He said he bought a car.",
        "I never broke my arm.",
        "Directed by Tom Berg.",
        "Maybe Tom broke his arm.",
        "Did Tom break his arm?",
        "Everyone thinks Nina, Bo and Lara broke an arm.",
        "Anna: 3 pm works?",
        "Update: 3 items left",
        "Irgendwann heiratet Tom Anna.",
        "I thought about the party.",
        "We had to leave the house.",
    ],
)
def test_what_is_guessed_felt_or_of_the_moment_gives_nothing(text: str) -> None:
    assert [s for s in statements(text) if s.rule in ("open", "note")] == []


def test_what_somebody_did_ends_nothing_and_nothing_ends_it() -> None:
    (did,) = statements("My brother bought a van.")
    assert (did.predicate, did.mode, did.ongoing, did.fits) == ("did:buy", Mode.ASSERT, False, ())
    assert not standard().get("did:buy").functional
    assert not may_end(["*"], "did:buy")
    assert not may_end(["~*"], "did:buy", as_value=True)
    assert may_end(["*"], "does")


def test_a_habit_that_is_over_ends_the_habit_alone() -> None:
    (smokes,) = statements("Ich rauche.")
    ended, of_any = statements("Ich rauche nicht mehr.")
    assert (ended.mode, ended.predicate, ended.rest) == (Mode.END, smokes.predicate, "")
    assert (of_any.object, of_any.fits) == (ANYTHING, ("smoke",))  # ten a day, or a pipe
    fewer = statements("Ich rauche nicht mehr so viele Zigarren.")
    assert not any(s.predicate == smokes.predicate for s in fewer)


@pytest.mark.parametrize(
    "text",
    [
        "muss " * 120 + "werden",
        "have to be " * 50,
        "Aa und " * 80 + "teilen",
        "x: " + "1 " * 300,
        "Anna and " * 60 + "share the flat.",
        "Um " + "den Garten " * 50 + "kümmert sich Jonas.",
    ],
)
def test_a_hostile_sentence_is_read_at_once(text: str) -> None:
    before = time.process_time()
    statements(text)
    assert time.process_time() - before < 0.5
