"""From a sentence to the clauses that assert something, with what colours each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.extraction.cues import (
    A_WHILE_SINCE,
    ADDITIVE,
    ADVERBS,
    AGAIN,
    BESIDE,
    CONDITION,
    CONTRASTING,
    CORRECT_TOPIC,
    CORRECTION,
    CUE,
    DEGREE,
    DID_NOT,
    DO_NOT,
    END_DE,
    END_EN,
    END_MARK,
    EVENT_SINCE,
    EXAMPLE,
    FILLER,
    HEDGE,
    INSTEAD,
    IRONY,
    JOINED,
    JOINT,
    KEEP_ADVERB,
    LEADING_CONDITION,
    LIMITING,
    MORE_DE,
    MOST_CUE,
    NAMES_REPORTED,
    NEITHER,
    NEWER,
    NO_EN,
    NO_LONGER_TAIL,
    NONE_DE,
    NOT_BUT,
    NOT_DE,
    NOT_EN,
    NOT_ONLY,
    NOT_TAIL,
    NOT_YET,
    OWN_VIEW,
    PREFERENCE,
    QUALIFIED,
    RELATIVE_DE,
    REPORTED,
    REPORTING,
    SAID_BY,
    SPLIT,
    STOPPED_EN,
    SUBJECT_START,
    SUBORDINATE,
    TAG,
    TAIL_EN,
    TURN,
    WINK,
    WITH_NEW,
    WORD,
)
from app.extraction.data import words
from app.extraction.moments import Role, When, hour, times
from app.extraction.prefilter import ANY, Cue, bits_of
from app.extraction.verbs import PARTICIPLE_DE, readings

WHO = re.compile(r"\s*who\s")
NAME_BEFORE = re.compile(r"(?P<name>[A-ZÄÖÜ][\w.'’-]+(?: [A-ZÄÖÜ][\w.'’-]+)*),\s*$")
LONGEST_NAME = 60  # characters
AUX = {
    "en": words("sets", "aux_en"),
    "de": words("sets", "aux_de"),
}


@dataclass(frozen=True, slots=True)
class Contrast:
    """The value that a clause names as the old one, and whether that one was an error."""

    old: str
    start: int
    is_error: bool
    explicit_end: bool = False


@dataclass(slots=True)
class Clause:
    """A clause of a sentence. `work` is `text` with blanks where adverbials were taken out, so
    that positions stay; both start at `start` of the whole text. It is filled in here, step by
    step, and not changed by who reads it: a copy for each step took half of all time."""

    text: str
    work: str
    start: int
    language: str
    sure: float = 1.0
    correcting: bool = False
    additive: bool = False
    newer: bool = False
    qualified: bool = False
    temporary: bool = False
    again: bool = False
    ends: bool = False
    denies: bool = False
    past: bool = False  # "did not", of which the verb itself does not tell
    topic: str | None = None
    topic_at: int = 0
    when: tuple[When, ...] = ()
    contrast: Contrast | None = None
    inherits: bool = field(default=False)  # no subject of its own: that of the clause before
    left: tuple[str, ...] = ()  # words taken out that limit what is said
    clock: str = ""  # the hour that it tells of
    duty: bool = False  # what has to be done with what it tells of
    said: int = ANY  # bits of the cues that its sentence may hold


def announces_correction(sentence: str) -> bool:
    """Whether the sentence only says that something was wrong; the next one says what is right."""
    return len(sentence) <= MOST_CUE and CORRECTION.search(sentence) is not None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with where it starts in the text. `corrects`: the one before announced a
    correction. `said` are the bits of the cues that it may hold."""

    text: str
    start: int
    language: str
    corrects: bool = False
    said: int = ANY


def clauses(sentence: Sentence, spoken: datetime) -> Iterator[Clause]:
    """The clauses that assert something; questions, conditions, hearsay and jests give none.

    What a sentence says besides, as under what condition, is left over for all of its clauses."""
    aside: list[str] = []
    found = list(_asserted(sentence, spoken, aside))
    for clause in found:
        clause.left += tuple(aside)
        yield clause


