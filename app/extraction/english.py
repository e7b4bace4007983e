"""English clauses as subject, verb and what follows."""

from __future__ import annotations

from app.extraction.clauses import Clause
from app.extraction.data import words as words_of
from app.extraction.everyday import is_of_everyday
from app.extraction.inflect import Form, invariable
from app.extraction.moments import Role
from app.extraction.openings import without_adverb
from app.extraction.tokens import (
    AUXILIARIES,
    DETERMINERS,
    PRONOUNS,
    Frame,
    Token,
    after_comma,
    possible_subject,
    speakers_own,
    verb_shaped,
)
from app.extraction.verbs import PREPOSITIONS, readings

MODALS = words_of("sets", "modals")


OWN = frozenset(["my", "our", "the"])
MOST_DIARY = 3  # words
DIARY_EN = words_of("ends", "diary_en")
CLITIC_VERB = {"'m": "am", "'re": "are", "'s": "is", "'ve": "have"}


def english_frame(clause: Clause, words: list[Token], inherited: tuple[Token, ...]) -> Frame | None:
    if clause.ends and len(words) == 1 and (doing := _stopped(clause, words[0])) is not None:
        return doing
    if (speaker := _left_out(clause, words)) is not None:
        clause.left += (words[0].text,)
        forms = readings(words[0].lower, "en")
        verb = next((f for f in forms if f.past), Form("quit", past=True))
        return _framed(clause, (speaker,), words[1:], verb)
    if clause.inherits and (form := _leading_verb(words)) is not None:
        return _framed(clause, inherited, words[1:], form) if inherited else None
    for position in range(len(words)):
        form = _english_verb(words, position, bare=clause.ends or clause.denies)
        if form is None:
            continue
        if _in_relative_clause(words, position):
            continue
        subject = _without_adverb(after_comma(tuple(words[:position])))
        subject = _without_will(subject or (inherited if clause.inherits else ()), clause)
        subject = speakers_own(without_adverb(subject, "en"))
        if not possible_subject(subject, "en") or _is_doing(subject):
            return None
        return _framed(clause, subject, words[position + 1 :], form)
    return _unlisted_english(clause, words)


def _stopped(clause: Clause, word: Token) -> Frame | None:
    """`Stopped smoking.`, where the words before the doing are those that tell of its end."""
    at = clause.start + len(clause.text) - len(clause.text.lstrip())
    form = next((f for f in readings(word.lower, "en") if f.participle and not f.past), None)
    led = clause.text.split()[:1]
    if form is None or not led or led[0] not in ("Stopped", "Quit") or clause.inherits:
        return None
    clause.left += (led[0],)
    return Frame(clause, (Token("I", "i", at, at),), form.lemma, "", "", past=False, rest=())


def _left_out(clause: Clause, words: list[Token]) -> Token | None:
    """The `I` that a clause with a past verb at its head leaves unsaid: `Moved to York.`"""
    forms = readings(words[0].lower, "en")
    past = [f for f in forms if f.past and f.lemma != words[0].lower]
    quits = words[0].lower == "quit" and 1 < len(words) <= MOST_DIARY
    if not past and quits and words[1].text[0].islower() and words[1].lower not in PRONOUNS - OWN:
        past = [Form("quit", past=True)]  # `Quit coffee.`, where `Quit Chrome` may be an order
    if clause.inherits or not past or past[0].lemma in AUXILIARIES["en"]:
        return None
    if len(words) < 2 or not words[0].text[0].isupper() or words[0].start != clause.start:
        return None
    given_up = past[0].lemma in DIARY_EN and len(words) <= MOST_DIARY
    if words[1].lower in UNOWNING or (given_up and (quits or words[1].text[0].isupper())):
        return Token("I", "i", words[0].start, words[0].start)
    return None


def _unlisted_english(clause: Clause, words: list[Token]) -> Frame | None:
    """A verb that no list has, by its place: `I juggle`, `Lara coaches the juniors`."""
    for position in range(1, min(len(words) - 1, 5)):
        word = words[position]
        subject = speakers_own(without_adverb(tuple(words[:position]), "en"))
        if not verb_shaped(word, "en") or not possible_subject(subject, "en"):
            continue
        lemma = _lemma_of(word.lower, subject, negated=clause.ends or clause.denies)
        if lemma is not None and _object_shaped(words[position + 1 :], subject):
            return Frame(
                clause, subject, lemma, "", "", past=False, rest=tuple(words[position + 1 :])
            )
    return None


