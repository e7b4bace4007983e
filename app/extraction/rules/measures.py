"""Rules for verbs with an amount: how much, how long, how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.objects import (
    BASES,
    FREQUENCY,
    amount,
    rated,
    until_stop,
)
from app.extraction.rules.amounts import old_amount, skip_place
from app.extraction.rules.dates import DATED_VERBS
from app.extraction.tokens import AUXILIARIES, Frame, Token
from app.extraction.verbs import english_name
from app.values.model import Kind, Value
from app.values.parse import parse_value

LIGHT = words("sets", "light")


PRICED = frozenset(["cost", "kosten"])


TAKEN = frozenset(["take", "nehmen"])


PAYING = frozenset(["pay", "earn", "zahlen", "bezahlen", "verdienen"])


def frequency(context: Context) -> list[Draft]:
    """`We release firmware every two weeks`: how often is an attribute of who and what."""
    frame, clause = context.frame, context.clause
    found = FREQUENCY.search(clause.work, clause.said)
    if found is None or frame.lemma in ("be", "sein", "cost", "kosten"):
        return []
    if clause.ends or clause.denies:
        return []
    if frame.lemma in PAYING and amount(list(frame.rest), context) is not None:
        return []
    cut = clause.start + found.start()
    if frame.subject and frame.subject[-1].end > cut:
        return []
    rest = [t for t in frame.rest if t.end <= cut]
    what = until_stop(rest, context.language)
    subject = context.subject("every:")
    if subject is None or len(rest) > len(what):
        return []
    value = parse_value(found[0], context.language)
    if value is None:
        return []
    dose = _dose(context, what)
    name, value = _frequency_name(frame, what, context), _interval(found[0], value, context)
    if dose:
        name = f"attribute:{dose[0].predicate.rpartition(':')[2]} interval"
    contrast = clause.contrast
    old = None
    if contrast is not None and (was := FREQUENCY.search(contrast.old)):
        old = _interval(was[0], parse_value(was[0], context.language) or value, context)
    error = contrast is not None and contrast.is_error
    start, end = cut, clause.start + found.end()
    read = (*what, *(t for t in frame.rest if start <= t.start and t.end <= end))
    return [*dose, Draft(subject, name, value, "frequency", old=old, was_error=error, read=read)]


def _dose(context: Context, what: Sequence[Token]) -> list[Draft]:
    """How much of what one takes each time: `I take 50 mg of Sertavin every morning`."""
    frame = context.frame
    if frame.lemma not in TAKEN:
        return []
    found = amount_with_verb(replace(context, frame=replace(frame, rest=tuple(what))))
    return [draft for draft in found if draft.predicate.startswith("measure:")]


def _frequency_name(frame: Frame, what: Sequence[Token], context: Context) -> str:
    phrase = context.reader.phrase(what, context.language) if what else None
    noun = singular(phrase.text.lower(), context.language) if phrase else ""
    if frame.lemma in LIGHT and noun:
        return f"attribute:{noun} interval"
    lemma = english_name(frame.lemma) if context.language == "de" else frame.lemma
    return f"every:{lemma}:{noun}" if noun else f"every:{lemma}"


def singular(noun: str, language: str) -> str:
    """An English noun without the ending of the plural."""
    if language == "en" and noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun[:-3] + "y" if noun.endswith("ies") else noun[:-1]
    return noun


def _interval(text: str, value: Value, context: Context) -> Value:
    """`every 15 minutes` is the interval of 15 minutes."""
    lowered = text.lower()
    for lead in ("every ", "alle "):
        if lowered.startswith(lead):
            amount_ = parse_value(text[len(lead) :], context.language)
            if amount_ is not None and amount_.kind is Kind.QUANTITY:
                return amount_
    return value


def term(context: Context) -> list[Draft]:
    """`We keep backups for 30 days`, `They pay within 30 days`: how long, as one's own rule."""
    frame, language = context.frame, context.language
    if frame.past or frame.participle or frame.lemma in (*AUXILIARIES[language], "stay", "bleiben"):
        return []
    rest = list(frame.rest)
    position = next((i for i, t in enumerate(rest) if t.lower in TERMS), None)
    if position is None or position > 3:
        return []
    start = position + (
        2 if rest[position + 1 : position + 2] and rest[position + 1].lower == "von" else 1
    )
    found = amount(rest[start:], context)
    if found is None or found[0].unit not in ("s", "month"):
        return []
    subject = context.subject("term:")
    if subject is None:
        return []
    phrase = context.reader.phrase(rest[:position], language) if position else None
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    noun = singular(phrase.text.lower(), language) if phrase else ""
    old = old_amount(context, found[0])
    name = f"term:{lemma}:{noun}".rstrip(":")
    return [Draft(subject, name, found[0], "term", old=old, read=tuple(rest[:start]))]


