"""What single sentences give: the cases of the annex (3.b, 5.b) and one of each kind."""

from __future__ import annotations

import pytest

from app.extraction.model import Mode, Precision
from app.extraction.predicates import may_end, standard

from .reading import SPEAKER, brief, end, read, statements

GIVES = [
    ("Alice uses Aionforge Memory; Italo uses Rust.",
     ["assert Alice uses Aionforge Memory", "assert Italo uses Rust"]),
    ("I'm allergic to nuts.", ["assert Nora Weiss allergic_to text:nuts"]),
    ("Ich bin gegen Nüsse allergisch.", ["assert Nora Weiss allergic_to text:nuesse"]),
    ("My name is Nora.", ["assert Nora Weiss name text:nora"]),
    ("Ich heiße Nora.", ["assert Nora Weiss name text:nora"]),
    ("I speak Dutch and Danish.",
     ["assert Nora Weiss speaks text:dutch", "assert Nora Weiss speaks text:danish"]),
    ("My favourite color is green.", ["assert Nora Weiss attribute:favorite color text:green"]),
    ("Anna is a teacher.", ["assert Anna has_role text:teacher"]),
    ("Anna ist Lehrerin.", ["assert Anna has_role text:lehrerin"]),
    ("Anna is married to Ben.", ["assert Anna married_to Ben"]),
    ("I was born in Lyon.", ["assert Nora Weiss born_in Lyon"]),
    ("I am 34 years old.", ["assert Nora Weiss age number:34"]),
    ("We use PostgreSQL for everything.", ["assert we uses PostgreSQL"]),
    ("Wir nutzen SvelteKit.", ["assert we uses SvelteKit"]),
    ("Priya leads the firmware team.", ["assert firmware team led_by Priya"]),
    ("The Moosling costs 79 euros.", ["assert Moosling price money:EUR:79"]),
    ("Der Versand kostet 4,90 Euro.", ["assert Versand price money:EUR:4.9"]),
    ("Halden Foods has 90 employees in total.",
     ["assert Halden Foods headcount quantity:employee:90"]),
    ("Halden Foods has 80 employees in 12 countries.",
     ["assert Halden Foods headcount quantity:employee:80"]),
    ("My salary is 3000 euros gross.", ["assert Nora Weiss salary money:EUR:3000"]),
    ("Leo leitet den Vertrieb in Tirol.", ["assert Vertrieb Tirol led_by Leo"]),
    ("Halden Foods has 120 employees.", ["assert Halden Foods headcount quantity:employee:120"]),
    ("Our warehouse is in Hamburg.", ["assert warehouse located_in Hamburg"]),
    ("Project Lynx is active.", ["assert Lynx status state:active"]),
    ("Project Lynx is cancelled.", ["assert Lynx status state:cancelled"]),
    ("Heron GmbH is based in Ulm.", ["assert Heron GmbH located_in Ulm"]),
    ("Italo uses Rust and Go.", ["assert Italo uses Rust", "assert Italo uses Go"]),
    ("I don't eat fish.", ["deny Nora Weiss eats text:fish"]),
    ("Ich esse keinen Fisch.", ["deny Nora Weiss eats text:fisch"]),
    ("I prefer tea over coffee.", ["assert Nora Weiss prefers text:tea"]),
    ("I like to read on trains.", ["assert Nora Weiss likes text:read on trains"]),
    ("Tom bevorzugt grünen Tee.", ["assert Tom prefers text:gruenen tee"]),
    ("Mia is on the board.", ["assert Mia member_of board"]),
    ("The deadline of the report is on July 3.",
     ["assert report deadline date:2026-07-03"]),
    ("My sister from York speaks Dutch.",
     ["assert Nora Weiss's sister from York speaks text:dutch"]),
    ("Our office in Berlin uses Slack.", ["assert office Berlin uses Slack"]),
    ("Ann Lee is a director of Acme.", ["assert Ann Lee has_role text:director of acme"]),
    ("Ann Lee is the director of Acme.", ["assert Acme attribute:director Ann Lee"]),
    ("Ann is a friend of Tom's.", ["assert Tom relation:friend Ann"]),
    ("The auditor comes on Tuesday.", ["assert auditor date date:2026-06-16"]),
    ("I like the Tuesday class.", ["assert Nora Weiss likes text:tuesday class"]),
    ("The report was approved by Carol.", ["assert report done_by:approve Carol"]),
    ("Luca's in a cast.", ["assert Luca is text:in cast"]),
    ("Loading bay 3 is out of use.", ["assert Loading bay 3 is text:out of use"]),
    ("A haircut at Marco's costs 18 euros.", ["assert haircut Marco's price money:EUR:18"]),
]  # fmt: skip
GIVES_NOTHING = [
    "It uses Rust.",
    "because the build failed she uses a workaround",
    "Ada, Bea, Cleo, Dora, Enid, Fay and Gwen Hopper Lovelace Turing use Rust.",
    "`Vec::new()` uses Rust.",
    "foo(bar) => uses Rust",
    "Anna is a good friend of the family dog.",
    "Rust is a language.",
    "He scored 9 runs.",
    "Jed Roe is a Danish children's TV producer.",
    "I graduated with a Bachelor's in Computer Science.",
    "After post production works, it is sold.",
    "Whilst Sybil became a co-founder of Acme, we waited.",
    "This uses Rust.",
    "Do you use Rust?",
    "Does she live in Berlin?",
    "If we use Rust, the build gets faster.",
    "Wenn wir Rust nutzen, wird alles schneller.",
    "She thinks we use Rust.",
    "Maybe Anna lives in Cork.",
    "Vielleicht wohnt Anna in Kork.",
    "Anna would live in Cork.",
    "Please use Rust.",
    "Bitte nutze Rust.",
    "Sounds like a great plan.",
    "Their lawyer wants a longer warranty.",
    "",
    "   ",
    "???",
    "```\nAnna lives in Cork.\n```",
    '{"city": "Cork", "lives": true}',
]