def _object_shaped(rest: list[Token], subject: tuple[Token, ...]) -> bool:
    first = rest[0]
    if first.lower in DETERMINERS["en"] or not first.text[0].islower():
        return True
    if first.lower in PREPOSITIONS["en"]:
        if len(rest) < 2:
            return False
        # Behind a pronoun stands a verb: `I cycle to the office`, but `The stack trace of the bug`.
        pronoun = len(subject) == 1 and subject[0].lower in ("i", "we", "they")
        known = pronoun or is_of_everyday(subject, "en")  # `Peggy babysits for us`
        owned = rest[1].lower in DETERMINERS["en"] | {"us", "me"}
        return rest[1].text[0].isupper() or (known and owned)
    if first.lower.endswith("s") and len(rest) > 2 and rest[1].lower in PREPOSITIONS["en"]:
        return rest[1].lower != "of"  # `sings carols at the station`
    return (
        len(rest) <= 2
        and not first.lower.endswith(("ed", "ly"))
        and not rest[-1].lower.endswith("ly")
    )


def _lemma_of(word: str, subject: tuple[Token, ...], *, negated: bool) -> str | None:
    """The plain form, where the subject is of a kind that goes with the form."""
    if len(subject) == 1 and subject[0].lower in ("i", "we", "they"):
        return None if word.endswith("s") else word
    named = all(t.text[0].isupper() and t.lower not in DETERMINERS["en"] for t in subject)
    definite = subject[0].lower in ("the", "my", "our", "this") and len(subject) in (2, 3)
    if not (named or definite):
        return None
    if negated and not word.endswith("s"):
        return word
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _leading_verb(words: list[Token]) -> Form | None:
    """The verb at the head of a part that has the subject of the part before."""
    forms = [f for f in readings(words[0].lower, "en") if not f.participle or f.past]
    return min(forms, key=lambda f: f.past) if forms else None


def _without_adverb(subject: tuple[Token, ...]) -> tuple[Token, ...]:
    """`The river then` is the river; who `later moved` is the one before."""
    while subject and (
        subject[-1].lower in LEFT_OUT
        or (len(subject) > 1 and subject[-1].lower.endswith("ly") and subject[-1].text.islower())
    ):
        subject = subject[:-1]
    return subject


LEFT_OUT = frozenset(
    [
        *("then", "thus", "hence", "once", "often", "never", "ever", "later", "sometimes"),
        *("always", "also", "still", "already", "originally", "initially", "eventually"),
        "recently",
    ]
)


def _without_will(subject: tuple[Token, ...], clause: Clause) -> tuple[Token, ...]:
    """What will be is stated only with the date from which it holds; what can be never is."""
    if not subject or subject[-1].lower not in MODALS | CUT:
        return subject
    dated = any(when.role is Role.SINCE for when in clause.when)
    return subject[:-1] if dated and subject[-1].lower in ("will", "'ll") else ()


CUT = frozenset(["ca"])  # what is left of `can't` without its negation


def _is_doing(subject: tuple[Token, ...]) -> bool:
    first = subject[0].lower
    last = subject[-1].lower
    if len(subject) == 1 or first in DETERMINERS["en"]:
        return False
    return any(w.endswith("ing") and bool(readings(w, "en")) for w in (first, last))


def _likes(before: list[Token]) -> bool:
    """Whether `like` is the verb: `sounds like`, `poses like these` are comparisons."""
    first = before[0].lower
    if first in ("i", "we", "they", "you"):
        return len(before) == 1
    several = any(t.lower == "and" for t in before)
    return several or (first in DETERMINERS["en"] and len(before) == 2 and first != "some")


def _in_relative_clause(words: list[Token], position: int) -> bool:
    """`promise` in `the uptime we promise went up`: a pronoun after a noun, and a later verb."""
    if position < 2 or words[position - 1].lower not in ("i", "we", "you", "they", "he", "she"):
        return False
    if words[position - 2].lower in ("and", ",", "or", "but"):
        return False
    later = words[position + 1 :]
    return any(_english_verb(words, position + 1 + i) for i in range(len(later)))


def _english_verb(words: list[Token], position: int, *, bare: bool = False) -> Form | None:
    """The verb at that place. `bare`: a negation with do was taken out, so that any subject may
    stand before the plain form, and `stopped` before the form with -ing."""
    word = words[position]
    if word.lower in CLITIC_VERB:
        return _clitic(words, position)
    forms = [f for f in readings(word.lower, "en") if not f.participle or f.past or bare]
    if not forms or (word.text[0].isupper() and position > 0):
        return None
    form = min(forms, key=lambda f: f.past)
    if form.lemma in AUXILIARIES["en"]:
        return form
    before = words[position - 1] if position else None
    if before is None:
        return None  # an order, or a noun that is also a verb
    if before.lower in DETERMINERS["en"] or before.lower in PREPOSITIONS["en"]:
        return None
    if before.lower == "'s" and not _at_whose(words, position - 1):
        return None
    if _be_follows(words, position) or _verb_follows(words, position):
        return None
    if form.lemma == "like" and not _likes(words[:position]):
        return None
    is_bare = word.lower == form.lemma and not form.past
    if before.lower in ("will", "'ll"):
        return form
    if is_bare and not (bare or invariable(form.lemma) or _plural(words[:position])):
        return None
    return form


