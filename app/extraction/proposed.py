"""What a language model proposes, held against the text: a proposal that the text does not bear
out, word by word, is dropped and counted. Pure: the same answer gives the same statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.extraction.calendar import POINT, Lean, point
from app.extraction.language import language_of
from app.extraction.model import Extracted, Mention, Mode, Moment, Span, Statement, Utterance
from app.extraction.predicates import Predicate, Registry
from app.extraction.segment import without_code
from app.extraction.tokens import PRONOUNS
from app.values.model import Kind, Value
from app.values.parse import parse_value
from app.values.wording import fold

RULE = "model"
# Below what rules read for sure (0.85), above what is left in its episode.
CONFIDENCE = 0.5
MOST = 40  # statements of one answer
LONGEST_QUOTE, LONGEST_NAME, LONGEST_VALUE = 600, 80, 80  # characters
MOST_WORDS = 7  # of a name
# What is told in words and has no name: it means something within its text alone.
WORDED = frozenset(["decision", "incident", "lesson", "source"])
LONGEST_WORDED, MOST_WORDED = 200, 30  # characters and words of it
I = frozenset(["i", "ich", "me", "mir", "mich", "my", "mein", "meine", "meinem", "meinen"])  # noqa: E741
PERSONS = frozenset(["person"])
MEASURED = frozenset([Kind.MONEY, Kind.DATE, Kind.NUMBER, Kind.QUANTITY, Kind.STATE, Kind.BOOLEAN])
WHEN = re.compile(rf"(?<![\w-]){POINT}(?![\w-])")
ABBREVIATION = 6  # letters: a word of capitals that is no longer names no person (seed 003)


class Proposed(BaseModel):
    """One statement as the model gives it; all texts are quotes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    subject: str
    predicate: str
    object: str
    mode: Literal["assert", "end", "deny"]
    quote: str
    since: str | None
    until: str | None