def _asserted(sentence: Sentence, spoken: datetime, aside: list[str]) -> Iterator[Clause]:
    """The clauses; what limits them is added to `aside`."""
    start, language, corrects = sentence.start, sentence.language, sentence.corrects
    bits = sentence.said
    sure, text, doubt = judged(sentence.text, bits)
    if text is None:
        return
    aside += [doubt] if doubt else []
    correcting, topic, topic_at, hidden = corrects, None, 0, False
    since: tuple[When, ...] = ()
    for segment_start, segment, after in _segments(text, language):
        if after == ":":  # what stands before a colon announces what follows
            correcting |= CORRECTION.search(segment, bits) is not None
            hidden |= _is_jest(segment, bits) or EXAMPLE.match(segment) is not None
            if found := CORRECT_TOPIC.search(segment):
                topic, topic_at = found["topic"], start + segment_start + found.start("topic")
            if not _has_verb(segment, language) or correcting:
                if not correcting and not _is_heading(segment):
                    aside.append(segment)
                continue
        if hidden or (after == "," and REPORTING.search(segment)):
            _put_aside(segment, aside)
            return
        if after == ":" and REPORTING.search(segment):
            aside.append(segment)
            continue
        if after == "," and CUE.match(segment):
            correcting = True
            continue
        if relative := _of_name(text, segment_start, segment):
            segment_start, segment = relative
        if _asserts(segment, bits):
            clause = Clause(segment, segment, start + segment_start, language, sure, correcting)
            clause.said = bits
            clause.duty = _has_duty(segment, bits)
            clause.topic, clause.topic_at = topic, topic_at
            for coloured in _coloured(clause, spoken):
                if since and not coloured.when and JOINED.match(segment):
                    coloured.when = since
                since = tuple(w for w in coloured.when if w.role is Role.SINCE)
                yield coloured
        elif _reports(segment, bits) or LEADING_CONDITION.match(segment, bits):
            _put_aside(segment, aside)
            return
        elif not BESIDE.match(segment):
            aside.append(segment)


def _put_aside(segment: str, aside: list[str]) -> None:
    """A condition, hearsay or jest that ends a sentence limits what stands before it; one that is
    joined by `and` begins anew, as behind a full stop."""
    if JOINED.match(segment) is None:
        aside.append(segment)


def _of_name(text: str, start: int, segment: str) -> tuple[int, str] | None:
    """`Hiroshi Endo, who succeeds Celia`: a relative clause as one of whom it tells."""
    who = WHO.match(segment) if "who" in segment else None
    name = NAME_BEFORE.search(text, max(0, start - LONGEST_NAME), start) if who else None
    if who is None or name is None:
        return None
    first, _, rest = name["name"].partition(" ")
    verb = first.endswith("ed") or readings(first, "en")  # `Introduced Farah Aziz`
    told = rest and not name.start("name") and verb
    at = name.start("name") + (len(first) + 1 if told else 0)
    blank = " " * (start + who.end() - name.end("name"))
    return at, text[at : name.end("name")] + blank + segment[who.end() :]


def _is_heading(segment: str) -> bool:
    """Whether the words before a colon only tell what kind of text follows."""
    said = [w[0].lower() for w in WORD.finditer(segment)]
    return not said or said[-1] in words("names", "headings")


def judged(sentence: str, bits: int = ANY) -> tuple[float, str | None, str]:
    """How sure the speaker is, from 0 to 1, the sentence without the words that say so, and those
    that say that he is not; None of the sentence for a question, a jest, a condition or what
    another one says. `bits` are the cues it may hold."""
    sure, doubt = 1.0, ""
    text = sentence
    if found := END_MARK.search(text):
        text = text[: found.start()] + " " * len(found[0])
    tag = TAG.search(text)
    if tag is not None:
        text, sure, doubt = text[: tag.start()] + " " * len(tag[0]), 0.6, tag[0].strip(" ,?")
    elif text.rstrip("\"'”“» ").endswith("?"):
        return 0.0, None, ""
    if SAID_BY.search(text):
        return 0.0, None, ""
    if _is_jest(text, bits) and not (":" in text and _is_jest(text.partition(":")[0], bits)):
        return 0.0, None, ""
    view = OWN_VIEW.search(text, bits)
    if view is not None:
        text = text[: view.start()] + " " * len(view[0]) + text[view.end() :]
        sure, doubt = 0.6, f"{doubt} {view[0]}".strip(" ,")
    if LEADING_CONDITION.match(text, bits):
        return 0.0, None, ""
    return sure, text, doubt


def _is_jest(text: str, bits: int) -> bool:
    return IRONY.search(text, bits) is not None or WINK.search(text) is not None