def _clitic(words: list[Token], position: int) -> Form | None:
    """'m and 're are forms of be; 's is one after a pronoun, and else marks the possessor."""
    mark = words[position].lower
    if mark == "'s":
        owner = words[position - 1].lower if position else ""
        if owner not in ("it", "he", "she", "that", "there", "what", "who", "here"):
            return _after_name(words, position)
    return Form("have" if mark == "'ve" else "be")


def _at_whose(words: list[Token], mark: int) -> bool:
    """Whether a mark of the possessor ends a place: `a haircut at Marco's`."""
    return (
        mark > 2
        and words[mark - 1].text[0].isupper()
        and words[mark - 2].lower in PREPOSITIONS["en"]
    )


def _after_name(words: list[Token], position: int) -> Form | None:
    """`Lorna's moved out`: a verb before a participle that no noun follows; `Luca's in a cast`:
    before what nobody can own."""
    after = words[position + 1 : position + 3]
    if not position or not after:
        return None
    if after[0].lower in UNOWNED and not any(t.lower in UNOWNED for t in words[1:position]):
        return Form("be") if len(after) > 1 else None
    if _is_amount(after) or (after[0].lower in STATES and _no_noun(after[1:])):
        return Form("be")
    if after[0].lower in NAMING and len(after) > 1 and after[1].text[0].isupper():
        return Form("be")
    if not any(f.past for f in readings(after[0].lower, "en")):
        return None
    ends = len(after) == 1 or after[1].text in ",;:" or after[1].lower in UNOWNING | PRONOUNS
    return Form("have") if ends and after[0].text[0].islower() else None


def _no_noun(after: list[Token]) -> bool:
    """Whether no noun follows to which an adjective could belong."""
    return not after or after[0].lower in PREPOSITIONS["en"] or not after[0].text.isalpha()


def _is_amount(after: list[Token]) -> bool:
    """Whether a number follows that counts nothing of what is owned: `Rent's 1,150 a month`."""
    closed = DETERMINERS["en"] | PREPOSITIONS["en"]
    ends = len(after) == 1 or after[1].lower in closed or not after[1].text.isalpha()
    return ends and after[0].text[-1].isdigit()


STATES = words_of("sets", "states_en")  # `Kate's allergic to nuts`
NAMING = frozenset(["called", "named"])  # `My manager's called Sunita`
UNOWNED = (PREPOSITIONS["en"] | DETERMINERS["en"]) - {"to", "like", "than"}
PARTICLES = frozenset(["out", "up", "down", "away", "off", "back", "over", "in"])
MYSELF = frozenset(["myself", "ourselves"])
UNOWNING = MYSELF | PREPOSITIONS["en"] | DETERMINERS["en"] | PARTICLES


def _be_follows(words: list[Token], position: int) -> bool:
    """Whether a form of be or have comes soon: then the word before it is a noun or participle."""
    for word in words[position + 1 : position + 6]:
        if word.lower in (",", "and", "to", "that"):
            return False
        if word.lower in ("is", "are", "was", "were", "has"):
            return True
    return False


def _verb_follows(words: list[Token], position: int) -> bool:
    """Whether the next word is the verb of a plural: `support calls come from`."""
    if not words[position].lower.endswith("s") or position + 1 >= len(words):
        return False
    after = words[position + 1]
    return any(f.lemma == after.lower for f in readings(after.lower, "en"))


def _plural(before: list[Token]) -> bool:
    last = before[-1].lower
    if last in ("i", "we", "you", "they", "people") or last.endswith("s"):
        return True
    return any(t.lower == "and" for t in before)


def _framed(
    clause: Clause, subject: tuple[Token, ...], rest: list[Token], form: Form
) -> Frame | None:
    lemma, auxiliary, participle, past = form.lemma, "", "", form.past
    if lemma == "have" and rest and rest[0].lower == "been":
        auxiliary, lemma, rest = "have", "be", rest[1:]
    if lemma in ("be", "have") and rest:
        forms = readings(rest[0].lower, "en")
        found = next((f for f in forms if f.participle or invariable(f.lemma)), None)
        if found is not None and rest[0].text[0].islower():
            if lemma == "have" and (found.past or invariable(found.lemma)):
                auxiliary, lemma, past, rest = "have", found.lemma, True, rest[1:]
            elif lemma == "be":
                auxiliary, participle = "be", rest[0].lower
                rest = rest[1:]
                lemma = found.lemma
                if participle.endswith("ing") and not found.past:
                    auxiliary, participle = "", ""
    return Frame(clause, subject, lemma, auxiliary, participle, past, tuple(rest))
