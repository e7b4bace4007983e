"""Negations that reach only so far: `no coffee after four`, `not for the firmware`, `not always`.

Who denies something of one time, place or purpose says nothing of it as a whole.
"""

from __future__ import annotations

import re

from app.extraction.clauses import Clause
from app.extraction.model import Mention
from app.extraction.moments import Role
from app.values.model import Kind, Value

# The negation hits the degree and leaves the rest.
PARTIAL = re.compile(
    r"(?i)\b(?:every|always|often|frequently|constantly|necessarily|entirely|exclusively|"
    r"(?:that|so|very|too) (?:much|often)|much|many|all the time|all of|more than|longer than|"
    r"less than|jede[nrms]?|immer|oft|häufig|ständig|unbedingt|ausschließlich|"
    r"(?:so|sehr|zu) (?:viel|oft|häufig|gern|gerne)|viele?|mehr als|länger als|weniger als)\b"
)
AT_TIMES = re.compile(
    r"(?i)\b(?:today|tonight|this (?:morning|afternoon|evening|week|month|time|year)|right now|"
    r"at (?:night|noon|work|home|school|lunch|dinner|breakfast)|"
    r"on (?:week(?:ends|days)|(?:mon|tues|wednes|thurs|fri|satur|sun)days|holiday|vacation)|"
    r"(?:before|after|until|till|past) (?:noon|midnight|lunch|dinner|breakfast|work|"
    r"\d{1,2}(?:[ap]m)?\b)|"
    r"heute|diese[nrsm]? (?:woche|monat|mal|jahr)|morgens|vormittags|mittags|nachmittags|abends|"
    r"nachts|tagsüber|werktags|wochentags|unterwegs|(?:mon|diens|donners|frei|sams|sonn)tags|"
    r"mittwochs|(?:nach|vor|bis|ab) (?:\d{1,2}\b|feierabend|mitternacht)|am (?:wochenende|abend|"
    r"morgen|mittag|nachmittag|vormittag)|zu ?hause|im urlaub)\b"
)
BEYOND = re.compile(
    r"(?i)\b(?:for|with|without|in|at|on|during|after|before|except|outside|inside|für|mit|ohne|"
    r"im|in|bei|beim|am|an|auf|während|nach|vor|außer|zum|zur)\s+\S"
)
# What one does or likes as a whole; elsewhere the words behind belong to the thing itself.
HABITS = frozenset(
    [
        *("uses", "likes", "dislikes", "prefers", "eats", "drinks", "plays", "speaks", "supports"),
        *("wants", "drives", "learns", "writes_in", "sells"),
    ]
)


def limited(clause: Clause, predicate: str, value: Mention | Value) -> bool:
    """Whether a negation holds for a part only, so that it neither ends nor denies the whole."""
    if not (clause.ends or clause.denies):
        return False
    if PARTIAL.search(clause.text):
        return True
    if predicate not in HABITS:
        return False
    timed = any(w.role in (Role.AT, Role.TEMPORARY, Role.PURPOSE) for w in clause.when)
    return timed or AT_TIMES.search(clause.text) is not None or _goes_beyond(clause, value)


def _goes_beyond(clause: Clause, value: Mention | Value) -> bool:
    """Whether more stands behind the thing, or before all, than the thing and who denies it."""
    if isinstance(value, Value) and value.kind is not Kind.TEXT:
        return False
    if BEYOND.match(clause.work.lstrip()):
        return True
    if isinstance(value, Mention):
        end = value.span.end - clause.start
    else:
        end = clause.work.lower().find(value.text.lower()) + len(value.text)
    return BEYOND.search(clause.work, max(end, 0)) is not None
