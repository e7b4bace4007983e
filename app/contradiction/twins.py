"""Whether one of two texts may stand for both: what they say is the same, word for word.

Two texts can be as near as vectors get and say the contrary, or the same of something else. So
whatever ends one of two beside the other asks here first: both have the same words (by stem and
synonym), led in by the same small words that carry sense, in the same order, tense and mood.
Articles, auxiliaries, reasons and punctuation may differ, and a phrase with a preposition may stand
elsewhere. What is worded otherwise is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from app.contradiction.compare import compare
from app.contradiction.function_words import ALMOST, BOUNDS, DUTY, FUNCTION, NEGATORS
from app.contradiction.language import languages_of
from app.contradiction.lexicon import FREQUENCIES, IRREGULAR
from app.contradiction.pair import Pair
from app.contradiction.reading import Reading, Word, read
from app.contradiction.sentences import every_sentence
from app.contradiction.stems import key
from app.values.wording import fold, word_set

LONGEST, WORDS = 1000, 100  # characters and words of a sentence that is compared at all

# Words of closed classes that lead no phrase in.
JOINING = word_set(
    "please because thus hence therefore so and bitte weil denn deshalb daher darum also und"
)
# All that one of two texts may have alone: articles, forms of be, have and do, and courtesy.
FREE = word_set(
    "a an the is are am be been being has have having do does done please "
    "der die das den dem des ein eine einen einem einer eines ist sind bin bist seid hat haben "
    "habe hast habt wird werden bitte"
)
# Short forms and how they are spelt out; the possessive and what parts thousands fall away.
_SHORT = (
    (re.compile(r"\bcan(?:['’]t|not)\b"), "can not"),
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"n['’]t\b"), " not"),
    (re.compile(r"['’]s?\b"), ""),
    (re.compile(r"(?<=\d)[.,](?=\d{3}\b)"), ""),
)
# What goes by one letter: "Server A", but no article at the beginning.
_LETTER = re.compile(r"(?<!\w)(?!^A\s)[A-Z](?!\w)")
# A word, a number, or a sign that is no punctuation; a stroke counts before a number alone.
_PIECE = re.compile(r"\d+|[^\W\d_]+|(?<![\w])[-−](?=\d)|[^\w\s.,;:!?\"“”„‚‘()\[\]…'’–—-]")
PREPOSITIONS = word_set(
    "to in on at by for with from as than into onto over up off out down about under above below "
    "between behind through during against of like via per "
    "an auf aus bei mit nach von zu fuer um ueber unter vor hinter neben zwischen durch gegen bis "
    "seit ab als wie je"
)
PERSONS = word_set(
    "he she they them their his her we i you my your us me him our who "
    "er ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner seines unser unsere "
    "unseren unserem unserer mein meine meinen meinem meiner dein deine wir ich du uns mir mich "
    "dich dir ihm ihn ihnen man"
)
QUANTIFIERS = word_set(
    "some any few several many most all every another own both someone somebody anyone anybody "
    "einige manche mehrere viele wenige jede alle beide jemand jemanden jemandem"
)
FORMER = word_set("was had war hatte wurde")  # of the auxiliaries the past ones alone tell more
NORMAL = {
    form: base
    for base, forms in {
        "in": "im ins",
        "an": "am ans",
        "zu": "zum zur",
        "von": "vom",
        "bei": "beim",
        "every": "each",
        "jede": "jeder jedes jeden jedem",
        "denn": "weil",
        "alle": "aller alles allen allem",
        "was": "were",
        "war": "waren gewesen",
        "hatte": "hatten",
        "wurde": "wurden worden",
    }.items()
    for form in forms.split()
}
MARKERS = (
    NEGATORS | BOUNDS | ALMOST | FREQUENCIES | DUTY | PREPOSITIONS | PERSONS | QUANTIFIERS | FORMER
)
CASES = frozenset(["der", "den", "dem", "des"])  # German articles that tell who does it to whom
_PAST = {"en": re.compile(r"ed$"), "de": re.compile(r"(?:te|ten|test)$")}


@dataclass(frozen=True, slots=True)
class _Placed:
    """A word with the words of sense that lead it in, and its article where that has a case."""

    word: Word
    led_in: tuple[str, ...]
    article: str


def are_twins(one: str, other: str) -> bool:
    """Whether either text may stand for both. Takes time that grows with their length."""
    if one == other:
        return True
    first, second = every_sentence(one), every_sentence(other)
    spoken = languages_of(one, other)
    if spoken[0] != spoken[1] or len(first) != len(second):
        return False
    pairs = zip(first, second, strict=True)
    return all(_are_twins(left, right, spoken[0]) for left, right in pairs)


def _are_twins(one: str, other: str, language: str) -> bool:
    if one == other:
        return True
    if max(len(one), len(other)) > LONGEST:
        return False
    # First what takes the least time: most pairs have other words.
    if Counter(pieces(one, language)) != Counter(pieces(other, language)):
        return False
    left, right = read(one, language), read(other, language)
    if max(len(left.tokens), len(right.tokens)) > WORDS:
        return False
    words, tail = _placed(left)
    others, others_tail = _placed(right)
    return (
        tail == others_tail
        and _LETTER.findall(one) == _LETTER.findall(other)
        and Counter(map(_place, words)) == Counter(map(_place, others))
        and _in_order(words, others, language)
        and _forms_agree(words, others, language)
        and Pair(left, right).same_mood
        and not compare(one, other, language).found
        and not compare(other, one, language).found
    )


def pieces(text: str, language: str) -> list[str]:
    """Return all words, numbers and signs of a text but the free ones, however short they are, in
    their order."""
    spelt = fold(text)
    for pattern, plain in _SHORT:
        spelt = pattern.sub(plain, spelt)
    found = (NORMAL.get(piece, piece) for piece in _PIECE.findall(spelt))
    return [key(piece, language) for piece in found if piece not in FREE]


def _placed(reading: Reading) -> tuple[list[_Placed], tuple[str, ...]]:
    """The words of a sentence in their order, and what of sense stands behind the last."""
    words = {word.token: word for word in (*_opening(reading), *reading.words)}
    found: list[_Placed] = []
    led: list[str] = []
    article = ""
    for index, token in enumerate(reading.tokens):
        normal = NORMAL.get(token, token)
        word = words.get(index)
        if normal in MARKERS and (word is None or word.value is None):
            led.append(normal)
        elif word is not None and token not in JOINING:
            found.append(_Placed(word, tuple(led), article))
            led = []
        article = token if token in CASES else ""
    return found, tuple(led)


def _opening(reading: Reading) -> list[Word]:
    """The first word of a sentence, which a reading may pass over: here it counts as any other."""
    first = reading.tokens[0] if reading.tokens else ""
    if not first[:1].isalpha() or first in FUNCTION:
        return []
    return [Word(key(first, reading.language), first, first, 0)]


def _place(placed: _Placed) -> tuple[str, tuple[str, ...]]:
    return placed.word.key, placed.led_in


def _in_order(words: list[_Placed], others: list[_Placed], language: str) -> bool:
    """Whether what nothing leads in stands in one order: who told whom, what came first; so too
    what the same words lead in: "invoices to Anna, contracts to Tom". In German a verb may stand
    before or behind its subject, so that there nouns and verbs go apart."""
    if _led(words) != _led(others):
        return False
    nouns = _capitals(words) & _capitals(others)
    for noun in (True, False):
        left, right = (
            [p for p in side if not p.led_in and (language != "de" or (_key(p) in nouns) is noun)]
            for side in (words, others)
        )
        pairs = list(zip(left, right, strict=True))
        if any(_key(p) != _key(q) or not _same_case(p, q) for p, q in pairs):
            return False
    return True


def _led(words: list[_Placed]) -> dict[tuple[str, ...], list[str]]:
    """Words by what leads them in, in their order."""
    found: dict[tuple[str, ...], list[str]] = {}
    for placed in words:
        if placed.led_in:
            found.setdefault(placed.led_in, []).append(_key(placed))
    return found


def _capitals(words: list[_Placed]) -> frozenset[str]:
    return frozenset(_key(placed) for placed in words if placed.word.capital)


def _key(placed: _Placed) -> str:
    return placed.word.key


def _same_case(one: _Placed, other: _Placed) -> bool:
    return not (one.article and other.article) or one.article == other.article


def _forms_agree(words: list[_Placed], others: list[_Placed], language: str) -> bool:
    """Whether no verb stands in another tense: a word that has another form is no past beside a
    present, and none of those whose forms follow no rule."""
    left, right = (sorted((_key(p), p.word.folded) for p in side) for side in (words, others))
    past = _PAST[language]
    for (_, one), (_, other) in zip(left, right, strict=True):
        tenses = bool(past.search(one)), bool(past.search(other))
        if one != other and (tenses[0] != tenses[1] or {one, other} & IRREGULAR.keys()):
            return False
    return True
