"""One sentence taken apart: content words, values, denials, verb and mood."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from app.contradiction.function_words import (
    COPULAS,
    FUNCTION,
    FUTURE,
    HAVE,
    INDEFINITE,
    MOODS,
    NEGATORS,
    NUMBERED,
    ONLY_AFTER_NOT,
    OPENERS,
    STATIVE,
)
from app.contradiction.stems import key
from app.values.dates import MONTHS, WEEKDAYS
from app.values.model import Kind, Value
from app.values.money import CURRENCIES
from app.values.numbers import number_word
from app.values.parse import parse_value
from app.values.units import unit_of
from app.values.wording import fold, word_set

_TOKEN = re.compile(
    r"[\w.+-]+@[\w.-]+\w|\d+(?:[.,'’:/]\d+)*(?:[^\W\d_]+|%)?|[^\W_]+(?:['’-][^\W_]+)*|[:=?€$£%°]"
)  # 24'000, 16GB, Köln-Ehrenfeld, isn't
_MOST = 2000  # characters of a sentence that are read
_LONGEST = 160  # tokens of a sentence that are read
_WINDOW = 5  # tokens of the longest value, such as "14. Mai 2026"
_NO_VALUES = word_set("one ein eine einen einem einer eines a an once einmal null half")
_AUXILIARIES = word_set(
    "do does did can could may might must shall should will would kann darf muss soll "
    "will mag cannot"
)
# "Are to be done", "ist zu erledigen": what must be done.
_TO_BE_DONE = re.compile(
    r"\b(?:is|are|was|were)(?: not| never)? to be \w"
    r"|\b(?:ist|sind|war|waren)\b[^.;]*\b(?:zu \w+en|\w{2,}zu\w+en)\s*[.!]?$"
)
_CLITICS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_VALUE_KINDS = (Kind.NUMBER, Kind.MONEY, Kind.DATE, Kind.QUANTITY)
_PARTICIPLE = re.compile(r"^(?:\w*ge|be|ver|er|ent|zer|um|ab|an|auf)\w+(?:t|en)$")


@dataclass(frozen=True, slots=True)
class Word:
    """A content word or value: `key` to compare by, `token` the index of its first token."""

    key: str
    text: str
    folded: str
    token: int
    value: Value | None = None

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


@dataclass(frozen=True)
class Reading:
    """A sentence. `tokens` are all folded words; `verb` is the index of the first verb that is
    known as one, or of a colon; `denials` are indices of negating words."""

    text: str
    language: str
    tokens: tuple[str, ...]
    words: tuple[Word, ...]
    denials: tuple[int, ...]
    verb: int | None
    moods: frozenset[str]

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.words)

    @cached_property
    def values(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if word.value is not None)

    @property
    def subject(self) -> tuple[Word, ...]:
        """The content words before the verb; the first word where no verb is known."""
        if self.verb is None:
            return self.words[:1]
        return tuple(word for word in self.words if word.token < self.verb)

    @property
    def indefinite(self) -> bool:
        """Whether the sentence is about something that is not named: a man, three dogs."""
        first = next((t for t in self.tokens if t not in OPENERS), "")
        if self.words and self.words[0].value is not None and self.words[0].token == 0:
            return True
        return first in INDEFINITE or first in NEGATORS

    @cached_property
    def links(self) -> frozenset[str]:
        """Which of `be` and `have` the sentence has."""
        return frozenset(
            name for name, forms in (("be", COPULAS), ("have", HAVE)) if forms & set(self.tokens)
        )

    @property
    def event(self) -> bool:
        """Whether it tells what someone does or did, not what is: bought three, is riding two."""
        last = self.tokens[-1] if self.tokens else ""
        if self.language == "de":
            return self.text[:1] != "" and bool(_PARTICIPLE.match(last)) and not self._noun(last)
        for index, token in enumerate(self.tokens[:-1]):
            following = self.tokens[index + 1]
            if token in COPULAS and following.endswith("ing"):
                return True
            if token in HAVE and following.endswith("ed"):
                return True
        return False

    def _noun(self, token: str) -> bool:
        return any(w.capital for w in self.words if w.folded == token)


def read(sentence: str, language: str) -> Reading:
    """Take one sentence apart."""
    sentence = sentence[:_MOST]
    raw = _raw_tokens(sentence)[:_LONGEST]
    tokens = tuple(fold(text) for text, _, _ in raw)
    taken, values = _values(sentence, raw, language)
    words = _words(raw, tokens, language, taken)
    words = sorted([*words, *values], key=lambda word: word.token)
    return Reading(
        text=sentence,
        language=language,
        tokens=tokens,
        words=tuple(_with_numbers(words)),
        denials=_denials(tokens),
        verb=_verb(tokens),
        moods=_moods(sentence, raw, language),
    )


def _raw_tokens(sentence: str) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(sentence):
        text, start, end = match[0], match.start(), match.end()
        lowered = text.lower().replace("’", "'")
        if lowered in ("can't", "cannot"):
            found += [(text[:3], start, start + 3), ("not", start + 3, end)]
        elif lowered == "won't":
            found += [("will", start, start + 1), ("not", start + 1, end)]
        elif lowered.endswith("n't"):
            found += [(text[:-3], start, end - 3), ("not", end - 3, end)]
        elif (clitic := lowered[lowered.find("'") :]) in _CLITICS:
            cut = end - len(clitic)
            found += [(text[: -len(clitic)], start, cut), (_CLITICS[clitic], cut, end)]
        elif lowered.endswith("'s"):
            found.append((text[:-2], start, end - 2))
        else:
            found.append((text, start, end))
    return found


def _values(
    sentence: str, raw: list[tuple[str, int, int]], language: str
) -> tuple[set[int], list[Word]]:
    """The values in the sentence and the tokens they take up, longest first."""
    taken: set[int] = set()
    found: list[Word] = []
    index = 0
    while index < len(raw):
        size, value = _value_at(sentence, raw, index, language)
        if value is not None:
            taken.update(range(index, index + size))
            found.append(Word(value.key, value.text, fold(value.text), index, value))
        index += size
    return taken, found


def _value_at(
    sentence: str, raw: list[tuple[str, int, int]], index: int, language: str
) -> tuple[int, Value | None]:
    if not _may_open_a_value(raw[index][0]):
        return 1, None
    for size in range(min(_WINDOW, len(raw) - index), 0, -1):
        text = sentence[raw[index][1] : raw[index + size - 1][2]]
        if size == 1 and fold(text) in _NO_VALUES:
            continue
        value = parse_value(text, language)
        if value is not None and _is_amount(value):
            return size, value
    return 1, None


def _may_open_a_value(token: str) -> bool:
    folded = fold(token)
    if folded in MONTHS or folded in WEEKDAYS:
        return token[0].isupper()
    return (
        token[0].isdigit()
        or folded in CURRENCIES
        or folded in _NO_VALUES
        or (folded[0] == "q" and folded[1:].isdigit())
        or number_word(folded) is not None
    )


def _is_amount(value: Value) -> bool:
    if value.kind is Kind.QUANTITY:
        return value.unit is not None and unit_of(value.unit) is not None
    return value.kind in _VALUE_KINDS


def _words(
    raw: list[tuple[str, int, int]], tokens: tuple[str, ...], language: str, taken: set[int]
) -> list[Word]:
    return [
        Word(key(token, language), raw[index][0], token, index)
        for index, token in enumerate(tokens)
        if index not in taken and _is_content(token, index, language)
    ]


def _is_content(token: str, index: int, language: str) -> bool:
    if not token[0].isalnum() or token in FUNCTION or token in NEGATORS:
        return False
    if index == 0 and (token in OPENERS or (language == "en" and token.endswith("ly"))):
        return False
    return len(token) > 1 or token.isdigit()


def _with_numbers(words: list[Word]) -> list[Word]:
    """The words, with a number that is part of a name drawn into it: ticket 17, PostgreSQL 16."""
    joined: list[Word] = []
    for word in words:
        last = joined[-1] if joined else None
        if last is not None and _names_by_number(last, word):
            text = f"{last.text} {word.text}"
            joined[-1] = Word(f"{last.key}#{word.key}", text, last.folded, last.token)
        else:
            joined.append(word)
    return joined


def _names_by_number(last: Word, word: Word) -> bool:
    value = word.value
    if value is None or value.kind is not Kind.NUMBER or word.token != last.token + 1:
        return False
    inner_capital = any(c.isupper() for c in last.text[1:]) and not last.text.isupper()
    return last.value is None and (last.folded in NUMBERED or inner_capital)


def _denials(tokens: tuple[str, ...]) -> tuple[int, ...]:
    """Indices of the negating words, without those of "not only"."""
    return tuple(
        index
        for index, token in enumerate(tokens)
        if token in NEGATORS and not set(tokens[index + 1 : index + 2]) & ONLY_AFTER_NOT
    )


def _verb(tokens: tuple[str, ...]) -> int | None:
    start = 2 if tokens[:1] in (("there",), ("es",)) and len(tokens) > 2 else 0
    for index, token in enumerate(tokens[start:], start):
        if start and (token.endswith("ing") or token in ("who", "which", "that", "in", "on")):
            return index
        if not start and index and (token in STATIVE or token in _AUXILIARIES or token in ":="):
            return index
    return None


def _moods(sentence: str, raw: list[tuple[str, int, int]], language: str) -> frozenset[str]:
    found = {"duty"} if _TO_BE_DONE.search(sentence.lower()) else set()
    for text, _, _ in raw:
        folded = fold(text)
        if folded == "may" and text[0].isupper():
            continue
        if language == "en" and folded in FUTURE:
            found.add("future")
            continue
        found.update(name for name, cues in MOODS.items() if folded in cues)
        if text == "?":
            found.add("condition")
    return frozenset(found)
