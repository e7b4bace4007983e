"""Characters that nobody sees: tag characters are read out, others go save what a script needs.

A joiner stays where it changes how letters or emoji join, a variation selector behind a character
of which Unicode has that variant, a control of hieroglyphs beside one, and signs of a script that
are seen though Unicode counts them as format characters.
"""

from __future__ import annotations

import re

from app.sanitize.joiners import JOIN, PART, joins
from app.sanitize.selectors import selects
from app.sanitize.trace import Edit

# Format characters and the other default-ignorable ones (DerivedCoreProperties.txt). The visible
# signs of Arabic, Syriac, Kaithi and Egyptian that Unicode counts as Cf are not among them.
_HIDDEN = re.compile(
    "[\U000e0020-\U000e007e]+|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U00013440\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_FIRST_TAG, _LAST_TAG, _TAGS = 0xE0020, 0xE007E, 0xE0000
_JOINERS = JOIN + PART
_HIEROGLYPHS = re.compile("[\U00013000-\U0001342f\U00013441-\U0001345f]")


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
    if char in _JOINERS:
        return joins(text, at)
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return selects(text, at)
    if "\U00013430" <= char <= "\U00013440":
        return bool(_HIEROGLYPHS.match(before) or _HIEROGLYPHS.match(text, at + 1))
    if char in "\u180b\u180c\u180d\u180e\u180f":
        return "\u1820" <= before <= "\u18aa"
    return char == "\u1160" and "\u1100" <= before <= "\u115e"
