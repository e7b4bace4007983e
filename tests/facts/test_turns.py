"""Values that scopes say in turns come to what settling all of their claims comes to."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import datetime, timedelta

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import Mode, Moment, Precision
from app.facts import runs
from app.facts.belief import Settlement, settle
from app.facts.claim import Authority, Claim, Rules, Tier
from app.facts.interval import Segment, Standing
from app.facts.runs import runs_of, told_by
from app.facts.turns import in_turns
from tests.facts.test_belief import AGENT, ONE, OTHER, PLACED, USER, WEB, claim
from tests.facts.test_runs import SCOPES, START, SURE, TEAM, Told, by_fact, readers, told

CURATED = Authority(Tier.CURATOR, "user:t:cy", 1.0)
OWN = Authority(Tier.USER, "user:t:dee", 0.9, own=True)
VOICED = Authority(Tier.USER, "agent:t:bot", 0.9, voice="user:t:dee")
CROWDS = [[USER], [USER, OTHER], [USER, OTHER, SURE, OWN, VOICED], [AGENT], [WEB], [CURATED]]


def brief(settled: Settlement, as_of: datetime) -> set[Segment]:
    """Of the intervals of each fact those that `in_turns` tells."""
    found = {s for s in settled.segments if s.standing is Standing.QUARANTINED}
    for fact in {s.fact for s in settled.segments}:
        held = [s for s in settled.segments if s.fact == fact and s.standing is Standing.HELD]
        found |= {*held[:1], *held[-1:]}
        found |= {s for s in held if s.valid_from <= as_of < s.valid_to}
    return found


def alike(claims: Told, rules: Rules, moments: list[datetime]) -> tuple[int, int]:
    """How many readers are told by moments and speakers, and how many there are; each as by all
    claims."""
    answered = every = 0
    for seen in readers(by_fact(claims)):
        rows = [{"fact": {"id": fact}, "value": mine[0].value} for fact, mine in seen.items()]
        kept = {fact: runs_of(mine) for fact, mine in seen.items()}
        whole: Settlement | None = None
        for as_of in moments:
            every += 1
            quick = in_turns(rows, kept, rules, as_of)
            if quick is None:
                continue
            answered += 1
            whole = whole or settle([one for mine in seen.values() for one in mine], rules)
            assert set(quick.segments) == brief(whole, as_of)
            assert quick.superseded == whole.superseded
    return answered, every


def words(by: list[Authority], most: int) -> st.SearchStrategy[Told]:
    """Plain words of some speakers about three values in five scopes, each at a moment that few
    others have."""
    one = st.builds(
        claim,
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 4000).map(lambda n: START + timedelta(hours=n)),
        by=st.sampled_from(by),
    )
    return st.lists(st.tuples(one, st.sampled_from(SCOPES)), min_size=2, max_size=most)


@given(
    st.sampled_from(CROWDS).flatmap(lambda by: words(by, 40)),
    st.sampled_from([ONE, TEAM, PLACED]),
    st.integers(1, 40),
)
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_words_in_turns_come_to_what_all_claims_come_to(
    claims: Told, rules: Rules, kept: int
) -> None:
    """Whoever speaks, and whatever is left out of what is kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "KEPT", kept)
        alike(claims, rules, [START + timedelta(hours=n) for n in (-1, 700, 5000)])


@given(
    told([*[Mode.ASSERT] * 8, Mode.DENY, Mode.END, Mode.CORRECT], most=16, ends=True),
    st.sampled_from([ONE, TEAM, PLACED]),
    st.integers(1, 16),
)
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_whatever_is_said_is_never_told_other_than_settled(
    claims: Told, rules: Rules, kept: int
) -> None:
    """Denials, ends, corrections, dates, tiers and moments that meet, among which few are told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "KEPT", kept)
        alike(claims, rules, [START + timedelta(days=n) for n in (0, 12, 99)])


def said(scopes: int, each: int, by: list[Authority]) -> Told:
    """What several scopes say in turns of one thing, each another value."""
    chance = random.Random(each)
    return [
        (
            claim("abc"[n % scopes], START + timedelta(minutes=n), by=chance.choice(by)),
            SCOPES[n % scopes],
        )
        for n in range(each * scopes)
    ]


@pytest.mark.parametrize("by", CROWDS, ids=lambda by: f"{len(by)} of {by[0].tier.name.lower()}")
def test_a_thousand_claims_in_turns_are_told_without_them(by: list[Authority]) -> None:
    claims = said(3, 1000, by)
    last = claims[-1][0].said_at
    answered, every = alike(claims, ONE, [START, last - timedelta(hours=9), last])
    assert answered == every


def rows_of(claims: Told) -> tuple[list[dict[str, object]], dict[str, list[str] | None]]:
    """What a reader is told of facts, and what these keep."""
    facts = by_fact(claims)
    rows = [{"fact": {"id": fact}, "value": mine[0].value} for fact, mine in facts.items()]
    return rows, {fact: runs_of(mine) for fact, mine in facts.items()}


def test_it_takes_a_small_part_of_settling_the_claims() -> None:
    claims = said(3, 1000, [USER])
    rows, kept = rows_of(claims)
    whole = [one for one, _ in claims]

    def least(work: object) -> float:
        taken = []
        for _ in range(5):
            begun = time.process_time()
            work()  # type: ignore[operator]
            taken.append(time.process_time() - begun)
        return min(taken)

    quick = least(lambda: in_turns(rows, kept, ONE, START))
    assert quick * 4 < least(lambda: settle(whole, ONE))


@pytest.mark.parametrize(
    "other",
    [
        claim("a", START, mode=Mode.END),
        claim("a", START, start=Moment(START, Precision.DAY)),
        claim("a", START + timedelta(hours=1), by=AGENT),
        claim("b", START + timedelta(minutes=30)),
    ],
    ids=["an end", "a date", "another tier", "a moment of two values"],
)
def test_one_other_claim_is_settled_as_ever(other: Claim) -> None:
    claims = said(2, 20, [USER])
    rows, kept = rows_of(claims)
    assert in_turns(rows, kept, ONE, START) is not None
    claims.append((replace(other, id="other"), "s"))
    rows, kept = rows_of(claims)
    assert in_turns(rows, kept, ONE, START) is None
    assert told_by(rows, kept) is not None


def test_values_that_may_both_be_so_are_settled_as_ever() -> None:
    rows, kept = rows_of(said(2, 20, [USER]))
    names = {"a": "Bremen", "b": "Vegesack"}
    assert in_turns(rows, kept, replace(PLACED, names=names), START) is None
    apart = {"a": "Bremen", "b": "Kiel"}
    assert in_turns(rows, kept, replace(PLACED, names=apart), START) is not None
    rows = [{**row, "value": f"money:{'EUR' if row['value'] == 'a' else 'USD'}:9"} for row in rows]
    assert in_turns(rows, kept, ONE, START) is None


def test_what_an_older_version_kept_is_not_taken_for_all() -> None:
    claims = said(2, runs.KEPT + 9, [USER])
    rows, kept = rows_of(claims)
    assert in_turns(rows, kept, ONE, START) is not None
    before = {
        fact: [orjson.dumps(orjson.loads(line)[:6]).decode() for line in lines or ()]
        for fact, lines in kept.items()
    }
    assert in_turns(rows, before, ONE, START) is None


def test_of_very_many_claims_no_moments_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOMENTS", 30)
    for each, told_so in ((runs.KEPT + 31, True), (runs.KEPT + 33, False)):
        rows, kept = rows_of(said(2, each, [USER]))
        assert (in_turns(rows, kept, ONE, START) is not None) is told_so
