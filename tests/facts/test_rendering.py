"""A fact is told as a sentence, in the language of its source."""

from __future__ import annotations

import re
from itertools import pairwise, product

import pytest

from app.extraction.extract import extract
from app.extraction.model import Mention, Mode, Utterance
from app.extraction.phrases import POSSESSIVES
from app.extraction.predicates import Predicate, standard
from app.extraction.verbs import PREPOSITIONS, german_verbs, senses
from app.facts.conjugation import Person, english, english_participle, german, german_participle
from app.facts.rendering import sentence
from app.facts.said import Said, in_clause
from app.kernel.clock import now
from app.values.parse import parse_value

MADE = [
    *("by:build", "by:host", "by:manage", "by:leiten", "done_by:send", "done_by:contaminate"),
    *("measure:last:s", "measure:have:room", "measure:be:EUR", "measure:take:ramipril"),
    *("measure:guarantee:availability", "tally:order:crate", "every:meet", "every:run"),
    *("every:release:firmware", "term:keep:backup", "attribute:ceo", "attribute:office manager"),
    *("attribute:preferred parcel service", "relation:daughter", "work_on_day", "öffnen_on_day"),
    *("has_contract_with", "sleep_in", "ship_to", "deploy_with", "accept", "aufnehmen"),
    *("visualize", "nickname", "favourite food", "friend of", "works at", "teaches"),
]
OPEN = sorted({sense.predicate for sense in senses("en").values() if not sense.listed})
NAMES = [*(row.name for row in standard()), *MADE, *OPEN]
VALUES = {
    "date": {"en": "on Tuesday", "de": "am Dienstag"},
    "number": {"en": "23", "de": "23"},
    "quantity": {"en": "six hours", "de": "sechs Stunden"},
    "money": {"en": "40 euros", "de": "40 Euro"},
    "state": {"en": "shipped", "de": "versandt"},
}
SUBJECTS = ["Kestrel K9", "Nora", "we", "I"]
# Words that stand twice in a sentence only by mistake.
TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


def told(
    subject: str,
    predicate: str,
    value: str,
    language: str,
    *,
    negated: bool = False,
    past: bool = False,
    several: bool = False,
    kind: str = "entity",
) -> str:
    parsed = parse_value(value, language) if kind != "entity" else None
    key = parsed.key if parsed is not None else ""
    kind = parsed.kind.value if parsed is not None else kind
    said = Said(subject, value, kind, key, negated, past, several)
    return sentence(said, standard().get(predicate), language)


def cases() -> list[tuple[str, str, str, str]]:
    """Every predicate with every kind of value that it may have, in both languages."""
    found = []
    for name, language in product(NAMES, ("en", "de")):
        row = standard().get(name)
        kind = row.kind.value if row.kind else "entity"
        values = [VALUES.get(kind, {language: "Halvorsen Marine"})[language]]
        if row.kind is None or kind == "text":
            values.append("green tea" if language == "en" else "grüner Tee")
        if kind in ("quantity", "number") or name.startswith(("measure:", "tally:", "term:")):
            values += ["23 employees" if language == "en" else "23 Mitarbeiter", "98 percent"]
        if kind == "date" or name.endswith("_on_day"):
            values += ["July 8", "July 2026", "next week"]
            values += ["der 8. Juli", "im Juli 2026", "samstags"] if language == "de" else []
        found += [(name, value, language, kind) for value in values]
    return found


@pytest.mark.parametrize(
    ("negated", "past", "several"), list(product((False, True), repeat=3)), ids=str
)
def test_every_predicate_makes_a_sentence(negated: bool, past: bool, several: bool) -> None:
    """Every predicate by polarity, voice, tense, number, value and language."""
    for (name, value, language, kind), subject in product(cases(), SUBJECTS):
        made = told(
            subject,
            name,
            value,
            language,
            negated=negated,
            past=past,
            several=several,
            kind=kind,
        )
        hint = (name, value, language, made)
        assert not TWICE.search(made), hint
        assert not re.search(r"\s[.,;:!?]|\s\s|^\s|\s$|[{}|_:]", made.replace(value, "X")), hint
        _no_two_prepositions(made, language, hint)
        _subject_first(subject, value, made, hint)
        denies = re.search(r"\b(?:not|nicht|kein\w*)\b", made)
        assert bool(denies) == negated, hint


def _no_two_prepositions(made: str, language: str, hint: object) -> None:
    words = made.casefold().split()
    both = PREPOSITIONS[language] - {"als", "as", "like", "um", "ab", "an", "auf", "aus", "zu"}
    for one, other in pairwise(words):
        assert not (one in both and other in both), hint


def _subject_first(subject: str, value: str, made: str, hint: object) -> None:
    own = {"we": r"(?:We|Wir|Our)\b", "I": r"(?:I|Ich|My)\b"}.get(subject, re.escape(subject))
    where = re.search(own, made)
    assert where is not None, hint
    bare = re.escape(re.sub(r"^(?:on|am|im|der) ", "", value))
    there = re.search(bare, made)
    assert there is not None, hint
    assert where.start() < there.start(), hint


