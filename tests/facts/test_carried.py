"""Going on from the end of a key's settlement gives what settling all of its claims gives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import Mode, Moment, Precision
from app.facts.belief import settle
from app.facts.carried import Carried, Named, advance, pack, sealed, unpack
from app.facts.claim import Authority, Claim, Rules, Tier
from app.facts.interval import Segment, Standing
from tests.facts.test_belief import AGENT, MANY, ONE, OTHER, PLACED, THIRD, USER, at, claim, day

OWN = Authority(Tier.USER, "user:t:eve", 0.7, own=True)
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Kept:
    """What the graph would hold of one key, brought up to date by batches of claims."""

    rules: Rules
    claims: list[Claim] = field(default_factory=list)
    segments: set[Segment] = field(default_factory=set)
    superseded: set[tuple[str, str, str]] = field(default_factory=set)
    contradictions: set[tuple[str, str]] = field(default_factory=set)
    possible: set[tuple[str, str]] = field(default_factory=set)
    state: Carried | None = None
    went_on: int = 0

    def tell(self, batch: list[Claim]) -> None:
        self.claims += batch
        done = advance(self._read(), batch, self.rules) if self.state else None
        if done is None or self.state is None:
            whole = settle(self.claims, self.rules)
            self.segments = set(whole.segments)
            self.superseded = set(whole.superseded)
            self.contradictions = set(whole.contradictions)
            self.possible = set(whole.possible)
            self.state = sealed(self.claims, self.rules)
            return
        involved = {*self.state.facts, *(c.fact for c in batch)}
        stays = {
            s
            for s in self.segments
            if s.fact not in involved
            or (s.standing is Standing.HELD and s.valid_to <= self.state.reached)
        }
        self.segments = stays | set(done.segments)
        self.superseded |= done.superseded
        outside = {p for p in self.contradictions if not set(p) <= involved}
        assert not outside, "every contradiction that stands is carried"
        self.contradictions = set(done.contradictions)
        assert {fact for pair in self.possible for fact in pair} <= involved
        self.possible = set(done.possible)
        self.state, self.went_on = done.carried, self.went_on + 1

    def _read(self) -> Carried:
        """The state as it comes out of the graph."""
        assert self.state is not None
        named = {c.fact: Named(c.value, c.negative) for c in self.claims}
        read = unpack(pack(self.state), self.state.reached, named)
        assert read is not None
        return read


CLAIMS = st.builds(
    claim,
    st.sampled_from(["a", "b", "c"]),
    st.integers(0, 400).map(lambda hours: START + timedelta(hours=hours)),
    by=st.sampled_from([USER] * 6 + [OTHER] * 3 + [THIRD, OWN, AGENT]),
    mode=st.sampled_from([Mode.ASSERT] * 12 + [Mode.END] * 3 + [Mode.DENY, Mode.CORRECT]),
    start=st.one_of(
        *[st.none()] * 3,
        st.builds(
            Moment,
            st.integers(0, 16).map(lambda days: START + timedelta(days=days)),
            st.sampled_from(list(Precision)),
        ),
    ),
    end=st.one_of(
        *[st.none()] * 4,
        st.integers(0, 20).map(lambda days: Moment(START + timedelta(days=days), Precision.DAY)),
    ),
    ongoing=st.sampled_from([True, False, None]),
    partial=st.sampled_from([False, False, True]),
)


@settings(max_examples=150, deadline=None)
@given(
    told=st.lists(CLAIMS, min_size=2, max_size=24),
    sizes=st.lists(st.integers(1, 4), min_size=24, max_size=24),
    in_order=st.booleans(),
    rules=st.sampled_from([ONE, MANY, ONE.with_members(True), PLACED]),
)
def test_batch_by_batch_ends_where_all_at_once_does(
    told: list[Claim], sizes: list[int], in_order: bool, rules: Rules
) -> None:
    claims = list({c.id: c for c in told}.values())
    if not rules.functional:
        claims = [c for c in claims if c.value == "a"]
    if in_order:
        claims.sort(key=lambda c: c.said_at)
    kept = Kept(rules)
    while claims:
        size = sizes[len(claims) % len(sizes)]
        batch, claims = claims[:size], claims[size:]
        kept.tell(batch)
    whole = settle(kept.claims, rules)
    assert kept.segments == set(whole.segments)
    assert kept.contradictions == set(whole.contradictions)
    assert kept.superseded == set(whole.superseded)
    assert kept.possible == set(whole.possible)


def test_talk_in_the_order_of_time_goes_on_each_time() -> None:
    kept = Kept(ONE)
    for n in range(1, 60):
        kept.tell([claim("abc"[n % 3], day(n))])
    assert kept.went_on == 58
    assert kept.segments == set(settle(kept.claims, ONE).segments)


def test_what_was_not_wholly_read_is_carried_on_beside_what_it_may_change() -> None:
    kept = Kept(ONE)
    for n in range(1, 30):
        kept.tell([claim("a", day(n))])
        kept.tell([claim("bc"[n % 2], day(n) + timedelta(hours=2), partial=True)])
    assert kept.went_on == 57
    assert kept.possible == {("a", "c")}
    assert kept.segments == set(settle(kept.claims, ONE).segments)


@pytest.mark.parametrize(
    "late",
    [
        claim("b", day(2)),  # earlier than what was reached
        claim("b", day(9)),  # at that very moment
        claim("b", day(12), mode=Mode.CORRECT, voids="a"),
        claim("b", day(12), by=AGENT),
        claim("b", day(12), start=at(day(3))),
    ],
)
def test_what_is_not_plainly_later_is_declined(late: Claim) -> None:
    state = sealed([claim("a", day(1)), claim("a", day(9))], ONE)
    assert state is not None
    assert advance(state, [late], ONE) is None
    assert advance(state, [claim("b", day(12))], ONE) is not None


def test_a_value_that_loses_its_place_is_settled_with_everything() -> None:
    state = sealed([claim("c", day(5)), claim("b", day(9), start=at(day(9)))], ONE)
    assert state is not None
    strong = Authority(Tier.USER, USER.principal, 0.9)
    assert advance(state, [claim("a", day(9) + timedelta(hours=3), by=strong)], ONE) is None


def test_tiers_and_corrections_leave_no_state() -> None:
    assert sealed([claim("a", day(1)), claim("b", day(2), by=AGENT)], ONE) is None
    assert sealed([claim("a", day(1)), claim("b", day(2), mode=Mode.CORRECT)], ONE) is None
    assert sealed([], ONE) is None


def test_a_state_names_values_by_their_facts_alone() -> None:
    state = sealed([replace(claim("Bremen", day(n)), id=f"c{n}", fact="f1") for n in (1, 2)], ONE)
    assert state is not None
    assert "Bremen" not in pack(state)
    read = unpack(pack(state), state.reached, {"f1": Named("Bremen", False)})
    assert read is not None
    assert read.holder is not None
    assert read.holder.value == "Bremen"
    assert unpack(pack(state), state.reached, {}) is None
