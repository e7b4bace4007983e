"""When a clause says that something holds: its time expressions, found and taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from app.extraction.calendar import POINT, POINT_BY, Lean, Point, point
from app.extraction.data import words
from app.extraction.prefilter import ANY, Cue
from app.extraction.verbs import PREPOSITIONS, readings


class Role(Enum):
    """What a time expression says of a statement."""

    SINCE = "since"
    UNTIL = "until"
    AT = "at"
    TEMPORARY = "temporary"
    PURPOSE = "purpose"  # "the stand for June": what a thing is for, not when something holds


@dataclass(frozen=True, slots=True)
class When:
    """A time expression: where it stands, its role, the point, and which year it leans to."""

    start: int
    end: int
    role: Role
    point: Point
    lean: Lean


_CUES = (
    (
        r"since|seit(?:\s(?:dem|der|den))?|for(?=\s(?:\w+)\s(?:years|months|weeks))",
        Role.SINCE,
        Lean.PAST,
    ),
    (
        r"as\s(?:of|from)|from|starting(?:\s(?:from|on|in))?|beginning(?:\son)?|effective(?:\sfrom)?|"
        r"ab(?:\s(?:dem|der|den))?|vom|zum|zu|mit\sWirkung\s(?:vom|zum)",
        Role.SINCE,
        Lean.NEAREST,
    ),
    (r"until|till|through|bis(?:\s(?:zum|zu|zur))?", Role.UNTIL, Lean.FUTURE),
    (r"(?:für|for)(?:\s(?:the|den|die|das))?", Role.PURPOSE, Lean.NEAREST),
    (r"(?:(?:on|in|at|over|during|am|im|an|in|um|by|der|dem|vom|von)\s?(?:the|dem|der)?)",
     Role.AT, Lean.NEAREST),
)  # fmt: skip
_CUE = "|".join(rf"(?P<cue{i}>{cue})" for i, (cue, _, _) in enumerate(_CUES))
_TIMED = Cue(rf"(?<![\w-])(?:(?i:{_CUE})\s)?{POINT}(?:\s(?:on|an|onwards?))?(?![\w-])", by=POINT_BY)
_NEEDS_CUE = ("mon", "season", "year", "span", "weekend")
# A day or month that tells which of several things is meant: `the Tuesday class`, not when.
_TELLS_WHICH = re.compile(
    r"(?i)(?<!\w)(?:the|a|an|my|our|your|his|her|their|this|that|every|each)\s+(?:\w+\s)?$"
)
_NO_NOUN = frozenset(
    ["and", "or", "but", "is", "was", "has", "had", "will", "would", "can", "may", "should"]
)
_NOUN_BEHIND = re.compile(r"\s(?P<word>[a-z][\w-]+)")
_CLOCK = Cue(
    r"(?i)(?<!\w)(?:(?:at|um|gegen|ab|since|seit|from|von|bis|until|after|nach|before|vor|by)\s)"
    r"(?:\d{1,2}:\d\d(?:\s?(?:am|pm|uhr|utc))?|\d{1,2}\s?(?:am|pm|uhr|o'clock)|"
    r"(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|eins)(?:\suhr)?(?!\s?\w)|"
    r"(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|eins)\suhr)(?!\w)",
    by="0 zwei drei vier fünf sechs sieben acht neun zehn elf zwölf eins",
)


def hour(clause: str, bits: int = ANY) -> str:
    """The words that name an hour of the day, an empty text where none do. `bits` are the cues
    that the clause may hold."""
    found = _CLOCK.search(clause, bits)
    return found[0] if found else ""


def times(clause: str, spoken: datetime, bits: int = ANY) -> tuple[list[When], str]:
    """The time expressions of a clause, and the clause with blanks in their place. `bits` are the
    cues that the clause may hold."""
    found: list[When] = []
    blanked = _CLOCK.sub(lambda m: " " * len(m[0]), clause, bits)
    for match in _TIMED.finditer(blanked, bits):
        when = None if _tells_which(match, blanked) else _when(match, spoken)
        if when is not None:
            found.append(when)
    return found, _blank(blanked, found)


def _blank(text: str, found: Sequence[When]) -> str:
    """Return the text with blanks in the place of times, which stand in their order."""
    parts, done = [], 0
    for when in found:
        parts += [text[done : when.start], " " * (when.end - when.start)]
        done = when.end
    return "".join([*parts, text[done:]])


def _tells_which(match: re.Match[str], clause: str) -> bool:
    """Whether a day or month stands between an article and the noun that it belongs to."""
    name = next((match.start(g) for g in ("weekday", "mon") if match[g] and not match["which"]), -1)
    behind = _NOUN_BEHIND.match(clause, match.end())
    if name < 0 or behind is None:
        return False
    word = behind["word"]
    if not _TELLS_WHICH.search(clause, max(0, name - 40), name):
        return not clause[:name].strip() and word in words("openings", "mass_en")  # Sunday lunch
    finite = any(f.past or word.endswith("s") for f in readings(word, "en"))
    return not finite and word not in PREPOSITIONS["en"] and word not in _NO_NOUN


def _when(match: re.Match[str], spoken: datetime) -> When | None:
    cue = next((i for i in range(len(_CUES)) if match[f"cue{i}"]), None)
    if cue is None and any(match[name] for name in _NEEDS_CUE):
        return None
    role, lean = (_CUES[cue][1], _CUES[cue][2]) if cue is not None else (Role.AT, Lean.NEAREST)
    if match["span"] and role is not Role.SINCE:
        return None
    if (
        match["rel"]
        and role is Role.AT
        and match["rel_w"].lower().startswith(("this", "next", "dies", "näch", "komm"))
    ):
        role = Role.TEMPORARY
    return When(match.start(), match.end(), role, point(match, spoken), lean)
