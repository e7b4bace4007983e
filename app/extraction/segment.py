"""Sentences of a text. Code-like text is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.extraction.data import words
from app.extraction.model import Span

LONGEST = 600  # characters; what is longer without a stop is no sentence that rules can read
# Where code may begin: fences, marks and addresses end where they do, a bracket or an indented line
# at the last line of the text that ends like code.
CODE = re.compile(
    r"(?P<whole>```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+)|^[^\S\n]*(?P<data>[{\[])"
    r"|^ {4,}(?P<block>\S)",
    re.DOTALL | re.MULTILINE,
)
INDENT = re.compile(r" {4,}")
DATA_END = re.compile(r"[}\]][^\S\n]*$", re.MULTILINE)
BLOCK_END = re.compile(r"[;{}()=][^\S\n]*$", re.MULTILINE)
CODE_SIGNS = re.compile(r"[`{}\\]|::|=>|->|==|\(\)|</?\w+>|[\w\]]\(\w*[,)]|^\s*[$#>]\s")
CODE_CHARACTERS = re.compile(r"[`{}\\:=(<$#>]")  # of which one stands in each of them
ABBREVIATIONS = words("sets", "abbreviations")
# What no vowel stands in is no word: St., Mt., Sgt.
VOWELLESS = r"[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,3}"
SHORTENED = re.compile(rf"{VOWELLESS}|[^\W\d_](?:\.[^\W\d_])+")
OPENERS = words("names", "openers")
NEXT = re.compile(r"\s+([^\W\d_]+)")
BREAK = re.compile(
    r"(?P<stop>(?<![.!?…])[.!?…]+)(?P<close>[\"'”“»)\]]*)(?=\s|$)|\n+|;(?=\s)|\s[–—]\s(?=\S)"
)
BULLET = re.compile(r"\s*(?:[-*•‣]|\d{1,2}[.)]|[a-z]\))\s+")
ORDINAL_NEXT = re.compile(
    r"\s+(?:[a-zäöü]|Jan|Feb|Mär|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[kc]t|Nov|De[cz]|Quartal|Stock|Etage|"
    r"Klasse|Platz|Jahrhundert)"
)


def sentences(text: str) -> Iterator[Span]:
    """The sentences of a text as ranges of characters, without code, bullets and outer space."""
    prose = without_code(text)
    start = 0
    for end in (*_stops(prose), len(prose)):
        span = _trimmed(prose, start, end)
        start = end
        if span is not None and span.end - span.start <= LONGEST:
            yield span


def without_code(text: str) -> str:
    """The text with line breaks in the place of code and addresses; positions stay."""
    if CODE.search(text) is None:
        return text
    parts: list[str] = []
    done = at = 0
    last = _last(DATA_END, text), _last(BLOCK_END, text)
    while found := CODE.search(text, at):
        end = _code_end(text, found, *last)
        if end is None:
            at = max(found.end() - (found["block"] is not None), found.start() + 1)
            continue
        parts += text[done : found.start()], "\n" * (end - found.start())
        done = at = end
    return "".join((*parts, text[done:]))


def _last(pattern: re.Pattern[str], text: str) -> int:
    """Where the last match of a pattern starts that looks at one line; -1 without one."""
    end = len(text)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        if found := pattern.search(text, start, end):
            return found.start()
        end = start - 1
    return -1


def _code_end(text: str, found: re.Match[str], data: int, block: int) -> int | None:
    if found["whole"] is not None:
        return found.end()
    if found["data"] is not None and data > found.start("data"):
        return data + 1
    indent = INDENT.match(text, found.start())
    if indent is not None and block > indent.end() and not text[indent.end()].isspace():
        return block + 1
    return None


def is_code_like(text: str) -> bool:
    """Whether the text holds signs that prose does not (annex 3.a)."""
    return CODE_CHARACTERS.search(text) is not None and CODE_SIGNS.search(text) is not None


def _stops(text: str) -> Iterator[int]:
    for found in BREAK.finditer(text):
        if found["stop"] is None or not _inside(text, found):
            yield found.end()


def _inside(text: str, found: re.Match[str]) -> bool:
    """Whether the stop belongs to an abbreviation or a number."""
    if found["stop"] != ".":
        return False
    before = text[max(0, found.start() - 12) : found.start()]
    word = re.search(r"[^\s(\"'„“]*$", before)
    last = word[0].lower() if word else ""
    if _before_a_name(text, found.end(), word[0] if word else ""):
        return True
    if last in ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i"):
        return True
    if last.isdigit() and len(last) <= 2:
        return ORDINAL_NEXT.match(text, found.end()) is not None
    return False


def _before_a_name(text: str, place: int, word: str) -> bool:
    """Whether a stop shortens the first part of a name: St. Gallen."""
    after = NEXT.match(text, place)
    if after is None or SHORTENED.fullmatch(word) is None:
        return False
    return after[1][0].isupper() and after[1].lower() not in OPENERS


def _trimmed(text: str, start: int, end: int) -> Span | None:
    if start == 0 or text[start - 1] == "\n":
        bullet = BULLET.match(text, start, end)
        start = bullet.end() if bullet is not None else start
    while start < end and (text[start].isspace() or text[start] in "–—;"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "–—;"):
        end -= 1
    return Span(start, end) if any(c.isalpha() for c in text[start:end]) else None
