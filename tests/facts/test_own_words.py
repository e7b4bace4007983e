"""A fact is told with the verb, the preposition and the owner that its clause has."""

from __future__ import annotations

import pytest

from app.consolidation.derive import render
from app.extraction.predicates import standard
from app.facts.record import Thing, Triple
from app.facts.rendering import sentence
from app.facts.said import Said, in_clause
from tests.facts.spoken import spoken

# By what a statement forgot: the sentence as it stands is the one wanted, but where another is.
KEPT = {
    "um": ["Der Zug fährt um sieben Uhr"],
    "neben": ["Das Studio ist neben dem Bahnhof"],
    "unter": ["Unser Hund schläft unter dem Küchentisch", "Der Keller steht unter Wasser"],
    "vor": ["Der Bus hält vor der Schule"],
    "auf": ["Wir sparen auf einen Wohnwagen", "Ich warte auf einen Rückruf"],
    "bei": ["Meine Frau arbeitet bei einer Bank", "Mein Halbbruder dient bei der Marine"],
    "mit": ["Ich fahre mit dem Auto ins Büro"],
    "an": ["Oma geht am Stock"],
    "nach": ["Die Probezeit endet nach sechs Monaten"],
    "seit": ["Ich wohne seit elf Jahren über einer Bäckerei"],
    "durch": ["Das Regal passt nicht durch die Tür"],
    "von bis": ["Die Sprechstunde dauert von 8 bis 12 Uhr"],
    "zwischen": ["Die Praxis bleibt zwischen Weihnachten und Neujahr zu"],
    "verb": [
        "Der Build dauert 12 Minuten",
        "Die Rechnung wurde von Mara verschickt",
        "Unser Chor probt im Gemeindehaus",
        "The choir rehearses in the old chapel",
        "The scanner belongs to Petra",
        "Mein Chef kommt aus Flensburg",
        "The parcel comes from Lyon",
    ],
    "state": [
        "Die Ampel an der Kreuzung ist kaputt",
        "Der Stall ist leer",
        "Der Mietvertrag wird unterschrieben",
        "The dog is not allowed on the bed",
    ],
    "date": ["The team meets on Tuesday", "Die Lieferung kommt am Montag"],
    "owner": [
        "Meine Stiefmutter stammt aus der Eifel",
        "Our new office opens in Ghent",
        "Die Garage gehört meinem Schwager",
        "My stepson works part-time in a record shop",
    ],
    "amount": [
        "Rent is 900 euros a month",
        "Die Miete beträgt 780 Euro im Monat",
        "The meeting is in room 4",
        "My shoe size is seven and a half",
        "Our cottage is three miles from the nearest shop",
        "The electrician charges 45 pounds an hour",
        "Der Kühlschrank ist eins achtzig hoch",
        "Tom ist 34 Jahre alt",
        "Our customers pay within 14 days",
        "Unsere Kunden zahlen innerhalb von 14 Tagen",
    ],
    "attribute": [
        "Unsere Datenbank ist Postgres 16",
        "Meine Lieblingsfarbe ist Grün",
        "Der Pfand für den Schlüssel beträgt zwanzig Euro",
    ],
    "perfect": [
        "Wir haben die Wohnung untervermietet",
        "Wir haben uns gegen den Kauf entschieden",
        "Mein Großonkel ist nach Kanada ausgewandert",
    ],
}
# What stands otherwise in its clause: turned round, dated, ended, of several, with more.
TURNED = [
    ("de", "Die Bäckerei macht um sechs auf", "Die Bäckerei öffnet um sechs"),
    ("de", "Auf dem Server läuft Debian", "Debian läuft auf dem Server"),
    ("de", "Im Keller stehen noch drei Kisten Wein", "Drei Kisten Wein stehen im Keller"),
    ("de", "Das Sofa haben wir von den Vormietern übernommen", "Wir haben das Sofa übernommen"),
    ("de", "Die Firma Brandstetter stellt Fenster her", "Brandstetter stellt Fenster her"),
    ("de", "Seit dem Sturz geht Oma am Stock", "Oma geht am Stock"),
    ("de", "Jan Pohl leitet den Vertrieb", "Der Vertrieb wird von Jan Pohl geleitet"),
    ("de", "Nora arbeitet nicht mehr bei der Post", "Nora arbeitet nicht bei der Post"),
    ("de", "Die Miete beträgt jetzt 950 Euro statt 900 Euro", "Die Miete beträgt nicht 900 Euro"),
    ("en", "The rent is now 950 euros instead of 900 euros", "The rent is not 900 euros"),
    ("en", "Since March Tom has worked for Heron", "Tom works for Heron"),
    ("en", "We use Slack and Notion", "We use Notion"),
    ("de", "Der Arzt hat mittwochs zu", "Der Arzt hat mittwochs zu"),
    ("de", "Der Chor trifft sich nicht mehr im Gemeindehaus",
     "Der Chor trifft sich nicht im Gemeindehaus"),
]  # fmt: skip


