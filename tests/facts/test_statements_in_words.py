"""Statements of everyday sentences hold what the sentence says: checks that need no reader.

`statements.jsonl` was written by somebody who saw neither the rules nor what they make of it. Half
of its rows, those of which the first byte of the SHA-256 of the id is even, were looked at while
the rules of telling were made; the other half was read once, when they were done.
"""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from app.consolidation.derive import render
from app.extraction.model import Mention, Statement
from app.extraction.predicates import standard
from app.extraction.tokens import DETERMINERS
from app.extraction.verbs import MERGED, PREPOSITIONS
from app.facts.claim import Authority, Tier
from app.facts.record import Source, Wording, fact_row
from app.kernel.clock import now
from tests.facts.spoken import spoken, triple

ROWS = [
    orjson.loads(line)
    for line in Path(__file__).with_name("statements.jsonl").read_bytes().splitlines()
]
CURRENCY = re.compile(r"€|\$|£|\b(?:EUR|USD|GBP|euros?|Euro|dollars?|Dollar|pounds?|Pfund)\b")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
SOURCE = Source("e", now(), now(), Authority(Tier.USER, "user:nora", 1.0))
Case = tuple[str, str, str, Statement]  # language, text, sentence, statement


def cases() -> list[Case]:
    return [
        (row["lang"], row["text"], told, one)
        for row in ROWS
        for told, one in spoken(row["text"], row["lang"])
    ]


@pytest.fixture(scope="module")
def told() -> list[Case]:
    return cases()


def name_of(one: Statement) -> str:
    return one.object.name if isinstance(one.object, Mention) else one.object.text


def preposition(language: str, one: Statement) -> str:
    """The preposition before an object in its clause, or the one that its own words begin with."""
    found = re.search(rf"(?<!\w){re.escape(name_of(one))}(?!\w)", one.text, re.IGNORECASE)
    if found is None:
        return ""
    ahead, before = ["", "", *(w.lower() for w in WORD.findall(one.text[: found.start()]))][-2:]
    own = name_of(one).split()[0].lower()
    for word in (own, before, ahead if before in DETERMINERS[language] else ""):
        if word in PREPOSITIONS[language]:
            return word
    return ""


def plain(words: str, language: str) -> set[str]:
    found = {w.lower() for w in WORD.findall(words)}
    return found | {MERGED[w] for w in found if language == "de" and w in MERGED}


def test_the_preposition_of_an_object_stands_in_its_statement(told: list[Case]) -> None:
    """Save for a date, whose own is told, and where only what came of a change is told: what was
    moved to Linear is used."""
    lost = [
        (sentence, text)
        for language, text, sentence, one in told
        if one.rule not in ("switched", "moved", "rescheduled", "date", "amount_changed")
        and (word := preposition(language, one))
        and MERGED.get(word, word) not in plain(sentence, language)
        and word not in plain(sentence, language)
    ]
    assert not lost


def test_no_statement_has_two_words_of_currency(told: list[Case]) -> None:
    for _, text, sentence, _ in told:
        assert len(CURRENCY.findall(sentence)) <= max(1, len(CURRENCY.findall(text))), sentence


def test_no_statement_has_a_word_that_its_language_does_not(told: list[Case]) -> None:
    foreign = {"de": r"\b(?:is|are|was|of|and|has)\b", "en": r"\b(?:ist|sind|wird|und|hat)\b"}
    for language, text, sentence, _ in told:
        assert not re.search(foreign[language], sentence), (text, sentence)


def test_a_statement_says_next_to_nothing_that_its_sentence_does_not(told: list[Case]) -> None:
    """A word of a statement is one of the sentence, but for what tells who speaks and denies."""
    ours = {"i", "am", "is", "are", "not", "do", "does", "be", "have", "has", "a", "an", "the"}
    ours |= {"ich", "nicht", "wir", "ist", "sind", "der", "die", "das", "kein", "keine"}
    new = [
        (sentence, text)
        for _, text, sentence, _ in told
        if len({w.lower() for w in WORD.findall(sentence)} - ours - {
            w.lower() for w in WORD.findall(text)
        }) > 1
    ]  # fmt: skip
    assert len(new) <= len(told) / 20, new


def test_a_statement_reads_back_to_its_fact(told: list[Case]) -> None:
    """Of the sentences nine in ten give the very fact again, by its subject and predicate."""
    lost = []
    for language, text, sentence, one in told:
        again = {(s.subject.name, s.predicate) for _, s in spoken(f"{sentence}.", language)}
        if (one.subject.name, one.predicate) not in again:
            lost.append((text, sentence, one.predicate, again))
    assert len(lost) <= len(told) / 10, lost


def test_a_fact_is_the_same_however_it_is_told() -> None:
    """Ids and keys are made of a statement's ends and not of its words."""
    for row in ROWS:
        for _, one in spoken(row["text"], row["lang"]):
            fact = triple(one)
            predicate = standard().get(one.predicate)
            told = [render(fact, predicate, row["lang"], clause) for clause in (one.text, "")]
            rows = [fact_row(fact, "k", Wording(t, row["lang"]), SOURCE) for t in told]
            assert rows[0]["id"] == rows[1]["id"] == fact.fact_id
