"""Characters that nobody sees: tag characters are read out, others go save what a script needs.

A joiner stays in Arabic, Indic and their neighbours' words and between two parts of an emoji, a
variation selector behind one visible character, and signs of a script that are seen though Unicode
counts them as format characters.
"""

from __future__ import annotations

import re
import unicodedata

from app.sanitize.trace import Edit

# Format characters and the other default-ignorable ones (DerivedCoreProperties.txt). The visible
# signs of Arabic, Syriac, Kaithi and Egyptian that Unicode counts as Cf are not among them.
_HIDDEN = re.compile(
    "[\U000e0020-\U000e007e]+|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_FIRST_TAG, _LAST_TAG, _TAGS = 0xE0020, 0xE007E, 0xE0000
_JOINERS = "\u200c\u200d"
# Arabic to Myanmar, Khmer and Mongolian, Balinese to Batak, and the Arabic and Indic supplements.
_JOINED = re.compile(
    "[\u0600-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\u1b00-\u1bff\ua800-\ua9ff\uaa00-\uabff"
    "\U00010a00-\U00011fff]"
)
_EMOJI = {"So", "Sm", "Sk"}


def hidden(text: str) -> list[Edit]:
    """The edits after which nothing in `text` is hidden; none for most texts."""
    if text.isascii():
        return []
    return [
        Edit(match.start(), match.end(), _read_out(text, match))
        for match in _HIDDEN.finditer(text)
        if not _needed(text, match.start())
    ]


def shown(text: str) -> str:
    """The text as it may leave: nothing in it is hidden, and what tags say is not read out."""
    while edits := hidden(text):
        ends = [0, *(edit.end for edit in edits)]
        starts = [*(edit.start for edit in edits), len(text)]
        text = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return text


def _read_out(text: str, match: re.Match[str]) -> str:
    """What tag characters say, set off from a word before them; nothing for the others."""
    if not _FIRST_TAG <= ord(match.group()[0]) <= _LAST_TAG:
        return ""
    said = "".join(chr(ord(char) - _TAGS) for char in match.group())
    return f" {said}" if match.start() and not text[match.start() - 1].isspace() else said


def _needed(text: str, at: int) -> bool:
    """Whether the script, or the emoji, around `at` is written with the character there."""
    char, before = text[at], text[at - 1 : at]
    after = text[at + 1 : at + 2]
    if char in _JOINERS and before and after:
        if _JOINED.match(before):
            return bool(_JOINED.match(after))
        return char == "\u200d" and _emoji(text, at) and unicodedata.category(after) in _EMOJI
    if not before or _HIDDEN.match(before):
        return False
    if "\ufe00" <= char <= "\ufe0f":
        return before in "0123456789#*" or unicodedata.category(before) in {*_EMOJI, "Po", "Lo"}
    if "\U000e0100" <= char <= "\U000e01ef":
        return unicodedata.name(before, "").startswith("CJK UNIFIED")
    if char in "\u180b\u180c\u180d\u180e\u180f":
        return "\u1820" <= before <= "\u18aa"
    return char == "\u1160" and "\u1100" <= before <= "\u115e"


def _emoji(text: str, at: int) -> bool:
    """Whether an emoji, with its variation selector perhaps, ends before `at`."""
    end = at - 1 if text[at - 1] == "\ufe0f" else at
    return end > 0 and unicodedata.category(text[end - 1]) in _EMOJI
