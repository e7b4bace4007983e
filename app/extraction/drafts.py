"""What a rule finds in a clause, and how it becomes a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.extraction.calendar import Lean
from app.extraction.clauses import Clause
from app.extraction.data import words as listed
from app.extraction.model import Mention, Mode, Moment, Span, Statement
from app.extraction.moments import Role, When
from app.extraction.phrases import Phrase, Reader
from app.extraction.predicates import Registry
from app.extraction.tokens import Frame, Token, tokens
from app.extraction.verbs import PREPOSITIONS
from app.values.model import Value

Thing = Mention | Value


TIMELESS = frozenset(["born_in", "birthday", "made_by", "name"])
# What one does or likes as a rule.
HABITS = frozenset(
    [
        *("uses", "likes", "dislikes", "prefers", "eats", "drinks", "plays", "speaks", "supports"),
        *("wants", "drives", "learns", "writes_in", "sells", "has"),
    ]
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement before the colour of its clause is applied.

    `old` is what the text names as the former value; `was_error` tells that it never held.
    `dated`: a time in the clause is when it began (moves, changes, states), not just when
    something happened. `event`: a single occurrence, true for ever, that other ones do not end.
    `present`: the clause tells in a past form what is so from now on (was moved to June 3).
    `ends`: the verb itself says that the statement holds no more (quit, gekündigt); `fits` are
    the predicates that it may end. `read`: words that the rule took in beside those of the
    subject, the object and the predicate's own. `doubt`: words of which the rule is not sure what
    they stand for.
    """

    subject: Mention
    predicate: str
    object: Thing
    rule: str
    confidence: float = 0.85
    old: Thing | None = None
    was_error: bool = False
    dated: bool = False
    event: bool = False
    present: bool = False
    ends: bool = False
    fits: tuple[str, ...] = ()
    read: tuple[Token, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a rule may look at."""

    frame: Frame
    reader: Reader
    registry: Registry

    @property
    def clause(self) -> Clause:
        """The clause at hand."""
        return self.frame.clause

    @property
    def language(self) -> str:
        """Of the clause."""
        return self.frame.clause.language

    def subject_phrase(self) -> Phrase | None:
        """The subject as a phrase; "it" stands for the topic that the sentence announced."""
        words = self.frame.subject
        if len(words) == 1 and words[0].lower in ("it", "es", "they", "sie"):
            if self.clause.topic is None:
                return None
            return self.reader.phrase(topic_tokens(self.clause), self.language)
        return self.reader.phrase(words, self.language)

    def subject(self, predicate: str) -> Mention | None:
        """The subject as a name, with the type that the predicate asks for where it has none."""
        words = self.frame.subject
        if len(words) == 1 and (who := self.reader.person(words[0])) is not None:
            return who
        phrase = self.subject_phrase()
        return None if phrase is None else self.named(phrase, predicate)

    def named(self, phrase: Phrase, predicate: str) -> Mention:
        """A phrase as a subject. "My car" names its owner, "our car" is just the car."""
        row = self.registry.get(predicate)
        fallback = next(iter(row.domain)) if len(row.domain) == 1 else "unknown"
        phrase = appositive(phrase)
        if self.clause.contrast is not None and self.clause.contrast.is_error:
            phrase = _unplaced(phrase)
        if is_kin(phrase):
            fallback = "person"
        mention = self.reader.mention(phrase, fallback)
        if phrase.owner is not None and phrase.owner.name != "we":
            name = f"{phrase.owner.name}'s {mention.name}"
            return replace(mention, name=name, named=phrase.owner.named or mention.named)
        return mention


def topic_tokens(clause: Clause) -> list[Token]:
    """The words of the announced topic, at their place in the text."""
    topic = clause.topic or ""
    return tokens(replace(clause, text=topic, work=topic, start=clause.topic_at))


def _unplaced(phrase: Phrase) -> Phrase:
    """Without `in Bremerhaven`: a correction that names the error needs no further hold."""
    head = phrase.head
    for position in range(1, len(head) - 1):
        if head[position].lower == "in" and head[position + 1].text[0].isupper():
            return replace(phrase, head=head[:position])
    return phrase


def is_kin(phrase: Phrase) -> bool:
    """Whether the phrase names a person by what he is to another: my brother, our boss."""
    kin = listed("nouns", "kin")
    return phrase.owner is not None and phrase.head[-1].lower in kin


def appositive(phrase: Phrase) -> Phrase:
    """Femke's brother Enno Oldag is Enno Oldag; my sister from York is not York."""
    head = phrase.head
    kin = head[0].text[0].islower() or head[0].lower in listed("nouns", "kin")
    if len(head) > 1 and phrase.owner is not None and kin:
        names = [t for t in head[1:] if t.text[0].isupper()]
        linked = head[-len(names) - 1].lower in PREPOSITIONS[phrase.language]
        if names and tuple(names) == head[-len(names) :] and not linked:
            return Phrase(tuple(names), language=phrase.language)
    return phrase


def finished(
    draft: Draft, context: Context, rest: str = "", qualifier: str = ""
) -> Iterator[Statement]:
    """The statements that a draft gives: itself, and what it says of the old value. `rest` and
    `qualifier` are what the clause says besides."""
    clause = context.clause
    functional = context.registry.get(draft.predicate).functional
    if _withheld(draft, context):
        return
    statement = _statement(draft, context, rest or draft.doubt, qualifier)
    yield statement
    old = statement.replaces
    if old is None or statement.mode in (Mode.END, Mode.DENY):
        return
    if statement.mode is Mode.CORRECT:
        if not functional:
            yield replace(statement, object=old, mode=Mode.DENY, replaces=None)
    elif not clause.correcting:
        yield replace(statement, object=old, mode=Mode.END, replaces=None, rule=draft.rule + ":old")


def _withheld(draft: Draft, context: Context) -> bool:
    """Whether the clause tells of the past alone, so that nothing is said to hold."""
    clause, frame = context.clause, context.frame
    if clause.past and not clause.ends:
        return True
    if draft.predicate in TIMELESS or draft.present or draft.ends:
        return False
    long_past = frame.past and frame.auxiliary != "have" and not draft.event and not draft.dated
    if long_past and not _is_correction(draft, clause):
        told = (Role.SINCE,) if draft.predicate in HABITS else (Role.SINCE, Role.AT)
        return not any(w.role in told for w in clause.when)
    return False


def _is_correction(draft: Draft, clause: Clause) -> bool:
    return clause.correcting or draft.was_error


def _mode(draft: Draft, clause: Clause) -> Mode:
    if clause.ends or draft.ends:
        return Mode.END
    if clause.denies:
        return Mode.DENY
    if draft.was_error or (clause.correcting and not clause.newer and draft.old is None):
        return Mode.CORRECT
    return Mode.ASSERT


def _statement(draft: Draft, context: Context, rest: str, qualifier: str) -> Statement:
    clause, frame = context.clause, context.frame
    span = trimmed(clause)
    past = frame.past and not (draft.dated or draft.event or draft.present)
    mode = _mode(draft, clause)
    since, until, on = _interval(draft, context, past)
    ongoing: bool | None = not past and not draft.event
    if on is not None and since is not None and past and mode is not Mode.END:
        # What was so at a time says nothing of what held before it and after.
        if not _may_be_done(draft, frame):
            until = until or on.point.end(since, context.reader.utterance.captured_at)
        if mode is not Mode.CORRECT:
            rest = " … ".join(filter(None, (rest, clause.text[on.start : on.end].strip())))
    elif on is not None and not draft.event and _is_over(draft, frame):
        ongoing = None
    rest = rest or _had_been(draft, frame)
    return Statement(
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        mode=mode,
        span=span,
        text=clause.text.strip(' \t\r\n,;:.!()"“”„'),
        confidence=round(draft.confidence * clause.sure, 3),
        rule=draft.rule,
        since=since,
        until=until,
        ongoing=ongoing,
        replaces=draft.old,
        fits=draft.fits,
        rest=rest,
        qualifier=qualifier,
    )


def trimmed(clause: Clause) -> Span:
    """The range of the clause in the text, without the space and punctuation around it."""
    text = clause.text
    lead = len(text) - len(text.lstrip(' \t\r\n,;:.!()"“”„'))
    tail = len(text.rstrip(' \t\r\n,;:.!()"“”„'))
    return Span(clause.start + lead, clause.start + max(tail, lead))


def _interval(
    draft: Draft, context: Context, past: bool
) -> tuple[Moment | None, Moment | None, When | None]:
    """Since and until when it is so, and the time at which it was or came to be, where that tells
    the first."""
    clause = context.clause
    since = until = on = None
    if draft.present:  # the times of the clause are its values
        return None, None, None
    for when in clause.when:
        if _beside(clause, when) and when is not clause.when[0]:
            continue
        if when.role is Role.SINCE:
            since, on = when.point.bind(when.lean) or since, None
        elif when.role is Role.UNTIL:
            until = when.point.bind(Lean.FUTURE) or until
        elif (
            when.role is Role.AT
            and not _beside(clause, when)
            and since is None
            and (draft.dated or draft.event or past)
        ):
            done = past or draft.event or _is_over(draft, context.frame)
            since, on = when.point.bind(Lean.PAST if done else Lean.NEAREST), when
    return since, until, on


def _beside(clause: Clause, when: When) -> bool:
    """Whether the time belongs to something else: `ordered 400, delivery in May`."""
    before = clause.text[: when.start]
    return re.search(r",[^,]*\w[^,]*$", before) is not None


def _had_been(draft: Draft, frame: Frame) -> str:
    """The word that tells of what was so before something else, which leaves open what came of it:
    `had slipped to July 14`, `war nach Linz gezogen`; empty where none does."""
    before = HAD.get(frame.auxiliary, frozenset())
    if frame.auxiliary == "sein" and not (frame.past and draft.dated and draft.rule != "state"):
        return ""
    return next((t.text for t in tokens(frame.clause) if t.lower in before), "")


HAD = {
    "have": frozenset(["had", "'d", "’d"]),
    "haben": frozenset(["hatte", "hatten"]),
    "sein": frozenset(["war", "waren"]),
}


def _may_be_done(draft: Draft, frame: Frame) -> bool:
    """Whether a past state may as well be what was done then, and lasts: a shop was closed on
    Monday, and so was a ticket."""
    if draft.rule != "state" or frame.language != "en" or isinstance(draft.object, Mention):
        return False
    return bool(frame.participle) or DONE.fullmatch(draft.object.text) is not None


DONE = re.compile(r"\w{3,}ed")


def _is_over(draft: Draft, frame: Frame) -> bool:
    """Whether what happened is told as done: on Friday it was the last one, and not the next."""
    perfect = frame.auxiliary in ("sein", "haben") and frame.participle and draft.rule != "state"
    return frame.past or bool(perfect)
