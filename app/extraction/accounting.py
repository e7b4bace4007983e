"""Which words of a clause a reading did not account for.

A clause may end or replace what is held only where all of it was read. Read are the subject, the
verb, the words that the predicate and the value stand for, a time that was understood, and the
closed classes of words that add nothing to what is said. All else is the rest.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.extraction.clauses import AUX, Clause
from app.extraction.cues import ADDITIVE, ADVERBS, CORRECTION, DEGREE, QUALIFIED
from app.extraction.data import words as listed
from app.extraction.drafts import Context, Draft
from app.extraction.given_names import is_given_name
from app.extraction.inflect import particles
from app.extraction.model import Mention, Precision
from app.extraction.moments import Role, When
from app.extraction.phrases import normal_noun
from app.extraction.predicates import standard
from app.extraction.prefilter import Cue
from app.extraction.taken_along import AMOUNTS, taken_along
from app.extraction.tokens import DETERMINERS, Token, tokens
from app.extraction.verbs import PREPOSITIONS, readings
from app.values.model import Kind
from app.values.wording import fold

OPEN_CLASS = re.compile(r"\w")
PIECE = re.compile(r"[^\W_]+")
PLAIN = listed("sets", "plain_words")
QUANTIFIERS = listed("sets", "quantifiers")
# What is said of a thing may differ by where and for whom; what is said of a person may not.
QUALIFIED_PREDICATES = frozenset(["runs_on", "stored_in", "written_in", "version", "value"])
OPEN_PREFIXES = ("attribute:", "measure:", "term:", "every:")
BOUNDS = frozenset(["over"])
ESTIMATES = listed("sets", "about") - BOUNDS - {"only"}
# How long it was so before: that it changed stays as it is.
AFTER = Cue(
    r"(?i)\b(?:after|nach) (?:\d+|[a-zäöü]{3,9}) "
    r"(?:days|weeks|months|years|tagen|wochen|monaten|jahren)\b",
    by="after nach",
)
REASONS = frozenset(["because", "weil", "wegen", "aufgrund"])
SO = frozenset(["so", "also"])
CONSEQUENCES = REASONS | SO
MOST_WORDS = 4  # of one qualification
# Prepositions that select one of several; where something is so, and with what, they leave open.
SELECTING = frozenset(["for", "on", "per", "für", "auf", "unter", "pro", "je"])
BASES = frozenset(["net", "gross", "netto", "brutto"])


# Small words that names begin with.
PARTICLES = frozenset("von van de der den zu zum zur vom di da al".split())  # noqa: SIM905
# Of these a description is no value; and what tells where something is from is no name of it.
MUST_BE_NAMED = frozenset(["person", "organization", "place", "project"])
ORIGIN = re.compile(r"(?:ish|ese|[^l]ian|ean|isch|ische[rn]?|länder(?:in)?|aner(?:in)?)$")


@dataclass(frozen=True, slots=True)
class Account:
    """The words that the drafts of one clause leave over, and the key of what qualifies their
    value; each is empty where there is none."""

    rest: str = ""
    qualifier: str = ""


def account(drafts: Sequence[Draft], context: Context) -> Account:
    """What the drafts of one clause do not account for."""
    if not drafts:
        return Account()
    words, read = _read(drafts, context)
    left = [w for w, is_read in zip(words, read, strict=True) if not is_read]
    left += [t for t in context.frame.subject if t.lower in QUANTIFIERS]
    qualifier = ""
    may_qualify = all(_may_qualify(draft, context) for draft in drafts)
    if may_qualify and not any(w.start > _comma(words) for w in left):
        qualifier = _qualifier(left, context.language)
        left = [] if qualifier else left
    aside = [*_left(drafts, context), *_beyond(drafts, context)]
    for when in context.clause.when:
        if not all(_is_told(when, draft, context) for draft in drafts):
            key = _period(when) if may_qualify and not qualifier else ""
            qualifier = key or qualifier
            aside += [] if key else [context.clause.text[when.start : when.end]]
    if any(_is_content(token, context.language) for token in left):
        aside.insert(0, " ".join(t.text for t in sorted(left, key=lambda t: t.start)))
    return Account(" … ".join(part.strip() for part in aside if part.strip()), qualifier)


def _left(drafts: Sequence[Draft], context: Context) -> list[str]:
    """What was taken out of the clause and limits it. That the speaker left `I` unsaid limits no
    end of his own, where one knows who speaks: `Packed in the pottery`."""
    left = list(context.clause.left)
    unsaid = [t for t in context.frame.subject if t.start == t.end]
    ended = context.clause.ends or all(draft.ends for draft in drafts)
    known = context.reader.utterance.speaker and ended
    if unsaid and known:
        word = next((w for w in left if unsaid[0].start == _place(w, context)), None)
        left = [w for w in left if w is not word]
    return left


def _place(word: str, context: Context) -> int:
    """Where a word that was taken out stands in the text; -1 where it does not begin the clause."""
    clause = context.clause
    lead = len(clause.text) - len(clause.text.lstrip())
    return clause.start + lead if clause.text[lead:].startswith(word) else -1


def _read(drafts: Sequence[Draft], context: Context) -> tuple[Sequence[Token], list[bool]]:
    """The words that say something, and of each whether it was read."""
    clause, frame = context.clause, context.frame
    words: Sequence[Token] = tokens(clause)
    spans = [(t.start, t.end) for t in frame.subject] + _beside(clause)
    known: set[str] = set()
    for draft in drafts:
        spans += _spans(draft)
        known |= _known(draft, context)
    inside = set(frame.rest) | set(frame.subject)
    put_aside = _put_aside(words, inside)
    if put_aside > 0 and _only_calls(words, put_aside):
        words, put_aside = [w for w in words if w.start >= put_aside], -1
    if not (clause.ends or clause.denies):
        words = words[: _reason(words)]  # why it is so does not limit that it is
    seen = Seen(spans, known, inside, put_aside)
    read = [_is_read(word, context, seen) for word in words]
    _join_prepositions(words, read, context.language)
    return words, read


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read of a clause: ranges, words, the tokens of the frame, and where what stands
    before a comma and the subject ends."""

    spans: Sequence[tuple[int, int]]
    known: set[str]
    inside: set[Token]
    put_aside: int


