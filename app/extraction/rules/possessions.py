"""Rules for clauses with `have`."""

from __future__ import annotations

from collections.abc import Sequence

from app.extraction.data import pairs, words
from app.extraction.drafts import Context, Draft
from app.extraction.objects import (
    amount,
    complement,
    literal,
    thing,
    until_stop,
)
from app.extraction.phrases import is_name, normal_noun
from app.extraction.rules.amounts import skip_place
from app.extraction.rules.copula import old_thing
from app.extraction.rules.measures import measured
from app.extraction.tokens import DETERMINERS, Token

PARTS_BY_ARTICLE = ("a", "an", "the", "ein", "eine", "einen", "our", "its")


PLACE_NOUNS = words("sets", "place_nouns")


PLACE_NAME = {
    "büro": "office",
    "standort": "site",
    "filiale": "branch",
    "niederlassung": "branch",
    "werk": "plant",
    "lager": "warehouse",
    "laden": "shop",
    "labor": "lab",
}


def having(context: Context) -> list[Draft]:
    """`X has 23 employees`, `We have an office in Leipzig`, `X has an ESP32`."""
    frame, language = context.frame, context.language
    if frame.lemma not in ("have", "haben") or frame.auxiliary:
        return []
    rest = list(frame.rest)
    if found := amount(skip_place(rest, context), context):
        return measured(context, "have", found[0], skip_place(rest, context)[found[1] :])
    core = until_stop(rest, language)
    after = rest[len(core) :]
    if place := _place_of(context, core, after):
        return place
    if with_whom := _with(context, core, after):
        return with_whom
    if light := _light(context, rest):
        return light
    return _possession(context, core) or _part(context, core)


def _place_of(context: Context, core: Sequence[Token], after: Sequence[Token]) -> list[Draft]:
    if not core or core[-1].lower not in PLACE_NOUNS or not after or after[0].lower != "in":
        return []
    subject = context.subject("has_office_in")
    place = until_stop(after[1:], context.language)
    if context.language == "de":
        place = complement(place, "de")[1]
    if subject is None or not place or not place[0].text[0].isupper():
        return []
    noun = PLACE_NAME.get(core[-1].lower, core[-1].lower)
    predicate = "has_office_in" if noun == "office" else f"has_{noun}_in"
    made = thing(place, "has_office_in", context)
    return [Draft(subject, predicate, made, "place_of", read=tuple(core))] if made else []


def _with(context: Context, core: Sequence[Token], after: Sequence[Token]) -> list[Draft]:
    """`We have a contract with Optiva`."""
    if not core or not after or after[0].lower not in ("with", "mit") or context.frame.past:
        return []
    partner = complement(after[1:], context.language)[1]
    subject = context.subject("partner_of")
    phrase = context.reader.phrase(core, context.language)
    if phrase is None or subject is None or not partner or not is_name(partner, "en"):
        return []
    noun = normal_noun(phrase.text, context.language).replace(" ", "_")
    made = thing(partner, "partner_of", context)
    name = f"has_{noun}_with"
    return [Draft(subject, name, made, "with", read=tuple(core))] if made else []


def _light(context: Context, rest: Sequence[Token]) -> list[Draft]:
    """`I have a subscription to the Guardian`, `Ich habe ein Abo der ZEIT`: the noun tells what one
    does, and to what."""
    language = context.language
    place = next((i for i, t in enumerate(rest) if t.lower in LIGHT), None)
    if place is None or place + 1 >= len(rest) or rest[place + 1].lower not in LINKS[language]:
        return []
    before = [t for t in rest[:place] if t.lower not in DETERMINERS[language]]
    predicate = LIGHT[rest[place].lower]
    _, target, _ = complement(rest[place + 2 :], language)
    given = target or until_stop(rest[place + 2 :], language)
    subject = context.subject(predicate)
    named = [t for t in given if t.lower not in DETERMINERS[language]]
    if before or subject is None or not named or not is_name(named, "en"):
        return []
    made = thing(given, predicate, context)
    read = (*rest[: place + 2], *given)
    return [Draft(subject, predicate, made, "light", read=read)] if made else []


LIGHT = pairs("ends", "light_nouns")
LINKS = {
    "en": frozenset(["to", "with", "at", "of", "for"]),
    "de": frozenset(["bei", "beim", "von", "vom", "der", "des", "für", "im", "in"]),
}


def _possession(context: Context, core: Sequence[Token]) -> list[Draft]:
    """`I have a dog`: what people say that they have."""
    subject = context.subject("has")
    if not core or subject is None or context.frame.past:
        return []
    if core[-1].lower not in words("sets", "possessions") or len(core) > 3:
        return []
    value = literal(core, context)
    return [Draft(subject, "has", value, "possession")] if value else []


def _part(context: Context, core: Sequence[Token]) -> list[Draft]:
    """Only what is named: `has an ESP32`, not `has a good time`."""
    if not core:
        return []
    bare = [t for t in core if t.lower not in PARTS_BY_ARTICLE]
    subject = context.subject("has_part")
    if subject is None or not bare or context.frame.past:
        return []
    named = is_name(bare, "en") if context.language == "en" else _technical(bare)
    if not named:
        return []
    made = thing(core, "has_part", context)
    if made is None:
        return []
    old = old_thing(context, "has_part")
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    return [Draft(subject, "has_part", made, "has", confidence=0.75, old=old, was_error=error)]


def _technical(bare: Sequence[Token]) -> bool:
    """In German every noun has a capital: only one with a digit or two capitals is a name."""
    text = bare[-1].text
    return any(c.isdigit() for c in text) or sum(c.isupper() for c in text) > 1