def _has_duty(segment: str, bits: int) -> bool:
    return HEDGE.search(segment, bits) is not None and PLANNED.match(segment) is None


def _asserts(segment: str, bits: int) -> bool:
    if CONDITION.search(segment, bits) or _reports(segment, bits):
        return False
    if SUBORDINATE.match(segment, bits) and not RELATIVE_DE.match(segment):
        return False
    hedges = list(HEDGE.finditer(segment, bits))
    if len(hedges) == 1 and PLANNED.match(segment) is not None:
        return True
    return all(_is_duty(hedge, segment) for hedge in hedges)


def _is_duty(hedge: re.Match[str], segment: str) -> bool:
    """Whether a modal tells what has to be done with a thing, which is no guess and no wish:
    `have to be approved`, `muss bis Mai abgegeben sein`, `muss Frau Wolf freigeben`."""
    word = hedge[0].lower()
    if word in DUTY_EN:
        done = DONE_EN.match(segment, hedge.end())
        return done is not None and _is_participle(done["done"], "en")
    if word not in DUTY_DE or NOT_DE.search(segment) or PERSON_DE.search(segment):
        return False
    *_, before, last = ["", "", *(w[0] for w in WORD.finditer(segment))]
    if last in ("werden", "sein"):
        return _is_participle(before, "de")
    return last.islower() and any(f.plural and f.lemma != "haben" for f in readings(last, "de"))


def _is_participle(word: str, language: str) -> bool:
    if any(f.participle and (f.past or language == "de") for f in readings(word, language)):
        return True
    return language == "de" and PARTICIPLE_DE.fullmatch(word) is not None


# What somebody plans is so for as long as he plans it; what `I want to` comes to is mere talk.
PLANNED = re.compile(
    r"\s*(?:(?:I|We|My \w+|Our \w+|[A-Z]\w+)(?:['’](?:m|s|re)| am| is| are)?(?: still)? "
    r"plan(?:s|ning)?|(?:My \w+|Our \w+|[A-Z]\w+) (?:wants|intends)) to "
)
DUTY_EN = frozenset(["must", "have to", "has to", "need to", "needs to"])
DUTY_DE = frozenset(["muss", "müssen"])
DONE_EN = re.compile(r"\s+be\s+(?P<done>[a-z]+)")
# Of whom a modal rather tells what he guesses, or has to do at the moment.
PERSON_DE = re.compile(r"(?i)\b(?:ich|du|er|sie|es|wir|ihr|man|das)\b(?!\s[A-ZÄÖÜ])")


def _reports(segment: str, bits: int) -> bool:
    """Whether somebody else says what the segment goes on to tell."""
    if REPORTED.search(segment, bits):
        return True
    named = NAMES_REPORTED.search(segment, bits)
    return named is not None and any(_is_finite(named["next"], each) for each in ("en", "de"))


def _has_verb(segment: str, language: str) -> bool:
    for found in WORD.finditer(segment):
        word = found[0].lower()
        if word in AUX[language] or "'" in word or "’" in word:
            return True
        if any(not f.participle or f.past for f in readings(word, language)):
            if language == "de" and found[0][0].isupper() and found.start() > 0:
                continue
            return True
    return False


def _segments(text: str, language: str) -> Iterator[tuple[int, str, str]]:
    """Parts between commas and colons; a part without a verb stays with the one before it."""
    cuts = [(m.start(), m.end(), m[0].strip()) for m in SPLIT.finditer(text)]
    cuts = [*cuts, (len(text), len(text), "")]
    start, has_verb = 0, False
    for position, (end, resume, sign) in enumerate(cuts):
        follows = text[resume : cuts[position + 1][0]] if position + 1 < len(cuts) else ""
        has_verb = has_verb or (bool(sign) and _has_verb(text[start:end], language))
        turns = has_verb or (bool(sign) and TURN.match(follows) is not None)
        turns = turns or (sign == "," and _of_name(text, resume, follows) is not None)
        if sign != ":" and sign and not (turns and _starts_clause(follows, language)):
            continue
        yield start, text[start:end], sign
        start, has_verb = resume, False


def _starts_clause(part: str, language: str) -> bool:
    if CONTRASTING.match(part) and not re.search(r"(?i)^\s*(?:but|aber) ", part):
        return False
    return _has_verb(part, language) or SUBORDINATE.match(part) is not None


