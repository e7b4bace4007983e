"""Names that the truth layer knows to be one thing's: who is about one is about the others; pure.

Only what is sure counts: aliases of one entity, and entities that were merged. A name that two
things have leads to neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.kernel.graph import Row
from app.retrieval.matrix import Linked
from app.retrieval.names import is_no_name, key_of

SURE = frozenset(("title", "bare", "also", "subject"))  # kinds by which a passage is an entity's
BY_WORDS = frozenset(("person", "unknown"))  # types of which one word is no name of one thing
HOW = "alias"


@dataclass(frozen=True, slots=True)
class Called:
    """What an entity goes by, and which entity stands for it."""

    root: str
    keys: frozenset[str]


def called_of(row: Row) -> Called:
    """An entity's names as keys, as far as they can be told from words."""
    keys = {key_of(alias) for alias in row["aliases"]}
    several = row["type"] in BY_WORDS
    kept = (k for k in keys if k and not is_no_name(k) and (" " in k or not several))
    return Called(row["root"], frozenset(kept))


def joined(linked: Mapping[str, Linked], called: Iterable[Called]) -> Mapping[str, Linked]:
    """The same passages, each about every name of what it is about."""
    others = _others(called)
    if not others:
        return linked
    changed = {passage: _about_all(held, others) for passage, held in linked.items()}
    return {passage: changed[passage] or held for passage, held in linked.items()}


def _others(called: Iterable[Called]) -> dict[str, frozenset[str]]:
    """The names of one thing, by each of them."""
    groups: dict[str, set[str]] = defaultdict(set)
    for entity in called:
        groups[entity.root] |= entity.keys
    owners: dict[str, set[str]] = defaultdict(set)
    for root, keys in groups.items():
        for key in keys:
            owners[key].add(root)
    alone = {
        root: frozenset(k for k in keys if len(owners[k]) == 1) for root, keys in groups.items()
    }
    return {key: keys for keys in alone.values() if len(keys) > 1 for key in keys}


def _about_all(held: Linked, others: Mapping[str, frozenset[str]]) -> Linked | None:
    sure = (key for key, how in held.about.items() if how in SURE)
    more = {k for key in sure for k in others.get(key, ()) if k not in held.about}
    if not more:
        return None
    names = {key: weight for key, weight in held.names.items() if key not in more}
    return replace(held, about={**held.about, **dict.fromkeys(sorted(more), HOW)}, names=names)
