"""The open reading: what a plain clause says, where no rule knows what it means.

A clause in the present with a subject that one can find again, a finite verb and a short
complement is kept under the name of its verb. Such a statement has many values: it ends nothing.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.english import PARTICLES
from app.extraction.everyday import AND, REFLEXIVE, SPEAKERS, is_of_everyday, may_have_habits
from app.extraction.model import ANYTHING, Mention
from app.extraction.moments import Role
from app.extraction.predicates import EVENT_PREFIX, HABIT
from app.extraction.rules.copula import BE, is_be
from app.extraction.tokens import AUXILIARIES, DETERMINERS, HABIT_DAY, PERSONAL, PRONOUNS, Token
from app.extraction.verbs import PARTICIPLE_DE, PREPOSITIONS, english_name, open_name, readings
from app.values.model import Kind, Value
from app.values.wording import normal_text

MOST_WORDS = 12  # of a complement
SURE = 0.5
INDEFINITE = {"en": frozenset(["a", "an"]), "de": frozenset(["ein", "eine", "einer"])}
# Who speaks, and what belongs to a verb: `lives with us`, `kümmert sich um`.
WITH_US = frozenset(["us", "uns", "sich"])
SOMEONE = frozenset(["someone", "somebody", "something"])


def said_openly(context: Context) -> list[Draft]:
    """`I take warfarin`, `Den Winterdienst macht die Firma Plog`, `Samson is in the top field`."""
    frame = context.frame
    if context.clause.correcting or (frame.past and not frame.standing):
        return []
    given = _complement(context)
    if frame.lemma in ("have", "haben", "do") and given and _is_participle(given):
        return []  # a perfect of a verb that no list has
    if given and _is_auxiliary(given[0].lower, context):
        return []
    if frame.past and (not given or not _is_event(context)):
        return []
    subject, others = _subject(context)
    if subject is None or (_is_kind(given, context) and not _is_own(context)):
        return []
    habit = "" if given else _habit(context)
    text = _told(given, context) if given else _time(context) or habit
    if not text:
        return []
    value = Value(Kind.TEXT, f"text:{normal_text(text)}", text)
    name = HABIT if habit and habit == text else _name(context)
    # What is no longer so need not be told in the very words in which it was told that it is.
    fits = (name,) if context.clause.ends else ()
    draft = Draft(subject, name, value, "open", confidence=SURE, fits=fits, read=tuple(given))
    made = [replace(draft, event=frame.past, doubt=others)]
    if name == HABIT and context.clause.ends and english_name(habit) in words("ends", "doings"):
        # `I stopped smoking`: whatever he smoked.
        verb = english_name(habit)
        made.append(replace(made[0], predicate=verb, object=ANYTHING, fits=(verb,)))
    return made


def noted_down(context: Context) -> list[Draft]:
    """What a note without a verb says of its topic: `Budget for the play: 1,800 pounds`."""
    frame, clause = context.frame, context.clause
    phrase = context.subject_phrase()
    if phrase is None or phrase.indefinite:
        return []
    start = frame.rest[0].start - clause.start
    text = " ".join(clause.work[start:].rstrip(" .").split())
    value = Value(Kind.TEXT, f"text:{normal_text(text)}", text)
    subject = context.named(phrase, "is")
    return [Draft(subject, "is", value, "note", confidence=SURE, read=frame.rest)]


def _is_kind(given: list[Token], context: Context) -> bool:
    """Whether it is told what kind of thing one is."""
    return is_be(context) and bool(given) and given[0].lower in INDEFINITE[context.language]


def _is_own(context: Context) -> bool:
    """Whether it is told of what is the speaker's own: `My car is an old Velora`."""
    phrase = context.subject_phrase()
    if phrase is None or phrase.owner is None:
        return False
    title = context.language == "en" and phrase.head[0].text[0].isupper()  # My Country, a book
    return not title and (phrase.owner.is_speaker or phrase.owner.name == "we")