class Proposal(BaseModel):
    """The whole answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    statements: tuple[Proposed, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """The statements that the text bears out, and how many were dropped for which reason."""

    statements: tuple[Statement, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)


class Unborne(Exception):
    """The text does not bear a proposal out; the message is the reason, one word."""


@dataclass(frozen=True, slots=True)
class Read:
    """What proposals are held against: the text without code, and what rules found in it."""

    utterance: Utterance
    text: str
    registry: Registry
    found: Extracted


def check(
    proposal: Proposal, model: str, utterance: Utterance, registry: Registry, found: Extracted
) -> Checked:
    """The statements of a proposal that hold against the text.

    `model` is the name that the claims will carry; `found` is what the rules read there.
    """
    read = Read(utterance, without_code(utterance.text), registry, found)
    kept: dict[tuple[object, ...], Statement] = {}
    ruled = {_said(statement) for statement in found.statements}
    dropped: Counter[str] = Counter()
    for proposed in proposal.statements[:MOST]:
        try:
            statement = replace(_statement(proposed, read), model=model)
        except Unborne as reason:
            dropped[str(reason)] += 1
            continue
        said = _said(statement)
        # Only what rules read in the same text was wholly read: the rest ends and replaces nothing.
        rest = "" if said in ruled else statement.text
        kept.setdefault(said, replace(statement, rest=rest))
    dropped["many"] += max(0, len(proposal.statements) - MOST)
    return Checked(tuple(kept.values()), dict(+dropped))


def joined(found: Extracted, proposals: tuple[Statement, ...]) -> Extracted:
    """What rules read, and after it what was proposed beyond that."""
    return replace(found, statements=(*found.statements, *proposals))


def _statement(proposed: Proposed, read: Read) -> Statement:
    predicate = read.registry.rows.get(proposed.predicate)
    if predicate is None:
        raise Unborne("predicate")
    span = _quoted(proposed.quote, read.text)
    language = language_of(read.text[span.start : span.end], read.utterance.language)
    subject = _mention(proposed.subject, Span(0, len(read.text)), read, predicate.domain, span)
    value = _object(proposed.object, span, read, (predicate, language))
    if isinstance(value, Mention) and fold(value.name) == fold(subject.name):
        raise Unborne("subject")
    since = _moment(proposed.since, Lean.PAST, span, read)
    until = _moment(proposed.until, Lean.FUTURE, span, read)
    if since is not None and until is not None and until.at <= since.at:
        raise Unborne("time")
    return Statement(
        subject=subject,
        predicate=predicate.name,
        object=value,
        mode=Mode(proposed.mode),
        span=span,
        text=read.text[span.start : span.end],
        confidence=CONFIDENCE,
        rule=RULE,
        since=since,
        until=until,
        ongoing=until is None,
    )


def _quoted(quote: str, text: str) -> Span:
    """Where the quote stands in the text, letter by letter; the first place of several."""
    wanted = quote.strip()
    start = text.find(wanted)
    if not wanted or len(wanted) > LONGEST_QUOTE or start < 0 or "\n\n" in wanted:
        raise Unborne("quote")
    return Span(start, start + len(wanted))


def _object(text: str, quote: Span, read: Read, asked: tuple[Predicate, str]) -> Mention | Value:
    """The object as the registry has it: a name, or a value of its kind, out of the quote."""
    predicate, language = asked
    if predicate.kind is Kind.ENTITY:
        return _mention(text, quote, read, predicate.range, quote)
    wanted = text.strip()
    if len(wanted) > LONGEST_VALUE or _places(wanted, quote, read.text) == []:
        raise Unborne("object")
    value = parse_value(wanted, language)
    if value is None or (predicate.kind in MEASURED and value.kind is not predicate.kind):
        raise Unborne("value")
    return value


def _mention(text: str, zone: Span, read: Read, types: frozenset[str], quote: Span) -> Mention:
    """A name that the text holds in a zone: the one that rules found there, or a new one. A
    decision or a lesson needs no name: its words stand for it."""
    name = " ".join(text.split())
    places = _places(text.strip(), zone, read.text)
    worded = bool(types) and types <= WORDED
    longest, most = (LONGEST_WORDED, MOST_WORDED) if worded else (LONGEST_NAME, MOST_WORDS)
    if not places or len(name) > longest or len(name.split()) > most:
        raise Unborne("name")
    span = min(places, key=lambda place: (abs(place.start - quote.start), place.start))
    if name.casefold() in I:
        return _speaker(span, read)
    known = next((m for m in read.found.mentions if m.span == span or m.name == name), None)
    if known is not None:
        return _of_type(known if known.span == span else replace(known, span=span), types)
    proper = any(c.isupper() or c.isdigit() for c in name)
    if name.casefold() in PRONOUNS or not (proper or worded):
        raise Unborne("name")
    kind = next(iter(types)) if len(types) == 1 else "unknown"
    return _of_type(Mention(name, kind, span, named=proper and not worded), types)


def _of_type(mention: Mention, types: frozenset[str]) -> Mention:
    """The mention, unless a person is asked for and it does not look like one or is none."""
    if types == PERSONS and mention.type not in ("person", "unknown"):
        raise Unborne("type")
    if types == PERSONS and not _like_a_person(mention.name):
        raise Unborne("name")
    return mention


def _like_a_person(name: str) -> bool:
    """No digit, a capital first, and no abbreviation: the gate of seed 003's second extractor."""
    short = " " not in name and name.isupper() and len(name) <= ABBREVIATION
    return name[0].isupper() and not short and not any(c.isdigit() for c in name)


def _speaker(span: Span, read: Read) -> Mention:
    name = (read.utterance.speaker or "I").strip() or "I"
    kind = "person" if read.utterance.role in ("user", "") else "unknown"
    return Mention(name, kind, span, is_speaker=True)


def _places(wanted: str, zone: Span, text: str) -> list[Span]:
    """Where whole words stand in a zone of the text."""
    if not wanted:
        return []
    pattern = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    return [Span(m.start(), m.end()) for m in pattern.finditer(text, zone.start, zone.end)]


def _moment(text: str | None, lean: Lean, quote: Span, read: Read) -> Moment | None:
    """The moment that a part of the quote names, bound to when it was said."""
    if text is None or not text.strip():
        return None
    if not _places(text.strip(), quote, read.text):
        raise Unborne("time")
    found = WHEN.search(text)
    moment = point(found, read.utterance.captured_at).bind(lean) if found else None
    if moment is None:
        raise Unborne("time")
    return moment


def _said(statement: Statement) -> tuple[object, ...]:
    """What makes two statements of one answer the same."""
    value = statement.object
    said = value.key if isinstance(value, Value) else fold(value.name)
    return fold(statement.subject.name), statement.predicate, said, statement.mode
