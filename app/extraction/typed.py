"""What a plain sentence says of incidents, lessons, decisions and rules: what caused what, what was
learnt from it, who decided what, and to what a rule applies.

Each shape is of a whole sentence, from its first word to its last, so that nothing that it says
besides is lost. What fits none is left to the rules for clauses, and to the model's path. These
statements have many values: they end nothing. That something depends on something is a verb like
any other, and read by the rules for clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.extraction.calendar import Lean
from app.extraction.clauses import Clause, Sentence, judged
from app.extraction.cues import (
    CONDITION,
    END_DE,
    END_EN,
    HEDGE,
    JOINT,
    NEITHER,
    NO_EN,
    NONE_DE,
    NOT_DE,
    NOT_EN,
    REPORTED,
    SUBJECT_START,
    TAIL_EN,
)
from app.extraction.data import words
from app.extraction.model import Mention, Mode, Moment, Span, Statement
from app.extraction.moments import Role, When, times
from app.extraction.phrases import Phrase, Reader
from app.extraction.prefilter import worded
from app.extraction.tokens import PRONOUNS, Token, tokens

SURE = 0.85
LONGEST = 200  # characters of a lesson or a decision
WORDS = range(2, 31)  # of a lesson or a decision
HINT = worded(
    r"caus|trigger|due to|result|led to|lesson|learn|decid|resolv|appl(?:y|ies)|verursach|"
    r"ausgelöst|löste|zurück|führte|gelernt|lehren?\b|lektion|erkenntnis|entsch(?:ied|loss)|"
    r"beschl[oö]ss|gilt|gelten",
    after="",
    also="entsch*",
)
_WORD = r"[^\s,;:()!?]+"
# Words and the space between them, so that a text has one way to be parted, and a bounded number.
_NP = rf"{_WORD}(?:\s+{_WORD}){{0,14}}?"
_WHAT = r"(?P<what>\S(?:.*\S)?)"
_WE_EN = rf"(?P<who>we|I|{_WORD}(?:\s+{_WORD}){{0,9}}?)"
_HAVE = r"(?:\s+(?:have|has)|['’](?:ve|s))?"
_SOON = r"(?:\s+(?:also|just|finally|jointly|therefore|then|now|together|unanimously))?"
_BALD = (
    r"(?:\s+(?:auch|nun|jetzt|endlich|gemeinsam|daher|deshalb|dann|zusammen|einstimmig|daraufhin))?"
)
_SELF = r"(?:\s+(?:uns|mich|sich))?"
_AUX_DE = r"(?:haben|habe|hat)"
_FROM_DE = r"aus\s+(?P<source>" + _NP + ")"
_LESSON_EN = r"(?:the|a|one|our|another|an)?\s*(?:\w+\s+){0,2}lessons?(?:\s+(?:learned|learnt))?"
_LESSON_DE = r"(?:die|eine|unsere)?\s*(?:\w+\s+){0,2}(?:lehren?|lektion|erkenntnis)"
_LEARNT_EN = r"(?:learned|learnt)"
_THAT_EN = r"\s*,?\s*(?:that\s+|to\s+)"
_DECIDED_DE = r"(?:entschieden|beschlossen|entschlossen)"
_DECIDES_DE = r"(?:beschloss(?:en)?|entschied(?:en)?|entschloss(?:en)?)"


@dataclass(frozen=True, slots=True)
class Shape:
    """A sentence with its parts named: `effect` and `cause`, `what` and `source`, `who` and
    `what`, `rule` and `to`. `strict`: the effect must be named by a noun for what goes wrong."""

    predicate: str
    pattern: re.Pattern[str]
    strict: bool = False


def _shape(predicate: str, pattern: str, *, strict: bool = False) -> Shape:
    return Shape(predicate, re.compile(rf"(?i){pattern}$"), strict)


def _np(name: str) -> str:
    return rf"(?P<{name}>{_NP})"


SHAPES: dict[str, tuple[Shape, ...]] = {
    "en": (
        _shape(
            "caused_by",
            rf"{_np('effect')}\s+(?:was|were|has been|have been)\s+(?:directly\s+|mainly\s+)?"
            rf"(?:caused|triggered)\s+by\s+{_np('cause')}",
        ),
        _shape(
            "caused_by",
            rf"{_np('effect')}\s+(?:(?:was|were)\s+(?:due to|the result of)|resulted from)\s+"
            rf"{_np('cause')}",
        ),
        _shape("caused_by", rf"{_np('cause')}{_HAVE}\s+caused\s+{_np('effect')}"),
        _shape(
            "caused_by",
            rf"{_np('cause')}{_HAVE}\s+(?:triggered|led to)\s+{_np('effect')}",
            strict=True,
        ),
        _shape(
            "learned_from",
            rf"from\s+{_np('source')}(?:\s*,\s*{_WE_EN}|\s+(?:we|I))"
            rf"{_HAVE}{_SOON}\s+{_LEARNT_EN}{_THAT_EN}{_WHAT}",
        ),
        _shape(
            "learned_from",
            rf"{_WE_EN}{_HAVE}{_SOON}\s+{_LEARNT_EN}\s+from\s+{_np('source')}{_THAT_EN}{_WHAT}",
        ),
        _shape(
            "learned_from",
            rf"{_LESSON_EN}\s+(?:from|of)\s+{_np('source')}\s*(?::|\s(?:is|was)"
            rf"(?:\s+that|\s+to)?\s)\s*{_WHAT}",
        ),
        _shape(
            "decided",
            rf"{_WE_EN}{_HAVE}{_SOON}\s+(?:decided|resolved){_SOON}\s+(?:to\s+|that\s+|(?=against\s|"
            rf"not\s+to\s)){_WHAT}",
        ),
        _shape("applies_to", rf"{_np('rule')}\s+(?:also\s+)?(?:applies|apply)\s+to\s+{_np('to')}"),
    ),
    "de": (
        _shape(
            "caused_by",
            rf"{_np('effect')}\s+(?:wurden?|worden|ist|sind)\s+(?:durch|vo[nm])\s+{_np('cause')}\s+"
            r"(?:verursacht|ausgelöst)(?:\s+worden)?",
        ),
        _shape(
            "caused_by",
            rf"(?:wurden?)\s+{_np('effect')}\s+(?:durch|vo[nm])\s+{_np('cause')}\s+"
            r"(?:verursacht|ausgelöst)",
        ),
        _shape(
            "caused_by",
            rf"{_np('effect')}\s+(?:(?:ist|sind|war|waren)\s+auf\s+{_np('cause')}\s+zurückzuführen|"
            rf"(?:geht|gehen|ging|gingen)\s+auf\s+(?P<origin>{_NP})\s+zurück)",
        ),
        _shape("caused_by", rf"{_np('cause')}\s+(?:hat|haben)\s+{_np('effect')}\s+verursacht"),
        _shape("caused_by", rf"{_np('cause')}\s+verursachten?\s+{_np('effect')}"),
        _shape(
            "caused_by",
            rf"{_np('cause')}\s+(?:hat|haben)\s+{_np('effect')}\s+ausgelöst",
            strict=True,
        ),
        _shape("caused_by", rf"{_np('cause')}\s+lösten?\s+{_np('effect')}\s+aus", strict=True),
        _shape("caused_by", rf"{_np('cause')}\s+führten?\s+zu[mr]?\s+{_np('effect')}", strict=True),
        _shape(
            "learned_from",
            rf"{_FROM_DE}\s+{_AUX_DE}\s+(?P<who>{_NP}){_BALD}\s+gelernt\s*,\s*(?:dass\s+)?{_WHAT}",
        ),
        _shape(
            "learned_from",
            rf"(?P<who>{_NP})\s+{_AUX_DE}{_BALD}\s+{_FROM_DE}\s+gelernt\s*,\s*(?:dass\s+)?{_WHAT}",
        ),
        _shape(
            "learned_from",
            rf"{_LESSON_DE}\s+{_FROM_DE}\s*(?::|\s(?:ist|war|lautet)(?:\s*,\s*dass\s|\s*:)?)\s*"
            rf"{_WHAT}",
        ),
        _shape(
            "decided",
            rf"(?P<who>{_NP})\s+{_AUX_DE}{_SELF}{_BALD}\s+{_DECIDED_DE}\s*,\s*(?:dass\s+)?{_WHAT}",
        ),
        _shape(
            "decided",
            rf"{_AUX_DE}\s+(?P<who>{_NP}){_SELF}{_BALD}\s+{_DECIDED_DE}\s*,\s*(?:dass\s+)?{_WHAT}",
        ),
        _shape(
            "decided",
            rf"(?P<who>{_NP})\s+{_AUX_DE}{_SELF}{_BALD}\s+(?P<what>(?:für|gegen)(?:\s+\S+)+?)\s+"
            rf"{_DECIDED_DE}",
        ),
        _shape(
            "decided",
            rf"(?P<who>{_NP})\s+{_DECIDES_DE}{_SELF}{_BALD}\s*,\s*(?:dass\s+)?{_WHAT}",
        ),
        _shape(
            "decided",
            rf"{_DECIDES_DE}{_SELF}\s+(?P<who>{_NP}){_SELF}{_BALD}\s*,\s*(?:dass\s+)?{_WHAT}",
        ),
        _shape(
            "applies_to", rf"{_np('rule')}\s+(?:gilt|gelten)\s+(?:auch\s+)?für\s+{_np('to')}"
        ),
    ),
}  # fmt: skip
SHORTEST_PART = 5  # letters of a German noun that may be the last part of a longer one
ARTICLES = words("typed", "articles")
CLAUSE = words("typed", "clause")  # no thing is named with them: a clause begins there
# What a decision or lesson that goes on so is not: a question, or taken back in the same breath.
DENIALS = (NOT_EN, NOT_DE, NO_EN, NONE_DE, NEITHER, END_EN, END_DE, TAIL_EN)
# Behind a decision something else is said: `…, which we reversed`, `…, and Anna lives in Berlin`.
FURTHER = re.compile(r"(?i)[,;]\s*(?:which|who|then|dann|danach|später|later|until|bis|unless)\b|;")
OPEN = re.compile(r"(?i)^(?:whether|if|ob|wie|how|what|was|who|wer|when|wann)\b|\b(?:but|aber)\b")


def typed(sentence: Sentence, reader: Reader) -> list[Statement]:
    """The statements of a sentence that is one of the shapes as a whole; none for any other."""
    if HINT.search(sentence.text, sentence.said) is None or sentence.corrects:
        return []
    sure, text, _ = judged(sentence.text, sentence.said)
    if text is None:
        return []
    moments, work = times(text, reader.utterance.captured_at, sentence.said)
    work = re.sub(r"^\s*,", lambda m: " " * len(m[0]), work)
    begin, end = len(work) - len(work.lstrip()), len(work.rstrip(" \t\r\n.!"))
    for shape in SHAPES.get(sentence.language, ()):
        found = shape.pattern.match(work, begin, end)
        if found is not None and (made := _Reading(sentence, reader, text).ends(shape, found)):
            subject, value = made
            said = _Said(text, sure, tuple(moments), found)
            if said.limits(shape.predicate):
                return []
            return [_statement(shape.predicate, subject, each, sentence, said) for each in value]
    return []


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence that was matched, with how sure it is and the times in it."""

    text: str
    sure: float
    moments: tuple[When, ...]
    found: re.Match[str]

    def outside(self) -> list[When]:
        """The times that stand outside of what was decided or learnt."""
        inside = _whole(self.found, self.text) if _has(self.found) else (0, 0)
        return [when for when in self.moments if not inside[0] <= when.start < inside[1]]

    def limits(self, predicate: str) -> bool:
        """Whether a time begins or ends what is said, which no statement of these tells: `applies
        to students until June`."""
        rule = predicate == "applies_to"
        return any(rule or when.role is not Role.AT for when in self.outside())

    def since(self) -> Moment | None:
        """When it was, if a time stands outside of what was decided or learnt."""
        return next((when.point.bind(Lean.PAST) for when in self.outside()), None)