@pytest.mark.parametrize(("text", "expected"), GIVES)
def test_a_sentence_gives(text: str, expected: list[str]) -> None:
    assert [brief(s) for s in statements(text)] == expected


@pytest.mark.parametrize("text", GIVES_NOTHING)
def test_a_sentence_gives_nothing(text: str) -> None:
    assert statements(text) == ()


def test_the_first_person_is_the_speaker() -> None:
    (found,) = statements("I live in Porto.")
    assert found.subject.name == SPEAKER
    assert found.subject.is_speaker
    assert found.subject.type == "person"


def test_without_a_speaker_the_first_person_stays_marked() -> None:
    (found,) = read("I live in Porto.", speaker=None).statements
    assert (found.subject.name, found.subject.is_speaker) == ("I", True)


def test_we_is_a_group() -> None:
    (found,) = statements("Our default branch is called main.")
    assert (found.subject.name, found.subject.type) == ("we", "group")


def test_a_move_names_the_old_place_and_ends_it() -> None:
    new, old = statements("I moved from Bremen to Oldenburg on May 1.")
    assert (new.mode, end(new.object), end(new.replaces)) == (Mode.ASSERT, "Oldenburg", "Bremen")
    assert (old.mode, end(old.object)) == (Mode.END, "Bremen")
    assert new.since is not None
    assert (new.since.at.date().isoformat(), new.since.precision) == ("2026-05-01", Precision.DAY)


def test_a_correction_names_the_error() -> None:
    found = statements("Leo is allergic to eggs, not to milk.")
    assert found[0].mode is Mode.CORRECT
    assert end(found[0].replaces) == "text:milk"


def test_a_correction_may_be_announced_by_the_sentence_before() -> None:
    (found,) = statements("I was wrong in March. The root cause of INC-27 is clock drift.")
    assert found.mode is Mode.CORRECT


def test_doubt_lowers_the_confidence() -> None:
    (sure,) = statements("Verdelo's headquarters are in Lyon.")
    (unsure,) = statements("Verdelo's headquarters are in Lyon, I believe.")
    (asking,) = statements("Verdelo's headquarters are in Lyon, right?")
    assert unsure.confidence < sure.confidence
    assert asking.confidence < sure.confidence


def test_the_span_is_the_clause_in_the_text() -> None:
    text = "Good morning. The printer is broken, and Anna lives in Cork."
    found = [s for s in statements(text) if s.predicate == "lives_in"]
    assert [text[s.span.start : s.span.end] for s in found] == ["and Anna lives in Cork"]


