"""Keys that are settled together, since ends leave open which of them they ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.facts.claim import Claim
from app.facts.open_ends import Forms, Near, OpenEnd
from app.indexing.analysis import query_terms
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx

MOST = 64  # facts of which an end's subject is the value, beyond which it is about none of them


@dataclass(frozen=True, slots=True)
class Together:
    """Keys that are settled together, since ends leave open which of them they ended; `near` has
    for the key of such ends those keys, each as far as the ends are about it.
    `subjects` are those of the keys that are not the ends'; `linked` are keys that such ends have
    borne on so far, as before two names were parted."""

    groups: list[list[str]]
    near: Mapping[str, frozenset[Near]]
    subjects: frozenset[str]
    linked: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """All keys to settle, those that an end bore on and is not about any more as well."""
        return self.linked.union(*self.groups)


async def open_ends(tx: Tx, keys: Collection[str]) -> Together:
    """The keys that have to be settled with some, until no end is about any other. An end of what
    is the value of more than `MOST` facts ("the city closed") is about none of these."""
    asked: set[str] = set()
    near: dict[str, set[Near]] = {}
    subjects: set[str] = set()
    linked: set[str] = set()
    crowded: set[str] = set()
    waiting = set(keys)
    while waiting:
        asked |= waiting
        found = await tx.one(Q.facts.open_ends, keys=sorted(waiting), most=MOST)
        for end in found["ends"]:
            near.setdefault(end, set())
        crowded |= {pair["end"] for pair in found["pairs"] if pair["key"] is None}
        for pair in found["pairs"]:
            if pair["as_value"] and pair["end"] in crowded:
                continue
            near.setdefault(pair["end"], set()).add(
                Near(pair["key"], as_value=pair["as_value"], in_part=pair["in_part"])
            )
            subjects.add(pair["subject"])
        for end in crowded & near.keys():
            near[end] = {one for one in near[end] if not one.as_value}
        linked |= {one["key"] for one in found["linked"]}
        subjects |= {one["subject"] for one in found["linked"]}
        waiting = {key for end, some in near.items() for key in (end, *(one.key for one in some))}
        waiting = (waiting | linked) - asked
    about = {end: frozenset(some) for end, some in near.items()}
    return Together(joined_groups(about), about, frozenset(subjects), frozenset(linked))


def joined_groups(near: Mapping[str, Collection[Near]]) -> list[list[str]]:
    """Each end with the keys that it is about, those that share one as one, in order."""
    groups: list[set[str]] = []
    for end, some in sorted(near.items()):
        group = {end, *(one.key for one in some)}
        apart = [other for other in groups if group.isdisjoint(other)]
        groups = [*apart, group.union(*(other for other in groups if other not in apart))]
    return sorted(sorted(group) for group in groups)


def open_end(claim: Claim, fact: Row, value: str, near: frozenset[Near]) -> OpenEnd:
    """An end out of its claim and its fact; `value` is the key of what it names."""
    words = frozenset(query_terms(fact["object_text"])) if fact["object_text"] else frozenset()
    return OpenEnd(claim, frozenset(fact["fits"] or ()), value, words, near, fact["statement"])


def words_said(row: Row) -> frozenset[Forms]:
    """The words of a fact, with those that its sources say beside it. A verb names no thing: who
    works for somebody and left work has not left him."""
    fact = row["fact"]
    rests = [claim["rest"] for claim in row["claims"] if claim["rest"]]
    kind, _, noun = fact["predicate"].rpartition(":")
    verb = frozenset() if kind else frozenset(query_terms(noun.replace("_", " ")))
    beside = [fact["object_text"] or "", *rests, noun.replace("_", " ") if kind else ""]
    return (frozenset(query_terms(fact["statement"])) - verb) | {*query_terms(" ".join(beside))}
