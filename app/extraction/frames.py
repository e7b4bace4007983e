"""A clause as subject, verb and what follows: one shape for both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.extraction.clauses import Clause
from app.extraction.data import words as words_of
from app.extraction.inflect import Form, particles
from app.extraction.moments import Role
from app.extraction.verbs import PREPOSITIONS, readings

TOKEN = re.compile(
    r"(?:Mr|Mrs|Ms|Dr|Prof|St)\.|[#@]?[^\W\d_][^\W_]*(?:[-./&+@_'’][^\W_]+)*[+#]*(?:['’](?=\s))?|"
    r"[€$£]?\s?\d[\d.,'’:/-]*(?:\w+)?(?:\s?%)?(?<![.,:])|[^\w\s]"
)
CLITIC = re.compile(r"(?i)(?<=\w)(?:['’](?:s|m|re|ve|ll|d))$")
DETERMINERS = {
    "en": words_of("sets", "determiners_en"),
    "de": words_of("sets", "determiners_de"),
}
PRONOUNS = words_of("sets", "pronouns")
BE = {"en": "be", "de": "sein"}
AUXILIARIES = {
    "en": frozenset(["be", "have", "do"]),
    "de": frozenset(["sein", "haben", "werden"]),
}
MODALS = words_of("sets", "modals")
CLITIC_VERB = {"'m": "am", "'re": "are", "'s": "is", "'ve": "have"}
MOST_SUBJECT_TOKENS = 7
HABIT_DAY = re.compile(
    r"(?i)^(?:(?:on\s)?(?P<en>mon|tues|wednes|thurs|fri|satur|sun)days|"
    r"(?P<de>montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s)$"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its place in the whole text."""

    text: str
    lower: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """`lemma` is the full verb; `auxiliary` the one before it (be, have, sein, haben, werden).
    `rest` are the words that follow, in German without the participle or particle at the end."""

    clause: Clause
    subject: tuple[Token, ...]
    lemma: str
    auxiliary: str
    participle: str
    past: bool
    rest: tuple[Token, ...]

    @property
    def language(self) -> str:
        """Of the clause."""
        return self.clause.language


def tokens(clause: Clause) -> list[Token]:
    """The words of what is left of a clause."""
    found: list[Token] = []
    for match in TOKEN.finditer(clause.work):
        text, start = match[0], clause.start + match.start()
        lead = len(text) - len(text.lstrip())
        text, start = text[lead:], start + lead
        clitic = CLITIC.search(text) if clause.language == "en" else None
        if clitic is None:
            found.append(Token(text, text.lower(), start, start + len(text)))
            continue
        cut = clitic.start()
        found.append(Token(text[:cut], text[:cut].lower(), start, start + cut))
        mark = clitic[0].lower().replace("’", "'")
        found.append(Token(clitic[0], mark, start + cut, start + len(text)))
    return found


def frame(clause: Clause, inherited: tuple[Token, ...] = ()) -> Frame | None:
    """The frame of a clause, or None where the rules cannot read it."""
    words = tokens(clause)
    if not words:
        return None
    if clause.language == "en":
        return _english(clause, words, inherited)
    return _german(clause, words, inherited)


# English ------------------------------------------------------------------------------------


def _english(clause: Clause, words: list[Token], inherited: tuple[Token, ...]) -> Frame | None:
    if clause.inherits and (form := _leading_verb(words)) is not None:
        return _english_frame(clause, inherited, words, 0, form) if inherited else None
    for position in range(len(words)):
        form = _english_verb(words, position, bare=clause.ends or clause.denies)
        if form is None:
            continue
        if _in_relative_clause(words, position):
            continue
        subject = tuple(words[:position]) or (inherited if clause.inherits else ())
        subject = _without_will(_without_adverb(_after_comma(subject)), clause)
        if not _possible_subject(subject, "en") or _is_doing(subject):
            return None
        return _english_frame(clause, subject, words, position, form)
    return _unlisted_english(clause, words)


