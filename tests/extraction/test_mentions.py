"""Names by cue and by shape (annex 5.b)."""

from __future__ import annotations

import pytest

from app.extraction.mentions import Rules

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


def test_one_sentence_with_person_firm_and_tool() -> None:
    text = "Mr. Smith of the company Halden uses PostgreSQL."
    found = {m.name: m.type for m in Rules().mentions(text, "en")}
    assert found == {"Smith": "person", "Halden": "organization", "PostgreSQL": "technology"}


def test_spans_hold_the_name() -> None:
    text = "Anna's friend Bea met Herr Müller in the Bridgewater Studio."
    for mention in Rules().mentions(text, "en"):
        assert text[mention.span.start : mention.span.end] == mention.name
