"""Frames of clauses that no rule made anything of: what somebody does as a rule, what somebody did,
and sentences whose subject stands behind the verb or is one of several.

All of them are read by the open reading alone (`rules/openly.py`), so that they end nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.extraction.clauses import Clause
from app.extraction.english import english_frame
from app.extraction.everyday import (
    AND,
    REFLEXIVE,
    SPEAKERS,
    is_of_everyday,
    may_have_habits,
    names_somebody,
)
from app.extraction.german import UNREAL, framed, is_adverbial, lemma_of
from app.extraction.inflect import Form
from app.extraction.openings import is_adverb_de
from app.extraction.tokens import (
    DETERMINERS,
    HABIT_DAY,
    PRONOUNS,
    Frame,
    Token,
    noun_phrase_end,
    possible_subject,
    speakers_own,
    tokens,
    verb_shaped,
)
from app.extraction.verbs import PREPOSITIONS, readings

CLOSED_EN = PREPOSITIONS["en"] | PRONOUNS | DETERMINERS["en"]
MOST_SUBJECT = 7  # words, of several joined ones


def passed_over(clause: Clause, found: Frame | None) -> Iterator[Frame]:
    """The further ways to read a clause that is no doing of a moment; `found` is the frame that no
    rule could read."""
    if clause.duty or clause.correcting:
        return
    words = tokens(clause)
    if found is not None and not found.standing:
        if found.past and is_of_everyday(found.subject, clause.language):
            yield _happened(found)
        return
    if found is None and words:
        others = (_behind_de,) if clause.language == "de" else (_joined_en, _led_en)
        for read in (*others, _habit):
            if (frame := read(clause, words)) is not None:
                yield frame


def _happened(found: Frame) -> Frame:
    """What somebody did; that he `has got` something tells what he has."""
    if found.lemma == "get" and found.auxiliary == "have":
        return replace(found, lemma="have", auxiliary="", past=False, standing=True)
    return replace(found, standing=True)


# Subjects -----------------------------------------------------------------------------------


def joined_end(words: Sequence[Token], language: str) -> int:
    """How many of the words from the first on are one subject or several joined ones."""
    end = noun_phrase_end(tuple(words), language)
    while 0 < end < len(words) - 1 and words[end].lower in AND and end < MOST_SUBJECT:
        more = noun_phrase_end(tuple(words[end + 1 :]), language)
        if not more:
            return end
        end += 1 + more
    return end


def _joined_en(clause: Clause, words: list[Token]) -> Frame | None:
    """`Our twins share a room`, `Pete and Jo share a flat`: a verb that no list has."""
    for place in range(2, min(len(words) - 1, MOST_SUBJECT)):
        subject, word, after = tuple(words[:place]), words[place], words[place + 1]
        several = subject[-1].lower.endswith("s") or any(t.lower in AND for t in subject[1:-1])
        first = subject[0]
        own = first.lower in ("our", "my", "the") or (
            first.text[0].isupper() and first.lower not in CLOSED_EN and subject[-1].text != "'s"
        )
        if not (several and own and verb_shaped(word, "en")) or word.lower.endswith("s"):
            continue
        if word.lower == "like":  # a comparison: `events like that`
            continue
        if after.lower in DETERMINERS["en"] and possible_subject(subject, "en"):
            return _frame(clause, subject, word.lower, words[place + 1 :])
    return None


def _led_en(clause: Clause, words: list[Token]) -> Frame | None:
    """`On Mondays the shop is shut`: an adverbial without a comma before the subject. It limits
    what is said, so that it is left over."""
    days = HABIT_DAY.match(words[0].text) is not None
    if words[0].lower not in PREPOSITIONS["en"] - {"of"} and not days:
        return None
    first = 1 if days else 2
    for place in range(first, min(len(words) - 2, 6)):
        if words[place].lower in LEADING:
            cut = words[place].start - clause.start
            work = " " * cut + clause.work[cut:]
            left = (clause.work[:cut].strip(), *clause.left)
            frame = english_frame(replace(clause, work=work, left=left), words[place:], ())
            is_told = frame is not None and (not frame.past or frame.subject[0].lower in SPEAKERS)
            return replace(frame, standing=True) if frame is not None and is_told else None
    return None


LEADING = frozenset(["i", "we", "the", "my", "our"])


# German word order ----------------------------------------------------------------------------


def _behind_de(clause: Clause, words: list[Token]) -> Frame | None:
    """`Um den Garten kümmert sich Jonas`, `Die Vorlesung liest Frau Wolf`, `Am Samstag grillen
    wir`: the subject stands behind the verb. And `Fatma und ich teilen die Stelle`."""
    first = joined_end(words, "de")
    for place in range(min(len(words) - 1, 9)):
        form = _verb_de(words, place, several=False)
        if form is None or (place and place < first):
            continue
        front, after = words[:place], words[place + 1 :]
        if front and place == first and not _is_object(front, after, form):
            return (
                None
                if not possible_subject(speakers_own(tuple(front)), "de")
                else _of(clause, front, after, form)
            )
        return _turned(clause, front, after, form)
    return None


def _of(clause: Clause, subject: list[Token], rest: list[Token], form: Form) -> Frame | None:
    own = speakers_own(tuple(subject))
    joined = any(t.lower in AND for t in subject)
    if not (joined and rest and possible_subject(own, "de")):
        return None
    return replace(framed(clause, own, rest, form), standing=True)


def _verb_de(words: list[Token], place: int, *, several: bool) -> Form | None:
    """The finite verb of a place: a form that a list has, or a word of its shape."""
    word = words[place]
    if word.text[0].isupper() and place:
        return None
    forms = [f for f in readings(word.lower, "de") if not f.participle]
    if forms:
        return min(forms, key=lambda f: (f.past, f.plural))
    if not place and word.text[0].isupper():
        return None
    if not verb_shaped(word, "de") or is_adverb_de(word.lower):
        return None
    if word.lower.endswith("en"):
        return Form(word.lower, plural=True)
    if word.lower.endswith("e") and any(t.lower == "ich" for t in words[place + 1 : place + 2]):
        return Form(word.lower + "n")  # `Das Büro teile ich mir mit Jens`
    lemma = lemma_of(word.lower)
    return Form(lemma) if lemma else None


def _is_object(front: list[Token], after: list[Token], form: Form) -> bool:
    """Whether what stands before a verb is not its subject: no nominative, or somebody is named
    behind it who does it."""
    if is_adverbial(tuple(front)) or front[0].lower in ("den", "einen", "keinen"):
        return True
    behind = [t for t in after if t.lower not in REFLEXIVE]
    if behind and behind[0].lower in SPEAKERS and front[-1].lower not in SPEAKERS:
        return True  # `Unser Brot holen wir bei Müller`
    if is_of_everyday(front, "de") or front[0].lower in ("der", "ein"):
        return False
    return bool(behind) and names_somebody(behind)


def _turned(clause: Clause, front: list[Token], after: list[Token], form: Form) -> Frame | None:
    """The frame of a clause whose subject stands behind the verb."""
    if any(t.lower in UNREAL for t in front) or (not front and not _led(clause)):
        return None
    start = 0
    while start < len(after) and _before_subject(after[start]):
        start += 1
    end = start + joined_end(after[start:], "de")
    subject = tuple(after[start:end])
    if end == start or not possible_subject(subject, "de"):
        return None
    if end < len(after) and after[end].lower in REFLEXIVE:  # `Das Büro teile ich mir`
        front, end = [after[end], *front], end + 1
    rest = [*after[:start], *front, *after[end:]]
    return replace(framed(clause, subject, rest, form), standing=True)


def _before_subject(word: Token) -> bool:
    if word.lower in REFLEXIVE or HABIT_DAY.match(word.text) is not None:
        return True
    return word.text[0].islower() and is_adverb_de(word.lower)


def _led(clause: Clause) -> bool:
    """Whether a time was taken out before the verb: `Am Samstag grillen wir`."""
    blanked = len(clause.work) - len(clause.work.lstrip())
    return any(when.start < blanked for when in clause.when)


# What one does as a rule ----------------------------------------------------------------------


def _habit(clause: Clause, words: list[Token]) -> Frame | None:
    """`Kit snores`, `Ich schnarche`: a subject and a verb that no list has, and nothing else."""
    *before, word = words
    subject = tuple(before)
    if not subject or not verb_shaped(word, clause.language):
        return None
    whole = len(subject) == 1 or noun_phrase_end(subject, "de") == len(subject)
    if clause.language == "en":
        whole = len(subject) < 4 and not any(t.lower in CLOSED_EN for t in subject[1:])
    known = may_have_habits(subject, clause.language)
    if not (whole and known and possible_subject(subject, clause.language)):
        return None
    verb = _plain(word.lower, subject[0].lower, clause.language)
    return _frame(clause, subject, verb, []) if verb else None


def _plain(word: str, subject: str, language: str) -> str:
    """The verb of a form that goes with its subject; empty where it does not."""
    if language == "en":
        if subject in SPEAKERS:
            return "" if word.endswith("s") else word
        return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else ""
    if subject == "ich":
        return word + "n" if word.endswith("e") else ""
    if subject == "wir":
        return word if word.endswith("en") else ""
    return lemma_of(word)


def _frame(clause: Clause, subject: tuple[Token, ...], lemma: str, rest: list[Token]) -> Frame:
    return Frame(clause, subject, lemma, "", "", past=False, rest=tuple(rest), standing=True)
