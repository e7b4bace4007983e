"""A fact as one sentence: subject, predicate and object in the language of the source.

A predicate's form is a finite verb and what follows it, with a place for the object; those of the
registry are in `predicates.toml`, those of open predicates follow from their verb or noun. The verb
is conjugated for the subject and the tense. A sentence has no full stop: it stands in lists and
beside other sentences.
"""

from __future__ import annotations

import re
from dataclasses import replace

from app.extraction.predicates import HABIT, SLOT, Predicate
from app.extraction.rules.senses import PREPOSITION_EN
from app.extraction.tokens import DETERMINERS
from app.extraction.verbs import MERGED, PREPOSITIONS, german_verbs
from app.facts.clause_words import OWNED, PLURAL_NOUN, spelled
from app.facts.conjugation import Person, english, english_participle, german, german_participle
from app.facts.forms import (
    Form,
    first_word,
    form_of,
    head_of,
    indefinite,
    is_german,
    is_participle,
    noun_in,
    verb_in,
)
from app.facts.own_words import fronted, is_ours, own_form
from app.facts.said import NUMERIC, Said
from app.values.model import Kind

I_EN, I_DE = ("i", "ich", "me"), "ich"
WE = ("we", "wir", "us", "uns")


def sentence(said: Said, predicate: Predicate, language: str) -> str:
    """The fact in one sentence of that language; English stands in where the words are English."""
    german_only = predicate.label_en in ("", predicate.name) or ":" in predicate.name
    if language != "de" and german_only and is_german(head_of(predicate.name)):
        language = "de"
    if language == "de" and said.clause and _is_attribute(predicate):
        whole = fronted(said, predicate)
        if whole is not None:
            return _spaced(whole)
    if predicate.name == HABIT and is_ours(predicate):
        alone = Form(said.object, "")
        german_only = language == "de" or is_german(said.object)
        return _german(said, alone) if german_only else _english(said, alone)
    form = _form(said, predicate, language)
    if form is None:
        language, form = "en", form_of(predicate, "en") or Form("have", f"{predicate.name} {{}}")
    form = _passive(form, said.done, language)
    told = replace(said, past=said.past or form.past)
    return _german(told, form) if language == "de" else _english(told, form)


def _form(said: Said, predicate: Predicate, language: str) -> Form | None:
    own = own_form(said, predicate, language)
    if own is not None:
        return own
    if predicate.name == "status" and is_participle(said.object, language):
        return Form("sein" if language == "de" else "be", "{}")
    return form_of(predicate, language)


def _is_attribute(predicate: Predicate) -> bool:
    """Whether a predicate tells a value of the subject by a noun, and no label says how."""
    if not is_ours(predicate):
        return False
    if predicate.name.startswith(("attribute:", "relation:")):
        return True
    return predicate.kind is not Kind.ENTITY and bool(predicate.wording.get("nouns_de"))


def done(predicate: str, clause: str, language: str) -> str:
    """The participle by which a clause says of its subject that it is done to it how often, or on
    which days, a predicate tells; empty where the subject does it itself."""
    prefix, _, rest = predicate.partition(":")
    day = predicate.removesuffix("_on_day")
    verb = day if day != predicate else rest.partition(":")[0] if prefix == "every" else ""
    told = frozenset(re.findall(r"[^\W\d_]+", clause.lower()))
    if not verb or told.isdisjoint(DONE[language]):
        return ""
    if language == "de":
        forms = (german_participle(one) for one in (verb, *german_verbs(verb)) if one[-1:] == "n")
    else:
        forms = (english_participle(one) for one in (verb_in(verb, "en"),) if one)
    return next((form for form in forms if form in told), "")


DONE = {
    "en": frozenset(["is", "are", "was", "were", "be", "been", "being", "gets", "get"]),
    "de": frozenset(["wird", "werden", "wurde", "wurden"]),
}


def _passive(form: Form, participle: str, language: str) -> Form:
    if not participle:
        return form
    if language == "de":
        return replace(form, verb="werden", rest=f"{form.rest} {participle}")
    return replace(form, verb="be", rest=f"{participle} {form.rest}")


def is_bare(predicate: str) -> bool:
    """Whether a predicate has lost its verb: all that was read of it is that something is done."""
    return predicate in ("every:werden", "every:be")


# Sentences ----------------------------------------------------------------------------------


def _english(said: Said, form: Form) -> str:
    subject, person = _subject(said, "en")
    if form.about:
        subject, person = _possessed(said, spelled(form.about, said.clause, "en"))
    rest = ROLE.sub(r"\1", OURS.sub(_ours, _filled(form, said, "en")))
    if form.verb == "be" or form.finite:
        verb = form.finite or english("be", person, past=said.past)
        denied = said.negated and not DENIED.search(rest)
        return _spaced(subject, verb, "not" if denied else "", rest)
    if not said.negated:
        return _spaced(subject, english(form.verb, person, past=said.past), rest)
    return _spaced(subject, english("do", person, past=said.past), "not", form.verb, rest)


