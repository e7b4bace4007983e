"""Ends that leave open what ended ("moved out", "stepped down"): pure.

Such an end is a fact of its own, under a key of its own for each subject. It ends the one fact
that fits: of a predicate that its verb may end, of the value that it names where it names one,
begun before it and held then. A fact of the subject comes before one of which the subject is the
value. What is named is the value itself, or words that all stand in the fact ("Statik I" in "Die
Vorlesung Statik I liest Prof. Gebauer") and are a fair share of it. Where several fit, each is a
possible change; where none does, it stands alone, until a claim that comes later, whatever it tells
of, makes one fit.

What fits follows from the claims of all keys of the subject, so these are settled together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby

from app.extraction.model import ANYTHING, Mode
from app.extraction.predicates import may_end
from app.facts.belief import Settlement, as_decided, settle
from app.facts.claim import Claim, Reviews, Rules
from app.facts.interval import Standing

ANY = ANYTHING.key
LEAST = 0.1  # share of a fact's words that an end names at least, where it names no value of it

Forms = tuple[str, ...]  # one word, stemmed in either language


@dataclass(frozen=True, slots=True)
class Near:
    """A key that an end is about: the end's subject is the subject there, or the value; `in_part`
    tells that it goes by the first word of a whole name there ("Lorna", Lorna Peake)."""

    key: str
    as_value: bool = False
    in_part: bool = False


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """A claim of an end with the predicates of which a fact may have ended; `value` is the key of
    the object, `ANY` where none is named, and `words` are those of the object. `near` are the
    keys that it is about; None for all keys, of its subject."""

    claim: Claim
    fits: frozenset[str]
    value: str
    words: frozenset[Forms] = frozenset()
    near: frozenset[Near] | None = None
    sentence: str = ""

    def is_about(self, name: str, predicate: str, *, as_value: bool) -> bool:
        """Whether a fact of a key may be what ended, by its predicate and by whom it is of."""
        if self.near is None:
            return not as_value and may_end(self.fits, predicate)
        near = Near(name, as_value) in self.near
        if not near and not (self.words and Near(name, as_value, in_part=True) in self.near):
            return False
        return may_end(self.fits, predicate, as_value=as_value, named=bool(self.words))

    def names(self, value: str, said: Collection[Forms]) -> bool:
        """Whether what it names is a value, or all stands in the words of a fact."""
        if self.value in (ANY, value):
            return True
        known = {form for forms in said for form in forms}
        stands = all(not known.isdisjoint(forms) for forms in self.words)
        return bool(self.words) and stands and len(self.words) >= LEAST * len(said)

    @property
    def at(self) -> datetime:
        """When it stopped, as far as is told."""
        return self.claim.start.at if self.claim.start is not None else self.claim.said_at


@dataclass(slots=True)
class Keyed:
    """The claims of one belief key; `added` are ends that fit it, `words` what each of its facts
    says, as stems."""

    predicate: str
    claims: list[Claim]
    rules: Rules
    reviews: Reviews
    added: list[Claim] = field(default_factory=list)
    words: Mapping[str, Collection[Forms]] = field(default_factory=dict)

    def settled(self) -> Settlement:
        """What follows from its claims and the ends that fit it."""
        return settle([*self.claims, *self.added], self.rules, self.reviews)


def settle_subject(
    keys: Mapping[str, Keyed], ends: Sequence[OpenEnd], reviews: Reviews
) -> dict[str, Settlement]:
    """The settlement of each key of a subject, ends that fit taken in; under `""` what became of
    the ends themselves. `reviews` are those of the ends."""
    claims = {claim.id: claim for claim in as_decided([end.claim for end in ends], reviews)}
    live = [
        replace(end, claim=claims[end.claim.id])
        for end in ends
        if end.claim.fact not in reviews.disbelieved
    ]
    several: set[tuple[str, str]] = set()
    for _, told in groupby(sorted(live, key=_told), key=lambda end: _told(end)[:2]):
        several |= _end_each(keys, list(told), reviews)
    found = {name: key.settled() for name, key in keys.items()}
    found[""] = _of_ends(ends, found.values(), several, reviews)
    return found


def _told(end: OpenEnd) -> tuple[datetime, str, str]:
    """The order of ends; those of one sentence lie together."""
    return end.at, f"{end.claim.said_at.isoformat()} {end.sentence or end.claim.id}", end.claim.id


def _end_each(
    keys: Mapping[str, Keyed], told: Sequence[OpenEnd], reviews: Reviews
) -> set[tuple[str, str]]:
    """Let each of the ends that one sentence tells (who left, and whom he left) end the one fact
    that fits; the pairs of which several fit. What fits several and one that another of them ends,
    or a curator chose for another, ends no more."""
    fitting = {
        end: _fitting(keys, end, as_value=False) or _fitting(keys, end, as_value=True)
        for end in told
    }
    chosen = {
        one
        for end, some in fitting.items()
        for one in some
        if (one[1], end.claim.fact) in reviews.changed
    }
    only = chosen or {some[0] for some in fitting.values() if len(some) == 1}
    several: set[tuple[str, str]] = set()
    for end, some in fitting.items():
        mine = [one for one in some if (one[1], end.claim.fact) in reviews.changed]
        if mine or (len(some) == 1 and only.issuperset(some)):
            name, _, value = (mine or some)[0]
            keys[name].added.append(_end(end, value, whole=bool(mine)))
        elif only.isdisjoint(some):
            several |= {(fact, end.claim.fact) for _, fact, _ in some}
    return several


def _fitting(
    keys: Mapping[str, Keyed], end: OpenEnd, *, as_value: bool
) -> list[tuple[str, str, str]]:
    """The key, fact and value of what an end may have ended."""
    return [
        (name, fact, value)
        for name, key in sorted(keys.items())
        if end.is_about(name, key.predicate, as_value=as_value)
        for fact, value in _held(key, end)
    ]


def _held(key: Keyed, end: OpenEnd) -> Iterable[tuple[str, str]]:
    """The facts of a key, each with its value, that an end may have ended."""
    values = {c.fact: c.value for c in key.claims if not c.negative}
    found = {
        s.fact
        for s in key.settled().segments
        if s.standing is Standing.HELD and s.valid_from < end.at < s.valid_to
    }
    return sorted(
        (fact, value)
        for fact, value in values.items()
        if fact in found and end.names(value, key.words.get(fact, ()))
    )


def _end(end: OpenEnd, value: str, *, whole: bool) -> Claim:
    partial = end.claim.partial and not whole
    return replace(end.claim, value=value, mode=Mode.END, partial=partial)


def _of_ends(
    ends: Sequence[OpenEnd],
    settled: Collection[Settlement],
    several: set[tuple[str, str]],
    reviews: Reviews,
) -> Settlement:
    """How the ends stand: as the keys have it that they fit, else for themselves."""
    facts = {end.claim.fact for end in ends}
    apart = [replace(end.claim, value=end.claim.fact) for end in ends]
    alone = settle(apart, Rules(functional=False), reviews)
    fitted = [s for one in settled for s in one.segments if s.fact in facts]
    placed = {s.fact for s in fitted}
    held = {s.fact for s in fitted if s.standing is Standing.HELD}
    segments = {s for s in fitted if s.standing is Standing.HELD or s.fact not in held}
    segments |= {s for s in alone.segments if s.fact not in placed}
    pairs = {p for one in settled for p in one.possible if set(p) & facts} | several
    return Settlement(
        segments=tuple(sorted(segments)),
        superseded=frozenset(
            link for one in settled for link in one.superseded if link[0] in facts
        ),
        contradictions=frozenset(p for one in settled for p in one.contradictions if p[0] in facts),
        weights=alone.weights,
        possible=frozenset(p for p in pairs if p not in reviews.both),
    )
