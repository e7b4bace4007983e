"""Whose words are whose: turns of a transcript, headings, quotations, names in quotation marks."""

from __future__ import annotations

import pytest

from app.extraction.model import Mention, Utterance
from app.extraction.others import voices

from .reading import SAID, SPEAKER, read

# Text, and who is said to live where; an asterisk marks the one who hands the text in.
TOLD = [
    ("Ben Hale: I live in Bath.", ["Ben Hale: Bath"]),
    ("Ben: I live in Bath.\nZoe: Ich wohne in Celle.", ["Ben: Bath", "Zoe: Celle"]),
    ("[10:02] Zoe: I live in York.", ["Zoe: York"]),
    ("Nora: I live in Porto.\nBen: I live in Faro.", ["Nora Weiss*: Porto", "Ben: Faro"]),
    ("User: I live in Porto.\nAssistant: I live in a cloud in Bath.", ["Nora Weiss*: Porto"]),
    ("Update: I moved to York.", ["Nora Weiss*: York"]),
    ("Nachtrag: ich bin nach Celle gezogen.", ["Nora Weiss*: Celle"]),
    ("Wohnort: Ich wohne in Celle.", ["Nora Weiss*: Celle"]),
    ('Ben said: "I live in Bath." I live in Porto.', ["Nora Weiss*: Porto"]),
    ("I live in Porto.\n> I live in Bath. I like it.", ["Nora Weiss*: Porto"]),
]


@pytest.mark.parametrize(("text", "told"), TOLD)
def test_who_says_it(text: str, told: list[str]) -> None:
    found = [s for s in read(text).statements if s.predicate == "lives_in"]
    assert [_told(s.subject, s.object) for s in found] == told


def _told(who: Mention, where: object) -> str:
    assert isinstance(where, Mention)
    return f"{who.name}{'*' if who.is_speaker else ''}: {where.name}"


@pytest.mark.parametrize(
    "text",
    [
        'The project "Blue Heron Survey Two" is active.',
        "Der Status ist „in Prüfung bis Mai“.",
        'A 24" screen and a 27" one.',
        "Budget: my budget is 300 euros.",
        "Ben: fine with that.",
        '"I live in Bath."',
    ],
)
def test_what_stays_as_it_is(text: str) -> None:
    assert voices(Utterance(text, SAID, None, SPEAKER)).text == text


def test_positions_stay() -> None:
    text = 'Ben: "Stop. I live in Bath now." he said.\nZoe: I live in York.'
    assert len(voices(Utterance(text, SAID, None, SPEAKER)).text) == len(text)
    (said,) = read(text).statements
    assert text[said.span.start : said.span.end] == "I live in York"