def _statement(
    predicate: str, subject: Mention, value: Mention, sentence: Sentence, said: _Said
) -> Statement:
    text = said.text.strip(' \t\r\n,;:.!()"“”„')
    at = said.text.find(text)
    timeless = predicate == "applies_to"
    return Statement(
        subject=subject,
        predicate=predicate,
        object=value,
        mode=Mode.ASSERT,
        span=Span(sentence.start + at, sentence.start + at + len(text)),
        text=text,
        confidence=round(SURE * said.sure, 3),
        rule="typed",
        since=None if timeless else said.since(),
        ongoing=timeless,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The parts of one sentence as mentions."""

    sentence: Sentence
    reader: Reader
    text: str

    def ends(self, shape: Shape, found: re.Match[str]) -> tuple[Mention, list[Mention]] | None:
        """Subject and objects, or None where a part is not what the shape asks for."""
        if not self._plain(found):
            return None
        match shape.predicate:
            case "caused_by":
                return self._caused(found, strict=shape.strict)
            case "learned_from":
                return self._learned(found)
            case "decided":
                return self._decided(found)
            case _:
                return self._applies(found)

    def _plain(self, found: re.Match[str]) -> bool:
        """Whether the sentence around what was decided or learnt doubts and denies nothing."""
        start, end = _whole(found, self.text) if _has(found) else (found.end(), found.end())
        last = end < found.end()  # `haben uns für Postgres nicht entschieden`
        frame = self.text if last else self.text[:start]
        return not any(cue.search(frame) for cue in (HEDGE, CONDITION, REPORTED, *DENIALS))

    def _caused(
        self, found: re.Match[str], *, strict: bool
    ) -> tuple[Mention, list[Mention]] | None:
        cause = "cause" if found["cause"] is not None else "origin"
        effect = self._thing(found, "effect")
        causes = self._things(found, cause)
        if effect is None or not causes:
            return None
        phrase, mention = effect
        wrong = self._is(phrase, "incident")
        if not (phrase.definite or phrase.owner or mention.named or wrong) or (
            strict and not wrong
        ):
            return None
        kind = "incident" if wrong and mention.type == "unknown" else mention.type
        return _of(mention, kind), causes

    def _learned(self, found: re.Match[str]) -> tuple[Mention, list[Mention]] | None:
        source = self._thing(found, "source")
        lesson = self._clause(found, "lesson")
        if source is None or lesson is None:
            return None
        phrase, mention = source
        kind = next((k for k in ("incident", "source") if self._is(phrase, k)), "unknown")
        if kind == "unknown" and not self._is(phrase, "teaching"):
            return None  # what one learns from a person, or out of the news, is only told
        return lesson, [_of(mention, kind if mention.type == "unknown" else mention.type)]

    def _decided(self, found: re.Match[str]) -> tuple[Mention, list[Mention]] | None:
        who = self._who(found)
        decision = self._clause(found, "decision")
        return (who, [decision]) if who is not None and decision is not None else None

    def _applies(self, found: re.Match[str]) -> tuple[Mention, list[Mention]] | None:
        rule = self._thing(found, "rule")
        to = self._things(found, "to")
        if rule is None or not to or not self._is(rule[0], "ruling"):
            return None
        return rule[1], to

    def _who(self, found: re.Match[str]) -> Mention | None:
        given = self._tokens(found, "who")
        if len(given) == 1 and (person := self.reader.person(given[0])) is not None:
            return person
        thing = self._thing(found, "who")
        if thing is None:
            return None
        phrase, mention = thing
        return mention if phrase.definite or phrase.owner or mention.named else None

    def _clause(self, found: re.Match[str], kind: str) -> Mention | None:
        """What was decided or learnt, in its own words: a node of this text alone."""
        start, end = _whole(found, self.text)
        said = self.text[start:end].strip(" ,;:.!")
        if OPEN.search(said) or len(said) > LONGEST or len(said.split()) not in WORDS:
            return None
        if FURTHER.search(said) or any(
            SUBJECT_START.match(said[joint.end() :]) for joint in JOINT.finditer(said)
        ):
            return None
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip(" ,;:.!"))
        at = self.sentence.start + start
        return Mention(" ".join(said.split()), kind, Span(at, at + len(said)), named=False)

    def _things(self, found: re.Match[str], group: str) -> list[Mention]:
        """The members of a list; all of them must be things."""
        members = list(_listed(self._tokens(found, group)))
        made = [self._read(each) for each in members]
        things = [each[1] for each in made if each is not None]
        return things if len(things) == len(members) else []

    def _thing(self, found: re.Match[str], group: str) -> tuple[Phrase, Mention] | None:
        return self._read(self._tokens(found, group))

    def _read(self, given: Sequence[Token]) -> tuple[Phrase, Mention] | None:
        """All the words as one noun phrase that one can find again."""
        if not given or given[0].lower in PRONOUNS - ARTICLES:
            return None
        if any(token.lower in CLAUSE for token in given):
            return None
        phrase = self.reader.phrase(given, self.sentence.language)
        if phrase is None or phrase.head[0].lower in words("sets", "hollow"):
            return None
        mention = self.reader.mention(phrase)
        if phrase.owner is None or phrase.owner.name == "we":
            return phrase, mention
        name = f"{phrase.owner.name}'s {mention.name}"
        named = phrase.owner.named or mention.named
        return phrase, Mention(name, mention.type, mention.span, named=named)

    def _tokens(self, found: re.Match[str], group: str) -> list[Token]:
        start, end = found.span(group)
        part, at = found.string[start:end], self.sentence.start + start
        given = tokens(Clause(part, part, at, self.sentence.language))
        return given[1:] if len(given) > 1 and EVERY.match(given[0].lower) else given

    def _is(self, phrase: Phrase, kind: str) -> bool:
        """Whether a word of the phrase is a noun of that kind, in German also as its last part."""
        nouns = words("typed", f"{kind}_{self.sentence.language}")
        heads = [token.lower for token in phrase.head]
        if any(word in nouns for word in heads):
            return True
        german = self.sentence.language == "de"
        return german and any(
            word.endswith(noun) for word in heads for noun in nouns if len(noun) > 4
        )


EVERY = re.compile(r"(?:all|every|each|alle[nrms]?|jede[nrms]?|sämtliche[nrms]?)$")


def _has(found: re.Match[str]) -> bool:
    """Whether the shape is of something decided or learnt."""
    return "what" in found.re.groupindex


def _whole(found: re.Match[str], text: str) -> tuple[int, int]:
    """Where what was decided or learnt stands, with the times in it, which were taken out before
    the shape was looked for."""
    work = found.string
    start, end = found.span("what")
    start = len(work[:start].rstrip())
    start += len(text[start:]) - len(text[start:].lstrip())
    return start, end if work[end:].strip() else len(text.rstrip())


def _listed(given: Sequence[Token]) -> Iterator[list[Token]]:
    """The members of a list that `and` joins."""
    member: list[Token] = []
    for word in given:
        if word.lower in ("and", "und"):
            yield member
            member = []
        else:
            member.append(word)
    yield member


def _of(mention: Mention, kind: str) -> Mention:
    return Mention(mention.name, kind, mention.span, mention.is_speaker, mention.named)
