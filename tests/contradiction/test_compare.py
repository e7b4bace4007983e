"""Which later text contradicts an earlier one, and which stands beside it."""

from __future__ import annotations

import pytest

from app.contradiction.compare import compare
from app.contradiction.model import Clash
from app.contradiction.repetition import says_the_same

FOUND = [
    ("Backups must not be made on Friday.", "Backups are to be made on Friday.", Clash.NEGATION),
    ("Kilns are to be fired at night.", "Kilns must not be fired at night.", Clash.NEGATION),
    ("Die Öfen sind nachts zu heizen.", "Die Öfen sind nachts nie zu heizen.", Clash.NEGATION),
    ("Pakete dürfen montags nicht raus.", "Pakete sollen montags raus.", Clash.NEGATION),
    ("Anna uses PostgreSQL.", "Anna doesn't use PostgreSQL.", Clash.NEGATION),
    ("The team uses PostgreSQL", "The team does not use PostgreSQL", Clash.NEGATION),
    ("Anna uses PostgreSQL for billing.", "Anna no longer uses PostgreSQL.", Clash.NEGATION),
    ("Das Team nutzt PostgreSQL.", "Das Team nutzt PostgreSQL nicht mehr.", Clash.NEGATION),
    ("The shop delivers on Sundays.", "The shop never delivers on Sundays.", Clash.NEGATION),
    ("The office isn't heated.", "The office is heated.", Clash.NEGATION),
    ("Someone feeds the cat.", "Nobody feeds the cat.", Clash.NEGATION),
    ("All employees have a key.", "Not all employees have a key.", Clash.NEGATION),
    ("Budget is 5000", "Budget is 8000", Clash.NUMBER),
    ("Budget: 5000", "Budget: 8000", Clash.NUMBER),
    ("budget 5000", "budget 8000", Clash.NUMBER),
    ("Budget: CHF 24'000", "Budget: CHF 30'000", Clash.NUMBER),
    ("Budget: 24000 CHF", "Budget: 30'000 CHF", Clash.NUMBER),
    ("Budget: $ 5,000", "Budget: $ 8,000", Clash.NUMBER),
    ("Das Budget beträgt 5000.", "Das Budget beträgt 8000.", Clash.NUMBER),
    ("Die Kosten sind 5000 Euro.", "Die Kosten sind 8000 Euro.", Clash.NUMBER),
    ("budget 5000", "Budget: 9000, Team: 8", Clash.NUMBER),
    ("The ratio is 3.5", "The ratio is 35", Clash.NUMBER),
    ("The meeting is on 14 May.", "The meeting is on 21 May.", Clash.NUMBER),
    ("The project is active.", "The project is completed.", Clash.STATE),
    ("Status: active", "Status: completed", Clash.STATE),
    ("Das Ticket ist offen.", "Das Ticket ist erledigt.", Clash.STATE),
    ("The position is vacant.", "The position has been filled.", Clash.STATE),
    ("Project Vega budget is 5000.", "Project Vega budget is 8000.", Clash.NUMBER),
    ("Project Vega budget is 5000.", "However, Project Vega budget is 8000.", Clash.NUMBER),
    ("Project Vega is active.", "Currently, project Vega is paused.", Clash.STATE),
    ("Project Vega uses Redis.", "Unfortunately, project Vega doesn't use Redis.", Clash.NEGATION),
    ("The budget is 5000.", "The Vega budget is 8000.", Clash.NUMBER),
    ("Alice lives in Berlin.", "Alice lives in Hamburg.", Clash.EXCLUSIVE),
    ("The CEO of Acme is Jane Doe.", "The CEO of Acme is John Roe.", Clash.EXCLUSIVE),
    ("My favourite colour is blue.", "My favourite colour is green.", Clash.EXCLUSIVE),
    ("The soup is hot.", "The soup is cold.", Clash.ANTONYM),
    ("We use Slack for chat.", "We switched from Slack to Teams for chat.", Clash.CORRECTION),
    ("We use Slack for chat.", "We now use Teams instead of Slack for chat.", Clash.CORRECTION),
    ("The servers are in Frankfurt.", "The servers are not in Frankfurt but in Falkenstein.", None),
    ("Das Geschäft ist heute geöffnet.", "Das Geschäft ist heute geschlossen.", Clash.STATE),
    ("Die Wohnung ist vermietet.", "Die Wohnung steht leer.", Clash.STATE),
    ("The API key is valid.", "The API key has expired.", Clash.STATE),
    ("The flight is on time.", "The flight is delayed.", Clash.STATE),
    ("The backup runs daily.", "The backup runs weekly.", Clash.ANTONYM),
    ("Our office is in Berlin.", "Our office moved to Munich.", Clash.CORRECTION),
    ("Opa lebt in Kiel.", "Opa ist von Kiel nach Lübeck gezogen.", Clash.CORRECTION),
    ("Kein Mann spielt Gitarre.", "Ein Mann spielt Gitarre.", Clash.NEGATION),
    ("Der Termin ist um 14 Uhr.", "Der Termin wurde auf 16 Uhr verschoben.", Clash.NUMBER),
    ("Anna's email is a@x.org.", "Anna's email is b@x.org.", Clash.EXCLUSIVE),
    ("The talk is on Tuesday.", "Correction: the talk is on Wednesday.", None),
    ("Budget: Fr. 24'000", "Budget: Fr. 30'000", Clash.NUMBER),
    ("Budget: Rp 500", "Budget: Rp 800", Clash.NUMBER),
    ("Budget: £5,000", "Budget: £8,000", Clash.NUMBER),
    ("Budget: 5.000 €", "Budget: 8.000 €", Clash.NUMBER),
    ("Budget: USD 5000", "Budget: USD 8000", Clash.NUMBER),
    ("Budget = 5000", "Budget = 8000", Clash.NUMBER),
    ("The max budget is 5000", "The max budget is 8000", Clash.NUMBER),
]

