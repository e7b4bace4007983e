"""What facts keep of their claims tells a reader of scopes that disagree what all of them would."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import Mode, Moment, Precision
from app.facts import runs
from app.facts.belief import settle
from app.facts.claim import Authority, Claim, Rules, Tier
from app.facts.runs import runs_of, told_by
from tests.facts.test_belief import AGENT, ONE, OTHER, PLACED, USER, WEB, claim

START = datetime(2026, 1, 1, tzinfo=UTC)
SCOPES = "stuvw"
HELPED = Authority(Tier.QUOTED, "agent:t:helper", 0.7, voice="user:t:dee")
SURE = Authority(Tier.USER, "user:t:dee", 0.9)
ALL = [USER, OTHER, HELPED, AGENT, WEB]
TEAM = Rules(functional=True, members=True)
Told = list[tuple[Claim, str]]  # with the scope that each is told in


def told(
    modes: list[Mode],
    *,
    most: int,
    by: list[Authority] = ALL,
    ends: bool = False,
    few: bool = False,
) -> Any:
    """Claims of few values by some speakers, each in one of five scopes (`few`: of two)."""
    moment = st.integers(0, 20 if few else 30).map(lambda n: START + timedelta(days=n))
    exact = st.sampled_from(Precision) if by == ALL else st.just(Precision.DAY)
    span = st.one_of(st.none(), st.none(), st.builds(Moment, moment, exact))
    one = st.builds(
        claim,
        st.sampled_from(["a", "b", "c"]),
        moment,
        by=st.sampled_from(by),
        mode=st.sampled_from(modes),
        start=span,
        end=st.one_of(st.none(), span) if ends else st.none(),
        ongoing=st.sampled_from([True, False, None]),
        partial=st.sampled_from([False] * 9 + [ends]),
    )
    return st.lists(
        st.tuples(one, st.sampled_from(SCOPES[:2] if few else SCOPES)), min_size=2, max_size=most
    )


def by_fact(claims: Told) -> dict[str, list[Claim]]:
    """The claims of facts, each of which lies in one scope (its last letter)."""
    found: dict[str, list[Claim]] = defaultdict(list)
    for one, scope in claims:
        fact = f"{one.fact}@{scope}"
        found[fact].append(replace(one, fact=fact, id=f"{one.id}{one.ongoing}@{scope}"))
    return found


def readers(facts: dict[str, list[Claim]]) -> Iterator[dict[str, list[Claim]]]:
    """What each reader of two and more scopes sees."""
    scopes = sorted({fact[-1] for fact in facts})
    for size in range(2, len(scopes) + 1):
        for seen in combinations(scopes, size):
            yield {fact: mine for fact, mine in facts.items() if fact[-1] in seen}


def merged(facts: dict[str, list[Claim]]) -> list[Claim] | None:
    """What is told by what the facts keep."""
    rows = [{"fact": {"id": fact}, "value": mine[0].value} for fact, mine in facts.items()]
    return told_by(rows, {fact: runs_of(mine) for fact, mine in facts.items()})


def alike(claims: Told, rules: Rules) -> tuple[int, int]:
    """How many readers are told by what is kept, and how many there are; each as by all claims."""
    answered = readers_of = 0
    for seen in readers(by_fact(claims)):
        readers_of += 1
        kept = merged(seen)
        if kept is None:
            continue
        answered += 1
        short = settle(kept, rules)
        whole = settle([one for mine in seen.values() for one in mine], rules)
        assert short.segments == whole.segments
        assert short.superseded == whole.superseded
        assert short.contradictions == whole.contradictions
        assert short.possible == whole.possible
    return answered, readers_of


ALL_MODES = [*[Mode.ASSERT] * 8, Mode.DENY, Mode.END, Mode.CORRECT]


@given(
    st.one_of(told([Mode.ASSERT], most=14), told(ALL_MODES, most=14, ends=True)),
    st.sampled_from([ONE, TEAM, PLACED]),
)
@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
def test_scopes_that_disagree_are_merged_as_their_claims_would_settle(
    claims: Told, rules: Rules
) -> None:
    """Whatever they say: assert, deny, end, correct, name ends, or were not wholly read."""
    answered, every = alike(claims, rules)
    assert answered == every


@given(
    told(ALL_MODES, most=14, ends=True),
    st.sampled_from([ONE, TEAM, PLACED]),
    st.integers(1, 3),
)
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_what_is_told_without_claims_is_never_other_than_settled(
    claims: Told, rules: Rules, kept: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "KEPT", kept)
        alike(claims, rules)


def eras(by: list[Authority]) -> Any:
    """Times in each of which one value is said."""
    return st.lists(told([Mode.ASSERT], most=14, by=by, few=True), min_size=2, max_size=4)


@given(
    st.one_of(eras([USER, OTHER, SURE]), eras([USER, OTHER, SURE]), eras(ALL)),
    st.sampled_from([ONE, TEAM, PLACED]),
    st.integers(1, 2),
    st.sampled_from([8, 15, 40, 600]),
)
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_words_that_are_left_out_change_nothing(
    eras: list[Told], rules: Rules, kept: int, apart: int
) -> None:
    """Whether the times of different values lie far from each other, or one runs into the next."""
    claims = []
    for place, era in enumerate(eras):
        later = timedelta(days=place * apart)
        value = "abc"[place % 3]
        for one, scope in era:
            start = one.start and replace(one.start, at=one.start.at + later)
            moved = replace(one, fact=value, value=value, said_at=one.said_at + later, start=start)
            claims.append((replace(moved, id=f"{place}{moved.id}"), scope))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "KEPT", kept)
        alike(claims, rules)


@given(
    st.one_of(told([Mode.ASSERT], most=16), told(ALL_MODES, most=16, ends=True)),
    st.integers(0, 16),
    st.integers(1, 4),
)
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_runs_grow_with_later_claims_as_if_all_came_at_once(
    claims: Told, cut: int, kept: int
) -> None:
    every = [replace(one, id=f"{one.id}{one.ongoing}") for one, _ in claims]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "KEPT", kept)
        before = runs_of(every[:cut])
        if before is not None or cut == 0:
            assert runs_of(every[cut:], before or ()) == runs_of(every)


def test_where_tiers_mix_no_word_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's other value keeps an agent's words out until another scope's user ends it: then the
    first word after that counts, and it may be one that is not kept."""

    def on(day: int, value: str, by: Authority) -> Claim:
        return claim(value, START + timedelta(days=day), by=by)

    agent = [(on(day, "a", AGENT), "s") for day in (20, 55, 60, 90)]
    facts = by_fact([*agent, (on(5, "b", USER), "t"), (on(50, "a", USER), "u")])
    assert merged(facts) is not None
    monkeypatch.setattr(runs, "KEPT", 1)
    assert merged(facts) is None
    every = [one for mine in facts.values() for one in mine]
    left_out = [one for one in every if one.said_at != agent[1][0].said_at]
    assert settle(left_out, ONE).segments != settle(every, ONE).segments