def _beyond(drafts: Sequence[Draft], context: Context) -> list[str]:
    """What the clause says that is in none of its words alone: that more holds, a description in
    place of a name, an hour, another value."""
    clause = context.clause
    found: list[str] = []
    if clause.contrast is not None and all(d.old is None for d in drafts):
        found.append(clause.contrast.old)
    if any(context.registry.get(d.predicate).functional and d.old is None for d in drafts):
        for is_said, pattern in ((clause.additive, ADDITIVE), (clause.qualified, QUALIFIED)):
            found += [m[0] for m in pattern.finditer(clause.text)] if is_said else []
    found += [word for draft in drafts for word in _estimate(draft, context)]
    things = [(d.object, d) for d in drafts]
    found += [t.name for t, d in things if isinstance(t, Mention) and _is_nameless(t, d, context)]
    is_told = all(
        _is_date(draft) or draft.rule == "opening" or _is_value(clause.clock, draft)
        for draft in drafts
    )
    if clause.clock and not is_told:
        found.append(clause.clock)
    return [*found, *taken_along(drafts, context)]


def _estimate(draft: Draft, context: Context) -> Iterator[str]:
    """The words before an amount by which it is a bound or an estimate: `over`, `roughly`. What
    was exact may be within it, save where the clause tells of a change."""
    value, clause = draft.object, context.clause
    if isinstance(value, Mention) or value.kind not in AMOUNTS or draft.dated or draft.old:
        return
    words = [t.lower for t in tokens(clause)]
    for word, after in itertools.pairwise(words):
        bound = word in BOUNDS
        if (bound or (word in ESTIMATES and not clause.newer)) and value.text.lower().startswith(
            after
        ):
            yield word


def _reason(words: Sequence[Token]) -> int:
    """Where a reason begins, or behind a comma a consequence."""
    for place, word in enumerate(words):
        if word.lower not in CONSEQUENCES or not place:
            continue
        if word.lower in REASONS or words[place - 1].text == ",":
            return place
    return len(words)


def _comma(words: Sequence[Token]) -> int:
    """Where the clause has its first comma: what stands behind it qualifies nothing before it."""
    return next((w.start for w in words if w.text in ",;:("), sys.maxsize)


def _is_date(draft: Draft) -> bool:
    return not isinstance(draft.object, Mention) and draft.object.kind is Kind.DATE