# Each word of seed 003 that denies, in a statement and beside the one that it denies.
DENIED = [
    ("Anna uses Redis.", "Anna doesn't use Redis."),
    ("Anna uses Redis.", "Anna does not use Redis."),
    ("We use Redis.", "We don't use Redis."),
    ("We use Redis.", "We do not use Redis."),
    ("We use Redis.", "We no longer use Redis."),
    ("We use Redis.", "We do not use Redis anymore."),
    ("The shop opens on Sundays.", "The shop never opens on Sundays."),
    ("The office is heated.", "The office isn't heated."),
    ("The office is heated.", "The office is not heated."),
    ("The train will stop in Ulm.", "The train won't stop in Ulm."),
    ("The train will stop in Ulm.", "The train will not stop in Ulm."),
    ("The robot can open doors.", "The robot can't open doors."),
    ("The robot can open doors.", "The robot cannot open doors."),
    ("You should restart the router.", "You shouldn't restart the router."),
    ("Das Team nutzt Redis.", "Das Team nutzt Redis nicht mehr."),
    ("Das ist ein Problem.", "Das ist kein Problem."),
    ("Anna trinkt Milch.", "Anna trinkt keine Milch."),
    ("Anna hat einen Hund.", "Anna hat keinen Hund."),
    ("Der Laden öffnet am Sonntag.", "Der Laden öffnet nie am Sonntag."),
    ("Anna kocht mit Öl.", "Anna kocht niemals mit Öl."),
    ("Das Büro ist beheizt.", "Das Büro ist nicht beheizt."),
    ("Die Lieferung am Montag ist möglich.", "Die Lieferung am Montag ist unmöglich."),
    ("Tom fährt mit Helm.", "Tom fährt ohne Helm."),
]

COEXIST = [
    ("Budget: 24'000", "Budget: 24,000"),
    ("The budget is 100k.", "The budget is 100000."),
    ("Q1 budget is 5000", "Q2 budget is 8000"),
    ("Q1 budget is 5000", "Q2 budget is 5000"),
    ("We use PostgreSQL 16.", "We use PostgreSQL 16 for JSONB."),
    ("Project Vega budget is 5000.", "Project Orion budget is 8000."),
    ("Vega budget is 5000.", "Orion budget is 8000."),
    ("Project Vega is active.", "Project Orion is completed."),
    ("Project Vega uses Redis.", "Project Orion doesn't use Redis."),
    ("Alice uses Redis.", "Bob doesn't use Redis."),
    ("The service is inactive.", "The service is not active."),
    ("The hyperactive child is in class one.", "The calm child is in class one."),
    ("We know the deadline.", "We now meet the deadline."),
    ("The snow is deep.", "The now is deep."),
    ("Der Bewohner hat einen Hund.", "Der Mieter hat einen Hund."),
    ("Die Lohnerhöhung wurde beschlossen.", "Die Erhöhung wurde beschlossen."),
    ("Der Blutdruck ist niedrig.", "Der Blutdruck ist eher niedrig."),
    ("Der Blutdruck ist niedrig.", "Der Blutdruck ist tief."),
    ("We know the deadline.", "We meet the deadline."),
    ("We now meet the deadline.", "We meet the deadline."),
    ("The team is proactive.", "The team is closed."),
    ("Budget: CHF 24’000", "Budget: CHF 24,000"),
    ("Project Vega is active.", "Project Orion is not active."),
    ("The project is active.", "The Vega project is active."),
    ("Vega: budget 5000", "Orion: budget 8000"),
    ("Alice speaks English.", "Alice speaks Italian."),
    ("Alice lives in Berlin.", "Alice lives in Germany."),
    ("Alice lives in Berlin.", "Alice plans to live in Hamburg."),
    ("The shop is closed on Sunday.", "The shop is closed on Monday."),
    ("The shop is open until 6 pm.", "The shop is open from 8 am."),
    ("The project is almost done.", "The project is not done."),
    ("A man with a hat is reading.", "A man with no hat is reading."),
    ("The ticket is open.", "Is the ticket closed?"),
    ("The heating runs.", "If the heating does not run, call Tom."),
    ("Tom bought 3 apples.", "Tom bought 4 apples."),
    ("Ticket 17 is open.", "Ticket 18 is closed."),
    ("The dog is chasing the cat.", "The cat is not chasing the dog."),
    ("Alice works at Acme.", "Alice does not only work at Acme but also at Initech."),
    ("The contract ends in June 2026.", "The contract ends on 30 June 2026."),
    ("Tom has two dogs.", "Tom has three cats."),
    ("Anna was in Rome in summer.", "Anna was in Vienna in winter."),
    ("Anna is not in the office today.", "Anna is in the office on Mondays."),
    ("Die Miete wurde bezahlt.", "Die Miete für Juni ist offen."),
    ("The team meets on Monday.", "The team meets on Thursday."),
    ("Ein Mann mit Hut liest.", "Ein Mann ohne Hut liest."),
    ("Das Haus hat 3 Zimmer.", "Das Haus hat 2 Bäder."),
    ("The build takes 5 minutes on Linux.", "The build takes 9 minutes on Windows."),
    ("Sarah is not a manager.", "Sarah has a manager."),
    ("Anna nutzt Redis.", "Anna doesn't use Redis."),
    ("", "The project is active."),
]


