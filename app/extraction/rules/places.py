"""Rules for where something is, and what one belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.objects import (
    contrast_words,
    thing,
    until_stop,
)
from app.extraction.openings import is_mass
from app.extraction.phrases import (
    DERIVED,
    attribute,
    attribute_predicate,
    is_name,
)
from app.extraction.rules.copula import is_be, person, with_old
from app.extraction.tokens import Token
from app.extraction.verbs import MERGED
from app.values.places import spots


def placed(context: Context) -> list[Draft]:
    """`Our warehouse is in Hamburg`, `Silas is in the on-call rota`."""
    frame, language = context.frame, context.language
    if (
        not is_be(context)
        or not frame.rest
        or frame.rest[0].lower not in ("in", "im", "on", "at", "auf")
    ):
        return []
    if frame.rest[0].lower in ("on", "at", "auf"):
        on = until_stop(frame.rest[1:], language)
        return _stored(context, on) or _member(context, frame.rest[1:])
    place = until_stop(frame.rest[1:], language, through="im in des der")
    if found := _stored(context, place):
        return found
    if found := _member(context, place):
        return found
    if not place or frame.rest[0].lower == "im" or not place[0].text[0].isupper():
        return []
    return _located(context, until_stop(frame.rest[1:], language))


def _stored(context: Context, place: Sequence[Token]) -> list[Draft]:
    """`The archive is on S3`."""
    if not place or context.frame.subject[-1].lower not in words("sets", "data_nouns"):
        return []
    subject, target = context.subject("stored_in"), thing(place, "stored_in", context)
    if subject is None or target is None:
        return []
    old = contrast_words(context.clause.contrast, context)
    was = thing(old, "stored_in", context) if old else None
    return [with_old(context, Draft(subject, "stored_in", target, "stored"), was)]


def _member(context: Context, place: Sequence[Token]) -> list[Draft]:
    if not place:
        return []
    taken = until_stop(place, context.language)
    groups = words("nouns", f"groups_{context.language}")
    last = taken[-1].lower if taken else ""
    if last not in groups and not any(
        last.endswith("-" + g) or last.endswith(g) for g in groups if len(g) > 4
    ):
        return []
    subject = context.subject("member_of")
    target = thing(taken, "member_of", context)
    if subject is None or target is None or subject.name == "we":
        return []
    if any(t.lower == "'s" for t in context.frame.subject):
        return []
    return [Draft(person(subject), "member_of", target, "member")]


def is_where(place: Sequence[Token], context: Context) -> bool:
    """Whether a German noun may be a place: without an article most are none (`in Ordnung`, `in
    Flammen` tell how something is), with one they may (`im Wasser`)."""
    if context.language != "de" or len(place) != 1:
        return True
    noun = place[0]
    before = [t.lower for t in context.frame.rest if t.end <= noun.start][-1:]
    common = is_mass(noun.lower, "de") or DERIVED.search(noun.lower) is not None
    return not common or bool(set(before) & MERGED.keys() or spots(noun.text))


def _located(context: Context, place: Sequence[Token]) -> list[Draft]:
    phrase = context.subject_phrase()
    target = thing(place, "located_in", context)
    if (
        phrase is None
        or target is None
        or not is_name([t for t in place if t.lower != "the"], "en")
        or not is_where(place, context)
    ):
        return []
    old = (
        thing(contrast_words(context.clause.contrast, context), "located_in", context)
        if context.clause.contrast
        else None
    )
    found = attribute(phrase, context.reader, context.language)
    if found is not None and found.possessor is not None:
        predicate = attribute_predicate(found.noun, context.language)
        if context.registry.get(predicate).range == frozenset(["place"]):
            return [with_old(context, Draft(found.possessor, predicate, target, "place"), old)]
    if not phrase.definite and context.reader.mention(phrase).type not in ("organization", "group"):
        return []
    subject = context.named(phrase, "located_in")
    if subject.type == "person":
        return []
    return [with_old(context, Draft(subject, "located_in", target, "place"), old)]