def _is_nameless(thing: Mention, draft: Draft, context: Context) -> bool:
    """Whether the value is not of the kind that the predicate takes: a description for a name."""
    row = context.registry.get(draft.predicate)
    held = row.range & MUST_BE_NAMED or draft.predicate.startswith("attribute:")
    if draft.predicate.startswith("by:"):  # led by passion; led by the council is somebody
        held = not any(t.lower in DETERMINERS for t in _before(thing, context)[-1:])
    if thing.is_speaker or not row.functional or not held:
        return False
    _, owned, head = thing.name.rpartition("'s ")
    if owned and head.islower():
        return head not in listed("nouns", "kin")
    if not thing.named or _is_described(thing, context.language):
        return True
    return _ends(thing, draft, context) and _may_be_a_trait(thing)


def _is_described(thing: Mention, language: str) -> bool:
    """Whether a German phrase begins with an adjective: bei offenem Fenster."""
    first, *more = thing.name.split()
    return language == "de" and bool(more) and first.islower() and first not in PARTICLES


def _ends(thing: Mention, draft: Draft, context: Context) -> bool:
    """Whether one word ends what is said (Our CEO is Dutch), right behind a verb."""
    if " " in thing.name or any(token.start > thing.span.start for token in draft.read):
        return False
    behind = any(t.start == thing.span.start for t in context.frame.rest)
    before = _before(thing, context)[-1:]
    return behind and not any(t.lower in PREPOSITIONS[context.language] for t in before)


def _before(thing: Mention, context: Context) -> list[Token]:
    """The words between the verb and a phrase."""
    return [t for t in context.frame.rest if t.start < thing.span.start]


def _may_be_a_trait(thing: Mention) -> bool:
    """Whether one word with a capital may tell what somebody is (Dutch, Catholic, Schwede) and not
    who: of a person only a given name surely does not."""
    if thing.type == "person":
        return not is_given_name(fold(thing.name))
    return thing.type == "organization" and ORIGIN.search(thing.name) is not None


def _beside(clause: Clause) -> list[tuple[int, int]]:
    """Where adverbs stand that leave what is said as it is."""
    patterns = [ADVERBS, AFTER] if clause.ends or clause.denies else [ADVERBS, AFTER, DEGREE]
    return [
        (clause.start + found.start(), clause.start + found.end())
        for pattern in patterns
        for found in pattern.finditer(clause.work, clause.said)
    ]


def _spans(draft: Draft) -> list[tuple[int, int]]:
    ends = (draft.subject, draft.object, draft.old)
    spans = [(e.span.start, e.span.end) for e in ends if isinstance(e, Mention)]
    return spans + [(t.start, t.end) for t in draft.read]


def _known(draft: Draft, context: Context) -> set[str]:
    """The words, in lower case, that the value and the predicate stand for."""
    found: set[str] = set()
    for end in (draft.object, draft.old):
        if end is not None and not isinstance(end, Mention):
            found.update(part.lower() for part in end.text.split())
            found.update(p.lower() for p in PIECE.findall(end.text))
    found.update(p.lower() for p in PIECE.findall(draft.predicate.replace("_", " ")))
    return found | _wording(draft.predicate, context.language)


@lru_cache(maxsize=1024)
def _wording(predicate: str, language: str) -> frozenset[str]:
    row = standard().get(predicate)
    found: set[str] = set()
    for field in ("verbs", "passive", "nouns", "counts"):
        for phrase in row.wording.get(f"{field}_{language}", ()):
            found.update(phrase.lower().split())
    return frozenset(found)


def _put_aside(words: Sequence[Token], inside: set[Token]) -> int:
    """Where what stands before the subject, and was put aside with a comma, ends; what calls for
    attention there (`Good news,`) or announces a correction says nothing of its own."""
    ends = [w.end for w in words if w.text in ",;:–(" and w not in inside]
    return max(ends, default=-1)


def _only_calls(words: Sequence[Token], put_aside: int) -> bool:
    """Whether what is put aside only calls for attention or announces a correction."""
    said = [w.lower for w in words if w.end <= put_aside and OPEN_CLASS.match(w.text)]
    last = said[-1] if said else ""
    return last in listed("names", "headings") or CORRECTION.search(" ".join(said)) is not None


