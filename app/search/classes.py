"""What kind of question it is, by its words alone: seed 001, in English and German.

The first rule that matches counts. Rank fusion weighs its legs by it.
"""

from __future__ import annotations

import re
from enum import StrEnum


class QueryClass(StrEnum):
    """Kinds of questions."""

    QUOTE = "quote"
    TEMPORAL = "temporal"
    ENTITY = "entity"
    MULTI_HOP = "multi_hop"
    FACTUAL = "factual"


_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|`[^`]+`")
_FILE = re.compile(r"(?<![\w.])(?:[\w.-]*/)+[\w.-]+|\b[\w-]+\.[a-z][a-z0-9]{1,4}\b(?!\s*\.\w)")
_JOINED = re.compile(r"\b\w+(?:[-_]\w+)+\b")
_TIME = re.compile(
    r"\b(?:when|since|until|before|after|during|ago|yesterday|today|tomorrow|tonight|recent(?:ly)?"
    r"|latest|as of|earlier|(?:last|past|next|this)\s+(?:few\s+)?(?:\d+\s+)?(?:day|night|week"
    r"|weekend|month|quarter|year|decade|spring|summer|autumn|fall|winter)s?"
    r"|wann|seit|bis|bevor|während|gestern|heute|neulich|kürzlich|zuletzt|stand"
    r"|(?:letzte|vorige|nächste|diese)[nrms]?\s+(?:\d+\s+)?(?:tage?n?|nacht|woche|wochenende|monat"
    r"|quartal|jahr|jahrzehnt)\w*|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:who|whom|whose|what|which|where|why|how|is|are|was|were|do|does|did|can|has|have"
    r"|wer|wen|wem|wessen|was|welche[nrms]?|wo|warum|wie|ist|sind|war|waren|hat|haben|kann)$",
    re.IGNORECASE,
)
_LINKED = re.compile(
    r"\b(?:why|because|caus(?:e|es|ed|ing)|result(?:s|ed)?\s+(?:in|from)|lead(?:s|ing)?\s+to"
    r"|led\s+to|due\s+to|depend(?:s|ing)?\s+on|relat(?:e|es|ed|ion|ionship)|connect(?:s|ed|ion)?"
    r"|between|compared?|versus|vs|differen(?:t|ce|ces)|both|than|same"
    r"|warum|weshalb|weil|wegen|verursach\w*|führ(?:t|te|en)\s+zu|hängt?\s+\w*\s*(?:mit|von)"
    r"|abhäng\w*|zusammenh\w+|zwischen|vergleich\w*|verglichen|unterschied\w*|beide[nr]?|als"
    r"|dieselbe\w*)\b",
    re.IGNORECASE,
)
MOST_JOINED, MOST_WORDS = 2, 2


def query_class(question: str) -> QueryClass:
    """The kind of a question; FACTUAL where no rule matches, and for an empty one."""
    if _is_quote(question):
        return QueryClass.QUOTE
    if _TIME.search(question):
        return QueryClass.TEMPORAL
    if _is_name(question.split()):
        return QueryClass.ENTITY
    return QueryClass.MULTI_HOP if _LINKED.search(question) else QueryClass.FACTUAL


def _is_quote(question: str) -> bool:
    if _QUOTED.search(question) or _FILE.search(question):
        return True
    return len(_JOINED.findall(question)) >= MOST_JOINED


def _is_name(words: list[str]) -> bool:
    """One or two words that begin with a capital, and none that asks."""
    if not 0 < len(words) <= MOST_WORDS:
        return False
    return all(word[:1].isupper() and not _QUESTION.match(word.strip("?!.,")) for word in words)
