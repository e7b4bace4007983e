"""The form of a predicate in the words of the clause that says the fact.

A predicate is one name for many verbs. Where the clause has one of them, the fact is told with that
verb, its preposition and the article of its object: what "hängt neben der Tür" hangs there.
"""

from __future__ import annotations

import re
from dataclasses import replace

from app.extraction.inflect import particles
from app.extraction.phrases import attribute_predicate, normal_noun
from app.extraction.predicates import Predicate, standard
from app.extraction.rules.amounts import DIMENSIONS
from app.extraction.rules.dates import DATED_VERBS, DUE
from app.extraction.verbs import PREPOSITIONS, english_name, readings, senses
from app.facts.clause_words import ARTICLE_DE, OWN_DE, WORD, closing_participle, place_of
from app.facts.conjugation import german_participle
from app.facts.forms import Form, form_of, head_of, is_participle
from app.facts.said import NUMERIC, Said

BE = {"en": "be", "de": "sein"}
STAYING = {"en": ("stay", "remain"), "de": ("bleiben",)}
IS_DE = frozenset(["sein", "betragen", "lauten"])
REFLEXIVE = frozenset(["sich", "mich", "uns"])
OWN_REFLEXIVE = {"i": "mich", "ich": "mich", "we": "uns", "wir": "uns"}
COPULA_DE = frozenset(
    ["ist", "sind", "beträgt", "betragen", "lautet", "lauten", "heißt", "heißen", "endet", "enden"]
)
MOST_FRONT = 8  # words
HAVING = frozenset(["has", "have", "haben", "has_part"])
# Verbs by which rules of their own find a predicate, beside those that the registry lists.
BESIDE = {
    "supplied_by": frozenset([("come", "from"), ("kommen", "von"), ("kommen", "aus")]),
    "located_in": frozenset([("be", "in"), ("sein", "in")]),
    "stored_in": frozenset([("be", "in"), ("be", "on"), ("sein", "in"), ("sein", "auf")]),
    "member_of": frozenset([("be", "in"), ("be", "on"), ("sein", "in"), ("sein", "auf")]),
}
NONE: frozenset[tuple[str, str]] = frozenset()
MOST_AHEAD = 6  # words between a verb and the time that a rule of its subject names


def own_form(said: Said, predicate: Predicate, language: str) -> Form | None:
    """The form that the clause gives; None where it tells the fact by another verb, or there is
    none."""
    if not said.clause or not is_ours(predicate):
        return None
    if predicate.name == "status":
        return _state(said, language)
    if predicate.name in ("date", "deadline"):
        return _dated(said, predicate.name, language)
    if (
        language == "de"
        and predicate.name in HAVING
        and (perfect := closing_participle(said.clause))
    ):
        return None if perfect in said.object else Form("haben", f"{{}} {perfect}", own=True)
    if said.kind in NUMERIC and said.given.tail.partition(" ")[0] in DIMENSIONS:
        return Form(BE[language], "{}", own=True)  # what is two metres wide
    if predicate.name in standard().rows:
        return _listed(said, predicate, language)
    if predicate.name.startswith("term:"):
        return _term(said, predicate, language)
    return _open(said, predicate, language) if language == "de" else None


def is_ours(predicate: Predicate) -> bool:
    """Whether a predicate has the labels of the program, and none that a scope has set."""
    usual = standard().get(predicate.name)
    return (usual.label_en, usual.label_de) == (predicate.label_en, predicate.label_de)


def _state(said: Said, language: str) -> Form | None:
    """`The pump is active`, `Die Praxis bleibt geschlossen`, `Der Vertrag wird unterschrieben`."""
    verbs, text = said.verbs, said.object
    if text in verbs.finite:  # what runs is active
        return Form(text, "", own=True)
    if {"wird", "werden"} & {*verbs.words} and is_participle(text, language):
        return Form("werden", "{}", own=True)
    rest = "{}"
    if said.negated and said.given.tail.partition(" ")[0] in PREPOSITIONS[language]:
        rest = f"{{}} {said.given.tail}"  # not allowed on the bed is no more than that
    for verb in (*STAYING[language], BE[language]):
        if verb in (*verbs.finite, *verbs.participles):
            return Form(verb, rest, own=True)
    return None