def _possessed(said: Said, noun: str) -> tuple[str, Person]:
    person = Person.MANY if PLURAL_NOUN.search(noun) else Person.ONE
    lower = said.subject.lower()
    if lower in I_EN:
        return f"My {noun}", person
    return (f"Our {noun}" if lower in WE else f"The {noun} of {said.subject}"), person


# What one is by a role has no article: the role of head of sales.
ROLE = re.compile(r"^(the role of )(?:the|an?) ")
# One of several that somebody has: "a customer of ours".
OURS = re.compile(r"^(an? [\w -]+ of )(us|me)$")


def _ours(found: re.Match[str]) -> str:
    return found.group(1) + {"us": "ours", "me": "mine"}[found.group(2)]


def _german(said: Said, form: Form) -> str:
    subject, person = _subject(said, "de")
    rest = _reflexive(_filled(form, said, "de"), said)
    verb, particle = form.finite, ""
    if not verb:
        verb, particle = german(form.verb, person, past=said.past)
    if not said.negated:
        return _spaced(subject, verb, KEIN.sub(r"\1", rest), particle)
    if KEIN.match(rest) or DENIED.search(rest):
        return _spaced(subject, verb, rest, particle)
    if EIN.match(rest):
        return _spaced(subject, verb, f"k{rest}", particle)
    object_, behind = _split(form, rest, said)
    return _spaced(subject, verb, object_, "nicht", behind, particle)


def _split(form: Form, rest: str, said: Said) -> tuple[str, str]:
    """What stands before "nicht" and what behind: an object before it, all else behind."""
    direct = form.verb not in COPULAR and said.kind in ("entity", "text", "")
    if form.rest == "{}":
        led = first_word(rest) in PREPOSITIONS["de"]
        return (rest, "") if direct and not led else ("", rest)
    if form.rest.startswith("{} "):
        tail = form.rest.removeprefix("{}")
        return rest.removesuffix(tail), tail
    head = REFLEXIVE.match(rest)
    return (head[0], rest[head.end() :]) if head else ("", rest)


# What an object says for itself: it stands between its words.
DENIED = re.compile(r"(?<!and)(?<!und)(?<!but)\s(?:not|nicht)\s")
KEIN = re.compile(r"k(ein(?:en|em|er|es|e)?\s)")
EIN = re.compile(r"ein(?:en|e)?\s")
NOMINATIVE_VERBS = frozenset(["sein", "heißen", "lauten", "werden", "bleiben"])
# Before what these say, and not behind it, stands "nicht".
COPULAR = frozenset(["sein", "heißen", "kosten", "wiegen", "lauten", "gehören", "betragen"])
REFLEXIVE = re.compile(r"(?:sich|mich|uns)\b")


def _reflexive(rest: str, said: Said) -> str:
    own = {I_DE: "mich", "i": "mich", "we": "uns", "wir": "uns"}.get(said.subject.lower())
    return re.sub(r"^sich\b", own, rest) if own else rest


def _subject(said: Said, language: str) -> tuple[str, Person]:
    lower = said.subject.lower()
    if lower in I_EN:
        return ("Ich" if language == "de" else "I"), Person.FIRST
    if lower in WE:
        return ("Wir" if language == "de" else "We"), Person.MANY
    person = Person.MANY if said.several else Person.ONE
    return _opened(_told(said.subject, language)), person


def _opened(subject: str) -> str:
    """A capital for the article and the owner that begin a sentence, and for nothing else."""
    return subject[0].upper() + subject[1:] if OPENS.match(subject) else subject


OPENS = re.compile(r"(?:the|an?|my|our)\s")


def _told(name: str, language: str) -> str:
    """A name with its owner: I's sister is my sister, and Noras Schwester in German."""
    owner, mark, owned = name.partition("'s ")
    if not mark or not owner:
        return name
    if owner == "I":
        return f"my {owned}" if language == "en" else f"{owned} von mir"
    if language == "de" and owner[-1] not in "sßxz":
        return f"{owner}s {owned}"
    return name


def _filled(form: Form, said: Said, language: str) -> str:
    rest, slot = form.rest, SLOT.search(form.rest)
    if slot is None:
        return rest
    text, what = _object(said, language), slot["what"] or ""
    before, after = rest[: slot.start()], rest[slot.end() :]
    if said.kind in NUMERIC and first_word(before) not in PREPOSITIONS[language]:
        text = f"{said.given.before} {text}".lstrip()
    if what == "on":
        text = _dated(text, said.key, language)
    elif what == "a":
        text = indefinite(text)
    elif what in ("|every", "|alle"):
        text = f"{what[1:]} {text}" if said.kind == "quantity" else text
    elif what.startswith(":"):
        text = _measured(text, what[1:], said, language)
    elif what:
        text = _counted(text, what[1:], said)
    elif language == "de":
        before, text = _cased(before, _led(text, form, said), form, said)
    return before + text + ("" if after and text.endswith(after) else after)


