"""Rules for what someone is: a role in something, a job, a relation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.extraction.data import pairs, words
from app.extraction.drafts import Context, Draft
from app.extraction.model import Mention, Span
from app.extraction.objects import (
    until_stop,
)
from app.extraction.phrases import (
    POSSESSIVE_DE,
    Attribute,
    Phrase,
    attribute,
    attribute_predicate,
    is_many,
    masculine,
)
from app.extraction.rules.copula import UNIQUE, person
from app.extraction.tokens import DETERMINERS, Token
from app.values.model import Kind, Value
from app.values.parse import parse_value

TITLES = frozenset(["Herr", "Frau", "Mr", "Mrs", "Ms", "Mr.", "Mrs.", "Ms.", "Dr.", "Dr"])


AGENT = re.compile(r"(?:er|or|ist|ian|wife|man|woman|nurse|erin|orin|istin|mann|frau)$")


def role(context: Context, rest: list[Token]) -> list[Draft]:
    """`X is the project manager of Heron`, `X is our customer`, `X is a teacher`."""
    language = context.language
    words_ = until_stop(rest, language, through="of for von vom für des der at bei im in")
    if words_ and words_[0].lower in words("sets", "hollow"):
        return []
    phrase = context.reader.phrase(words_, language)
    if phrase is None:
        return []
    found = attribute(phrase, context.reader, language)
    if found is None:
        return []
    subject = context.subject("name")
    if subject is None or subject.name == "we":
        return []
    noun = found.head_word if language == "en" else masculine(found.head_word)
    office = Office(subject, found, phrase, noun)
    for reading in (_relation, _office_in, _office_here, _job, _new_job, _owned):
        if drafts := reading(context, office):
            return drafts
    return []


@dataclass(frozen=True, slots=True)
class Office:
    """Who is said to be what; `noun` is the head of the phrase in one form."""

    who: Mention
    attribute: Attribute
    phrase: Phrase
    noun: str

    def predicate(self, context: Context) -> str:
        """Under which the thing has its holder."""
        return attribute_predicate(self.attribute.noun, context.language)

    def is_listed(self, context: Context) -> bool:
        """Whether the registry knows the attribute."""
        return self.predicate(context) in context.registry.rows


def _held(office: Office, context: Context) -> bool:
    return is_job(office.noun, context.language) or is_duty(office.noun, context.language)


def _relation(context: Context, office: Office) -> list[Draft]:
    """`X is our customer`."""
    known = pairs("nouns", f"relations_{context.language}").get(office.noun)
    holder = office.attribute.possessor
    first = context.frame.subject[0].lower
    if known is None or holder is None or first in DETERMINERS[context.language]:
        return []
    if (context.clause.ends or context.clause.denies) and len(office.attribute.noun.split()) > 1:
        return []  # no longer our biggest customer may be one still
    return [Draft(office.who, known, holder, "relation", read=office.phrase.head)]


def _office_in(context: Context, office: Office) -> list[Draft]:
    """`X is the project manager of Heron`, `X is the captain of the team`: said of the latter."""
    holder, noun = office.attribute.possessor, office.noun
    if holder is None:
        return []
    kin = noun in words("nouns", "kin")
    listed, held = office.is_listed(context), _held(office, context)
    named = holder.name[0].isupper() or holder.name == "we"
    inner = any(t.lower == "the" for t in office.phrase.head) or context.language == "de"
    duty = inner and held and not is_job(noun, context.language)
    if not duty and not (named and (held or listed or kin)):
        return []
    name = f"relation:{noun}" if kin and not listed else office.predicate(context)
    if office.phrase.indefinite and context.registry.get(name).functional:
        return []  # "a director of Acme" is one of several
    who = person(office.who) if held else office.who
    return [Draft(holder, name, _as_object(who, name, context), "role", read=office.phrase.head)]


def _office_here(context: Context, office: Office) -> list[Draft]:
    """`X is the on-call lead`: of those who speak."""
    free = office.attribute.possessor is None and office.phrase.definite
    if not free or not is_duty(office.noun, context.language):
        return []
    group = context.reader.group(Span(office.phrase.head[0].start, office.phrase.head[-1].end))
    name = f"attribute:{office.attribute.noun}"
    return [Draft(group, name, person(office.who), "duty", read=office.phrase.head)]


def _job(context: Context, office: Office) -> list[Draft]:
    return _has_role(context, office) if is_job(office.noun, context.language) else []


def _has_role(context: Context, office: Office) -> list[Draft]:
    text = office.phrase.text
    value = Value(Kind.TEXT, f"text:{role_key(text, context.language)}", text)
    head = office.phrase.head
    year = " ".join(t.text for t in head if t.text.isdigit())  # wurde 2009 Koch
    return [Draft(person(office.who), "has_role", value, "job", read=head, doubt=year)]


def _new_job(context: Context, office: Office) -> list[Draft]:
    """`X became a midwife`: a job that no list has, by its ending."""
    phrase, first = office.phrase, context.frame.subject[0]
    becoming = context.clause.newer or context.frame.lemma in ("become", "werden")
    plain = context.language == "de" or phrase.head[-1].text.islower()
    owned = first.lower in ("our", "the") or POSSESSIVE_DE.match(first.text) is not None
    titled = phrase.head[0].text in TITLES or context.subject_phrase() is None
    free = office.attribute.possessor is None and not phrase.definite
    if not (becoming and plain and free and AGENT.search(office.noun)) or owned:
        return []
    return [] if titled and not office.who.is_speaker else _has_role(context, office)


def _owned(context: Context, office: Office) -> list[Draft]:
    """`X is our parcel service`."""
    found, predicate = office.attribute, office.predicate(context)
    if found.possessor is None or office.phrase.owner is None or is_many(found.noun):
        return []
    if office.phrase.indefinite:
        return []  # "a Canadian children's TV producer"
    if not _owned_single(found, predicate, office.is_listed(context)):
        return []
    whom = _as_object(office.who, predicate, context)
    return [Draft(found.possessor, predicate, whom, "of", read=office.phrase.head)]


def is_duty(noun: str, language: str) -> bool:
    duties = words("nouns", "duties")
    if noun in duties or noun.rpartition("-")[2] in duties:
        return True
    return language == "de" and any(noun.endswith(duty) for duty in duties if len(duty) > 6)


def _owned_single(found: Attribute, predicate: str, listed: bool) -> bool:
    """`X is our bank` names a single thing; `X is my rock` is a way of speaking."""
    if listed or found.noun.split()[0] in UNIQUE:
        return True
    return found.possessor is not None and not found.possessor.is_speaker


def role_key(text: str, language: str) -> str:
    """A role in one form."""
    value = parse_value(text, language)
    return value.key.partition(":")[2] if value else text.lower()


def _as_object(subject: Mention, predicate: str, context: Context) -> Mention | Value:
    row = context.registry.get(predicate)
    if row.kind is Kind.ENTITY or predicate.startswith("relation:") or subject.type == "person":
        return subject
    value = parse_value(subject.name, context.language)
    return value if value is not None and not subject.is_speaker else subject


def is_job(noun: str, language: str) -> bool:
    jobs = words("nouns", f"jobs_{language}")
    if noun in jobs or noun.rpartition("-")[2] in jobs:
        return True
    return language == "de" and any(noun.endswith(job) for job in jobs if len(job) > 4)