@pytest.mark.parametrize(
    ("said", "predicate", "value", "language", "wanted"),
    [
        ("Kestrel K9 pump", "by:build", "Halvorsen Marine", "en",
         "Kestrel K9 pump is built by Halvorsen Marine"),
        ("Pumpe K9", "by:build", "Halvorsen Marine", "de",
         "Pumpe K9 wird von Halvorsen Marine gebaut"),
        ("sample", "done_by:contaminate", "zinc", "en", "sample was contaminated by zinc"),
        ("Nora", "born_in", "Bonn", "de", "Nora wurde in Bonn geboren"),
        ("Nora", "accept", "Bargeld", "de", "Nora akzeptiert Bargeld"),
        ("Kamera", "aufnehmen", "Ton", "de", "Kamera nimmt Ton auf"),
        ("we", "sells", "pumps", "en", "We sell pumps"),
        ("we", "attribute:lawyer", "Ms. Brandt", "en", "Our lawyer is Ms. Brandt"),
        ("we", "attribute:ceo", "Jan Pohl", "de", "Wir haben Jan Pohl als Geschäftsführer"),
        ("Bank", "contact_person", "Herr Sommer", "de",
         "Bank hat Herrn Sommer als Ansprechpartner"),
        ("Halden Foods", "customer_of", "we", "en", "Halden Foods is a customer of ours"),
        ("Ida Falk", "partner_of", "I", "en", "Ida Falk is a partner of mine"),
        ("Halden Foods", "customer_of", "we", "de", "Halden Foods ist Kunde von uns"),
        ("Lizenz", "status", "erteilt", "de", "Lizenz ist erteilt"),
        ("Lizenz", "status", "aktiv", "de", "Lizenz hat den Status „aktiv“"),
        ("license", "status", "granted", "en", "license is granted"),
        ("license", "status", "active", "en", "license has the status active"),
        ("Jan Pohl", "has_role", "the head of sales", "en",
         "Jan Pohl has the role of head of sales"),
        ("Sophie", "works_as", "nurse", "en", "Sophie works as a nurse"),
        ("Nora's sister", "drinks", "tea", "de", "Noras sister trinkt tea"),
        ("chairs", "likes", "rain", "en", "chairs likes rain"),
        ("Nora", "nickname", "Bob", "en", "The nickname of Nora is Bob"),
        ("Nora", "favourite food", "ramen", "en", "The favourite food of Nora is ramen"),
        ("Nora", "works at", "Halden", "en", "Nora works at Halden"),
        ("Heron GmbH", "based_in", "Ulm", "en", "Heron GmbH is based in Ulm"),
        ("Heron GmbH", "based_in", "Ulm", "de", "Heron GmbH is based in Ulm"),
    ],
)  # fmt: skip
def test_what_it_says(said: str, predicate: str, value: str, language: str, wanted: str) -> None:
    assert told(said, predicate, value, language) == wanted


@pytest.mark.parametrize(
    ("predicate", "value", "language", "wanted"),
    [
        ("measure:last:s", "six hours", "en", "Pump lasts six hours"),
        ("headcount", "23 Mitarbeiter", "de", "Pump hat 23 Mitarbeiter"),
        ("headcount", "23", "de", "Pump hat 23 Mitarbeiter"),
        ("headcount", "23 people", "en", "Pump has 23 people"),
        ("age", "32", "en", "Pump is 32 years old"),
        ("age", "32 years", "en", "Pump is 32 years old"),
        ("date", "on Tuesday", "en", "Pump is on Tuesday"),
        ("date", "June 12", "en", "Pump is on June 12"),
        ("date", "May 2026", "en", "Pump is in May 2026"),
        ("date", "next Friday", "en", "Pump is next Friday"),
        ("date", "der 1. März", "de", "Pump ist am 1. März"),
        ("date", "im Mai", "de", "Pump ist im Mai"),
        ("work_on_day", "samstags", "de", "Pump arbeitet samstags"),
        ("every:run", "six hours", "en", "Pump runs every six hours"),
        ("every:run", "once a week", "en", "Pump runs once a week"),
        ("measure:guarantee:availability", "98 percent", "en",
         "Pump guarantees 98 percent availability"),
        ("measure:take:ramipril", "5 mg", "en", "Pump takes 5 mg of ramipril"),
        ("tally:order:crate", "300 crates", "en", "Pump ordered 300 crates"),
    ],
)  # fmt: skip
def test_amounts_and_dates(predicate: str, value: str, language: str, wanted: str) -> None:
    assert told("Pump", predicate, value, language, kind="text") == wanted


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("We no longer sell pumps.", "en", "We do not sell pumps"),
        ("Sam trägt keine Brille mehr.", "de", "Sam trägt keine Brille"),
        ("Ich fahre einen Golf.", "de", "Ich fahre einen Golf"),
        ("Unser Chor probt im Gemeindehaus.", "de", "Unser Chor probt im Gemeindehaus"),
        ("Unsere Batterien kommen von Batterol.", "de", "Unsere Batterien kommen von Batterol"),
        ("The podcast is hosted by Lea.", "en", "The podcast is hosted by Lea"),
        ("Refunds take 10 days.", "en", "Refunds take 10 days"),
        ("The bakery doesn't deliver on Mondays any more.", "en",
         "The bakery does not deliver on Mondays"),
        ("Wir haben kein Büro in Leipzig mehr.", "de", "Wir haben kein Büro in Leipzig"),
        ("Der Auftrag kam von Lindwerk, nicht von Halden.", "de",
         "Der Auftrag kam von Lindwerk"),
    ],
)  # fmt: skip
def test_in_the_words_of_the_clause(text: str, language: str, wanted: str) -> None:
    """Articles and the number of the subject are those that the source gives."""
    found = []
    for statement in extract(Utterance(text, now(), language)).statements:
        value = statement.object
        said = Said(
            statement.subject.name,
            value.name if isinstance(value, Mention) else value.text,
            "entity" if isinstance(value, Mention) else value.kind.value,
            "" if isinstance(value, Mention) else value.key,
            negated=statement.mode in (Mode.END, Mode.DENY),
        )
        told_ = in_clause(said, statement.text, language)
        found.append(sentence(told_, standard().get(statement.predicate), language))
    assert wanted in found


