"""The finite forms of a verb, which `app.extraction.inflect` reads the other way round."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from app.extraction import inflect
from app.extraction.verbs import readings
from app.indexing.irregular import PARTS


class Person(StrEnum):
    """Who the subject of a verb is: I, one other, or several."""

    FIRST = "first"
    ONE = "one"
    MANY = "many"


SHORT = re.compile(r"[^aeiou]*[aeiou][bdgklmnprt]$")  # plan, stop: the last letter is doubled
BE = {
    (Person.FIRST, False): "am",
    (Person.ONE, False): "is",
    (Person.MANY, False): "are",
    (Person.FIRST, True): "was",
    (Person.ONE, True): "was",
    (Person.MANY, True): "were",
}


def english(lemma: str, person: Person, *, past: bool = False) -> str:
    """The finite form of an English verb."""
    if lemma == "be":
        return BE[person, past]
    if lemma in ("can", "must"):
        return "could" if past and lemma == "can" else lemma
    if past:
        return _english_past(lemma)[0]
    if person is not Person.ONE:
        return lemma
    listed = inflect.irregular_en().get(lemma)
    return listed[1] if listed else inflect.present(lemma)


def english_participle(lemma: str) -> str:
    """The past participle of an English verb."""
    return _english_past(lemma)[1]


@cache
def _english_past(lemma: str) -> tuple[str, str]:
    """Past and participle."""
    if lemma == "be":
        return "was", "been"
    listed = [f for f in inflect.irregular_en().get(lemma, ()) if not f.endswith("ing")]
    if not listed and (parts := PARTS["en"].get(lemma)):
        return parts[0], parts[-1]
    if len(listed) > 3:
        return listed[2], listed[3]
    if len(listed) == 3:
        back = lemma in ("run", "come", "become")  # ran, but has run
        return listed[2], lemma if back else listed[2]
    if listed:
        return lemma, lemma  # cut, put
    doubled = lemma + lemma[-1] if SHORT.fullmatch(lemma) else lemma
    return (inflect.past(doubled),) * 2


def german(verb: str, person: Person, *, past: bool = False) -> tuple[str, str]:
    """The finite form of a German verb, and the particle that stands at the end of the clause."""
    particle, stem = inflect.split_particle(verb)
    present, (one, many), _ = _german_stem(stem)
    if past:
        return (many if person is Person.MANY else one), particle
    if person is Person.MANY:
        return ("sind" if stem == "sein" else stem), particle
    return present[person is Person.ONE], particle


def german_participle(verb: str) -> str:
    """The past participle of a German verb, in one word."""
    particle, stem = inflect.split_particle(verb)
    return particle + _german_stem(stem)[2]


@cache
def _german_stem(stem: str) -> tuple[tuple[str, str], tuple[str, str], str]:
    """Present (I, one other), past (one, several) and participle of a verb without a particle."""
    prefix, base = ("", stem) if stem in inflect.irregular_de() else _prefixed(stem)
    parts = PARTS["de"].get(base, ())
    forms = inflect.german(base)
    participle = next(w for w, f in forms if f.participle)
    present = [w for w, f in forms if not f.past and not f.participle]
    first, other = present[0], present[0] if base in MODAL else present[1]
    if base in VOWELS:
        first = other = VOWELS[base]
    if base in ("sein", "haben", "werden") or base.endswith(("eln", "ern")):
        other = present[2]
    if base.endswith("ern"):
        first = present[1]  # ich liefere, but ich pendle
    past = [w for w, f in forms if f.past]
    if base not in inflect.irregular_de() and len(parts) > 1:
        past, participle = [parts[-2]], parts[-1]
        other = parts[0] if len(parts) > 2 else other
    if prefix:
        participle = prefix + participle.removeprefix("ge")
    several = past[1] if len(past) > 1 else past[0] + ("n" if past[0].endswith("e") else "en")
    return (prefix + first, prefix + other), (prefix + past[0], prefix + several), participle


def _prefixed(stem: str) -> tuple[str, str]:
    """`unterschreiben` to `unter` and `schreiben`, where the rest is an irregular verb."""
    for prefix in UNSTRESSED:
        rest = stem.removeprefix(prefix)
        if rest != stem and (rest in inflect.irregular_de() or rest in PARTS["de"]):
            return prefix, rest
    return "", stem


UNSTRESSED = ("be", "ver", "er", "ent", "ge", "miss", "zer", "über", "unter", "wider", "emp")
VOWELS = {
    "können": "kann",
    "dürfen": "darf",
    "müssen": "muss",
}  # ich and er, of verbs that no list of forms has
MODAL = frozenset(["mögen", "wollen", "wissen", "können", "müssen", "dürfen", "sollen"])


def lemma(finite: str, language: str) -> tuple[str, bool] | None:
    """The verb of a finite form and whether the form is past, or None where no list has it."""
    known = [f for f in readings(finite, language) if not f.participle or f.past]
    if not known:
        return None
    known.sort(key=lambda f: (f.past, f.participle))
    return known[0].lemma, known[0].past


def plural_form(word: str, language: str) -> bool | None:
    """Whether a word is a verb of several (True), of one (False), or tells neither (None)."""
    word = word.lower()
    if word in PLURAL[language]:
        return True
    if word in SINGULAR[language]:
        return False
    found = [f for f in readings(word, language) if not f.past and not f.participle]
    if not found:
        return None
    if language == "en":
        return not any(f.lemma != word for f in found)
    return any(f.plural for f in found)


PLURAL = {
    "en": frozenset(["are", "were", "have", "aren't", "weren't", "don't", "haven't", "do"]),
    "de": frozenset(["sind", "waren", "haben", "werden", "hatten", "wurden", "müssen"]),
}
SINGULAR = {
    "en": frozenset(["is", "was", "has", "isn't", "wasn't", "doesn't", "hasn't", "does"]),
    "de": frozenset(["ist", "war", "hat", "wird", "hatte", "wurde", "muss"]),
}
