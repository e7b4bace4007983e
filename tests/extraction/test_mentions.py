"""Names by cue and by shape (annex 5.b)."""

from __future__ import annotations

import pytest

from app.extraction.extract import extract
from app.extraction.mentions import Rules
from app.extraction.model import Mention, Utterance
from app.kernel.clock import now

FOUND = [
    ("de", "Herr Müller kam spät.", "Müller", "person"),
    ("en", "We met Mr. Smith today.", "Smith", "person"),
    ("en", "Ask Dr. Maria Fischer about it.", "Maria Fischer", "person"),
    ("en", "I called our client Thomas again.", "Thomas", "person"),
    ("de", "Ich habe mit dem Kunde Thomas gesprochen.", "Thomas", "person"),
    ("en", "They run acme-shop.ch as well.", "acme-shop.ch", "organization"),
    ("de", "Die Firma Müller-Tech liefert.", "Müller-Tech", "organization"),
    ("en", "The team uses PostgreSQL here.", "PostgreSQL", "technology"),
    ("de", "Das Team nutzt SvelteKit.", "SvelteKit", "technology"),
    ("en", 'See the project "lynox-pro" for it.', "lynox-pro", "project"),
    ("en", "The agency is based in Zurich.", "Zurich", "place"),
    ("en", "We work with Bridgewater Studio.", "Bridgewater Studio", "organization"),
    ("de", "Saela besuchte gestern Bridgewater Studio.", "Bridgewater Studio", "organization"),
    ("de", "Wir kennen die Nordwerk GmbH seit Jahren.", "Nordwerk GmbH", "organization"),
    ("de", "Unser Kunde Nordwerk AG zahlt spät.", "Nordwerk AG", "organization"),
    ("en", "Nordwerk LLC pays late.", "Nordwerk LLC", "organization"),
]
NOT_FOUND = [
    ("en", "See github.com for it.", "github.com"),
    ("en", "It uses the framework.", "framework"),
    ("en", "The rollout happens in Stages.", "Stages"),
    ("en", "She prefers it.", "prefers"),
    ("en", "The lead/qualified column is empty.", "qualified"),
    ("en", "Send the tracking report.", "tracking"),
    ("en", "It is CHF 39/mo or 10/1k.", "CHF"),
    ("en", "The investor tracking table is new.", "investor"),
    ("de", "Der Bericht ist fertig.", "Bericht"),
    ("de", "Eine Lösung für die Planung fehlt.", "Lösung"),
]


@pytest.mark.parametrize(("language", "text", "name", "kind"), FOUND)
def test_a_name_is_found(language: str, text: str, name: str, kind: str) -> None:
    found = {m.name: m.type for m in Rules().mentions(text, language)}
    assert found.get(name) == kind, found


@pytest.mark.parametrize(("language", "text", "name"), NOT_FOUND)
def test_what_is_no_name_is_not(language: str, text: str, name: str) -> None:
    assert name not in {m.name for m in Rules().mentions(text, language)}


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("en", "Maybe I'll move to Tarvik in May.", ["Tarvik"]),
        ("en", "Lately I've been to Mora. Don't Anna and Bo know?", ["Mora", "Anna", "Bo"]),
        ("en", "Glad I met Anna Holt.", ["Anna Holt"]),
        ("en", "Call Anna Holt tomorrow.", ["Anna Holt"]),
        ("en", "Probably Tom knows it.", ["Tom"]),
        ("en", "Whoopee, that was fun, Tom.", ["Tom"]),
        ("en", "Cheerio Tom! See you.", ["Tom"]),
        ("de", "Arbeitet Dirk bei Siemens?", ["Dirk", "Siemens"]),
        ("de", "Kennt Anna den Weg?", ["Anna"]),
        ("en", "She works at St. Brendan Hospital.", ["St. Brendan Hospital"]),
        ("en", "He was born in St. Gallen.", ["St. Gallen"]),
        ("en", "We saw J. K. Holt near Mt. Arden.", ["J. K. Holt", "Mt. Arden"]),
        ("en", "The bank is J.P. Holt, I think.", ["J.P. Holt"]),
        ("en", "Stick to plan B. Tom agrees.", ["Tom"]),
        ("en", "We filed form F. She signed it for Tom.", ["Tom"]),
        ("de", "Er lag im St. Josef Spital.", ["St. Josef Spital"]),
    ],
)
def test_a_name_begins_and_ends_where_it_does(language: str, text: str, names: list[str]) -> None:
    """A capital at the start of a sentence tells nothing; a stop that shortens ends no name."""
    assert [m.name for m in Rules().mentions(text, language)] == names


@pytest.mark.parametrize(
    ("language", "text", "subject", "value"),
    [
        ("en", "Nora works at St. Brendan Hospital.", "Nora", "St. Brendan Hospital"),
        ("en", "Acme Inc. sells pumps. Tom came.", "Acme Inc.", "pumps"),
        ("en", "Our bank is J.P. Holt.", "we", "J.P. Holt"),
        ("de", "Dirk arbeitet im St. Josef Spital.", "Dirk", "St. Josef Spital"),
        ("en", "The town's mayor is Ada Holt .", "town", "Ada Holt"),
    ],
)
def test_names_in_statements_are_spelled_as_in_the_text(
    language: str, text: str, subject: str, value: str
) -> None:
    (said, *_) = extract(Utterance(text, now(), language)).statements
    told = said.object
    assert (said.subject.name, told.name if isinstance(told, Mention) else told.text) == (
        subject,
        value,
    )


def test_one_sentence_with_person_firm_and_tool() -> None:
    text = "Mr. Smith of the company Halden uses PostgreSQL."
    found = {m.name: m.type for m in Rules().mentions(text, "en")}
    assert found == {"Smith": "person", "Halden": "organization", "PostgreSQL": "technology"}


def test_spans_hold_the_name() -> None:
    text = "Anna's friend Bea met Herr Müller in the Bridgewater Studio."
    for mention in Rules().mentions(text, "en"):
        assert text[mention.span.start : mention.span.end] == mention.name
