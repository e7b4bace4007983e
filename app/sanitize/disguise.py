"""The view of a text in which what is written in another way stands as it is meant.

Entities, URL and `\\u` escapes are read, digits and letters of other widths and scripts become
ASCII ones, odd blanks plain ones. Case and accents stay, so that detectors of personal data read
it as they read the text.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote

from app.sanitize.fold import View, fold

_ESCAPES = (
    r"&(?:#0{0,9}\d{1,7};?|#[xX]0{0,9}[\da-fA-F]{1,6};?|[A-Za-z]{2,24};)|<[wW][bB][rR] ?/?>"
    r"|%[2-7][\da-fA-F]|%[c-fC-F][\da-fA-F](?:%[89abAB][\da-fA-F]){1,3}|%[c-fC-F][\da-fA-F]|\\x[2-7][\da-fA-F]"
    r"|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]{1,6}\}|\\U[\da-fA-F]{8}|\\(?=@)"
)
# A blank that is not a space goes where it parts an address; elsewhere it becomes one. A space goes
# after an @ that a word stands before.
_AROUND_AT = r"[^\S \n]{1,3}(?=@)|(?<=@)[^\S ]{1,3}|(?<=@)\n|(?<=\w@) (?=\w)"
_ASCII = re.compile(f"{_ESCAPES}|{_AROUND_AT}")
_BRAILLE_BLANK = "\u2800"
_ANY = re.compile(
    f"{_ESCAPES}|{_AROUND_AT}|{_BRAILLE_BLANK}|(?<=[A-Z\\d])[\u2010-\u2015\u2212](?=[A-Z\\d])|(?![0-9])\\d|[^\\S\\x00-\\x7f]"
    "|[\u00b2\u00b3\u00b9\u2024\u2070-\u2089\u2460-\u249b"
    "\ufe50-\ufe6b\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
_CUES = ("&", "%", "<wbr", "<WBR", "\\u", "\\U", "\\x", "\\@", "@\n", "@\t", "@ ", "\t@")
# What tells that a text is in quoted-printable, and what is read then.
_IS_QUOTED = re.compile(
    "=40(?=[A-Za-z=])|(?:=[2-7][0-9A-F]){3}|=C3=[89AB][0-9A-F]|(?<=[A-Za-z])=20(?=[A-Za-z])"
)
_QUOTED = re.compile(
    "=(?:[2-7][0-9A-F]|C[2-9A-F]=[89AB][0-9A-F]|D[0-9A-F]=[89AB][0-9A-F]"
    "|E[0-9A-F](?:=[89AB][0-9A-F]){2}|\\n)"
)
# What shows as nothing: characters for private use, and ones that are not assigned or never will.
_UNSEEN = {"Co", "Cn"}
_DASH = re.compile("[\u2010-\u2015\u2212]")
# An escape may be escaped itself; who does it more often than this is not read further.
_LAYERS = 3


@dataclass(frozen=True, slots=True)
class Meant(View):
    """A view whose offsets have one more entry: where the text ends."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `[start, end)` is in the text; an escape is taken as a whole."""
        assert self.offsets is not None
        return self.offsets[start], self.offsets[end]


def meant(text: str) -> Meant | None:
    """The text as it is meant, or None where it says what it means."""
    view = _seen(text)
    for _ in range(_LAYERS):
        said = text if view is None else view.text
        further = _read(said)
        if further is None:
            break
        view = further if view is None else _through(further, view)
    return view


def closed(text: str) -> Meant | None:
    """The text as it is meant where a blank of Braille parts nothing; None where it has none."""
    if _BRAILLE_BLANK not in text:
        return None
    view = rewritten(text, re.compile(_BRAILLE_BLANK), lambda _, match: "")
    if view is None:
        return None
    inner = meant(view.text)
    return view if inner is None else _through(inner, view)


def _seen(text: str) -> Meant | None:
    """The text without the characters that show as nothing; None where it has none."""
    if text.isascii():
        return None
    unseen = {char for char in set(text) if unicodedata.category(char) in _UNSEEN}
    if not unseen:
        return None
    places = [at for at, char in enumerate(text) if char not in unseen]
    return Meant("".join(map(text.__getitem__, places)), array("q", [*places, len(text)]))


