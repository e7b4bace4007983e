"""Of whom one speaks every day: oneself, one's own, and people by their first names and titles."""

from __future__ import annotations

from collections.abc import Sequence

from app.extraction.data import words as listed
from app.extraction.given_names import is_given_name
from app.extraction.openings import is_known_name
from app.extraction.phrases import TITLES
from app.extraction.tokens import Token
from app.values.wording import fold

AND = frozenset(["and", "und"])
SPEAKERS = frozenset(["i", "we", "ich", "wir"])
# What belongs to a verb and may stand before its subject: `kümmert sich Jonas`.
REFLEXIVE = frozenset(["sich", "mir", "mich", "uns"])


def is_of_everyday(subject: Sequence[Token], language: str) -> bool:
    """Whether a subject is the speaker, one of his own, or somebody whom he calls by the first name
    or a title: whoever speaks of what others did long ago calls them by their whole name."""
    first, *more = subject
    if not more:
        kin = first.lower in listed("nouns", "kin") and first.text[0].isupper()
        return kin or first.lower in SPEAKERS or is_given_name(fold(first.text))
    if any(t.lower in AND for t in more):
        place = next(i for i, t in enumerate(subject) if t.lower in AND)
        with_speaker = subject[-1].lower in SPEAKERS
        return place > 0 and (with_speaker or is_of_everyday(subject[:place], language))
    own = first.lower in ("my", "our") or first.lower.startswith(("mein", "unser"))
    if len(more) > 1 and not own:
        return False
    if first.lower in ("the", "die", "der"):
        return more[0].lower.rstrip("sn") in listed("nouns", "kin")
    return own or first.lower in listed("nouns", "kin") or TITLES.match(first.text) is not None


def may_have_habits(subject: Sequence[Token], language: str) -> bool:
    """Whether a verb alone says something of a subject: also of a German noun with its article,
    since no noun reads as the verb behind it (`Die Heizung spinnt`)."""
    if is_of_everyday(subject, language):
        return True
    article = language == "de" and subject[0].lower in ("der", "die", "das")
    return article and len(subject) == 2 and subject[1].text[0].isupper()


def names_somebody(words: Sequence[Token]) -> bool:
    """Whether words begin with somebody: a name, a title, one of one's own, or who speaks."""
    first, after = words[0], words[1:2]
    if first.lower in SPEAKERS or TITLES.match(first.text) or first.text == "Prof.":
        return True
    if first.lower in ("die", "der") and after and is_known_name(after[0].text, "de"):
        return True
    own = first.lower in ("mein", "meine", "unser", "unsere")
    kin = own and bool(after) and after[0].lower in listed("nouns", "kin")
    return kin or (first.text[0].isupper() and is_given_name(fold(first.text)))