def _unlisted_english(clause: Clause, words: list[Token]) -> Frame | None:
    """A verb that no list has, by its place: `I juggle`, `Lara coaches the juniors`."""
    for position in range(1, min(len(words) - 1, 5)):
        word, subject = words[position], tuple(words[:position])
        if not _verb_shaped(word, "en") or not _possible_subject(subject, "en"):
            continue
        lemma = _lemma_of(word.lower, subject, negated=clause.ends or clause.denies)
        if lemma is not None and _object_shaped(words[position + 1 :]):
            return Frame(
                clause, subject, lemma, "", "", past=False, rest=tuple(words[position + 1 :])
            )
    return None


def _object_shaped(rest: list[Token]) -> bool:
    first = rest[0]
    if first.lower in DETERMINERS["en"] or not first.text[0].islower():
        return True
    if first.lower in PREPOSITIONS["en"]:
        return len(rest) > 1 and rest[1].text[0].isupper()
    return (
        len(rest) <= 2
        and not first.lower.endswith(("ed", "ly"))
        and not rest[-1].lower.endswith("ly")
    )


def _verb_shaped(word: Token, language: str) -> bool:
    if not word.text.isalpha() or not word.text.islower() or len(word.text) < 4:
        return False
    closed = PRONOUNS | DETERMINERS[language] | PREPOSITIONS[language] | NO_VERBS
    return word.lower not in closed and not word.lower.endswith(("ly", "ing", "ed"))


def _lemma_of(word: str, subject: tuple[Token, ...], *, negated: bool) -> str | None:
    """The plain form, where the subject is of a kind that goes with the form."""
    if len(subject) == 1 and subject[0].lower in ("i", "we", "they"):
        return None if word.endswith("s") else word
    named = all(t.text[0].isupper() for t in subject)
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


NO_VERBS = words_of("sets", "no_verbs")


def _leading_verb(words: list[Token]) -> Form | None:
    """The verb at the head of a part that has the subject of the part before."""
    forms = [f for f in readings(words[0].lower, "en") if not f.participle or f.past]
    return min(forms, key=lambda f: f.past) if forms else None


def _without_adverb(subject: tuple[Token, ...]) -> tuple[Token, ...]:
    """`The river then` is the river."""
    while len(subject) > 1 and (
        subject[-1].lower in ("then", "thus", "hence", "once", "often", "never", "ever")
        or (subject[-1].lower.endswith("ly") and subject[-1].text.islower())
    ):
        subject = subject[:-1]
    return subject


def _without_will(subject: tuple[Token, ...], clause: Clause) -> tuple[Token, ...]:
    """What will be is stated only with the date from which it holds; what can be never is."""
    if not subject or subject[-1].lower not in MODALS:
        return subject
    dated = any(when.role is Role.SINCE for when in clause.when)
    return subject[:-1] if dated and subject[-1].lower in ("will", "'ll") else ()


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
    if before.lower == "'s":
        return None
    if _be_follows(words, position) or _verb_follows(words, position):
        return None
    if form.lemma == "like" and not _likes(words[:position]):
        return None
    is_bare = word.lower == form.lemma and not form.past
    if before.lower in ("will", "'ll"):
        return form
    if is_bare and not bare and not _plural(words[:position]):
        return None
    return form


def _clitic(words: list[Token], position: int) -> Form | None:
    """'m and 're are forms of be; 's is one after a pronoun, and else marks the possessor."""
    mark = words[position].lower
    if mark == "'s":
        owner = words[position - 1].lower if position else ""
        if owner not in ("it", "he", "she", "that", "there", "what", "who", "here"):
            return None
    return Form("have" if mark == "'ve" else "be")


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


def _english_frame(
    clause: Clause, subject: tuple[Token, ...], words: list[Token], position: int, form: Form
) -> Frame | None:
    rest = words[position + 1 :]
    lemma, auxiliary, participle, past = form.lemma, "", "", form.past
    if lemma == "have" and rest and rest[0].lower == "been":
        auxiliary, lemma, rest = "have", "be", rest[1:]
    if lemma in ("be", "have") and rest:
        found = next((f for f in readings(rest[0].lower, "en") if f.participle), None)
        if found is not None and rest[0].text[0].islower():
            if lemma == "have" and found.past:
                auxiliary, lemma, past, rest = "have", found.lemma, True, rest[1:]
            elif lemma == "be":
                auxiliary, participle = "be", rest[0].lower
                rest = rest[1:]
                lemma = found.lemma
                if participle.endswith("ing") and not found.past:
                    auxiliary, participle = "", ""
    return Frame(clause, subject, lemma, auxiliary, participle, past, tuple(rest))