def language(text: str) -> str:
    english = {"the", "is", "my", "our", "we", "rent", "comes"}
    return "en" if english & {*text.lower().split()} else "de"


@pytest.mark.parametrize("text", [text for texts in KEPT.values() for text in texts])
def test_a_plain_sentence_is_told_as_it_stands(text: str) -> None:
    assert text in [told for told, _ in spoken(f"{text}.", language(text))]


@pytest.mark.parametrize(("tongue", "text", "wanted"), TURNED)
def test_what_stands_otherwise_is_told_in_its_words(tongue: str, text: str, wanted: str) -> None:
    assert wanted in [told for told, _ in spoken(f"{text}.", tongue)]


@pytest.mark.parametrize(
    ("tongue", "text", "wanted"),
    [
        (
            "de",
            "Meine Schwester arbeitet bei einer Bank",
            "Noras Schwester arbeitet bei einer Bank",
        ),
        ("de", "Ich wohne bei meiner Schwester", "Nora wohnt bei Noras Schwester"),
        ("de", "Mein Gehalt beträgt 4000 Euro", "Noras Gehalt beträgt 4000 Euro"),
        ("en", "My sister works at a bank", "Nora's sister works at a bank"),
    ],
)
def test_a_speaker_who_has_a_name_is_told_by_it(tongue: str, text: str, wanted: str) -> None:
    assert [told for told, _ in spoken(f"{text}.", tongue, "Nora")] == [wanted]


def test_without_a_clause_the_forms_of_the_registry_stand() -> None:
    said = Said("Nora", "Kiel")
    assert in_clause(said, "", "de").clause == ""
    assert sentence(in_clause(said, "", "de"), standard().get("lives_in"), "de") == (
        "Nora wohnt in Kiel"
    )


@pytest.mark.parametrize(
    ("name", "clause", "value", "wanted"),
    [
        ("lives_in", "Nora wohnt in Kiel", "Kiel", "Nora haust Kiel"),
        ("status", "Nora ist aktiv", "aktiv", "Nora haust aktiv"),
        ("sleep_in", "Nora schläft in Kiel", "Kiel", "Nora haust Kiel"),
    ],
)
def test_a_label_of_a_workspace_is_not_replaced(
    name: str, clause: str, value: str, wanted: str
) -> None:
    registry = standard().with_overrides({name: {"label_de": "haust {}"}})
    told = in_clause(Said("Nora", value), clause, "de")
    assert sentence(told, registry.get(name), "de") == wanted


@pytest.mark.parametrize(
    "clause", ["", "Kiel", "in in in", "I's I's", "von von bis", "12 ,", "und"]
)
@pytest.mark.parametrize("name", ["I's ", "Kiel", "in", "12", "'s ", "", "I's Frau"])
@pytest.mark.parametrize(
    "predicate", ["status", "date", "is_x", "measure:be:EUR", "lives_in", "term:a"]
)
@pytest.mark.parametrize("tongue", ["en", "de"])
def test_no_words_of_a_clause_stop_the_telling(
    clause: str, name: str, predicate: str, tongue: str
) -> None:
    subject, value = (
        Thing("entity", "entity:a", name or "x", "a"),
        Thing("text", "text:b", name or "x"),
    )
    for kind in ("text", "entity", "money"):
        made = Triple("s", "t", subject, predicate, Thing(kind, value.key, value.text), True)
        assert render(made, standard().get(predicate), tongue, clause)
