"""Answers with the model that ships, in English, German and across: what is known is said, and what
is not is said to be unknown.

All texts are known at once. The mending was done with every other case in view (`seen`). The others
(`held`) were looked at once, and one mend came of it, so that they are not blind either;
both halves are held to the same bars.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio

from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

# What is said, the question in the language of that and in the other, and what answers.
ENGLISH = [
    ("Thorben Quist lives in Wismar.", "Where does Thorben Quist live?",
     "Wo wohnt Thorben Quist?", "Wismar"),
    ("The valve of the north pump is checked every spring.",
     "When is the valve of the north pump checked?",
     "Wann wird das Ventil der nördlichen Pumpe geprüft?", "spring"),
    ("Malvina Oster leads the archive of the harbour museum.", "Who leads the archive?",
     "Wer leitet das Archiv?", "Malvina"),
    ("The ferry to the island leaves at half past six in the morning.",
     "When does the ferry to the island leave?", "Wann fährt die Fähre zur Insel ab?", "half past"),
    ("A day ticket for the sauna costs fourteen euros.", "How much is a day ticket for the sauna?",
     "Was kostet eine Tageskarte für die Sauna?", "fourteen"),
    ("Our invoices are paid within thirty days.", "Within how many days are our invoices paid?",
     "In wie vielen Tagen werden unsere Rechnungen bezahlt?", "thirty"),
    ("Brook Tansley is allergic to walnuts.", "What is Brook Tansley allergic to?",
     "Wogegen ist Brook Tansley allergisch?", "walnuts"),
    ("The spare key to the workshop hangs behind the boiler.",
     "Where is the spare key to the workshop?", "Wo hängt der Ersatzschlüssel der Werkstatt?",
     "boiler"),
    ("Backups are kept for ninety days and then deleted.", "How long are backups kept?",
     "Wie lange werden die Sicherungen aufbewahrt?", "ninety"),
    ("The choir rehearses on Tuesdays in the old chapel.", "Where does the choir rehearse?",
     "Wo probt der Chor?", "chapel"),
    ("Idris Vane wrote the manual for the loom.", "Who wrote the manual for the loom?",
     "Wer hat das Handbuch für den Webstuhl geschrieben?", "Idris"),
    ("The greenhouse is heated with wood pellets.", "How is the greenhouse heated?",
     "Womit wird das Gewächshaus geheizt?", "pellets"),
]  # fmt: skip
GERMAN = [
    ("Henrike Solling wohnt in Güstrow.", "Wo wohnt Henrike Solling?",
     "Where does Henrike Solling live?", "Güstrow"),
    ("Der Aufzug im Nordflügel wird jeden Mittwoch gewartet.",
     "Wann wird der Aufzug im Nordflügel gewartet?",
     "When is the lift in the north wing serviced?", "Mittwoch"),
    ("Das Brot für das Fest liefert die Bäckerei Rademann.", "Wer liefert das Brot für das Fest?",
     "Who supplies the bread for the party?", "Rademann"),
    ("Die Bibliothek schließt am Samstag um vierzehn Uhr.",
     "Wann schließt die Bibliothek am Samstag?", "When does the library close on weekends?",
     "vierzehn"),
    ("Ein Stellplatz für das Wohnmobil kostet zwanzig Euro die Nacht.",
     "Was kostet ein Stellplatz für das Wohnmobil?",
     "What does a pitch for the camper van cost?", "zwanzig"),
    ("Die Garantie auf den Rasenmäher gilt drei Jahre.",
     "Wie lange gilt die Garantie auf den Rasenmäher?",
     "How long is the warranty on the lawn mower?", "drei"),
    ("Konrad Ebsen verträgt keine Milch.", "Was verträgt Konrad Ebsen nicht?",
     "What can Konrad Ebsen not tolerate?", "Milch"),
    ("Die Schneeketten liegen im Regal neben der Kellertür.", "Wo liegen die Schneeketten?",
     "Where are the snow chains?", "Kellertür"),
    ("Bewerbungen werden nach sechs Monaten gelöscht.", "Wann werden Bewerbungen gelöscht?",
     "When are job applications deleted?", "sechs"),
    ("Der Schachclub trifft sich donnerstags im Gemeindehaus.", "Wo trifft sich der Schachclub?",
     "Where does the chess club meet?", "Gemeindehaus"),
    ("Das Dach der Scheune hat Wibke Harde gedeckt.", "Wer hat das Dach der Scheune gedeckt?",
     "Who roofed the barn?", "Wibke"),
    ("Das Schwimmbad wird mit Erdwärme geheizt.", "Womit wird das Schwimmbad geheizt?",
     "How is the swimming pool heated?", "Erdwärme"),
]  # fmt: skip
UNKNOWN = {
    "en": [
        "Where does Zelda Munk live?",
        "Where does Mia live?",
        "Who is the boss of Orrin Tate?",
        "What is Piet Lund allergic to?",
        "Where does Sunniva work?",
        "Did Hollis write the manual?",
        "What is the capital of Mongolia?",
        "How do I bake a chocolate cake?",
        "Who won the cup final?",
        "What is the boiling point of mercury?",
        "Which language is spoken in Brazil?",
        "How tall is the tallest tree?",
        "Why do cats purr?",
        "Which planet has the most moons?",
    ],
    "de": [
        "Wo wohnt Zelda?",
        "Wo wohnt Mia?",
        "Wer ist der Chef von Orrin?",
        "Wogegen ist Piet Lund allergisch?",
        "Wo arbeitet Sunniva?",
        "Hat Hollis das Handbuch geschrieben?",
        "Was ist die Hauptstadt der Mongolei?",
        "Wie backe ich einen Schokoladenkuchen?",
        "Wer hat das Pokalfinale gewonnen?",
        "Bei welcher Temperatur siedet Quecksilber?",
        "Welche Sprache spricht man in Brasilien?",
        "Wie hoch ist der höchste Baum?",
        "Warum schnurren Katzen?",
        "Welcher Planet hat die meisten Monde?",
    ],
}
HALVES = {"seen": 0, "held": 1}
NOISE = ["No. The repair service comes on Thursday at nine.", "We need new capital for the press."]
Ask = Callable[[str], Awaitable[dict[str, Any]]]


@pytest_asyncio.fixture(loop_scope="session")
async def knowing(opened: Parts, principal: MakePrincipal, tenant: str) -> Principal:
    """A tenant that knows all of the texts, and beside them what only looks like an answer."""
    who = await principal(tenant)
    said = [(text, "Henrike Solling") for text, *_ in (*ENGLISH, *GERMAN)]
    for number, (text, speaker) in enumerate([*said, *((text, "Mia") for text in NOISE)]):
        body = {"content": text, "scope": tenant, "session": str(number), "speaker": speaker}
        answer = await who.http.post("/v1/episodes", json=body)
        assert answer.status_code == 201, answer.text
    await opened.consolidation.consolidate(tenant)
    await opened.indexing.drain()
    return who


async def answered(who: Principal, question: str) -> str:
    answer = await who.http.post("/v1/rag/ask", json={"query": question})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    said: str = told["untrusted"]["answer"]
    assert bool(said) is (told["note"] == ""), told
    return said


def half(cases: list[Any], which: str) -> list[Any]:
    return cases[HALVES[which] :: 2]


# The least share of questions that are answered right, in the language of the text and across; in
# the former a fact that leaves out where or when comes before its text at times.
OWN, ACROSS = 0.75, 0.75


@pytest.mark.parametrize("which", HALVES)
async def test_what_is_known_is_answered(which: str, knowing: Principal) -> None:
    wrong: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    cases = half(ENGLISH, which) + half(GERMAN, which)
    for _, own, other, answer in cases:
        for same, question in ((True, own), (False, other)):
            if answer not in (said := await answered(knowing, question)):
                wrong[same].append((question, said))
    assert len(wrong[True]) <= (1 - OWN) * len(cases), wrong
    assert len(wrong[False]) <= (1 - ACROSS) * len(cases), wrong


@pytest.mark.parametrize("language", UNKNOWN)
@pytest.mark.parametrize("which", HALVES)
async def test_what_nobody_said_is_not_known(which: str, language: str, knowing: Principal) -> None:
    told = {each: await answered(knowing, each) for each in half(UNKNOWN[language], which)}
    assert {each: said for each, said in told.items() if said} == {}