@pytest.mark.parametrize(
    "other",
    [
        claim("a", START, mode=Mode.END),
        claim("a", START, mode=Mode.CORRECT),
        claim("a", START, end=Moment(START + timedelta(days=3), Precision.DAY)),
        claim("a", START, partial=True),
    ],
)
def test_a_claim_that_says_more_is_kept_among_few_alone(other: Claim) -> None:
    many = [claim("a", START + timedelta(hours=n)) for n in range(runs.KEPT)]
    assert runs_of([*many, claim("a", START + timedelta(days=99))]) is not None
    assert runs_of([*many, other]) is None
    assert runs_of([*many[1:], other]) is not None


def test_of_very_many_speakers_nothing_is_kept() -> None:
    many = [
        claim("a", START + timedelta(days=n), by=Authority(Tier.USER, f"user:t:u{n}", 0.8))
        for n in range(runs.MOST + 1)
    ]
    assert runs_of(many[1:]) is not None
    assert runs_of(many) is None


def world(chance: random.Random, scopes: int, each: int, in_turns: bool) -> Told:
    """What several scopes say of one thing, each another value so many times."""
    claims = []
    for place in range(scopes):
        for turn in range(each):
            at = turn * scopes + place if in_turns else place * (each + 1) + turn
            by = chance.choice([USER, OTHER])
            claims.append(
                (claim("abc"[place % 3], START + timedelta(days=at), by=by), SCOPES[place])
            )
    return claims


@pytest.mark.parametrize(
    ("each", "in_turns", "share"),
    [(1, True, 1.0), (20, True, 1.0), (100, True, 1.0), (200, False, 1.0), (200, True, 0.0)],
    ids=["once", "some in turns", "a hundred in turns", "many one by one", "many in turns"],
)
def test_how_often_claims_are_read(each: int, in_turns: bool, share: float) -> None:
    """Only scopes that say different things in turns, more than a hundred times, are read so."""
    answered = every = 0
    for scopes in (2, 3):
        done = alike(world(random.Random(scopes), scopes, each, in_turns), ONE)
        answered, every = answered + done[0], every + done[1]
    assert answered / every == share


def test_what_is_kept_is_bounded() -> None:
    many = [
        claim("a", START + timedelta(hours=n), by=[USER, OTHER, AGENT][n % 3]) for n in range(3000)
    ]
    kept = runs_of(many)
    assert kept is not None
    words = runs._claims(kept)
    assert len(words) <= runs.KEPT + 2 * 3
    assert words[-1].id == many[-1].id
    ids = sum(len(word.id) for word in words)
    assert sum(map(len, kept)) < 80 * runs.KEPT + ids + 12 * len(many)