def _is_event(context: Context) -> bool:
    """Whether a past clause tells what somebody did or what happened to him, and not what he said,
    felt or thought, or how it was."""
    frame, clause = context.frame, context.clause
    unsaid = frame.subject[0].start == frame.subject[0].end
    if frame.rest[0].lower == "by" or (unsaid and context.reader.utterance.speaker is None):
        return False  # `Written by Tab Murphy`
    if frame.auxiliary not in ("", "have", "haben"):
        return False  # `was buried`
    if frame.lemma == "have" and _goes_on(frame.rest[0].lower):
        return False
    if clause.denies or clause.ends or clause.past or frame.lemma in (*BE, "do", "tun"):
        return False
    return frame.lemma not in words("sets", f"mental_{context.language}")


def _is_auxiliary(first: str, context: Context) -> bool:
    """Whether an English verb only helps the one behind it: `have to go`, `does throw`."""
    if context.frame.lemma == "have":
        return first == "to" and not context.clause.duty
    return context.frame.lemma == "do" and any(f.lemma == first for f in readings(first, "en"))


def _goes_on(word: str) -> bool:
    """Whether a word behind `had` tells that it is no full verb: `had run`, `had to go`."""
    return word == "to" or any(f.participle or f.lemma == word for f in readings(word, "en"))


def _habit(context: Context) -> str:
    """The verb alone, where a clause says nothing else: `I smoke`, `Ich schnarche`."""
    frame, clause = context.frame, context.clause
    if frame.rest or frame.past or frame.auxiliary or frame.participle or is_be(context):
        return ""
    closed = words("sets", f"mental_{context.language}") | words("sets", "vague")
    if frame.lemma in closed | AUXILIARIES[context.language] | words("sets", "modals"):
        return ""
    known = may_have_habits(frame.subject, context.language)
    return frame.lemma if known and not clause.when else ""


def _told(given: list[Token], context: Context) -> str:
    """The words as the clause has them, in the order of the tokens; German ones that stand in front
    of its verb stand there without the capital of the sentence that they began."""
    start, work = context.clause.start, context.clause.work
    parts: list[list[Token]] = []
    for word in given:
        last = parts[-1][-1] if parts else None
        apart = last is None or work[last.end - start : word.start - start].strip()
        if apart or (last is not None and word.start < last.end):
            parts.append([])
        parts[-1].append(word)
    return " ".join(_part(part, context) for part in parts)


def _part(part: list[Token], context: Context) -> str:
    """Words that stand beside each other, as the clause has them."""
    clause = context.clause
    cut = any(
        a.lower in DETERMINERS[context.language] and b.start - a.end > 2 for a, b in pairwise(part)
    )  # what was taken out belongs to it: the last years
    said = clause.text if cut else clause.work
    text = " ".join(said[part[0].start - clause.start : part[-1].end - clause.start].split())
    front = part[0].start < context.frame.subject[0].start and context.language == "de"
    return text[0].lower() + text[1:] if front and not _is_noun_word(part[0]) else text


def _is_noun_word(word: Token) -> bool:
    """Whether a German word with a capital may be a noun."""
    closed = PREPOSITIONS["de"] | DETERMINERS["de"] | words("sets", "adverbs_de")
    return word.lower not in closed and HABIT_DAY.match(word.text) is None


def _time(context: Context) -> str:
    """The time of a clause that says nothing else: `at 9 am`, `until May`."""
    clause = context.clause
    if context.frame.rest or context.frame.past:
        return ""
    days = [
        _inside(clause.text[w.start : w.end], context.language)
        for w in clause.when
        if w.role in (Role.AT, Role.UNTIL)
    ]
    if readings(context.frame.subject[0].lower, context.language):
        return ""  # `released by Acme records in May`
    return " ".join(part for part in (*days, clause.clock) if part)