def _coloured(clause: Clause, spoken: datetime) -> Iterator[Clause]:
    since: tuple[When, ...] = ()
    for part in _coordinated(clause):
        _flag(part)
        _time(part, spoken)
        if not part.when:  # from July 1 A takes the calls, and B is the lead
            part.when = since
        since = tuple(w for w in part.when if w.role is Role.SINCE)
        _contrast(part)
        _negate(part)
        yield part


def _coordinated(clause: Clause) -> Iterator[Clause]:
    """Parts joined by `and` where each has a verb; a part that begins with one inherits."""
    text, language = clause.text, clause.language
    start, inherits = 0, False
    for joint in JOINT.finditer(text):
        rest = text[joint.end() :]
        words = [w[0] for w in WORD.finditer(rest)][:8]
        if not words or not _has_verb(text[start : joint.start()], language):
            continue
        if language == "de" and _closes(text[start : joint.start()]):
            yield _part(clause, start, joint.start(), inherits)
            start, inherits = joint.end(), True
            continue
        leads = _is_finite(words[0], language)
        later = any(_is_finite(w, language) for w in words[1:6])
        if not leads and not (later and _subject_like(rest, language)):
            continue
        yield _part(clause, start, joint.start(), inherits)
        start, inherits = joint.end(), leads
    yield _part(clause, start, len(text), inherits) if start else clause


def _closes(part: str) -> bool:
    """Whether a German part ends with the participle of the auxiliary that it has."""
    said = [w[0] for w in WORD.finditer(part)]
    if len(said) < 3 or said[-1][0].isupper():
        return False
    is_participle = any(f.participle for f in readings(said[-1], "de"))
    return is_participle and any(w.lower() in AUX["de"] for w in said[1:-1])


def _part(clause: Clause, start: int, end: int, inherits: bool) -> Clause:
    text = clause.text[start:end]
    return replace(clause, text=text, work=text, start=clause.start + start, inherits=inherits)


def _is_finite(word: str, language: str) -> bool:
    if word[0].isupper():
        return False
    lowered = word.lower()
    if lowered in AUX[language]:
        return True
    return any(not f.participle or f.past for f in readings(lowered, language))


def _subject_like(rest: str, language: str) -> bool:
    return SUBJECT_START.match(rest) is not None


def _flag(clause: Clause) -> None:
    text, bits = clause.text, clause.said
    filler = FILLER.match(text, bits)
    work = " " * filler.end() + text[filler.end() :] if filler else text
    new = WITH_NEW.match(work, bits)
    if new is not None:
        work = " " * new.end() + work[new.end() :]
    clause.work = work
    clause.correcting |= CORRECTION.search(text, bits) is not None
    additive = bits & ADDITIVE.bit and ADDITIVE.search(_core_text(clause)) is not None
    clause.additive = bool(additive) or NOT_ONLY.search(text, bits) is not None
    clause.newer = new is not None or NEWER.search(text, bits) is not None
    clause.qualified = new is None and QUALIFIED.search(work, bits) is not None
    clause.again = AGAIN.search(text, bits) is not None


def _core_text(clause: Clause) -> str:
    return clause.text[: _end_of_core(clause)] if "," in clause.text else clause.text


def _time(clause: Clause, spoken: datetime) -> None:
    bits = clause.said
    found, work = times(clause.work, spoken, bits)
    if (event := EVENT_SINCE.search(work, bits)) is not None:
        work = _blank(work, *event.span())
        if event[0].lower().startswith(("after", "nach")):
            clause.left += (event[0],)  # when it was, and not that it is so since
        else:
            clause.newer = True
    if (event := A_WHILE_SINCE.search(work, bits)) is not None:
        work = _blank(work, *event.span())
    clause.temporary = any(when.role is Role.TEMPORARY for when in found)
    clause.clock = hour(clause.work, bits)
    clause.when, clause.work = tuple(found), work


CONTRASTS = bits_of(INSTEAD, NO_LONGER_TAIL, NOT_BUT, NOT_TAIL)


