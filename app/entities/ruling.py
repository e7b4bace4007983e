"""Which entities are one by rule: pure, and a function of what a scope holds and was decided.

An entity stands for a name with its type and marks (`app.entities.resolve`). Three rules say which
of them are one: the same name (`same_name_rule`), a given name alone (`given_name_rule`), a firm's
name cut short (`short_name_rule`). Each looks at the entities of the scope and at what curators
decided, never at what came first; its joins are merges like any other, and taken back when they no
longer follow. What a curator rejected, undid or accepted stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.entities import given_name_rule, same_name_rule, short_name_rule
from app.entities.bearer import Bearer, Name
from app.entities.clusters import Link, changes, groups, opposed, roots

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tie:
    """What was decided about a pair, the smaller id first; `rule` where a rule decided it."""

    link: Link
    status: str
    rule: str | None = None

    @property
    def pair(self) -> Pair:
        """The two ids."""
        return self.link.left, self.link.right

    @property
    def barred(self) -> bool:
        """Whether a curator holds the two to be two."""
        return self.status in {"rejected", "undone"} and self.rule is None


@dataclass(frozen=True, slots=True)
class Case:
    """What the rules look at.

    `named` are all entities that share a way of being written with a name asked for, in one or
    more steps. `whole` gives for each word asked for the entities whose name begins with it and
    goes on; `surnames` are the words that are last names of persons there, `waiting` those with
    which somebody's name begins that waits in a passage.
    """

    scope: str
    named: Sequence[Bearer]
    whole: Mapping[str, Sequence[Bearer]] = field(default_factory=dict)
    surnames: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()

    def name(self, word: str, parts: Sequence[Collection[str]]) -> Name:
        """A word with who bears it alone and whose name begins with it."""
        alone = [b for b in self.named if b.key == word]
        told = (word in self.surnames, word in self.waiting)
        return Name(self.scope, word, alone, self.whole[word], parts, *told)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Ties to accept, by rule, pairs to take back, and the members whose root is another then."""

    join: tuple[tuple[Link, str], ...]
    part: tuple[tuple[Pair, str], ...]
    moved: tuple[dict[str, str], ...]


def judge(case: Case, members: Mapping[str, str], ties: Sequence[Tie]) -> Verdict:
    """What the rules ask for; `members` gives the root of everybody in the clusters concerned."""
    curated = [t.link for t in ties if t.status == "accepted" and t.rule is None]
    ruled = {t.pair: t for t in ties if t.status == "accepted" and t.rule is not None}
    kept = [t for t in ruled.values() if not _judged(t, case)]
    joined = _Joined(members, [*curated, *(t.link for t in kept)], _barred(ties))
    joined.add(same_name_rule.RULE, same_name_rule.wanted(case.named, _homes(members, curated)))
    same = [t.link for t in kept if t.rule == same_name_rule.RULE] + joined.found
    parts = groups(members, [*curated, *same])
    for rule in (given_name_rule, short_name_rule):
        joined.add(
            rule.RULE, [link for word in case.whole for link in rule.wanted(case.name(word, parts))]
        )
    decided = {(link.left, link.right) for link in curated}
    return Verdict(
        join=tuple(
            (link, rule)
            for pair, (link, rule) in joined.sound.items()
            if pair not in decided and (pair not in ruled or ruled[pair].link != link)
        ),
        part=tuple(
            (pair, tie.rule or "")
            for pair, tie in sorted(ruled.items())
            if _judged(tie, case) and pair not in joined.sound
        ),
        moved=tuple(changes(members, roots(members, joined.links))),
    )


def unsettled(case: Case) -> Case:
    """The part of a case that the rules may change, as far as shows without a look at the ties.

    A word stays where a rule may join it to a longer name, or something is joined to who bears it;
    names stay where a word is theirs, or who bears them is not what same names make of them, with
    all that was joined to them.
    """
    ids = {b.id for b in case.named}
    alone: dict[str, list[Bearer]] = {}
    for bearer in case.named:
        alone.setdefault(bearer.key, []).append(bearer)
    whole = {
        word: found
        for word, found in case.whole.items()
        if word in alone and (_may_apply(word, found) or _tied(alone[word], found, ids))
    }
    named = [
        bearer
        for company in _companies(case.named)
        if not all(map(_at_rest, same_name_rule.names(company)))
        or any(b.key in whole for b in company)
        for bearer in company
    ]
    return Case(case.scope, named, whole, case.surnames, case.waiting)


def _companies(bearers: Sequence[Bearer]) -> Iterator[list[Bearer]]:
    """Entities in sets of those that are written alike or were joined, in one or more steps."""
    by_id = {b.id: b for b in bearers}
    alike = [[b.id for b in part] for part in same_name_rule.names(bearers)]
    joined = [sorted(home) for home in _by_root(bearers)]
    links = [Link(*pair, 0, 0) for ids in (*alike, *joined) for pair in pairwise(ids)]
    for company in groups(by_id, links):
        yield [by_id[member] for member in sorted(company)]


def _at_rest(part: Sequence[Bearer]) -> bool:
    """Whether entities that are written alike are one as same names make them."""
    ids = {b.id for b in part}
    if any(b.root not in ids for b in part):
        return False
    links = same_name_rule.wanted(part, {b.id: b.id for b in part})
    return _sets(groups(ids, links)) == _sets(_by_root(part))


def _tied(alone: Sequence[Bearer], whole: Sequence[Bearer], named: Collection[str]) -> bool:
    """Whether who bears a word alone is one with a longer name, or with what is not looked at."""
    homes = {b.root for b in whole}
    return any(b.root in homes or b.root not in named for b in alone)


class _Joined:
    """Links that stand, and those that a rule adds unless they join what is kept apart."""

    def __init__(self, members: Mapping[str, str], links: list[Link], barred: set[Pair]) -> None:
        self._members = members
        self._barred = barred
        self.links = links
        self.sound: dict[Pair, tuple[Link, str]] = {}

    @property
    def found(self) -> list[Link]:
        """The links added so far."""
        return [link for link, _ in self.sound.values()]

    def add(self, rule: str, wanted: Iterable[Link]) -> None:
        """Take what a rule wants, in the order of ids."""
        for pair, link in sorted({(w.left, w.right): w for w in wanted}.items()):
            if pair in self._barred or pair in self.sound:
                continue
            if opposed(self._members, [*self.links, link], self._barred) is None:
                self.links.append(link)
                self.sound[pair] = (link, rule)


def _judged(tie: Tie, case: Case) -> bool:
    """Whether the case holds all that this tie follows from."""
    if tie.rule == same_name_rule.RULE:
        return {b.id for b in case.named} >= set(tie.pair)
    return any(b.id in tie.pair and b.key in case.whole for b in case.named)


def _barred(ties: Iterable[Tie]) -> set[Pair]:
    return {tie.pair for tie in ties if tie.barred}


def _homes(members: Collection[str], links: Iterable[Link]) -> dict[str, str]:
    return {member: min(group) for group in groups(members, links) for member in group}


def _may_apply(word: str, whole: Sequence[Bearer]) -> bool:
    return any(b.speaks for b in whole) or short_name_rule.may_apply(word, whole)


def _by_root(bearers: Iterable[Bearer]) -> list[set[str]]:
    found: dict[str, set[str]] = {}
    for bearer in bearers:
        found.setdefault(bearer.root, set()).add(bearer.id)
    return list(found.values())


def _sets(parts: Iterable[Collection[str]]) -> set[frozenset[str]]:
    return {frozenset(part) for part in parts}