def _inside(day: str, language: str) -> str:
    """A time that began the sentence as it stands in one: `am Wochenende`."""
    first = day.split()[0].lower() if day.strip() else ""
    opens = first in PREPOSITIONS[language] | DETERMINERS[language]
    return day[0].lower() + day[1:] if opens else day


def _name(context: Context) -> str:
    frame = context.frame
    verb = open_name(frame.lemma) if context.language == "de" else frame.lemma
    if frame.past and frame.standing:
        return EVENT_PREFIX + verb
    if is_be(context):
        return "is"
    if frame.participle and frame.auxiliary not in ("have", "haben"):
        return f"is_{frame.participle}"
    return verb


def _subject(context: Context) -> tuple[Mention | None, str]:
    """The one of whom it is said, if he or it can be found again; of several joined ones the first,
    with the others in their words."""
    subject = context.frame.subject
    joint = next((i for i, t in enumerate(subject) if i and t.lower in AND), len(subject))
    others = " ".join(t.text for t in subject[joint + 1 :])
    before = context.reader.utterance.text[: subject[0].start].rstrip(" ")
    if before.endswith(",") or not is_of_everyday(subject[:joint], context.language):
        others = ""  # the last of a list, or joined words within one name
    if others:
        context = replace(context, frame=replace(context.frame, subject=subject[:joint]))
    return _one(context), others


def _one(context: Context) -> Mention | None:
    first = context.frame.subject[0]
    if context.reader.person(first) is not None and len(context.frame.subject) == 1:
        return context.subject("is")
    phrase = context.subject_phrase()
    if phrase is None or phrase.indefinite:
        return None
    subject = context.named(phrase, "is")
    several = len(phrase.head) > 1 or context.frame.standing
    bare = several and phrase.head[0].text[0].isupper()  # `Loading bay 3`, `Prescriptions`
    return subject if subject.named or phrase.definite or phrase.owner or bare else None


def _complement(context: Context) -> list[Token]:
    """The words behind the verb up to the first sign; none where they point elsewhere."""
    given: list[Token] = []
    for word in context.frame.rest:
        if word.text in ",;:()–—!?.":
            break
        given.append(word)
    if not 0 < len(given) <= MOST_WORDS or given[0].text in '"“”„':
        return []
    empty = (words("sets", "hollow") | PERSONAL) - DETERMINERS[context.language] - WITH_US
    if context.frame.subject[0].lower in ("ich", "i"):
        empty -= REFLEXIVE
    if context.clause.duty:
        empty -= PARTICLES  # `has to be signed off`
    elif is_of_everyday(context.frame.subject, context.language):
        empty -= words("sets", "degrees") | PARTICLES  # `is very strict`, `is saving up for`
        if any(t.text[0].isupper() and t.lower not in empty for t in given[1:]):
            empty -= SOMEONE  # `someone called Beth`
    elif len(given) > 1:
        empty -= PARTICLES & {given[0].lower}  # `out of use`, `signs off the tags`
    told = sum(_says(t) for t in given)
    feels = is_be(context) and context.frame.subject[-1].lower in SPEAKERS
    feels = feels and given[0].lower in words("sets", "degrees") - {"together"}
    if any(t.lower in empty for t in given) or not told or feels:  # `I'm very happy`
        return []
    if all(t.lower in PRONOUNS for t in given):
        return []  # `we got this`
    return given


def _is_participle(given: list[Token]) -> bool:
    first, last = given[0].lower, given[-1]
    german = last.text[0].islower() and PARTICIPLE_DE.match(last.lower) is not None
    alone = len(given) == 1 and given[0].text.islower() and not first.endswith("s")
    return german or first.endswith("ed") or alone


def _says(word: Token) -> bool:
    """Whether a word says something and not only how much."""
    return word.lower not in words("sets", "degrees") and _is_noun(word)


def _is_noun(word: Token) -> bool:
    letters = word.text.replace("-", "")
    return (len(letters) > 2 and letters.isalnum()) or letters.isdigit()