def _led(text: str, form: Form, said: Said) -> str:
    """A German object with the preposition and article of its clause, where the form may have
    them."""
    given = said.given
    if not given.lead or said.kind not in ("entity", "text"):
        return text
    words = given.lead.split()
    placed = words[0] in PREPOSITIONS["de"] and words[-1] in DETERMINERS["de"]
    if form.own or words[-1] in MERGED or placed or ACCUSATIVE.fullmatch(given.lead):
        return f"{given.lead} {given.text}"
    return text


ACCUSATIVE = re.compile(r"k?ein(?:e|en)?|den|die|das")


def _cased(before: str, text: str, form: Form, said: Said) -> tuple[str, str]:
    """A German object in the case that the form asks for, as far as its own words tell."""
    own, _, bare = text.partition(" ")
    asked = before.split()[-1] if before.split() else ""
    led = bool(bare) and own in PREPOSITIONS["de"]  # as the clause has it: im Bett, von der Stadt
    if led and asked not in PREPOSITIONS["de"] and (said.kind == "text" or form.own):
        return before, text
    if led:
        if form.own or said.kind == "date" or _alike(MERGED.get(own, own), asked):
            return before.rstrip().removesuffix(asked), text
        return before, DETERMINED.sub("", bare)
    if form.own and not asked:
        return before, "mich" if text == "mir" and "mir" not in said.verbs.words else text
    nominative = form.verb in NOMINATIVE_VERBS
    if asked in PREPOSITIONS["de"] or nominative or form.verb == "gehören":
        text = DETERMINED.sub("", text)
    if said.kind == "entity" and not (nominative and not asked):
        text = re.sub(r"^Herr\b", "Herrn", text)
    return before, "mich" if text == "mir" and not asked and form.verb != "gehören" else text


def _alike(one: str, other: str) -> bool:
    """Whether one of two prepositions can stand for the other: both tell a place, or are one in
    English."""
    same = one == other or {one, other} <= PLACING
    return same or PREPOSITION_EN.get(one, one) == PREPOSITION_EN.get(other, other)


PLACING = frozenset(["in", "bei", "auf", "an"])
DETERMINED = re.compile(r"^(?:der|die|das|den|dem|k?ein(?:e|en|em|er)?)\s")


def _object(said: Said, language: str) -> str:
    lower = said.object.lower()
    if said.kind == "entity" and lower in (*I_EN, *WE):
        own = lower in WE
        return ("uns" if own else "mir") if language == "de" else ("us" if own else "me")
    told = _told(" ".join(said.object.split()), language)
    article = said.given.lead.rpartition(" ")[2] if language == "en" else ""
    return f"{OWNED[article]} {told}" if article in OWNED else told


def _dated(text: str, key: str, language: str) -> str:
    """A date with its preposition: on June 12, in May 2026, am 12. Mai, im Mai 2026."""
    first = first_word(text)
    if language == "de" and first in ("der", "den", "dem", "die", "das"):
        text = text.partition(" ")[2] or text
        first = first_word(text)
    if first in PREPOSITIONS[language] or BY_ITSELF.match(text):
        return text
    year = re.fullmatch(r"date:\d{4}", key) is not None
    month = re.fullmatch(r"date:(?:\d{4})?-{1,2}\d\d", key) is not None
    time = key.startswith("date:t")
    if language == "de":
        return text if year else f"{'im' if month else 'um' if time else 'am'} {text}"
    return f"{'in' if year or month else 'at' if time else 'on'} {text}"


BY_ITSELF = re.compile(
    r"(?i)(?:next|this|last|every|each|today|tomorrow|tonight|yesterday|now|daily|weekly|once|twice"
    r"|nächste|diese|letzte|kommende|jede|heute|morgen|übermorgen|gestern|täglich|jährlich"
    r"|\w+(?:tag|och|abend|mittag|nacht|morgen)s\b)"
)


def _counted(text: str, noun: str, said: Said) -> str:
    """A bare number with its unit; what has a unit is left as it is said."""
    worded = any(len(w) > 1 and w[0].isalpha() for w in text.split()[1:])
    return text if worded or said.kind != "number" else f"{text} {noun}"


def _measured(text: str, noun: str, said: Said, language: str) -> str:
    """An amount with what it is an amount of: 98 percent availability, 5 mg of ramipril."""
    unit = said.key.split(":")[1].partition("/")[0] if said.key.count(":") > 1 else ""
    if noun in (unit, "number") or noun in text.lower():
        return text
    of = " of " if unit not in ("", "percent") and language == "en" else " "
    return f"{text}{of}{noun_in(noun, language)}"


def _spaced(*parts: str) -> str:
    """The parts with one blank between them, and none before a mark."""
    return re.sub(r"\s+([.,;:!?]|'s\b)", r"\1", " ".join(" ".join(parts).split()))