def _is_read(word: Token, context: Context, seen: Seen) -> bool:
    if not OPEN_CLASS.match(word.text):
        return True
    if any(start <= word.start and word.end <= end for start, end in seen.spans):
        return True
    if word.end <= seen.put_aside:
        return False
    if word not in seen.inside:
        return _is_verb(word, context)
    if not _is_content(word, context.language):
        return True
    pieces = [p.lower() for p in PIECE.findall(word.text)]
    if word.lower in seen.known or all(p in seen.known for p in pieces):
        return True
    return context.language == "de" and normal_noun(word.text, "de") in seen.known


def _is_verb(word: Token, context: Context) -> bool:
    language = context.language
    return (
        word.lower in AUX[language]
        or word.lower in listed("sets", "modals")
        or word.text.startswith(("'", "’"))
        or bool(readings(word.lower, language))
        or (language == "de" and word.lower in particles())
        or word.lower[:3] == context.frame.lemma[:3]
        or word.lower in PLAIN
    )


def _join_prepositions(words: Sequence[Token], read: list[bool], language: str) -> None:
    """A preposition goes with what follows it, and a determiner too."""
    for place in range(len(words) - 2, -1, -1):
        word = words[place]
        if read[place] and word.lower not in DETERMINERS[language]:
            continue
        if word.lower in PREPOSITIONS[language]:
            after = place + 1
            while after < len(words) - 1 and words[after].lower in DETERMINERS[language]:
                after += 1
            read[place] = read[after] and OPEN_CLASS.match(words[after].text) is not None


def _is_content(word: Token, language: str) -> bool:
    if word.lower in PLAIN:
        return False
    return word.lower in QUANTIFIERS or word.lower not in DETERMINERS[language]


def _is_told(when: When, draft: Draft, context: Context) -> bool:
    """Whether the draft says when, or has the time as its value."""
    ended = context.clause.ends or context.clause.denies or draft.ends
    if when.role is Role.UNTIL and not ended and context.registry.get(draft.predicate).functional:
        return False  # what holds until then takes the place of nothing for good
    if when.role in (Role.SINCE, Role.UNTIL):
        lasts = context.clause.text[when.start : when.end].lower().startswith("for ")
        return not lasts or context.frame.auxiliary == "have"
    value = draft.object
    if not isinstance(value, Mention) and value.kind is Kind.DATE and when.role is Role.AT:
        return True
    if _is_value(context.clause.text[when.start : when.end], draft):
        return True
    if when.role is Role.PURPOSE:
        return False
    changes = draft.dated or draft.event or draft.present or context.frame.past
    if when.role is Role.TEMPORARY:
        return changes and context.frame.past
    return changes


def _is_value(said: str, draft: Draft) -> bool:
    """Whether the words of a time are all that an open reading has as its value: `fährt im Winter`,
    `öffnet um acht`."""
    value = draft.object
    if isinstance(value, Mention) or draft.rule != "open":
        return False
    return value.text.lower().split() == said.lower().split()


def _period(when: When) -> str:
    """The key of a year or a month that an amount is for."""
    moment = when.point.bind(when.lean)
    if moment is None or moment.precision not in (Precision.YEAR, Precision.MONTH):
        return ""
    if moment.precision is Precision.YEAR:
        return f"year:{moment.at.year}"
    return f"month:{moment.at:%Y-%m}"


def _may_qualify(draft: Draft, context: Context) -> bool:
    row = context.registry.get(draft.predicate)
    if draft.predicate in QUALIFIED_PREDICATES:
        return True
    if isinstance(draft.object, Mention) or not row.functional:
        return False
    if draft.object.kind is Kind.DATE or row.domain == frozenset(["person"]):
        return False
    return draft.predicate.startswith(OPEN_PREFIXES) or draft.object.kind in AMOUNTS


def _qualifier(left: Sequence[Token], language: str) -> str:
    """The key of what qualifies a value: prepositions with their nouns, net and gross."""
    parts: list[list[str]] = []
    for word in left:
        lowered = word.lower
        if lowered in BASES:
            parts.append(["net" if lowered.startswith("net") else "gross"])
        elif lowered in SELECTING:
            parts.append([f"{lowered}:"])
        elif not parts or not parts[-1][0].endswith(":") or len(parts[-1]) > MOST_WORDS:
            return ""
        elif lowered not in DETERMINERS[language]:
            if word.text[0].islower() and readings(lowered, language):
                return ""
            parts[-1].append(normal_noun(word.text, language))
    if any(part[0].endswith(":") and len(part) == 1 for part in parts):
        return ""
    return "; ".join(sorted(part[0] + " ".join(part[1:]) for part in parts))