@pytest.mark.parametrize(("old", "new", "kind"), FOUND)
def test_a_contradiction_is_found_with_its_reason(old: str, new: str, kind: Clash | None) -> None:
    verdict = compare(old, new)
    assert verdict.found
    assert verdict.reason
    assert kind is None or verdict.kind is kind


@pytest.mark.parametrize(("said", "denied"), DENIED)
def test_a_statement_and_its_denial_contradict_whichever_came_first(said: str, denied: str) -> None:
    assert compare(said, denied).kind is compare(denied, said).kind is Clash.NEGATION


@pytest.mark.parametrize(("old", "new"), COEXIST)
def test_both_may_stand(old: str, new: str) -> None:
    assert compare(old, new) == compare(new, old)
    assert not compare(old, new).found


def test_the_verdict_names_what_clashes() -> None:
    verdict = compare("budget 5000", "Budget: 9000, Team: 8")
    assert (verdict.old, verdict.new) == ("5000", "9000")


def test_one_statement_among_several_is_enough() -> None:
    old = "Project Vega started in May. It has 5 people. The budget is CHF 5'000."
    new = "Weekly notes for Vega. The budget is CHF 8'000. All is well."
    assert compare(old, new).kind is Clash.NUMBER


@pytest.mark.parametrize("text", ["Anna lives in Köln.", "Das Budget beträgt 5000 Euro.", "not"])
def test_no_text_contradicts_itself(text: str) -> None:
    assert not compare(text, text).found


def test_any_text_is_taken() -> None:
    odd = ["?", "...", "not not not", "€ € 5", "14. Mai", "x" * 10_000, "no\n" * 500, "🙂 not 🙂"]
    for one in odd:
        for other in odd:
            compare(one, other)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("It is forbidden to fire kilns.", "It is usual to fire kilns.", "en"),
        ("Fire the kiln on Friday.", "Fire the kiln except on Friday.", "en"),
        ("Avoid a restart at noon.", "Do a restart at noon.", "en"),
        ("Kein Brand ohne Freigabe.", "Brand ohne Freigabe.", "de"),
        ("Montags zu heizen ist verboten.", "Montags zu heizen ist erlaubt.", "de"),
        ("Den Ofen um acht Uhr anheizen.", "Den Ofen um neun Uhr anheizen.", "de"),
        ("Fire the kiln.", "Fire the kiln. Let it cool for a day.", "en"),
    ],
)
def test_what_turns_a_text_around_or_adds_to_it_is_not_the_same(
    one: str, other: str, language: str
) -> None:
    assert not says_the_same(one, other, language)
    assert not says_the_same(other, one, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("Fire the kiln. Is it hot? Let it cool.", "Fire the kiln. Is it hot? Let it cool.", "en"),
        ("Fire the kilns, then let them cool.", "Fire the kiln, then let it cool.", "en"),
        ("Den Ofen nie montags heizen.", "Den Ofen montags nie heizen.", "de"),
    ],
)
def test_other_forms_and_places_of_words_are_the_same(one: str, other: str, language: str) -> None:
    assert says_the_same(one, other, language)
