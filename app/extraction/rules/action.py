"""Rules for clauses with a full verb: what one uses, owns, eats, likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.extraction.cues import DO_NOT
from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.frames import frame as framed
from app.extraction.objects import (
    complement,
    items,
    literal,
    more_of,
    thing,
    until_stop,
)
from app.extraction.phrases import is_name
from app.extraction.rules.agents import by_agent, swapped
from app.extraction.rules.copula import old_thing
from app.extraction.rules.measures import amount_with_verb
from app.extraction.rules.places import is_where
from app.extraction.rules.roles import is_job
from app.extraction.rules.senses import open_sense, sense_of
from app.extraction.tokens import HABIT_DAY, PRONOUNS, Frame, Token, tokens
from app.extraction.verbs import PREPOSITIONS, Sense, english_name, readings
from app.values.model import Kind, Value
from app.values.parse import parse_value


def cleft(context: Context) -> list[Draft]:
    """`It's hazelnuts that I'm allergic to` is `I am allergic to hazelnuts`."""
    frame = context.frame
    if frame.language != "en" or frame.lemma != "be" or [t.lower for t in frame.subject] != ["it"]:
        return []
    position = next(
        (i for i, t in enumerate(frame.rest) if t.lower in ("that", "which", "who")), None
    )
    if not position:
        return []
    target = until_stop(frame.rest[:position], "en")
    if target and (is_hollow(target) or readings(target[0].lower, "en")):
        return []
    inner = _until_punctuation(frame.rest[position + 1 :])
    clause = replace(frame.clause, inherits=False)
    start, end = (inner[0].start, inner[-1].end) if inner else (0, 0)
    if not inner or not target:
        return []
    offset = clause.start
    part = replace(
        clause,
        text=clause.text[start - offset : end - offset],
        work=clause.work[start - offset : end - offset],
        start=start,
    )
    inside = framed(part)
    if inside is None or not _has_gap(inside):
        return []
    whole = replace(inside, clause=clause, rest=(*inside.rest, *target))
    return [
        replace(d, read=frame.rest[: len(target) + 1 + len(inner)])
        for d in acts(replace(context, frame=whole))
    ]


def _has_gap(inside: Frame) -> bool:
    """Whether the clause lacks what stands before `that`; `it is wrong that I live in Rome` not."""
    return not inside.rest or inside.rest[-1].lower in PREPOSITIONS["en"]


def _until_punctuation(given: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    for word in given:
        if word.text in ",;:":
            break
        kept.append(word)
    return kept


def running(context: Context) -> list[Draft]:
    """`Eisvogel läuft wieder`, `The service is running again`: it is active."""
    frame = context.frame
    if frame.lemma not in ("laufen", "run", "funktionieren", "arbeiten", "work") or frame.past:
        return []
    left = [
        t
        for t in frame.rest
        if t.lower not in ("wieder", "again", "fine", "well", "normally", "rund", "normal")
    ]
    phrase = context.subject_phrase()
    if left or phrase is None or context.reader.person(frame.subject[0]) is not None:
        return []
    if phrase.indefinite:
        return []
    subject = context.named(phrase, "status")
    return [
        Draft(
            subject,
            "status",
            Value(Kind.STATE, "state:active", frame.lemma),
            "running",
            dated=True,
            read=frame.rest,
        )
    ]


TASTES = {
    "like": "likes", "love": "likes", "enjoy": "likes", "adore": "likes", "hate": "dislikes",
    "prefer": "prefers", "dislike": "dislikes",
}  # fmt: skip


MOST_TASTE_WORDS = 8


def tastes(context: Context) -> list[Draft]:
    """`I like to do reviews on Tuesdays`, `She prefers working from home`: a doing as a whole."""
    frame = context.frame
    predicate = TASTES.get(frame.lemma)
    rest = _until_punctuation(frame.rest)
    if predicate is None or frame.past or not rest or len(rest) > MOST_TASTE_WORDS:
        return []
    to = rest[0].lower == "to" and len(rest) > 1
    if not to and not (rest[0].lower.endswith("ing") and len(rest[0].lower) > 4):
        return []
    subject = context.subject(predicate)
    if context.clause.denies and not DO_NOT.search(context.clause.text):
        return []
    value = literal(rest[1:] if to else rest, context)
    return [Draft(subject, predicate, value, "taste")] if subject and value else []


def _thing_subject(context: Context) -> bool:
    return context.frame.subject[0].lower in ("the", "our", "der", "die", "das", "unser", "unsere")


def acts(context: Context) -> list[Draft]:
    """A verb that the registry or the lexicon knows, with its object."""
    frame, language = context.frame, context.language
    if day := _on_day(context):
        return day
    found = sense_of(frame, language) or open_sense(frame, language)
    if found is None:
        return []
    sense, target, after, prepositional = found
    if len(target) > 1 and target[0].lower.endswith("ing"):
        return []  # a doing, which is no thing
    if _wishes_of_others(sense, target, frame.rest):
        return []
    if not prepositional and (numbers := amount_with_verb(context)):
        return numbers
    if frame.lemma in MEASURED:
        return []
    if by := by_agent(context):
        return by
    if not target or target[0].lower in NO_OBJECT:
        return []
    if target[0].text[0].isdigit() or target[0].lower in words("sets", "hollow"):
        return []
    if not sense.listed and _passing(context, target):
        return []
    if sense.swapped:
        return swapped(context, sense, target)
    return [*_plain(context, sense, target), *_of_the_job(context, sense, after)]


NO_OBJECT = PRONOUNS - {"the", "die", "der", "das", "einen", "eine", "ein", "my", "our"}
# Of these a list has only what is measured: `hält zwei Tage`, not `hält viel von Jonas`.
MEASURED = frozenset(["halten"])

# What else one says of a job: `as a paralegal at Loomis`, `bei Loomis als Anwältin`.
BESIDE_JOB = {
    "works_as": ("works_for", frozenset(["at", "for", "bei", "beim", "für"])),
    "works_for": ("works_as", frozenset(["as", "als"])),
}


def _of_the_job(context: Context, sense: Sense, after: Sequence[Token]) -> list[Draft]:
    """For whom one works as what, where both are said."""
    other, prepositions = BESIDE_JOB.get(sense.predicate, ("", frozenset()))
    preposition, target, _ = complement(after, context.language)
    if context.clause.ends or context.clause.denies:
        return []  # whose job is over may have another one at the same firm
    if preposition not in prepositions or not target:
        return []
    sure = is_job(target[-1].lower, context.language) if other == "works_as" else _is_firm(target)
    return _plain(context, Sense(other), target) if sure else []


def _is_firm(target: Sequence[Token]) -> bool:
    """Whether a name is surely a firm's: of several words, all capitalised, or with a `&`. One word
    may be a time, a reason or what is taught: `als Kellnerin bei Bedarf`, `as a lecturer for Law`.
    """
    named = [t for t in target if t.text[0].isupper() and t.text not in words("nouns", "days")]
    return len(named) > 1 and len(named) >= len(target) - 1


def _wishes_of_others(sense: Sense, target: Sequence[Token], rest: Sequence[Token]) -> bool:
    """`I want my kids to learn`: not the kids are wanted."""
    after = rest[len(target)].lower if len(target) < len(rest) else ""
    return sense.predicate in ("wants", "likes") and after == "to"


def _passing(context: Context, target: Sequence[Token]) -> bool:
    """Whether a verb without a listed meaning tells of the moment only."""
    frame = context.frame
    if context.clause.ends:
        return False
    going_on = frame.language == "en" and any(
        t.lower in ("'m", "'re", "is", "are", "am", "been") for t in tokens(context.clause)
    )
    capital = any(c.isupper() for t in target for c in t.text)
    light = frame.lemma == "take" and target[0].lower != "the" and not capital
    return going_on or light or is_hollow(target)


def is_hollow(target: Sequence[Token]) -> bool:
    """Whether the words hold one that points to what was said elsewhere."""
    return any(t.lower in words("sets", "hollow") for t in target)


def _plain(context: Context, sense: Sense, target: Sequence[Token]) -> list[Draft]:
    subject = context.subject(sense.predicate)
    if subject is None:
        return []
    row = context.registry.get(sense.predicate)
    if sense.predicate == "member_of" and not _group(target):
        return []
    if row.kind is Kind.TEXT and is_hollow(target):
        return []
    members = (
        [list(target)] if row.functional else [*items(target), *more_of(context.frame.rest, target)]
    )
    if not sense.listed and context.frame.past and not context.clause.denies:
        return []
    if row.kind is Kind.ENTITY and not sense.listed and not is_name(target, "en"):
        return []
    old = old_thing(context, sense.predicate)
    contrast = context.clause.contrast
    drafts = []
    for member in members:
        made = thing(member, sense.predicate, context)
        if made is None or (
            row.kind is Kind.ENTITY and row.range & {"place"} and not _place_like(member, context)
        ):
            continue
        draft = Draft(
            subject,
            sense.predicate,
            made,
            "verb" if sense.listed else "other_verb",
            confidence=0.85 if sense.listed else 0.75,
            old=old,
            was_error=contrast is not None and contrast.is_error,
        )
        drafts.append(draft)
    return drafts


def _group(target: Sequence[Token]) -> bool:
    groups = words("nouns", "groups_en") | words("nouns", "groups_de")
    return any(t.text[0].isupper() for t in target[1:] or target) or target[-1].lower in groups


def _place_like(member: Sequence[Token], context: Context) -> bool:
    if not is_where(member, context):
        return False
    bare = [t for t in member if t.lower not in ("the", "der", "die", "den", "dem")]
    return bool(bare) and bare[0].text[0].isupper()


def _on_day(context: Context) -> list[Draft]:
    """`Freitags arbeite ich`, `I work on Fridays`: the days of a habit."""
    frame, language = context.frame, context.language
    if frame.past:
        return []
    day = next((t for t in frame.rest if HABIT_DAY.match(t.text)), None)
    others = [
        t
        for t in frame.rest
        if t is not day and t.lower not in ("on", "am", "von", "zu", "hause", "aus", ",")
    ]
    if frame.lemma in ("like", "love", "mögen", "stay", "bleiben", "be", "sein"):
        return []
    if day is None or until_stop(others, language):
        return []
    value = parse_value(day.lower if language == "de" else day.text, language)
    subject = context.subject("name")
    if subject is None or value is None or value.kind is not Kind.DATE:
        return []
    lemma = english_name(frame.lemma) if language == "de" else frame.lemma
    lemma = {"arbeiten": "work"}.get(lemma, lemma)
    return [Draft(subject, f"{lemma}_on_day", value, "habit", read=frame.rest)]
