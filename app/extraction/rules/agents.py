"""Rules for who does what to whom: supplies, leads, hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.objects import (
    complement,
    thing,
)
from app.extraction.phrases import Phrase, is_name, joined, normal_noun
from app.extraction.rules.copula import old_thing
from app.extraction.rules.senses import sense_of
from app.extraction.tokens import DETERMINERS, PRONOUNS, Token
from app.extraction.verbs import Sense, english_name
from app.values.places import spots


def bought(context: Context) -> list[Draft]:
    """`We buy coffee from Rondo`: who supplies the coffee."""
    frame, language = context.frame, context.language
    if frame.lemma not in BUYING or frame.past or frame.participle:
        return []
    rest = list(frame.rest)
    what = complement(rest, language)[1] if rest and rest[0].lower not in SELLERS else []
    after = rest[len(what) :]
    if not what or not after or after[0].lower not in SELLERS:
        return []
    seller = complement(after, language)[1]
    phrase = context.reader.phrase(what, language)
    made = thing(seller, "supplied_by", context) if seller else None
    if phrase is None or made is None or not is_name(seller, "en"):
        return []
    subject = context.named(replace(phrase, owner=None), "supplied_by")
    old = old_thing(context, "supplied_by")
    return [Draft(subject, "supplied_by", made, "bought", old=old, read=tuple(what))]


BUYING = frozenset(["buy", "purchase", "source", "order", "get", "kaufen", "beziehen", "bestellen"])


SELLERS = frozenset(["from", "at", "bei", "beim", "von", "vom"])


def by_whom(context: Context) -> list[Draft]:
    """`The podcast is hosted by Lea`, `Der Chor wird von Ada geleitet`."""
    return by_agent(context) if sense_of(context.frame, context.language) is None else []


def by_agent(context: Context) -> list[Draft]:
    frame, language = context.frame, context.language
    if not frame.participle or frame.auxiliary not in ("be", "sein", "werden"):
        return []
    preposition, target, _ = complement(frame.rest, language)
    if preposition not in ("by", "von", "durch") or not target:
        return []
    bare = [t for t in target if t.lower not in DETERMINERS[language]]
    subject = context.subject("by:")
    made = thing(target, "owned_by", context)
    if subject is None or made is None or not bare or subject.is_speaker:
        return []
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    old = old_thing(context, "owned_by")
    if not frame.past:
        return [Draft(subject, f"by:{lemma}", made, "by", old=old, was_error=error)]
    name = f"done_by:{lemma}"
    return [Draft(subject, name, made, "by", old=old, was_error=error, event=True)]


def comes(context: Context) -> list[Draft]:
    """`Our batteries come from Batterol`: who supplies them; `The order came from Tannsee`. People
    and things that come from a place are not supplied by it."""
    frame, language = context.frame, context.language
    if frame.lemma not in ("come", "kommen", "stammen") or frame.participle:
        return []
    preposition, target, _ = complement(frame.rest, language)
    if preposition not in ("from", "von") or not target:
        return []
    bare = [t for t in target if t.lower not in ("the", "der", "dem", "den")]
    if not bare or not is_name(bare, "en"):
        return []
    phrase = context.subject_phrase()
    if phrase is None or not (phrase.definite or len(phrase.head) > 1):
        return []
    if not frame.past and is_somebody(phrase):
        return []  # where somebody comes from is read by the verb
    predicate = "came_from" if frame.past else "supplied_by"
    subject = context.named(phrase, predicate)
    if not frame.past and _is_place(bare):
        predicate = "comes_from"  # of a thing, too: `The paper comes from Finland`
    made = thing(target, predicate, context)
    if made is None or (language == "en" and is_name(phrase.head, "en") and not frame.past):
        return []
    contrast = context.clause.contrast
    error = contrast is not None and contrast.is_error
    old = old_thing(context, predicate)
    return [Draft(subject, predicate, made, "comes", old=old, was_error=error, event=frame.past)]


def _is_place(named: Sequence[Token]) -> bool:
    """Whether a list has a name as one of a place."""
    return bool(spots(joined(named)))


def is_somebody(phrase: Phrase) -> bool:
    """Whether a phrase names people by what they do or are to another: `the cooks`, `my boss`."""
    language = phrase.language
    said = phrase.head[-1]
    nouns = words("nouns", "kin") | words("nouns", "duties") | words("nouns", f"jobs_{language}")
    forms = {said.lower, normal_noun(said.text, language), said.lower.removesuffix("s")}
    return not nouns.isdisjoint(forms)


def swapped(context: Context, sense: Sense, target: Sequence[Token]) -> list[Draft]:
    """`Priya leads the team`: said of the team."""
    if _object_first(context, target):
        return _exchanged(context, sense, target)
    phrase = context.reader.phrase([*target, *_region(context, target)], context.language)
    agent = context.subject("name")
    named = phrase is not None and is_name(phrase.head, "en")
    if (
        phrase is None
        or agent is None
        or not (phrase.definite or named or _bare_duty(context, target))
    ):
        return []
    if context.frame.participle:
        return []
    subject = context.named(phrase, sense.predicate)
    row = context.registry.get(sense.predicate)
    fallback = next(iter(row.range)) if len(row.range) == 1 else "unknown"
    who = replace(agent, type=fallback) if agent.type == "unknown" else agent
    return [Draft(subject, sense.predicate, who, "verb_swapped")]


def _region(context: Context, target: Sequence[Token]) -> list[Token]:
    """`in Austria` of `leads sales in Austria`: a part, which somebody else may lead."""
    after = [t for t in context.frame.rest if t.start > target[-1].start]
    if len(after) < 2 or after[0].lower not in ("in", "for", "für"):
        return []
    named = after[1].text[0].isupper() and after[1].text.isalpha()
    return after[:2] if named else []


def _object_first(context: Context, target: Sequence[Token]) -> bool:
    """`Die Brötchen liefert Bäckerei Thiel`: in German the object may lead."""
    if context.language != "de" or target[0].lower in DETERMINERS["de"]:
        return False
    led = context.frame.subject[0].lower in ("das", "die", "den", "unser", "unsere", "unseren")
    names = [t for t in target if t.text[0].isupper()]
    return led and (len(names) > 1 or context.frame.lemma == "leiten")


def _exchanged(context: Context, sense: Sense, target: Sequence[Token]) -> list[Draft]:
    phrase = context.subject_phrase()
    made = thing(target, sense.predicate, context)
    if phrase is None or made is None:
        return []
    return [Draft(context.named(phrase, sense.predicate), sense.predicate, made, "verb_swapped")]


NO_OFFICE = frozenset(["a", "an", "ein", "eine", "einen", "every", "each", "on", "in"])


def _bare_duty(context: Context, target: Sequence[Token]) -> bool:
    """`Camille runs purchasing at Verdelo`: a name runs what has no article."""
    first = context.frame.subject[0].lower
    pronoun = first in PRONOUNS or target[0].lower in NO_OFFICE
    return (
        not pronoun
        and is_name(context.frame.subject, "en")
        and not any(t.lower.endswith("er") for t in context.frame.rest[:1])
    )