TERMS = frozenset(["for", "within", "für", "innerhalb", "binnen"])


def amount_with_verb(context: Context) -> list[Draft]:
    frame, language = context.frame, context.language
    rest = skip_place(list(frame.rest), context)
    found = amount(rest, context)
    if found is None or frame.participle:
        return []
    value, taken = found
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    return measured(context, lemma, value, rest[taken:])


def measured(context: Context, lemma: str, value: Value, after: Sequence[Token]) -> list[Draft]:
    """A verb with an amount: an attribute of the subject, or for deeds what was done once."""
    subject = context.subject("measure:")
    if subject is None:
        return []
    unit = value.unit or _noun_after(after, context)
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    old = old_amount(context, value)
    if lemma in PRICED and value.kind is Kind.MONEY:
        if _per_unit(after):
            return []
        value = rated(value, after, context)
        return [Draft(subject, "price", value, "price", old=old, was_error=error)]
    event = context.frame.past and lemma in words("verbs", "events")
    if event:
        return [Draft(subject, f"tally:{lemma}:{unit}", value, "tally", old=old, event=True)]
    if lemma not in words("verbs", "stative") and value.unit not in BASES:
        return []
    if value.number == 1 and value.unit not in BASES and value.kind is not Kind.MONEY:
        return []
    if after and after[0].lower in words("sets", "comparatives"):
        return []
    if lemma in words("verbs", "events") and not _lasting(lemma):
        return []
    name = _measure_name(lemma, value, after, context)
    return [Draft(subject, name, value, "measure", old=old, was_error=error)]


def _lasting(lemma: str) -> bool:
    return lemma in words("verbs", "stative") or lemma == "take"


def _per_unit(after: Sequence[Token]) -> bool:
    return bool(after) and after[0].lower in ("more", "mehr", "less", "weniger", "extra")


def _measure_name(lemma: str, value: Value, after: Sequence[Token], context: Context) -> str:
    noun = _noun_after(after, context)
    if lemma == "take" and after and after[0].lower == "of":  # 5 mg of one drug, 10 of another
        return f"measure:take:{_noun_after(after[1:], context)}"
    if lemma == "have" and value.unit == "employee":
        return "headcount"
    if (
        lemma == "have"
        and value.unit == "person"
        and context.frame.subject[0].lower not in ("i", "ich")
    ):
        return "headcount"
    if value.unit == "percent" and noun:
        return f"measure:{lemma}:{noun}"
    if value.kind is Kind.NUMBER:
        return f"measure:{lemma}:{noun}" if noun else f"measure:{lemma}"
    unit = (value.unit or "").partition("/")[0]
    return f"measure:{lemma}:{unit}"


def _noun_after(after: Sequence[Token], context: Context) -> str:
    kept = until_stop(after, context.language)
    return " ".join(t.lower for t in kept[:2]) if kept else ""


def lasting(context: Context) -> list[Draft]:
    """An amount with a verb that has no sense of its own: `hält 18 Monate`, `We employ 30`."""
    frame, language = context.frame, context.language
    if frame.lemma in ("be", "sein", "have", "haben", "werden", "betragen", "liegen"):
        return []
    if frame.participle or frame.lemma in DATED_VERBS[language]:
        return []
    rest = skip_place(list(frame.rest), context)
    if frame.lemma in ("consist", "bestehen") and rest and rest[0].lower in ("of", "aus"):
        made_of = amount(rest[1:], context)
        return measured(context, "have", made_of[0], rest[1 + made_of[1] :]) if made_of else []
    found = amount(rest, context)
    if found is None:
        return []
    value, taken = found
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    if lemma not in words("verbs", "stative") and not (
        context.frame.past and lemma in words("verbs", "events")
    ):
        return []
    return measured(context, lemma, value, rest[taken:])