def _contrast(clause: Clause) -> None:
    """Take out "instead of X", ", not X", "not X but", and keep X."""
    if not clause.said & CONTRASTS:
        return
    text, work = clause.text, clause.work
    is_change = clause.newer or any(w.role is Role.SINCE for w in clause.when)
    for pattern, error, ends in (
        (INSTEAD, False, False),
        (NO_LONGER_TAIL, False, True),
        (NOT_BUT, True, False),
        (NOT_TAIL, True, False),
    ):
        found = pattern.search(text, clause.said)
        if found is None or not text[: found.start()].strip():
            continue
        if pattern is INSTEAD and PREFERENCE.search(text):
            clause.work = _blank(work, found.start(), found.end())
            return
        if pattern is NOT_BUT and re.search(r"(?i)mehr|longer", found["cue"]):
            error = False
        clause.contrast = Contrast(
            found["old"], found.start("old"), error and not is_change, ends or not error
        )
        clause.work = _blank(work, found.start(), found.end())
        clause.when = tuple(w for w in clause.when if not found.start() <= w.start < found.end())
        return


DENYING = (DO_NOT, NOT_EN, NOT_DE, NONE_DE, NO_EN)
ENDING = (END_EN, END_DE, STOPPED_EN)
TAKEN_OUT = (ADVERBS, LIMITING, DEGREE)
CORE = bits_of(DID_NOT, NOT_YET, NEITHER, NOT_ONLY, AGAIN, *ENDING, *DENYING, *TAKEN_OUT)


def _negate(clause: Clause) -> None:
    if not clause.said & CORE:
        return
    cut = _end_of_core(clause)
    tail, clause.work = clause.work[cut:], clause.work[:cut]
    _negate_core(clause)
    clause.work += tail


def _end_of_core(clause: Clause) -> int:
    """Where the first comma after the verb stands: what is denied beyond it is another matter."""
    for comma in re.finditer(",", clause.work):
        if _has_verb(clause.work[: comma.start()], clause.language):
            rest = clause.work[comma.end() :]
            return comma.start() if rest.strip() else len(clause.work)
    return len(clause.work)


def _negate_core(clause: Clause) -> None:
    work, bits = clause.work, clause.said
    ends = denies = False
    past = DID_NOT.search(work, bits) is not None
    if (found := NOT_YET.search(work, bits)) is not None:
        denies, work = True, _blank(work, *found.span())
    for pattern in ENDING:
        if (found := pattern.search(work, bits)) is not None:
            ends, work = True, _blank(work, *found.span())
    if (found := NEITHER.search(work, bits)) is not None:
        denies, work = True, _or_for_nor(work, found)
    affirmed = _is_denied_stop(clause)
    work, negated = _blank_all(work, DENYING, bits)
    if negated:
        tail = TAIL_EN.search(work) or (MORE_DE.search(work) if clause.language == "de" else None)
        if tail is not None:
            ends, work = True, _blank(work, *tail.span())
        denies = not ends
    if affirmed or NOT_ONLY.search(clause.text, bits):
        ends = denies = False
    work = AGAIN.sub(lambda m: " " * len(m[0]), work, bits)
    limiting = [LIMITING] if not (ends or denies) else [LIMITING, DEGREE]
    left = [m[0] for pattern in limiting for m in pattern.finditer(work, bits)]
    for pattern in TAKEN_OUT:
        work = pattern.sub(_unless_kept, work, bits)
    clause.left += tuple(left)
    clause.work, clause.ends, clause.denies, clause.past = work, ends, denies and not ends, past


def _is_denied_stop(clause: Clause) -> bool:
    """Whether it is denied that something stopped, which affirms it: `I never quit smoking`."""
    stopped = STOPPED_EN.search(clause.work, clause.said)
    before = clause.work[: stopped.end()] if stopped is not None else ""
    return any(denial.search(before, clause.said) is not None for denial in DENYING)


def _unless_kept(found: re.Match[str]) -> str:
    return found[0] if KEEP_ADVERB.match(found[0]) else " " * len(found[0])


def _or_for_nor(work: str, found: re.Match[str]) -> str:
    """`neither A nor B` as a list of which each is denied; positions stay."""
    start, end = found.span("nor")
    work = work[:start] + ("or " if end - start == 3 else "oder") + work[end:]
    return _blank(work, *found.span())


def _blank_all(work: str, patterns: tuple[Cue, ...], bits: int) -> tuple[str, bool]:
    hit = False
    for pattern in patterns:
        replaced = pattern.sub(lambda m: " " * len(m[0]), work, bits)
        hit = hit or replaced != work
        work = replaced
    return work, hit


def _blank(work: str, start: int, end: int) -> str:
    return work[:start] + " " * (end - start) + work[end:]
