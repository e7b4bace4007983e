"""A sentence that makes a jest of those before it, or takes them back, leaves what they say held by
nobody: they end nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.extraction.extract import extract
from app.extraction.model import Mode, Statement, Utterance


def read(text: str) -> tuple[Statement, ...]:
    spoken = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return extract(Utterance(text, spoken, speaker="Alfie Burrows")).statements


@pytest.mark.parametrize(
    "text",
    [
        "Sold the Panda. Kidding, she is rattling along as ever.",
        "I quit coffee. Just kidding!",
        "I left Acme. Of course not.",
        "I live in Leeds now. Not really.",
        "Ich trinke keinen Kaffee mehr. War nur ein Scherz.",
        "Ich bin nach Köln gezogen. Nein, natürlich nicht.",
        "Ich habe bei Acme gekündigt. Quatsch, ich bleibe.",
        "Ich wohne jetzt in Kiel. Stimmt gar nicht.",
        "I left Acme. That's a joke.",
        "I left Acme. It's not true.",
        "I left Acme. That's a lie.",
        "I left Acme. Well, not really.",
        "I left Acme. Not!",
        "I left Acme. Just messing with you.",
        "Ich wohne jetzt in Kiel. Das ist nicht wahr.",
        "Ich wohne jetzt in Kiel. Verarscht!",
        "Nina and Bo are married. They divorced. All made up.",
        "Ich wohne jetzt in Kiel. Alles gelogen!",
        "Ich habe den Job gekündigt. Mir reicht es. April, April!",
    ],
)
def test_what_is_taken_back_ends_nothing(text: str) -> None:
    found = read(text)
    first = [s for s in found if s.span.start < text.index(".")]
    assert first, "it is read, and kept with what takes it back"
    assert all(s.rest for s in first), first


@pytest.mark.parametrize(
    "text",
    [
        "I left Acme. It was not really a surprise.",
        "I live in Leeds now. The rent is not true to the flat.",
        "Ich wohne jetzt in Kiel. Das Wetter ist nicht wirklich schlecht.",
        "I live in Leeds now. We have a lot of fun.",
        "I live in Leeds now. Love it :)",
        "I left Acme. My brother keeps joking about it.",
        "I left Acme. Rubbish pay.",
        "I left Acme. That was a joke of a company.",
        "Ich wohne jetzt in Kiel. Käse verkaufe ich dort auf dem Markt.",
        "Ich wohne jetzt in Kiel. Spaß hat es keinen gemacht.",
        "Ich wohne jetzt in Kiel. Von wegen der Bezahlung sage ich nichts.",
        "I live in Leeds now. No kidding.",
        "I live in Leeds now. I'm not joking.",
        "Ich wohne jetzt in Kiel. Ohne Scherz!",
        "Ich wohne jetzt in Kiel. Kein Witz.",
        "Ich wohne jetzt in Kiel. Haha, mit Meerblick.",
        "Ich wohne jetzt in Kiel. Es macht Spaß.",
    ],
)
def test_what_goes_on_takes_nothing_back(text: str) -> None:
    first = [s for s in read(text) if s.span.start < text.index(".")]
    assert first
    assert not any(s.rest for s in first), first


def test_it_takes_back_what_stands_close_before_it() -> None:
    text = "I live in Leeds now. I work for Acme. My car is red. I sold the Panda. Kidding!"
    by_place = [(s.text[:12], bool(s.rest)) for s in read(text)]
    assert ("I live in Le", False) in by_place


@pytest.mark.parametrize(
    "text",
    [
        "The neighbours claim Nina and Bo have split up.",
        "Everyone thinks Nina Berg, Bo and Mr. Lund left Acme.",
        "The paper says Nina and Bo got divorced.",
        "The neighbours claim Nina's sister and Bo have split up.",
        "Eva says Nina Berg's brother and Bo left Acme.",
        "The paper wrote Nina and Bo divorced.",
        "Es heißt, Nina und Bo sind geschieden.",
        "Die Nachbarn behaupten, Nina und Bo haben sich getrennt.",
        "Das halbe Dorf sagt, Nina und Bo sind geschieden.",
        "Der Flurfunk meint Nina und Bo haben gekündigt.",
    ],
)
def test_what_others_say_of_two_is_not_said_by_the_speaker(text: str) -> None:
    assert [s for s in read(text) if s.mode is not Mode.ASSERT or s.predicate != "claim"] == []


@pytest.mark.parametrize(
    "text", ["Nina Berg thought up the plan and works for Acme.", "Nina said no and left Acme."]
)
def test_a_verb_of_saying_without_a_clause_reports_nothing(text: str) -> None:
    assert read(text)
