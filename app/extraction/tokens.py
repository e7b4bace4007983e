"""Words of a clause, and what makes a noun phrase or a subject of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from app.extraction.clauses import Clause
from app.extraction.data import words as words_of
from app.extraction.segment import VOWELLESS
from app.extraction.verbs import PREPOSITIONS, readings
from app.values.model import Kind
from app.values.parse import parse_value

TOKEN = re.compile(
    rf"(?:Prof|Inc|Co|Corp|{VOWELLESS})\.(?=\s?[A-ZÄÖÜ])|[A-ZÄÖÜ]\.(?=\s?[A-ZÄÖÜ])|"
    r"(?<=\w\s)(?:Inc|Ltd|Corp|Co|Jr|Sr)\.|[#@]?[^\W\d_][^\W_]*(?:[-./&+@_'’][^\W_]+)*[+#]*(?:['’](?=\s))?|"
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
    `rest` are the words that follow, in German without the participle or particle at the end.
    `standing`: read as a clause that tells how things stand (`standing.py`), for the open reading.
    """

    clause: Clause
    subject: tuple[Token, ...]
    lemma: str
    auxiliary: str
    participle: str
    past: bool
    rest: tuple[Token, ...]
    standing: bool = False

    @property
    def language(self) -> str:
        """Of the clause."""
        return self.clause.language


def tokens(clause: Clause) -> list[Token]:
    """The words of what is left of a clause."""
    return list(_tokens(clause.work, clause.start, clause.language))


@lru_cache(maxsize=4)  # one clause is read in several ways, and then accounted for
def _tokens(work: str, at: int, language: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for match in TOKEN.finditer(work):
        text, start = match[0], at + match.start()
        lead = len(text) - len(text.lstrip())
        text, start = text[lead:], start + lead
        is_joined = language == "en" and ("'" in text or "’" in text)
        clitic = CLITIC.search(text) if is_joined else None
        if clitic is None:
            found.append(Token(text, text.lower(), start, start + len(text)))
            continue
        cut = clitic.start()
        found.append(Token(text[:cut], text[:cut].lower(), start, start + cut))
        mark = clitic[0].lower().replace("’", "'")
        found.append(Token(clitic[0], mark, start + cut, start + len(text)))
    return tuple(found)


def verb_shaped(word: Token, language: str) -> bool:
    if not word.text.isalpha() or not word.text.islower() or len(word.text) < 4:
        return False
    closed = (PRONOUNS, DETERMINERS[language], PREPOSITIONS[language], NO_VERBS)
    if any(word.lower in some for some in closed):
        return False
    return not word.lower.endswith(("ly", "ing", "ed"))


NO_VERBS = words_of("sets", "no_verbs")


def noun_phrase_end(words: list[Token] | tuple[Token, ...], language: str) -> int:
    """How many of the words from the first on make one noun phrase."""
    position = 0
    determined = bool(words) and words[0].lower in DETERMINERS[language]
    if words and not determined and words[0].lower in PRONOUNS:
        return 1
    if determined:
        position = 1
    while position < len(words) and _adjective(words[position], language):
        position += 1
    start = position
    while position < len(words) and _noun(words[position]):
        position += 1
        if words[position : position + 1] and words[position].text == "&":  # `Loomis & Tate`
            position += any(_noun(t) for t in words[position + 1 : position + 2])
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


def after_comma(words: tuple[Token, ...]) -> tuple[Token, ...]:
    words = _without_brackets(words)
    if aged := _aged(words):
        return aged
    for position in range(len(words) - 1, -1, -1):
        if words[position].text in ",;:–(":
            return words[position + 1 :]
    return words


def _aged(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """The name before an age that stands between commas: `Norma Bell, 74, lives alone`."""
    place = next((i for i, t in enumerate(words) if t.text == ","), 0)
    if not 0 < place <= MOST_NAME or len(words) < place + 3 or words[-1].text != ",":
        return ()
    age = parse_value(words[place + 1].text, "en") or parse_value(words[place + 1].text, "de")
    is_aged = age is not None and age.kind is Kind.NUMBER and words[place + 2].text == ","
    return words[:place] if is_aged and words[0].text[0].isupper() else ()


MOST_NAME = 3  # words


def _without_brackets(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without what stands in brackets: `Ticket OPS-4 (flaky VPN in Berlin) is open`."""
    signs = [t.text for t in words]
    if "(" not in signs or ")" not in signs:
        return words
    start, end = signs.index("("), len(signs) - 1 - signs[::-1].index(")")
    return words[:start] + words[end + 1 :] if 0 < start < end else words


PERSONAL = words_of("sets", "personal_pronouns")


def speakers_own(subject: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the speaker alone where he speaks of himself and others, `Yusuf and I`, `meine Frau
    und ich`: what is so of all of them is so of him. Nobody reads the others, so that they are the
    rest."""
    if len(subject) < 3 or subject[-1].lower not in SPEAKER or subject[-2].lower not in JOINING:
        return subject
    return subject[-1:]


SPEAKER = frozenset(["i", "ich"])
JOINING = frozenset(["and", "und", "&"])


def _has_stray_pronoun(subject: tuple[Token, ...], language: str) -> bool:
    """A pronoun inside, save that of a relative clause: `the uptime we promise`."""
    for position, token in enumerate(subject):
        if position and token.lower in PERSONAL and (language == "en" or token.text != "I"):
            after = subject[position + 1].lower if position + 1 < len(subject) else ""
            if not readings(after, language):
                return True
    return False


def _points_elsewhere(subject: tuple[Token, ...]) -> bool:
    """Whether the words begin another clause: `He scored 9`, `whilst Sybil`, `After a day`."""
    first, later = subject[0], subject[1:]
    if not later or any(t.lower == "and" for t in later):
        return False
    if first.lower in SUBJECTS:
        return not all(t.lower in ("all", "both", "two", "guys") for t in later)
    titled = first.text[0].isupper() and later[0].text[0].isupper()  # After Hours, a film
    return first.lower in CONJUNCTIONS or (first.lower in BEGINNING and not titled)


SUBJECTS = frozenset(["i", "he", "she", "it", "we", "they"])
BEGINNING = frozenset(["after", "before", "once", "since", "until", "when"])
CONJUNCTIONS = frozenset(["although", "because", "though", "whereas", "while", "whilst"])


def possible_subject(subject: tuple[Token, ...], language: str) -> bool:
    if not subject or len(subject) > MOST_SUBJECT_TOKENS + 3:
        return False
    if any(t.text in '"“”„' for t in subject):
        return False
    if subject[0].text[0].isdigit() or subject[0].text in ("In", "At", "On"):
        return False
    if language == "en" and _points_elsewhere(subject):
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
        len(subject) == 1
        and subject[0].lower in PRONOUNS
        and subject[0].lower not in ("i", "we", "ich", "wir", "it", "es", "they")
    )