def test_a_word_of_one_language_is_told_in_it() -> None:
    """A German verb is conjugated in German even where the source was taken for English."""
    assert told("Marta", "testen", "Ventile", "en") == "Marta testet Ventile"
    assert told("Marta", "visualize", "Ventile", "de") == "Marta visualizes Ventile"


def test_a_workspace_s_own_label() -> None:
    own = Predicate("teaches", label_en="teaches at", label_de="unterrichtet an")
    said = Said("Nora", "ETH")
    assert sentence(said, own, "en") == "Nora teaches at ETH"
    assert sentence(said, own, "de") == "Nora unterrichtet an ETH"
    denied = Said("Nora", "ETH", negated=True)
    assert sentence(denied, own, "en") == "Nora does not teach at ETH"
    assert sentence(denied, own, "de") == "Nora unterrichtet nicht an ETH"


@pytest.mark.parametrize(
    ("verb", "one", "many", "past", "participle"),
    [
        ("be", "is", "are", "was", "been"),
        ("build", "builds", "build", "built", "built"),
        ("run", "runs", "run", "ran", "run"),
        ("write", "writes", "write", "wrote", "written"),
        ("catch", "catches", "catch", "caught", "caught"),
        ("plan", "plans", "plan", "planned", "planned"),
        ("supply", "supplies", "supply", "supplied", "supplied"),
        ("cut", "cuts", "cut", "cut", "cut"),
    ],
)
def test_english_verbs(verb: str, one: str, many: str, past: str, participle: str) -> None:
    assert english(verb, Person.ONE) == one
    assert english(verb, Person.MANY) == many
    assert english(verb, Person.ONE, past=True) == past
    assert english_participle(verb) == participle


@pytest.mark.parametrize(
    ("verb", "first", "one", "many", "past", "participle"),
    [
        ("sein", "bin", "ist", "sind", "war", "gewesen"),
        ("laufen", "laufe", "läuft", "laufen", "lief", "gelaufen"),
        ("liefern", "liefere", "liefert", "liefern", "lieferte", "geliefert"),
        ("pendeln", "pendle", "pendelt", "pendeln", "pendelte", "gependelt"),
        ("annehmen", "nehme an", "nimmt an", "nehmen an", "nahm an", "angenommen"),
        ("unterschreiben", "unterschreibe", "unterschreibt", "unterschreiben", "unterschrieb",
         "unterschrieben"),
        ("helfen", "helfe", "hilft", "helfen", "half", "geholfen"),
        ("mögen", "mag", "mag", "mögen", "mochte", "gemocht"),
        ("mieten", "miete", "mietet", "mieten", "mietete", "gemietet"),
    ],
)  # fmt: skip
def test_german_verbs(
    verb: str, first: str, one: str, many: str, past: str, participle: str
) -> None:
    def form(person: Person, *, back: bool = False) -> str:
        return " ".join(german(verb, person, past=back)).strip()

    assert form(Person.FIRST) == first
    assert form(Person.ONE) == one
    assert form(Person.MANY) == many
    assert form(Person.ONE, back=True) == past
    assert german_participle(verb) == participle


def test_verbs_of_both_languages_are_paired() -> None:
    assert german_verbs("build")[:1] == ("bauen",)
    assert german_verbs("ship to")[:1] == ("liefern nach",)
    assert POSSESSIVES["our"] == "we"


@pytest.mark.parametrize(
    ("predicate", "several", "language", "told"),
    [
        ("can", False, "en", "It can be ordered"),
        ("can", True, "en", "It can be ordered"),
        ("können", False, "de", "It kann be ordered"),
        ("können", True, "de", "It können be ordered"),
        ("dürfen", False, "de", "It darf be ordered"),
    ],
)
def test_what_can_be_done_keeps_its_modal(
    predicate: str, several: bool, language: str, told: str
) -> None:
    said = Said("It", "be ordered", kind="text", key="text:be ordered", several=several)
    assert sentence(said, standard().get(predicate), language) == told
