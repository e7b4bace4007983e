"""Ends that leave open what ended ("moved out", "stepped down"): pure.

Such an end is a fact of its own, under a key of its own for each subject. It ends the one fact of
the subject that fits: of a predicate that its verb may end, of the value that it names where it
names one, begun before it and held then. Where several fit, each is a possible change; where none
does, it stands alone, until a claim that comes later, whatever it tells of, makes one fit.

What fits follows from the claims of all keys of the subject, so these are settled together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.extraction.model import ANYTHING, Mode
from app.extraction.predicates import may_end
from app.facts.belief import Settlement, settle
from app.facts.claim import Claim, Reviews, Rules
from app.facts.interval import Standing

ANY = ANYTHING.key


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """A claim of an end with the predicates of which a fact may have ended; `value` is the key of
    the object, `ANY` where none is named."""

    claim: Claim
    fits: frozenset[str]
    value: str

    @property
    def at(self) -> datetime:
        """When it stopped, as far as is told."""
        return self.claim.start.at if self.claim.start is not None else self.claim.said_at


@dataclass(slots=True)
class Keyed:
    """The claims of one belief key; `added` are ends that fit it."""

    predicate: str
    claims: list[Claim]
    rules: Rules
    reviews: Reviews
    added: list[Claim] = field(default_factory=list)

    def settled(self) -> Settlement:
        """What follows from its claims and the ends that fit it."""
        return settle([*self.claims, *self.added], self.rules, self.reviews)


def settle_subject(
    keys: Mapping[str, Keyed], ends: Sequence[OpenEnd], reviews: Reviews
) -> dict[str, Settlement]:
    """The settlement of each key of a subject, ends that fit taken in; under `""` what became of
    the ends themselves. `reviews` are those of the ends."""
    live = [end for end in ends if end.claim.fact not in reviews.disbelieved]
    several: set[tuple[str, str]] = set()
    for end in sorted(live, key=lambda e: (e.at, e.claim.id)):
        fitting = [
            (name, fact, value)
            for name, key in sorted(keys.items())
            if may_end(end.fits, key.predicate)
            for fact, value in _held(key, end)
        ]
        chosen = [one for one in fitting if (one[1], end.claim.fact) in reviews.changed]
        if chosen or len(fitting) == 1:
            name, _, value = (chosen or fitting)[0]
            keys[name].added.append(_end(end, value, whole=bool(chosen)))
        else:
            several |= {(fact, end.claim.fact) for _, fact, _ in fitting}
    found = {name: key.settled() for name, key in keys.items()}
    found[""] = _of_ends(ends, found.values(), several, reviews)
    return found


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
        if fact in found and end.value in (ANY, value)
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