def test_what_holds_on_top_leaves_a_rest() -> None:
    assert [s.rest for s in statements("The app also runs on Android.")] == ["also"]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("I work for Halden Foods.", ""),
        ("Since May I work for Brightwater.", ""),
        ("I work for Brightwater on weekends.", "on weekends"),
        ("In the role play, I live in Rome.", "In the role play"),
        ("Translate into German: I live in Rome.", "Translate into German"),
        ("Ben says: Anna lives in Galway.", "Ben says"),
        ("I usually work for Brightwater.", "usually"),
        ("I don't drink coffee after 4pm.", "after 4pm"),
        ("I work for Halden Foods, but only on paper.", "but on paper"),
        ("I'm married to my job.", "Nora Weiss's job"),
        ("We moved to York because rents are lower there.", ""),
        ("Ich arbeite für den Frieden.", "Frieden"),
        ("Ich trinke keinen Alkohol aus religiösen Gründen.", "aus religiösen Gründen"),
        ("Ich fahre dienstlich einen Passat.", "dienstlich"),
        ("Diese Woche wohne ich in Bonn.", "Diese Woche"),
        ("Ich wohne jetzt in Trier.", ""),
    ],
)
def test_what_a_reading_leaves_over_is_kept(text: str, rest: str) -> None:
    assert [s.rest for s in statements(text)] == [rest]


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ("The budget of Heron for 2027 is 60,000 euros.", "year:2027"),
        ("The budget of Heron is 60,000 euros for 2027.", "year:2027"),
        ("The limit of the parser is 20 MB on Windows.", "on:windows"),
        ("The price of the lamp is 49 euros per piece.", "per:piece"),
        ("Der Preis der Lampe beträgt 49 Euro netto.", "net"),
        ("The budget of Heron is 60,000 euros.", ""),
    ],
)
def test_what_a_value_is_qualified_by_is_part_of_it(text: str, qualifier: str) -> None:
    assert [(s.qualifier, s.rest) for s in statements(text)] == [(qualifier, "")]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The film is 2 hours long.", False),
        ("Der Termin ist am 4. Mai.", False),
        ("Our budget is 300 euros.", False),
        ("Heron is active.", True),
        ("Projekt Luchs ist aktiv.", True),
        ("BUG-17 is open.", True),
        ("The Heron is active.", True),
        ("Our CEO is active.", False),
        ("The Tuesday meeting is in Leeds.", False),
        ("The March invoice was paid.", False),
        ("April Jones is active.", True),
    ],
)
def test_a_phrase_without_a_name_is_told_apart(text: str, named: bool) -> None:
    assert [s.subject.named for s in statements(text)] == [named]


def test_a_past_without_a_date_does_not_claim_the_present() -> None:
    assert statements("I lived in Paris.") == ()
    (dated,) = statements("In 2019 I lived in Paris.")
    assert not dated.ongoing
    assert dated.since is not None
    assert dated.since.precision is Precision.YEAR


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("I quit coffee.", "end Nora Weiss works_for text:coffee"),
        ("I quit my job at Halden Foods.", "end Nora Weiss works_for Halden Foods"),
        ("Tom retired last month.", "end Tom works_for any"),
        ("Our CTO resigned.", "end we attribute:cto any"),
        ("We moved out.", "end we lives_in any"),
        ("We closed our office in Graz.", "end we has_office_in Graz"),
        ("Corvus Labs went out of business.", "end Corvus Labs customer_of any"),
        ("Ruth resigned as CEO of Corvus Labs.", "end Corvus Labs attribute:ceo Ruth"),
        ("Jan took over as CEO of Corvus from Ruth.", "end Corvus attribute:ceo Ruth"),
        ("I closed the ticket.", "assert ticket status state:closed"),
        ("Anna hat Siemens verlassen.", "end Anna works_for Siemens"),
        ("Wir sind ausgezogen.", "end we lives_in any"),
        ("Wir haben Slack abgeschafft.", "end we uses Slack"),
        ("Ich habe gekündigt.", "end Nora Weiss works_for any"),
        ("Mein Vater ist in Rente gegangen.", "end Nora Weiss's Vater works_for any"),
        ("Ich bin geschieden.", "end Nora Weiss married_to any"),
        ("Nils ist bei Kellerfund ausgestiegen.", "end Nils works_for Kellerfund"),
        ("Ich habe das Ticket geschlossen.", "assert Ticket status state:closed"),
    ],
)
def test_plain_words_for_ends_are_read(text: str, ended: str) -> None:
    found = statements(text)
    assert ended in [brief(s) for s in found]
    assert not any(s.rest for s in found)


def test_an_end_fits_what_its_verb_may_end() -> None:
    (quit_, *_) = statements("I quit coffee.")
    assert may_end(quit_.fits, "drinks")
    assert may_end(quit_.fits, "take")
    assert not may_end(quit_.fits, "allergic_to")
    assert not may_end(quit_.fits, "dislikes")
    (retired,) = statements("Tom retired last month.")
    assert may_end(retired.fits, "works_as")
    assert not may_end(retired.fits, "lives_in")


@pytest.mark.parametrize("text", ["I left my job at nine.", "I didn't quit coffee.", "Quit it."])
def test_what_is_no_end_ends_nothing(text: str) -> None:
    assert not any(s.mode is Mode.END and not s.rest for s in statements(text))


@pytest.mark.parametrize(
    ("text", "brief_"),
    [
        ("I take warfarin.", "assert Nora Weiss take text:warfarin"),
        ("Samson is in the top field.", "assert Samson is text:in top field"),
        ("Opa nimmt 75 mg Ramipril.", "assert Opa nehmen text:75 mg ramipril"),
    ],
)
def test_a_plain_clause_is_kept_under_its_verb(text: str, brief_: str) -> None:
    (found,) = statements(text)
    assert brief(found) == brief_
    assert not standard().get(found.predicate).functional
    assert found.confidence <= 0.5
