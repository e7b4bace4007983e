"""The verbs that rules know: their forms, and the predicate that a verb with its words gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from app.extraction.data import lexicon, words
from app.extraction.inflect import Form, Forms, index, irregular_de, irregular_en, particles
from app.extraction.predicates import standard

PREPOSITIONS = {
    "en": words("sets", "prepositions_en"),
    "de": words("sets", "prepositions_de"),
}
# What a German participle looks like that no list has.
PARTICIPLE_DE = re.compile(
    r"(?:ge\w{3,}|(?:be|ver|er|ent|zer|ab|an|auf|aus|ein|um|vor|zu)\w{4,})(?:t|en)$"
)
MERGED = {
    "im": "in", "ins": "in", "am": "an", "ans": "an", "beim": "bei", "vom": "von", "zum": "zu",
    "zur": "zu",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sense:
    """What a verb with its preposition says. `swapped`: the object is what it is said of."""

    predicate: str
    swapped: bool = False
    listed: bool = True  # whether the registry names it


Key = tuple[str, str, str]  # lemma, word after it ("allergic", "written"), preposition


@cache
def senses(language: str) -> dict[Key, Sense]:
    """Every known combination, to its predicate."""
    found: dict[Key, Sense] = {}
    for english, german in _pairs():
        for verb in [english] if language == "en" else german:
            found[_key(verb, language)] = Sense(english.replace(" ", "_"), listed=False)
    for row in standard():
        for verb in row.wording.get(f"verbs_{language}", ()):
            found[_key(verb, language)] = Sense(row.name)
        for verb in row.wording.get(f"passive_{language}", ()):
            found[_key(verb, language)] = Sense(row.name, swapped=True)
    return found


def _pairs(name: str = "pairs") -> Iterator[tuple[str, list[str]]]:
    for line in lexicon()["verbs"][name].split("\n"):
        english, colon, german = line.partition(":")
        if colon:
            yield english, [verb.strip() for verb in german.split(",")]


def _key(phrase: str, language: str) -> Key:
    verb, *rest = phrase.split()
    preposition = ""
    if rest and rest[-1] in PREPOSITIONS[language]:
        preposition = MERGED.get(rest[-1], rest[-1]) if language == "de" else rest[-1]
        rest = rest[:-1]
    return verb, " ".join(rest), preposition


@cache
def english_name(german: str) -> str:
    """The English verb that names the predicate of a German one."""
    for english, verbs in _pairs():
        if german in verbs:
            return english
    return german


def open_name(german: str) -> str:
    """The name of a predicate after a German verb that is read by no sense of a list: the English
    verb, save where that has only what the German one means of a thing (`wartet auf` is no
    `wartet die Heizung`)."""
    return german if german in words("verbs", "of_things_de") else english_name(german)


@cache
def german_verbs(english: str) -> tuple[str, ...]:
    """The German verbs of an English one, the nearest first."""
    both = (*_pairs(), *_pairs("told"))
    return tuple(verb for name, verbs in both if name == english for verb in verbs)


@cache
def forms(language: str) -> Forms:
    """All forms of all verbs that the rules know."""
    lemmas = {key[0] for key in senses(language)}
    lemmas |= words("verbs", f"plain_{language}")
    lemmas |= set(irregular_en() if language == "en" else irregular_de())
    lemmas |= {verb.split()[0] for verb in ending_verbs(language)}
    lemmas -= {"can't", "spezialisiert", "ehrenamtlich"}
    lemmas |= MOVES[language] | SWITCHES[language] | CHANGES[language]
    lemmas |= words("sets", f"dated_verbs_{language}")
    return index(sorted(lemmas), language)


@cache
def ending_verbs(language: str) -> tuple[str, ...]:
    """The verbs that tell that something stopped, each with the words that belong to it."""
    lines: str = lexicon()["ends"][language]
    return tuple(
        verb.strip() for line in lines.strip().split("\n") for verb in line.split(":")[0].split(",")
    )


def readings(word: str, language: str) -> tuple[Form, ...]:
    """What a word may be as a form of a verb; a German participle with a separable prefix is one
    of the verb without it."""
    lowered = word.lower()
    found = forms(language).get(lowered, ())
    return found if found or language == "en" else _with_prefix(lowered)


def _with_prefix(word: str) -> tuple[Form, ...]:
    known = forms("de")
    for particle in particles():
        rest = word.removeprefix(particle)
        if rest != word and rest.startswith("ge"):
            found = (f for f in known.get(rest, ()) if f.participle)
            return tuple(replace(f, lemma=particle + f.lemma) for f in found)
    return ()


# Verbs that say that a place or a thing was exchanged for another.
MOVES = {
    "en": words("sets", "moves_en"),
    "de": words("sets", "moves_de"),
}
SWITCHES = {
    "en": words("sets", "switches_en"),
    "de": words("sets", "switches_de"),
}
REPLACES = {
    "en": words("sets", "replaces_en"),
    "de": words("sets", "replaces_de"),
}
# Verbs that say that an amount is now another one.
CHANGES = {
    "en": words("sets", "changes_en"),
    "de": words("sets", "changes_de"),
}