def _dated(said: Said, name: str, language: str) -> Form | None:
    """`The team meets on Tuesday`, `Der Bericht ist am Freitag fällig`."""
    due = next((word for word in said.verbs.words if word in DUE), "")
    if due:
        return Form(BE[language], "{on} fällig" if due == "fällig" else "due {on}", own=True)
    for verb in said.verbs.finite if name == "date" else ():
        if verb in DATED_VERBS[language]:
            place = " place" if verb == "take" and "place" in said.verbs.words else ""
            return Form(verb, f"{place} {{on}}".strip(), own=True)
    return None


def _listed(said: Said, predicate: Predicate, language: str) -> Form | None:
    """A verb that the registry has for the predicate, with the words that belong to it."""
    usual = form_of(predicate, language)
    if usual is None:
        return None
    if usual.past or usual.finite:
        return _done(said) if language == "de" else None
    table, preposition = senses(language), said.given.preposition
    for verb in said.verbs.finite:
        for middle in ("", *said.verbs.words):
            sense = table.get((verb, middle, preposition))
            if sense is not None and sense.predicate == predicate.name and not sense.swapped:
                form = _with(verb, middle, preposition, language)
                reflexive = usual.rest.startswith("sich ") and REFLEXIVE & {*said.verbs.words}
                return replace(form, rest=f"sich {form.rest}") if reflexive else form
    beside = BESIDE.get(predicate.name, NONE)
    others = (verb for verb in said.verbs.finite if (verb, preposition) in beside)
    found = next(others, None)
    return None if found is None else _with(found, "", preposition, language)


def _done(said: Said) -> Form | None:
    """What somebody did, in the perfect of the clause: `hat sich gegen den Kauf entschieden`."""
    last = closing_participle(said.clause)
    if not last or "haben" not in said.verbs.finite:
        return None
    own = "sich " if REFLEXIVE & {*said.verbs.words} else ""
    return Form("haben", f"{own}{{}} {last}", own=True)


def _with(verb: str, middle: str, preposition: str, language: str) -> Form:
    if language == "en":
        return Form(verb, " ".join(filter(None, (middle, preposition, "{}"))), own=True)
    return Form(verb, f"{{}} {middle}".rstrip(), own=True)


def _open(said: Said, predicate: Predicate, language: str) -> Form | None:
    """A predicate that is named by its verb, with the verb that the clause has for it."""
    name, head = predicate.name, head_of(predicate.name)
    form = form_of(predicate, language)
    if form is None or name.startswith(("attribute:", "relation:", "has_")):
        return None
    if name.startswith(("by:", "done_by:")):
        verb = _named(head, said.verbs.participles)
        if verb is None:
            return None
        return replace(form, rest=f"von {{}} {german_participle(verb)}", own=True)
    if head in ("is", "was"):
        stays = "sein" in said.verbs.finite and "werden" not in said.verbs.finite
        return replace(form, verb="sein" if stays else form.verb, own=True)
    verb = _named(head, said.verbs.finite)
    if verb is not None:
        verb = _apart(verb, said)
    if verb is None and not _unlisted(head, said):
        return None
    verb = verb or _with_particle(form.verb, said)
    return replace(form, verb=verb, rest=f"{_reflexive(said)}{form.rest}", own=True)


def _reflexive(said: Said) -> str:
    """What refers back to the subject, where the clause has it before what its object says: `sich
    unter der Treppe`; a sentence of the speaker has its own word for it."""
    words = said.verbs.words
    own = OWN_REFLEXIVE.get(said.subject.lower(), "mich" if "ich" in words else "sich")
    return "sich " if own in words and own not in said.object.split() else ""


