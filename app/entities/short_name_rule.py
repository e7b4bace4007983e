"""The first word of a firm's name is the firm where the rest only says what kind of firm it is.

"Verdelo" is Verdelo Farms as long as the scope knows no other firm whose name begins so, and nobody
who is called so. A word that is commonly a name of a person or of a place is never taken for one.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.entities.bearer import SHORT_TO_WHOLE, Bearer, Name, link
from app.entities.clusters import Link
from app.entities.descriptors import DESCRIPTORS, PLACES, SURNAMES
from app.entities.model import entity_id
from app.entities.names import UNKNOWN, family
from app.extraction.given_names import gender_of

RULE = "short_name"
ORGANIZATION = "organization"
SHORTEST = 3  # letters of a word that may stand for a firm


def wanted(name: Name) -> list[Link]:
    """Ties between a word and the only firm whose name is that word and what kind of firm it is."""
    firms = [b for b in name.whole if is_firm(b, name.word)]
    typed = [b for b in firms if family(b.type) == ORGANIZATION]
    if not typed or name.sets_of(firms) != 1 or _is_persons(name):
        return []
    meant = min(typed, key=lambda b: (b.key, b.id))
    return [link(b.id, meant.id, SHORT_TO_WHOLE) for b in name.one_of_each(_short(name))]


def is_firm(bearer: Bearer, word: str) -> bool:
    """Whether an entity may be a firm whose name is this word and general ones."""
    rest = bearer.key.split()[1:]
    kind = family(bearer.type) in {ORGANIZATION, UNKNOWN}
    return kind and bearer.key.startswith(f"{word} ") and DESCRIPTORS.issuperset(rest)


def may_apply(word: str, whole: Sequence[Bearer]) -> bool:
    """Whether the rule may join anything to one of these, as far as they show themselves."""
    return any(is_firm(b, word) for b in whole) and not _is_called_so(word, whole)


def _is_persons(name: Name) -> bool:
    """Whether the word is, or may well be, what somebody is called."""
    return (
        _is_called_so(name.word, name.whole)
        or name.is_surname
        or any(b.speaks or b.marks for b in name.alone)
    )


def _is_called_so(word: str, whole: Sequence[Bearer]) -> bool:
    return (
        len(word) < SHORTEST
        or word in SURNAMES
        or word in PLACES
        or gender_of(word) is not None
        or any(b.type == "person" for b in whole)
    )


def _short(name: Name) -> list[Bearer]:
    """Who bears the word alone and may be the firm: the one organisation of that name, else what
    was taken for a person or has no type, where it can be nothing else."""
    kinds = {family(b.type) for b in name.alone}
    fitting = {ORGANIZATION} if ORGANIZATION in kinds else {"person", UNKNOWN}
    if ORGANIZATION not in kinds and not kinds <= fitting:
        return []
    plain = {entity_id(name.scope, kind, name.word) for kind in fitting}
    return [b for b in name.alone if b.id in plain and family(b.type) in fitting]
