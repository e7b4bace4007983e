"""A text to the statements in it, each to be compared alone."""

from __future__ import annotations

import re

# A stop after a digit or an abbreviation ends no sentence: "14. Mai", "Dr. Stein", "z. B."
_STOP = re.compile(
    r"(?<!\b[A-Za-z])(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bNr)(?<!\bSt)(?<!\bca)(?<!\bProf)"
    r"(?<!\bFr)(?<!\bMio)(?<!\bMrd)(?<!\bbzw)(?<!\busw)(?<!\bInc)(?<!\bNo)(?<!\d)[.!]\s+(?=\S)"
    r"|(?<=\d)\.\s+(?=(?:The|A|An|He|She|It|We|They|Der|Die|Das|Er|Sie|Es|Wir|Ich|Ein|Eine)\b)"
    r"|(?<=\?)\s+|[;\n]+"
)
# The next of several fields: "Budget: 9000, Team: 8"
_FIELD = re.compile(r",\s+(?=[^\W\d_][\w -]{0,30}?\s*[:=]\s)")
_MOST = 24  # statements of one text that are looked at


def sentences(text: str) -> list[str]:
    """The statements of a text, at most 24."""
    return every_sentence(text)[:_MOST]


def every_sentence(text: str) -> list[str]:
    """All statements of a text."""
    parts = [field for part in _STOP.split(text) for field in _FIELD.split(part)]
    return [part.strip() for part in parts if part and part.strip()]