# German -------------------------------------------------------------------------------------


def _german(clause: Clause, words: list[Token], inherited: tuple[Token, ...]) -> Frame | None:
    position = _german_verb(words)
    if position is None:
        return _unlisted_german(clause, words)
    form = _finite(words[position], position)
    if form is None:
        return None
    before, after = _after_comma(tuple(words[:position])), words[position + 1 :]
    subject, rest = _german_subject(clause, before, after, inherited)
    if not _possible_subject(subject, "de"):
        return None
    return _german_frame(clause, subject, rest, form)


def _unlisted_german(clause: Clause, words: list[Token]) -> Frame | None:
    """`Ich jongliere`, `Lara coacht die Jugend`: the second place is the verb's."""
    end = noun_phrase_end(words, "de")
    if not end or end + 1 > len(words) - 1 or not _verb_shaped(words[end], "de"):
        return None
    subject, word = tuple(words[:end]), words[end].lower
    first = subject[0].lower
    if first in ("ich", "wir") and len(subject) == 1:
        lemma = word if word.endswith("en") else word + "n" if word.endswith("e") else ""
    else:
        lemma = word[:-1] + "en" if word.endswith("t") and subject[-1].text[0].isupper() else ""
    if not lemma or not _possible_subject(subject, "de"):
        return None
    return Frame(clause, subject, lemma, "", "", past=False, rest=tuple(words[end + 1 :]))


def _german_verb(words: list[Token]) -> int | None:
    for position, word in enumerate(words):
        if _finite(word, position) is not None:
            return position
    return None


def _finite(word: Token, position: int) -> Form | None:
    if word.text[0].isupper() and position > 0:
        return None
    forms = [f for f in readings(word.lower, "de") if not f.participle]
    return min(forms, key=lambda f: (f.past, f.plural)) if forms else None


def _german_subject(
    clause: Clause, before: tuple[Token, ...], after: list[Token], inherited: tuple[Token, ...]
) -> tuple[tuple[Token, ...], list[Token]]:
    if before and after and after[0].lower in ("ich", "wir", "er"):
        return (after[0],), [*after[1:], *before]  # Bargeld akzeptieren wir
    if before and not _is_adverbial(before):
        return before, after
    if not before and clause.inherits:
        return inherited, after
    if not before and not _fronted(clause):
        return (), after  # a verb at the head: a question, an order or a condition
    end = noun_phrase_end(after, "de")
    front = list(before) if before else []
    return tuple(after[:end]), front + after[end:]


def _fronted(clause: Clause) -> bool:
    """Whether something was taken out before the verb, so that the subject follows it."""
    blanked = len(clause.work) - len(clause.work.lstrip())
    return blanked > 0 and clause.text[:blanked].strip() != ""


def _is_adverbial(before: tuple[Token, ...]) -> bool:
    first = before[0].lower
    if len(before) == 1 and (first in ADVERBS_DE or _small(before[0])):
        return True
    if first in PREPOSITIONS["de"] or first in ("den", "einen", "meinen", "unseren", "dort", "da"):
        return True
    return len(before) == 1 and (
        HABIT_DAY.match(before[0].text) is not None or first in ("hier", "damit", "außerdem")
    )


ADVERBS_DE = words_of("sets", "adverbs_de")


def _small(word: Token) -> bool:
    """A German subject is a noun with a capital, or a pronoun."""
    return word.text[0].islower() and word.lower not in PRONOUNS


def noun_phrase_end(words: list[Token] | tuple[Token, ...], language: str) -> int:
    """How many of the words from the first on make one noun phrase."""
    position = 0
    if words and words[0].lower in PRONOUNS - DETERMINERS[language]:
        return 1
    if words and words[0].lower in DETERMINERS[language]:
        position = 1
    while position < len(words) and _adjective(words[position], language):
        position += 1
    start = position
    while position < len(words) and _noun(words[position]):
        position += 1
        if _numbered(words, position):
            position += 1
    if position == start:
        return 0
    determined = bool(words) and words[0].lower in DETERMINERS["de"]
    if language == "de" and (
        determined or (words[position : position + 1] and words[position].lower != "der")
    ):
        return _with_attributes(words, position)
    return position