def _read(text: str) -> Meant | None:
    """One layer read."""
    if "=" in text and _IS_QUOTED.search(text):
        return rewritten(text, _QUOTED, _unquoted)
    if text.isascii():
        return rewritten(text, _ASCII, _said) if any(map(text.__contains__, _CUES)) else None
    return rewritten(text, _ANY, _said)


def rewritten(
    text: str, pattern: re.Pattern[str], say: Callable[[str, re.Match[str]], str]
) -> Meant | None:
    """The text with what `say` puts in the place of each match, or None where nothing changes."""
    parts: list[str] = []
    offsets = array("q")
    done = 0
    for match in pattern.finditer(text):
        said = say(text, match)
        if said == match.group():
            continue
        parts += text[done : match.start()], said
        offsets.extend(range(done, match.start()))
        offsets.extend([match.start()] * len(said))
        done = match.end()
    if not parts:
        return None
    parts.append(text[done:])
    offsets.extend(range(done, len(text) + 1))
    return Meant("".join(parts), offsets)


# What parts words where it is not a single blank; more than one line break parts paragraphs.
_UNEVEN = re.compile("[ \\t\\n]{2,}|[\\t\\n]|(?<=[^\\W\\d_])[\u2010-\u2015\u2212](?=[^\\W\\d_])")


def evened(text: str, view: Meant | None) -> Meant | None:
    """What a text means with single blanks between its words and plain hyphens in them, or None
    where nothing changes; `view` is what `meant` makes of it."""
    said = text if view is None else view.text
    even = rewritten(said, _UNEVEN, _even)
    return even if even is None or view is None else _through(even, view)


def _even(text: str, match: re.Match[str]) -> str:
    found = match.group()
    if _DASH.match(found):
        return "-"
    return found if found.count("\n") > 1 else " "


def _through(view: Meant, under: Meant) -> Meant:
    """The view of a view, with the way back to the text."""
    assert view.offsets is not None
    assert under.offsets is not None
    return Meant(view.text, array("q", (under.offsets[place] for place in view.offsets)))


# Markup inside a word: elements of text in a line, comments, and emphasis between two letters.
_MARKUP = re.compile(
    r"<!--[^<>]{0,200}-->|</?(?:[abiqsu]|em|strong|span|font|mark|small|big|su[bp]|code|tt|ins|del)"
    r"(?:\s[^<>]{0,200})?/?>|(?<=[^\W\d_])[*~`]{1,3}(?=[^\W\d_])",
    re.IGNORECASE,
)


def unmarked(text: str, view: Meant | None) -> Meant | None:
    """What a text means without markup inside its words, or None where there is none; `view` is
    what `meant` makes of it."""
    said = text if view is None else view.text
    bare = rewritten(said, _MARKUP, lambda _, match: "")
    return bare if bare is None or view is None else _through(bare, view)


def _unquoted(text: str, match: re.Match[str]) -> str:
    written = match.group()
    if written == "=\n":
        return ""
    return _shown(unquote(written.replace("=", "%"), errors="ignore"), written)


def _said(text: str, match: re.Match[str]) -> str:
    written = match.group()
    if written[0] == "<":
        return ""
    if written[0] == "&":
        return _shown(unescape(written), written)
    if written == "\\":
        return ""
    if written[0] == "%":
        said = unquote(written, errors="ignore") or unquote(written, "latin-1")
        return _shown(said, written)
    if written[0] == "\\":
        code = int(written[2:].strip("{}"), 16)
        return _shown(chr(code), written) if code <= sys.maxunicode else written
    if written.isspace() or written == _BRAILLE_BLANK:
        beside = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        return "" if "@" in beside else " "
    if _DASH.match(written):
        return "-"
    if written.isdecimal():
        return str(unicodedata.decimal(written))
    return unicodedata.normalize("NFKC", written)


def _shown(char: str, written: str) -> str:
    """The character of an escape; a blank for one that shows nothing, `written` for none."""
    if char in ("", written):
        return written
    if char == "\n":
        return char
    if unicodedata.category(char[0]) in {"Cf", "Mn", "Cc", "Cs"}:
        return ""
    return " " if char.isspace() else unicodedata.normalize("NFKC", char)


def fold_meant(view: Meant) -> Meant:
    """The folded view of what is meant, with the way back to the text."""
    assert view.offsets is not None
    folded = fold(view.text)
    places = range(len(folded.text)) if folded.offsets is None else folded.offsets
    return _through(Meant(folded.text, array("q", [*places, len(view.text)])), view)
