"""From an utterance to mentions and statements: the one entry of this part."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.extraction.accounting import account
from app.extraction.clauses import Clause, Sentence, announces_correction, clauses
from app.extraction.cues import (
    BESIDE,
    CONSEQUENCE,
    GAME,
    JOINED,
    LEADING_CONDITION,
    REPORTING,
    TAKEN_BACK,
    WORD,
)
from app.extraction.data import words
from app.extraction.drafts import Context, Draft, finished
from app.extraction.frames import frame, has_no_subject, otherwise, stands_alone, tells_source
from app.extraction.language import language_of
from app.extraction.mentions import Recogniser, Rules
from app.extraction.model import Extracted, Mention, Span, Statement, Utterance
from app.extraction.moments import Role
from app.extraction.notes import noted
from app.extraction.others import unowned, voices
from app.extraction.phrases import Reader
from app.extraction.predicates import Registry, standard
from app.extraction.prefilter import said
from app.extraction.rules import drafts
from app.extraction.rules.openly import noted_down
from app.extraction.segment import is_code_like, sentences, without_code
from app.extraction.tokens import Frame, Token
from app.extraction.typed import typed
from app.extraction.verbs import PREPOSITIONS

RULES = Rules()
BACK = 2  # sentences that one takes back
# With what a fragment begins that limits the sentence before it; so do prepositions of a time.
LIMITERS = words("sets", "limiters")
# What a sentence limits that goes on with one of these: `It's only until June.`
REFERS = words("sets", "refers")
ONLY = words("sets", "only")
LONGEST_LIMIT = 100  # characters of a sentence that limits the one before it
AND = re.compile(r"(?i)\b(?:and|und)\s*$")
SHORT = 8  # characters in which one sees whether `and` stands before a clause
TWO_WORDS = re.compile(r"\W*\w\S*\s\W*\w")


def extract(
    utterance: Utterance, registry: Registry | None = None, recogniser: Recogniser | None = None
) -> Extracted:
    """Everything that the rules find; the same text gives the same result. It never raises for
    what a text holds, and what it cannot read for sure it leaves out."""
    known = registry or standard()
    stated: list[list[Statement]] = []  # by sentence
    corrects = False
    whole = language_of(utterance.text, utterance.language)
    told = voices(utterance)
    readers: dict[str | None, Reader] = {None: Reader(utterance)}
    for span in () if GAME.search(told.text) else sentences(told.text):
        text, other = told.text[span.start : span.end], told.at(span.start)
        reader = readers.get(other)
        if reader is None:
            reader = readers[other] = Reader(replace(utterance, speaker=other))
        sentence = Sentence(text, span.start, language_of(text, whole), corrects, said(text))
        found = list(_of_sentence(sentence, reader, known))
        if TAKEN_BACK.match(text, sentence.said):
            stated[-BACK:] = [[_taken_back(s, text) for s in before] for before in stated[-BACK:]]
        elif not found and _limits_before(sentence, reader):
            stated[-1:] = [[_taken_back(s, text) for s in before] for before in stated[-1:]]
        stated.append(found if other is None else list(map(unowned, found)))
        corrects = not found and announces_correction(text)
    unique = list(dict.fromkeys(statement for found in stated for statement in found))
    return Extracted(_mentions(utterance, unique, recogniser or RULES, whole), tuple(unique))


def _limits_before(sentence: Sentence, reader: Reader) -> bool:
    """Whether a sentence that says nothing by itself goes on with the one before: `But only on
    Sundays.`, `Until Friday.`, `That's just for the holidays.`"""
    opens, *more = [
        word.strip(",:;.!").lower().replace("’", "'")
        for word in sentence.text[:LONGEST_LIMIT].split()
    ] or [""]
    if not more or len(sentence.text) > LONGEST_LIMIT:
        return False
    if opens in REFERS:
        return not ONLY.isdisjoint(more)
    timed = opens in PREPOSITIONS[sentence.language]
    if not timed and opens not in LIMITERS:
        return False
    parts = clauses(sentence, reader.utterance.captured_at)
    if any(map(stands_alone, parts)):
        return False
    return opens in LIMITERS or any(part.when for part in parts)


def _taken_back(statement: Statement, by: str) -> Statement:
    """Return a statement that a later sentence takes back, or makes a jest of: it ends nothing."""
    return replace(statement, rest=" … ".join(filter(None, (statement.rest, by.strip()))))


def _of_sentence(sentence: Sentence, reader: Reader, registry: Registry) -> Iterator[Statement]:
    if TWO_WORDS.match(sentence.text) is None or is_code_like(sentence.text):
        return  # one word states nothing
    if whole := typed(sentence, reader):
        yield from whole
        return
    if (note := noted(sentence)) is not None:
        yield from _of_note(Context(note, reader, registry))
        return
    subject: tuple[Token, ...] = ()
    leads: tuple[str, ...] = ()
    read: list[tuple[Context, list[Draft]]] = []
    whole_yet: list[tuple[Context, list[Draft]]] = []  # those that nothing behind them limits
    for clause in clauses(sentence, reader.utterance.captured_at):
        found = frame(clause, subject)
        context, made = _made(clause, found, reader, registry)
        if not made:
            for before in _limited(clause, sentence, whole_yet):
                before.clause.left += (clause.text.strip(),)
        if context is None:
            if not clause.inherits and has_no_subject(clause):
                leads += (clause.text,)
            continue
        context.clause.left += leads
        subject = (found or context.frame).subject
        read.append((context, made))
        whole_yet += read[-1:]
    for context, made in read:
        left = account(made, context)
        for draft in made:
            yield from finished(draft, context, left.rest, left.qualifier)


def _limited(
    clause: Clause, sentence: Sentence, whole: list[tuple[Context, list[Draft]]]
) -> list[Context]:
    """Take out of what was wholly read so far what a clause limits that was not read: all of it,
    or with `and started again` the end right before it."""
    last = whole[-1:]
    limits = _limits(clause, sentence)
    if not limits and not (clause.again and any(_ends(*each) for each in last)):
        return []
    limited = whole if limits else last
    found = [context for context, _ in limited]
    del whole[len(whole) - len(found) :]
    return found


def _ends(context: Context, made: list[Draft]) -> bool:
    return context.clause.ends or any(draft.ends for draft in made)


def _limits(clause: Clause, sentence: Sentence) -> bool:
    """Whether what was not read of a sentence may limit what stands before it: what could be no
    sentence of its own (`until the lease ends`, `then started again`) and what tells from where
    one has it (`it says on the door`, `hat Tom gesagt`). What `and` joins, a reason and a
    consequence do not, unless they end with a verb of saying: `so I heard`."""
    at = clause.start - sentence.start
    before = sentence.text[max(0, at - SHORT) : at]
    own = BESIDE.match(clause.text) or CONSEQUENCE[clause.language].match(clause.text)
    if own or JOINED.match(clause.text) or AND.search(before):
        return REPORTING.search(clause.text) is not None
    if clause.when and WORD.search(clause.work) is None:  # `as of last week`
        return any(when.role is not Role.SINCE for when in clause.when)
    is_condition = LEADING_CONDITION.match(clause.text, clause.said) is not None
    return is_condition or tells_source(clause) or not stands_alone(clause)


def _of_note(context: Context) -> Iterator[Statement]:
    for draft in noted_down(context):
        yield from finished(draft, context, account([draft], context).rest)


def _made(
    clause: Clause, found: Frame | None, reader: Reader, registry: Registry
) -> tuple[Context | None, list[Draft]]:
    """What the first reading of a clause gives that gives anything, and how it was read."""
    context = Context(found, reader, registry) if found is not None else None
    if context is not None and (made := list(drafts(context))):
        return context, made
    for other in otherwise(clause, found):
        tried = Context(other, reader, registry)
        if made := list(drafts(tried)):
            return tried, made
    return context, []


def _mentions(
    utterance: Utterance, statements: list[Statement], recogniser: Recogniser, language: str
) -> tuple[Mention, ...]:
    """The ends of the statements, and the other names of the text."""
    stated: list[Mention] = []
    for statement in statements:
        for part in (statement.subject, statement.object, statement.replaces):
            if isinstance(part, Mention):
                stated.append(part)
    prose = without_code(utterance.text)
    named = recogniser.mentions(prose, language)
    taken = _joined(m.span for m in stated)
    others = [n for n in named if not _overlaps(n.span, taken)]
    unique = dict.fromkeys([*stated, *others])
    return tuple(sorted(unique, key=lambda m: (m.span.start, m.span.end, m.name)))


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Ranges in order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return joined


def _overlaps(one: Span, others: list[Span]) -> bool:
    at = bisect_left(others, one.end, key=lambda span: span.start)
    return at > 0 and others[at - 1].end > one.start
