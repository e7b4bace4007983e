"""The open reading: what a plain clause says, where no rule knows what it means.

A clause in the present with a subject that one can find again, a finite verb and a short
complement is kept under the name of its verb. Such a statement has many values: it ends nothing.
"""

from __future__ import annotations

from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.english import PARTICLES
from app.extraction.model import Mention
from app.extraction.moments import Role
from app.extraction.rules.copula import is_be
from app.extraction.rules.states import PARTICIPLE_DE
from app.extraction.tokens import DETERMINERS, HABIT_DAY, PERSONAL, Token
from app.extraction.verbs import PREPOSITIONS, open_name
from app.values.model import Kind, Value
from app.values.wording import normal_text

MOST_WORDS = 12  # of a complement
SURE = 0.5
INDEFINITE = frozenset(["a", "an", "ein", "eine", "einer"])


def said_openly(context: Context) -> list[Draft]:
    """`I take warfarin`, `Den Winterdienst macht die Firma Plog`, `Samson is in the top field`."""
    frame = context.frame
    if frame.past or context.clause.correcting:
        return []
    given = _complement(context)
    if frame.lemma in ("have", "haben", "do") and given and _is_participle(given):
        return []  # a perfect of a verb that no list has
    if is_be(context) and given and given[0].lower in INDEFINITE:
        return []  # what kind of thing one is
    subject = _subject(context)
    if subject is None or not (given or _hour(context)):
        return []
    text = _told(given, context) if given else _hour(context)
    value = Value(Kind.TEXT, f"text:{normal_text(text)}", text)
    name = _name(context)
    # What is no longer so need not be told in the very words in which it was told that it is.
    fits = (name,) if context.clause.ends else ()
    return [Draft(subject, name, value, "open", confidence=SURE, fits=fits, read=tuple(given))]


def _told(given: list[Token], context: Context) -> str:
    """The words as the clause has them; German ones that stand in front of its verb stand there
    without the capital of the sentence that they began."""
    start, work = context.clause.start, context.clause.work
    behind = next((i for i, t in enumerate(given) if t.start > context.frame.subject[-1].end), 0)
    if context.language == "de" and given[0].start < given[-1].start and behind:
        front, rest = given[:behind], given[behind:]
        parts = [work[p[0].start - start : p[-1].end - start] for p in (front, rest)]
        if not _is_noun_word(front[0]):
            parts[0] = parts[0][0].lower() + parts[0][1:]
        return " ".join(" ".join(parts).split())
    return " ".join(work[given[0].start - start : given[-1].end - start].split())


def _is_noun_word(word: Token) -> bool:
    """Whether a German word with a capital may be a noun."""
    closed = PREPOSITIONS["de"] | DETERMINERS["de"] | words("sets", "adverbs_de")
    return word.lower not in closed and HABIT_DAY.match(word.text) is None


def _hour(context: Context) -> str:
    """The hour, with the day where there is one, of a clause that says nothing else: `at 9 am`."""
    clause = context.clause
    if not clause.clock or context.frame.rest:
        return ""
    days = [clause.text[w.start : w.end] for w in clause.when if w.role is Role.AT]
    return " ".join([*(_inside(day, context.language) for day in days), clause.clock])


def _inside(day: str, language: str) -> str:
    """A time that began the sentence as it stands in one: `am Wochenende`."""
    first = day.split()[0].lower() if day.strip() else ""
    opens = first in PREPOSITIONS[language] | DETERMINERS[language]
    return day[0].lower() + day[1:] if opens else day


def _name(context: Context) -> str:
    frame = context.frame
    if is_be(context):
        return "is"
    if frame.participle:
        return f"is_{frame.participle}"
    return open_name(frame.lemma) if context.language == "de" else frame.lemma


def _subject(context: Context) -> Mention | None:
    """The one of whom it is said, if he or it can be found again."""
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
    empty = (words("sets", "hollow") | PERSONAL) - DETERMINERS[context.language]
    if len(given) > 1:
        empty -= PARTICLES & {given[0].lower}  # `out of use`, `signs off the tags`
    if any(t.lower in empty for t in given) or not any(_is_noun(t) for t in given):
        return []
    return given


def _is_participle(given: list[Token]) -> bool:
    first, last = given[0].lower, given[-1]
    german = last.text[0].islower() and PARTICIPLE_DE.match(last.lower) is not None
    return german or first.endswith("ed") or (len(given) == 1 and given[0].text.islower())


def _is_noun(word: Token) -> bool:
    return len(word.text) > 2 and word.text.isalnum()
