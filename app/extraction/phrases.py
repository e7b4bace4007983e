"""Noun phrases: the thing that one names, whose it is, and of what type it may be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.extraction.calendar import DAYS_AND_MONTHS
from app.extraction.data import pairs, words
from app.extraction.model import Mention, Span, Utterance
from app.extraction.predicates import standard
from app.extraction.segment import is_code_like
from app.extraction.tokens import DETERMINERS, PERSONAL, PRONOUNS, Token
from app.extraction.verbs import PREPOSITIONS

LONGEST = 80  # characters of a name (annex 3.a)
MOST_TOKENS = 7
POSSESSIVES = {
    "my": "speaker", "our": "we", "mein": "speaker", "unser": "we",
}  # fmt: skip
POSSESSIVE_DE = re.compile(r"(?i)^(mein|unser)(?:e[nrms]?)?$")
TYPE_WORDS = {
    "project": "project", "projekt": "project", "company": "organization", "firma": "organization",
    "startup": "organization", "team": "group", "agency": "organization",
    "unternehmen": "organization",
}  # fmt: skip
LEGAL = re.compile(
    r"\b(?:GmbH|AG|SE|KG|OHG|UG|Inc|LLC|Ltd|Corp|Corporation|Company|Co|e\.?V|SARL|SA|BV|Bank|"
    r"University|Universität|Institute|Institut|Foundation|Stiftung|Verlag|Press|Studio|Studios|"
    r"Labs?|Group|Gruppe|Partners|Association|Agency|Hospital|Klinik|Ministry|School|College|"
    r"Werke?|Werk|Brewery|Brauerei|Orchard|Cooperative|Network|Council|Society|Farms?|Holding|"
    r"Industries|Systems|Technologies|Solutions|Consulting|Records|Museum|Library|Church)\b\.?$"
)
TITLES = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Herrn|Frau|Sir|Lady|Dame)\.?$")
BARE = words("sets", "bare")
FOREIGN = words("sets", "foreign")
FOREIGN_DE = re.compile(r"^(?:[Ss]ein|[Ii]hr|[Dd]ein|[Ee]uer|[Ee]ur)(?:e[nrms]?)?$")
OLDER = re.compile(r"(?i)^(?:old|former|previous|alte[nrms]?|bisherige[nrms]?|ehemalige[nrms]?)$")
NEWER = re.compile(r"(?i)^(?:new|neue[nrms]?|current|aktuelle[nrms]?|present|jetzige[nrms]?)$")
LINKS = {
    "en": words("sets", "links_en"),
    "de": words("sets", "links_de"),
}
NO_ONE = words("sets", "no_one")
STOP_NOUN = re.compile(r"[^\w\s.&'’+#@/-]")
OPENERS = words("sets", "openers")


# Endings of nouns that are made from other words, and so are no names.
DERIVED = re.compile(
    r"(?:tion|sion|ment|ness|ity|ship|ance|ence|ings?|ware|ures?|ages?|ers|ees|ies|"
    r"ung|ungen|heit|keit|schaft|tät|ismus|nis|tum|chen|erei|ierung|enz|anz|arbeit|kosten|preis|"
    r"zeit|dauer|plan|bericht|stelle|raum|haus|markt|platz)$"
)
CODE = re.compile(r"(?=.*[^\W\d_])(?=.*\d)|\d{3,}")


def _is_code(word: str) -> bool:
    """Whether a word is a name by its signs: BUG-17, E42, the 4711 of an invoice."""
    return CODE.match(word) is not None


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase. `owner` is whose it is ("my", "our", "Anna's"); `head` its words without
    determiner; `definite` tells "the X" and "X of Y" from "a X"."""

    head: tuple[Token, ...]
    owner: Mention | None = None
    definite: bool = False
    indefinite: bool = False
    language: str = "en"

    @property
    def text(self) -> str:
        """The words, with one space between."""
        return joined(self.head)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the phrases of one utterance."""

    utterance: Utterance

    def speaker(self, span: Span) -> Mention:
        """The one who speaks."""
        name = (self.utterance.speaker or "I").strip() or "I"
        kind = "person" if self.utterance.role in ("user", "") else "unknown"
        return Mention(name, kind, span, is_speaker=True, named=name != "I")

    def group(self, span: Span) -> Mention:
        """The organisation or group for which the speaker says "we"."""
        return Mention("we", "group", span, named=False)

    def person(self, token: Token) -> Mention | None:
        """I and we."""
        span = Span(token.start, token.end)
        if token.lower in ("i", "ich", "me", "mir", "mich"):
            return self.speaker(span)
        return self.group(span) if token.lower in ("we", "wir", "us", "uns") else None

    def phrase(self, given: Sequence[Token], language: str) -> Phrase | None:
        """The noun phrase that all the given words make, or None if they make none."""
        items = list(given)
        while items and items[0].lower in ("and", "und", ",", "but", "aber"):
            items = items[1:]
        if not items or (language == "en" and items[0].lower in OPENERS):
            return None
        if items[0].lower in FOREIGN or FOREIGN_DE.match(items[0].text):
            return None  # "their lawyer", "your car": whose, the rules cannot tell
        owner, items = self._owner(items, language)
        indefinite = owner is not None and given[0].lower in ("a", "an")  # a children's book
        definite = owner is not None and not indefinite
        if items and items[0].lower in DETERMINERS[language] and owner is None:
            first = items[0].lower
            indefinite = first in ("a", "an") or first.startswith("ein")
            definite = not indefinite
            items = items[1:]
        if not items or not _plausible(items, language):
            return None
        return Phrase(tuple(items), owner, definite, indefinite, language)

    def _owner(self, items: list[Token], language: str) -> tuple[Mention | None, list[Token]]:
        first = items[0]
        span = Span(first.start, first.end)
        german = POSSESSIVE_DE.match(first.text)
        whose = POSSESSIVES.get(german[1].lower() if german else first.lower)
        if whose is not None and (german is not None) == (language == "de"):
            return (self.speaker(span) if whose == "speaker" else self.group(span)), items[1:]
        for position, token in enumerate(items[:5]):
            if token.lower == "'s" and position and position + 1 < len(items):
                holder = self.phrase(items[:position], language)
                return (self.mention(holder) if holder else None), items[position + 1 :]
        return None, items

    def mention(self, phrase: Phrase, fallback: str = "unknown") -> Mention:
        """The phrase as a name. A word for its type, as in Project Heron, is not part of it."""
        head = list(phrase.head)
        kind = "unknown"
        if len(head) > 1 and head[0].lower in TYPE_WORDS and head[1].text[0].isupper():
            kind, head = TYPE_WORDS[head[0].lower], head[1:]
        elif len(head) > 1 and head[-1].lower == "project" and head[0].text[0].isupper():
            kind, head = "project", head[:-1]
        head = [t for t in head if t.text not in '"“”„'] or head
        text = name_of(head)
        kind = kind if kind != "unknown" else guessed_type(head)
        span = Span(phrase.head[0].start, phrase.head[-1].end)
        kind = kind if kind != "unknown" else fallback
        return Mention(text, kind, span, named=self.is_named(phrase, head))

    def is_named(self, phrase: Phrase, head: Sequence[Token]) -> bool:
        """Whether a proper name stands in the phrase, so that it means the same elsewhere too."""
        bare = not (phrase.definite or phrase.indefinite)
        if any(_is_code(token.text) for token in head) or LEGAL.search(joined(head)):
            return True
        capitals = [t for t in head if t.text[0].isupper()]
        if phrase.language == "de":
            if any(a.end + 1 == b.start for a, b in pairwise(capitals)) or len(head) < len(
                phrase.head
            ):
                return True
            first = capitals[0].lower if capitals else ""
            derived = DERIVED.search(first) is not None and not first.endswith("ing")
            return bare and bool(first) and not derived
        if any(c.isupper() for t in head if not t.text[0].isupper() for c in t.text):
            return True
        if len(head) == 1 and not bare and head[0].text.isupper() and len(head[0].text) < 5:
            return False  # the CEO, our API
        if len(head) > 1 and not bare:  # "the Tuesday meeting" is not the same one elsewhere
            capitals = [t for t in capitals if t.text not in DAYS_AND_MONTHS]
        begins = self._begins_sentence(phrase.head[0].start) and bare
        if begins and len(head) == 1:
            return DERIVED.search(head[0].lower) is None
        return bool(capitals[1:] if begins and len(capitals) < len(head) else capitals)

    def _begins_sentence(self, place: int) -> bool:
        before = self.utterance.text[max(0, place - 8) : place].rstrip(" \"'“„»(*-")
        return not before or before[-1] in ".!?:;\n…"


def joined(items: Sequence[Token]) -> str:
    """The words with spaces where the text has them."""
    parts: list[str] = []
    for position, token in enumerate(items):
        if position and token.start > items[position - 1].end:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


def name_of(head: Sequence[Token]) -> str:
    """A name in one form: "bug in the parser" and "bug of the old parser" are "bug parser"."""
    kept: list[int] = []
    capital = head[0].text[0].isupper()
    for position, token in enumerate(head):
        inner = position > 0
        linked = inner and token.lower in LINKS["de"] | LINKS["en"]
        if linked and position + 1 < len(head) and not _proper_link(head, position):
            continue
        if inner and _is_determiner(token) and not capital_pair(head, position):
            continue
        if inner and OLDER.match(token.text):
            continue
        kept.append(position)
    return _spelled(head, kept) if capital or kept else joined(head)


def _spelled(head: Sequence[Token], kept: Sequence[int]) -> str:
    """Some of the words, with a space between them save where the text has none."""
    parts: list[str] = []
    for position in kept:
        before = head[position - 1] if position and position - 1 in kept else None
        if parts and (before is None or before.end < head[position].start):
            parts.append(" ")
        parts.append(head[position].text)
    return "".join(parts)


def _is_determiner(token: Token) -> bool:
    return token.lower in DETERMINERS["en"] or token.lower in DETERMINERS["de"]


def capital_pair(head: Sequence[Token], position: int) -> bool:
    """Whether the word stands inside a name, as in Attack on the Titan."""
    return head[position].text[0].isupper()


def _proper_link(head: Sequence[Token], position: int) -> bool:
    """Whether `of` joins two capitalised words without an article: University of Oxford."""
    before, after = head[position - 1].text, head[position + 1].text
    link = head[position].lower
    return link in ("of", "von") and before[0].isupper() and after[0].isupper()


def guessed_type(head: Sequence[Token]) -> str:
    """What the words themselves tell of the type."""
    text = joined(head)
    if TITLES.match(head[0].text) or head[0].text in ("Herr", "Frau"):
        return "person"
    if LEGAL.search(text) and len(head) > 1:
        return "organization"
    if head[0].lower in TYPE_WORDS or head[-1].lower == "team" or head[-1].lower.endswith("-team"):
        return TYPE_WORDS.get(head[0].lower, "group")
    return "unknown"


def _plausible(items: Sequence[Token], language: str) -> bool:
    if len(items) > MOST_TOKENS or len(text := joined(items)) > LONGEST:
        return False
    if len(items) == 1 and (items[0].lower in PRONOUNS or items[0].lower in BARE):
        return False
    if any(
        (t.lower in PERSONAL and (language == "en" or t.text != "I"))
        or t.lower in ("and", "und", "or", "oder")
        for t in items[1:]
    ):
        return False
    if items[0].lower in PRONOUNS and not items[0].text[0].isupper():
        return False
    if items[0].lower in NO_ONE:
        return False
    if is_code_like(text) or STOP_NOUN.search(text.replace('"', "")):
        return False
    if not any(c.isalpha() for c in text):
        return False
    return items[0].lower not in PREPOSITIONS[language] or items[0].text[0].isupper()


def is_name(head: Sequence[Token], language: str) -> bool:
    """Whether the words look like a proper name (in English: each noun capitalised)."""
    if language == "en":
        small = [t for t in head if not t.text[0].isupper() and t.lower not in ("of", "de", "von")]
        return bool(head) and not small
    return bool(head) and head[0].text[0].isupper()


# Attributes ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attribute:
    """The N of Y: the noun in one form, and Y (None where the phrase does not say)."""

    noun: str
    possessor: Mention | None
    head_word: str
    definite: bool


OF = {
    "en": words("sets", "of_en"),
    "de": words("sets", "of_de"),
}


# Who holds an office is told by where he holds it: Ansprechpartnerin im Jugendamt.
WITHIN = frozenset(["in", "im", "am", "beim", "auf"])


def is_holder(word: Token, language: str) -> bool:
    """Whether a word names somebody by his office."""
    noun = normal_noun(word.text, language)
    held = words("nouns", "duties") | words("nouns", f"jobs_{language}")
    known = noun in held or attribute_predicate(noun, language) in PERSONS
    return known or any(noun.endswith(h) for h in held if len(h) > 5)


PERSONS = frozenset(row.name for row in standard() if row.range == frozenset(["person"]))


def attribute(phrase: Phrase, reader: Reader, language: str) -> Attribute | None:
    """The phrase read as an attribute of something."""
    head = phrase.head
    links = OF[language] | (WITHIN if len(head) > 1 and is_holder(head[0], language) else set())
    cut = next((i for i, t in enumerate(head) if i and t.lower in links and t.text.islower()), None)
    noun_tokens = phrase.head if cut is None else phrase.head[:cut]
    possessor = phrase.owner
    if cut is not None and not (possessor is not None and possessor.is_speaker):
        whole = phrase.head[cut + 1 :]
        whose = whole[-1:] and whole[-1].lower == "'s"  # a friend of Tom's
        inner = reader.phrase(whole[:-1] if whose else whole, language)
        if inner is None:
            return None
        possessor = genitive(reader.mention(inner), phrase.head[cut].lower)
        if inner.owner is not None and inner.owner.name != "we":
            possessor = replace(possessor, name=possessor.name)
    named = noun_tokens[-1].text[0].isupper() and not noun_tokens[-1].text.isupper()
    if language == "en" and cut is not None and named:
        return None  # the State of the Union is a name
    nouns = [t for t in noun_tokens if not NEWER.match(t.text)] or list(noun_tokens)
    noun = normal_noun(_spelled(nouns, range(len(nouns))), language)
    return Attribute(noun, possessor, nouns[-1].lower, phrase.definite)


def genitive(mention: Mention, link: str) -> Mention:
    """A German genitive without its ending: des Mooslings is of Moosling."""
    name = mention.name
    if link == "des" and name.endswith("s") and not name.endswith(("ss", "us", "is", "as", "os")):
        name = name[:-2] if name.endswith(("tes", "des", "kes", "ges")) else name[:-1]
    return replace(mention, name=name)


def normal_noun(noun: str, language: str) -> str:
    """A noun in lower case, in English where both languages should meet."""
    lowered = " ".join(noun.lower().replace("favourite", "favorite").split())
    if language != "de":
        return lowered
    parts = lowered.split()
    parts[-1] = masculine(parts[-1])
    table = pairs("nouns", "translations")
    parts = [_plain_adjective(p) for p in parts[:-1]] + [table.get(parts[-1], parts[-1])]
    joined_ = " ".join(parts)
    return table.get(joined_, joined_)


ADJECTIVES_DE = {
    "bevorzugt": "preferred", "primär": "primary", "wichtigst": "main", "aktuell": "current",
    "monatlich": "monthly", "jährlich": "annual", "täglich": "daily", "maximal": "maximum",
    "minimal": "minimum", "zugesichert": "promised", "offiziell": "official", "größt": "largest",
}  # fmt: skip


def _plain_adjective(word: str) -> str:
    for ending in ("en", "er", "es", "em", "e"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 3:
            return ADJECTIVES_DE.get(stem, stem)
    return ADJECTIVES_DE.get(word, word)


def masculine(noun: str) -> str:
    """Ansprechpartnerin is ansprechpartner: one role, whoever has it."""
    if noun.endswith("ärztin"):
        return noun[:-6] + "arzt"
    if noun.endswith("wältin"):
        return noun[:-6] + "walt"
    if noun.endswith(("ende", "liche", "tragte")):
        return noun + "r"
    if noun.endswith("erin") and len(noun) > 6:
        return noun[:-2]
    for ending in ("torin", "entin", "istin", "ntin", "gin", "tin"):
        if noun.endswith(ending) and len(noun) > 6:
            return noun[:-2]
    return noun


def attribute_predicate(noun: str, language: str) -> str:
    """The registry's predicate for the noun, else one made from it."""
    known = _nouns(language).get(noun)
    return known if known is not None else f"attribute:{noun}"


def _nouns(language: str) -> dict[str, str]:
    found = _NOUNS.get(language)
    if found is None:
        found = {}
        for row in standard():
            for field in ("nouns_en", f"nouns_{language}"):
                found.update(dict.fromkeys(row.wording.get(field, ()), row.name))
        _NOUNS[language] = found
    return found


_NOUNS: dict[str, dict[str, str]] = {}


def is_many(noun: str) -> bool:
    """Whether one may have several of what the noun names."""
    last = noun.split()[-1]
    return last in words("nouns", "many") or last.removesuffix("s") in words("nouns", "many")