def _term(said: Said, predicate: Predicate, language: str) -> Form | None:
    """How long a rule of somebody's own lets it take: `pay within 14 days`, `keep backups for`."""
    verb = _named(head_of(predicate.name), said.verbs.finite)
    place = place_of(said.object, said.clause, language)
    if verb is None or place is None:
        return None
    words = said.clause[: place.start].split()
    at = next((i for i, w in enumerate(words) if _is_form(w, verb, language)), len(words))
    ahead = words[at + 1 :]
    if not 0 < len(ahead) <= MOST_AHEAD or "," in " ".join(ahead):
        return None
    return Form(verb, " ".join([*ahead, "{}"]), own=True)


def _is_form(word: str, verb: str, language: str) -> bool:
    return any(form.lemma == verb and not form.participle for form in readings(word, language))


def _named(head: str, verbs: tuple[str, ...]) -> str | None:
    """The verb of some by which a predicate is named."""
    if head == "be":
        return next((verb for verb in verbs if verb in IS_DE), None)
    return next((verb for verb in verbs if head in (verb, english_name(verb))), None)


def _apart(verb: str, said: Said) -> str:
    """A verb with the particle that stands at the end of its clause and not in the object."""
    for each in said.verbs.finite:
        particle = each.removesuffix(verb)
        if particle and each != particle and said.object.split()[-1:] != [particle]:
            return each
    return verb


def _with_particle(verb: str, said: Said) -> str:
    """The same of a verb that no list has."""
    last = said.verbs.words[-1:]
    apart = last and last[0] in particles() and said.object.split()[-1:] != [*last]
    return last[0] + verb if apart else verb


def _unlisted(head: str, said: Said) -> bool:
    """Whether a verb that no list has stands in the clause."""
    return any(head in (f"{w[:-1]}en", w, f"{w}n") for w in said.verbs.words)


# Attributes ---------------------------------------------------------------------------------


def fronted(said: Said, predicate: Predicate) -> str | None:
    """A German attribute in the words of its clause: `Unsere Datenbank ist Postgres 16`; None
    where the clause does not begin with it."""
    if said.given.tail.partition(" ")[0] in DIMENSIONS:
        return None
    words = list(WORD.finditer(said.clause))[: MOST_FRONT + 1]
    at = next((i for i, w in enumerate(words) if i and w[0] in COPULA_DE), None)
    if at is None or not _names(predicate.name, [w[0] for w in words[:at]]):
        return None
    place = place_of(said.object, said.clause, "de") or place_of(said.given.text, said.clause, "de")
    if place is None or place.start < words[at].end():
        return None
    front = _of(said, said.clause[: words[at].start()].split())
    if front is None:
        return None
    value = " ".join(said.clause[words[at].end() : place.end].split())
    if said.kind in NUMERIC and said.given.tail and said.given.tail not in value:
        value = f"{value} {said.given.tail}"
    return " ".join([*front, words[at][0], *(["nicht"] if said.negated else []), value])


def _names(predicate: str, front: list[str]) -> bool:
    """Whether the words before the verb hold the noun of the predicate."""
    for size in (1, 2):
        for first in range(len(front) - size + 1):
            noun = normal_noun(" ".join(front[first : first + size]), "de")
            if attribute_predicate(noun, "de") == predicate or f"relation:{noun}" == predicate:
                return True
    return False


def _of(said: Said, front: list[str]) -> list[str] | None:
    """What the clause begins with, said of the subject: `Mein Beruf` of Nora is Noras Beruf."""
    first = front[0].strip("„“\"'")
    own = OWN_DE.fullmatch(first) or re.fullmatch(r"(?i)unser(?:e[nmrs]?)?", first)
    if own is None:
        return front if ARTICLE_DE.fullmatch(first) or said.subject in front else None
    if said.subject.lower() in ("i", "ich", "we", "wir"):
        return [first[:1].upper() + first[1:], *front[1:]]
    if said.subject[-1:] in "sßxz":
        return None
    return [f"{said.subject}s", *front[1:]]
