"""What a later text does to what an earlier one said, read and settled without a graph.

`bench.updates` compares what two texts state; here their claims are settled, so that dates count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.extraction.extract import extract
from app.extraction.model import ANYTHING, Mention, Mode, Statement, Utterance
from app.extraction.predicates import standard
from app.facts.belief import Settlement
from app.facts.claim import Authority, Claim, Reviews, Tier
from app.facts.interval import Standing
from app.facts.open_ends import Keyed, Near, OpenEnd, settle_subject
from app.facts.repository import Terms
from app.indexing.analysis import query_terms
from app.kernel.clock import FOREVER
from app.values.model import Value
from bench.updates import object_key, same_name

EARLIER = datetime(2026, 6, 10, 9, 0, tzinfo=UTC)  # a Wednesday
LATER = datetime(2026, 6, 24, 9, 0, tzinfo=UTC)
WHO = Authority(Tier.USER, "user:t:nora", 0.5, own=True)
TERMS = Terms(standard())


@dataclass(frozen=True)
class Read:
    """A statement of one of the texts, as a claim on a subject."""

    subject: str
    statement: Statement
    claim: Claim

    @property
    def key(self) -> str:
        """The belief key, as far as one subject and one speaker need it."""
        value = "" if TERMS.single(self.statement.predicate, self.claim.value) else self.claim.value
        return f"{self.subject}|{self.statement.predicate}|{value}|{self.statement.qualifier}"


def settled(*texts: tuple[str, datetime]) -> Mapping[str, Settlement]:
    """What follows from some texts of one user; the open ends stand under an empty key."""
    read = list(_read(texts))
    by_key: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        if not one.statement.fits:
            by_key[one.key].append(one)
    keys = {key: _keyed(rows) for key, rows in by_key.items()}
    ends = [_end(one, by_key) for one in read if one.statement.fits and one.claim.negative]
    return settle_subject(keys, ends, Reviews())


def held(found: Mapping[str, Settlement], moment: datetime) -> set[str]:
    """The facts that are held at a moment, as `subject|predicate|key of the value`."""
    return {
        s.fact
        for one in found.values()
        for s in one.segments
        if s.standing is Standing.HELD and s.valid_from <= moment < s.valid_to
    }


def ended(earlier: str, later: str) -> set[str]:
    """What the earlier text says and the later one leaves no longer held without an end."""
    before = held(settled((earlier, EARLIER)), FOREVER.replace(year=9998))
    after = settled((earlier, EARLIER), (later, LATER))
    return before - held(after, FOREVER.replace(year=9998))


def possible(earlier: str, later: str) -> set[tuple[str, str]]:
    """The possible changes that follow from both."""
    found = settled((earlier, EARLIER), (later, LATER))
    return {pair for one in found.values() for pair in one.possible}


def _read(texts: Iterable[tuple[str, datetime]]) -> Iterable[Read]:
    names: list[str] = []
    for place, (text, at) in enumerate(texts):
        for number, one in enumerate(_stated(text, at)):
            name = next((n for n in names if same_name(n, one.subject.name)), one.subject.name)
            names.append(name)
            yield Read(name, one, _claim(name, one, at, f"{place}-{number:03}"))


def _stated(text: str, at: datetime) -> Iterable[Statement]:
    for one in extract(Utterance(text, at, speaker="Nora Weiss"), standard()).statements:
        yield one
        single = TERMS.single(one.predicate, object_key(one.object))
        if one.replaces is not None and not single and one.mode in (Mode.ASSERT, Mode.CORRECT):
            over = Mode.END if one.mode is Mode.ASSERT else Mode.DENY
            yield replace(one, object=one.replaces, replaces=None, mode=over)


def _claim(subject: str, one: Statement, at: datetime, identity: str) -> Claim:
    value, negative = object_key(one.object), one.mode in (Mode.END, Mode.DENY)
    fact = f"{'not ' if negative else ''}{subject}|{one.predicate}|{value}"
    return Claim(
        identity,
        f"end {identity}" if one.fits else fact,
        value,
        one.mode,
        at,
        WHO,
        start=one.since,
        end=one.until,
        ongoing=one.ongoing,
        voids=object_key(one.replaces) or None,
        partial=bool(one.rest),
    )


def _keyed(rows: list[Read]) -> Keyed:
    names = {one.claim.value: _text(one.statement.object) for one in rows}
    first = rows[0]
    rules = TERMS.rules(first.statement.predicate, first.claim.value, names)
    words = {one.claim.fact: _words(one.statement) for one in rows}
    return Keyed(
        first.statement.predicate, [one.claim for one in rows], rules, Reviews(), words=words
    )


def _words(one: Statement) -> list[tuple[str, ...]]:
    kind, _, noun = one.predicate.rpartition(":")  # a verb names no thing
    said = f"{one.subject.name} {noun if kind else ''} {_text(one.object)} {one.rest}"
    return list(query_terms(said.replace("_", " ")))


def _end(end: Read, by_key: Mapping[str, list[Read]]) -> OpenEnd:
    about, thing = end.subject, end.statement.object
    near = {Near(key) for key, rows in by_key.items() if rows[0].subject == about}
    for key, rows in by_key.items():
        ends = [r.statement.object for r in rows]
        if any(isinstance(o, Mention) and same_name(o.name, about) for o in ends):
            near.add(Near(key, as_value=True))
    words = frozenset(query_terms(_text(thing))) if thing != ANYTHING else frozenset()
    fits = frozenset(end.statement.fits)
    return OpenEnd(end.claim, fits, object_key(thing), words, frozenset(near), end.statement.text)


def _text(thing: Mention | Value) -> str:
    return thing.name if isinstance(thing, Mention) else thing.text
