"""Amounts as attributes: `the rent of X is 900 euros`, `the cable is 2 metres long`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.model import Mention
from app.extraction.objects import (
    BASES,
    amount,
    contrast_words,
    rated,
)
from app.extraction.phrases import (
    Phrase,
    attribute,
    attribute_predicate,
)
from app.extraction.tokens import Token
from app.extraction.verbs import readings
from app.values.model import Kind, Value
from app.values.parse import parse_value

ADJECTIVES = words("sets", "adjectives")
# Each is a measure of its own; `long` is what a plain length means.
DIMENSIONS = {
    **{"deep": "depth", "wide": "width", "high": "height", "tall": "height", "thick": "thickness"},
    **{"tief": "depth", "breit": "width", "hoch": "height", "dick": "thickness"},
}


def relative_clause(context: Context) -> tuple[Mention, str, str] | None:
    """`The uptime we promise (in the contract)`: who, the verb, and the noun."""
    items = context.frame.subject
    for position, word in enumerate(items):
        who = context.reader.person(word)
        if position == 0 or who is None or position + 1 >= len(items):
            continue
        form = next(iter(readings(items[position + 1].lower, context.language)), None)
        nouns = [t for t in items[:position] if t.lower not in ("the", "that", "which", ",")]
        if form is not None and nouns:
            return who, form.lemma, " ".join(t.lower for t in nouns)
    return None


def skip_place(rest: list[Token], context: Context) -> list[Token]:
    """Past `in Bremerhaven` between the verb and the amount."""
    for position, token in enumerate(rest[:5]):
        if token.text in ",;:":
            break
        if amount(rest[position : position + 1], context) is not None:
            lead = rest[:position]
            if not lead or lead[0].lower in ("in", "im", "at", "mit", "with", "bei", "for", "für"):
                return rest[position:]
            return rest
    return rest


def amount_of(context: Context, rest: list[Token]) -> list[Draft]:
    """The subject, or an attribute of it, is an amount."""
    rest = skip_place(rest, context)
    found = amount(rest, context)
    phrase = context.subject_phrase()
    who = context.subject("age")
    if found is None:
        return []
    value, taken = found
    if value.kind is Kind.NUMBER and rest[0].lower in ("at", "um"):
        return []  # an hour
    after = rest[taken].lower if taken < len(rest) else ""
    if after in words("sets", "comparatives") or after == "of":
        return []
    if value.number == 1 and value.unit not in BASES and value.kind is Kind.QUANTITY:
        return []
    if (
        len(context.frame.subject) == 1
        and who is not None
        and context.reader.person(context.frame.subject[0])
    ):
        return _age(context, who, value, after)
    if phrase is None:
        return []
    old = old_amount(context, value)
    value = rated(value, rest[taken:], context)
    target, predicate = amount_target(phrase, value, context, adjective=after in ADJECTIVES)
    if target is None:
        return []
    if context.registry.get(predicate).kind is Kind.TEXT:
        return []
    if predicate.startswith("measure:") and after in DIMENSIONS:
        predicate = f"attribute:{DIMENSIONS[after]}"
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    read = tuple(t for t in rest[taken : taken + 1] if t.lower in ADJECTIVES)
    return [Draft(target, predicate, value, "amount", old=old, was_error=error, read=read)]


def _age(context: Context, who: Mention, value: Value, after: str) -> list[Draft]:
    years = value.kind is Kind.QUANTITY and value.unit == "month" and after in ("old", "alt")
    if who.name == "we" or not (years or (value.kind is Kind.NUMBER and (value.number or 0) > 3)):
        return []
    number = (value.number or 0) / 12 if years else value.number or 0
    if not 3 < number < 120:
        return []
    age = Value(Kind.NUMBER, f"number:{number:g}", value.text, number)
    read = tuple(t for t in context.frame.rest if t.lower in ("old", "alt", "years", "jahre"))
    return [Draft(who, "age", age, "age", read=read)]


def amount_target(
    phrase: Phrase, value: Value, context: Context, *, adjective: bool = False
) -> tuple[Mention | None, str]:
    """Whose amount it is and under which predicate: `the rent of X`, `our budget`, `the cable`."""
    unit = (value.unit or "number").partition("/")[0]
    found = None if adjective else attribute(phrase, context.reader, context.language)
    if found is not None and found.possessor is not None:
        return found.possessor, attribute_predicate(found.noun, context.language)
    if phrase.indefinite:
        return None, ""
    mention = context.named(replace(phrase, owner=phrase.owner), "measure:be")
    if value.kind is Kind.NUMBER and not phrase.definite:
        return None, ""
    return mention, f"measure:be:{unit}"


def old_amount(context: Context, new: Value) -> Value | None:
    """The old amount; a bare number has the unit of the new one: 5 minutes instead of 15."""
    contrast = context.clause.contrast
    old = contrast_words(contrast, context)
    return _like(old, new, context)


def _like(old: Sequence[Token], new: Value, context: Context) -> Value | None:
    if not old:
        return None
    text = " ".join(t.text for t in old)
    value = parse_value(text, context.language)
    if value is not None and value.kind is new.kind:
        return value
    unit = new.text.split(maxsplit=1)[1:]
    value = parse_value(" ".join([text, *unit]), context.language)
    return value if value is not None and value.kind is new.kind else None


like = _like