def _numbered(words: list[Token] | tuple[Token, ...], position: int) -> bool:
    """Whether a number follows that belongs to the name: Tor 5, Version 3.0."""
    if position >= len(words) or not words[position].text.replace(".", "").isdigit():
        return False
    after = words[position + 1].lower if position + 1 < len(words) else ","
    return after == "," or after in PREPOSITIONS["de"]


def _with_attributes(words: list[Token] | tuple[Token, ...], position: int) -> int:
    """A genitive or a prepositional attribute that belongs to a German noun phrase."""
    if position < len(words) and words[position].lower in ("des", "der", "für", "im", "in", "bei"):
        inner = noun_phrase_end(words[position + 1 :], "de")
        if words[position].lower in ("des", "der", "für") and inner:
            return position + 1 + inner
        if inner and position + 1 + inner < len(words):  # something else is left for the verb
            return position + 1 + inner
    return position


def _adjective(word: Token, language: str) -> bool:
    if not word.text[0].islower() or word.lower in PREPOSITIONS[language]:
        return False
    if language == "de":
        return word.lower.endswith(("e", "en", "er", "es", "em")) and not readings(word.lower, "de")
    return word.lower not in PRONOUNS and word.lower not in ("and", "or", "but")


def _noun(word: Token) -> bool:
    return word.text[0].isupper()


def _german_frame(
    clause: Clause, subject: tuple[Token, ...], rest: list[Token], form: Form
) -> Frame:
    lemma, auxiliary, participle, past = form.lemma, "", "", form.past
    core, tail = _until_comma(rest)
    last = core[-1] if core else None
    if last is not None and lemma in AUXILIARIES["de"]:
        found = next((f for f in readings(last.lower, "de") if f.participle or f.plural), None)
        if last.lower == "worden" and len(core) > 1:
            core = core[:-1]
            last = core[-1]
            found = next((f for f in readings(last.lower, "de") if f.participle), None)
            lemma = "werden"
        if found is not None and last.text[0].islower() and found.participle:
            auxiliary, lemma, participle = lemma, found.lemma, last.lower
            past = past or auxiliary == "haben"
            core = core[:-1]
    elif last is not None and last.lower in particles() and len(core) > 1:
        joined = last.lower + lemma
        if readings(joined, "de"):
            lemma, core = joined, core[:-1]
    return Frame(clause, subject, lemma, auxiliary, participle, past, tuple(core + tail))


def _until_comma(words: list[Token]) -> tuple[list[Token], list[Token]]:
    for position, word in enumerate(words):
        if word.text in ",;(–":
            return words[:position], words[position:]
    return words, []


# Both ---------------------------------------------------------------------------------------


def _after_comma(words: tuple[Token, ...]) -> tuple[Token, ...]:
    for position in range(len(words) - 1, -1, -1):
        if words[position].text in ",;:–(":
            return words[position + 1 :]
    return words


PERSONAL = words_of("sets", "personal_pronouns")


def _has_stray_pronoun(subject: tuple[Token, ...], language: str) -> bool:
    """A pronoun inside, save that of a relative clause: `the uptime we promise`."""
    for position, token in enumerate(subject):
        if position and token.lower in PERSONAL:
            after = subject[position + 1].lower if position + 1 < len(subject) else ""
            if not readings(after, language):
                return True
    return False


def _possible_subject(subject: tuple[Token, ...], language: str) -> bool:
    if not subject or len(subject) > MOST_SUBJECT_TOKENS + 3:
        return False
    if any(t.text in '"“”„' for t in subject):
        return False
    if subject[0].text[0].isdigit() or subject[0].text in ("In", "At", "On"):
        return False
    if _has_stray_pronoun(subject, language):
        return False
    if subject[-1].lower in ("and", "und", "or", "oder"):
        return False
    if any(t.lower in ("which", "who", "whose", "that") for t in subject[1:]) and not any(
        t.lower in PERSONAL for t in subject[1:]
    ):
        return False
    return not (
        len(subject) == 1 and subject[0].lower in PRONOUNS - {"i", "we", "ich", "wir", "it", "es"}
    )
