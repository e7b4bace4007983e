"""What a fact keeps of its claims tells as much as settling all of them would."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import Mode, Moment, Precision
from app.facts.belief import settle
from app.facts.claim import Authority, Claim, Tier
from app.facts.heads import NEWEST, agreed, agreeing, heads_of, newest_of
from app.facts.revision import undated
from tests.facts.test_belief import AGENT, ONE, OTHER, USER, WEB, claim

START = datetime(2026, 1, 1, tzinfo=UTC)
SURE = Authority(Tier.USER, "user:t:dee", 0.9)
MOMENTS = st.integers(0, 12).map(lambda days: START + timedelta(days=days))
PRECISIONS = st.sampled_from(list(Precision))
SPANS = st.one_of(st.none(), st.none(), st.builds(Moment, MOMENTS, PRECISIONS))


def told(values: list[str], modes: list[Mode], ends: st.SearchStrategy[Any]) -> Any:
    """Claims, each with the scope that it is told in."""
    one = st.builds(
        claim,
        st.sampled_from(values),
        MOMENTS,
        by=st.sampled_from([USER, OTHER, SURE, AGENT, WEB]),
        mode=st.sampled_from(modes),
        start=SPANS,
        end=ends,
        ongoing=st.sampled_from([True, False, None]),
    )
    return st.lists(st.tuples(one, st.sampled_from(["s", "t", "u"])), min_size=1, max_size=12)


def facts(claims: list[tuple[Claim, str]]) -> tuple[list[Claim], list[dict[str, Any]]]:
    """The claims of facts that each lie in one scope, and their rows."""
    by_fact: dict[str, list[Claim]] = defaultdict(list)
    for one, scope in claims:
        fact = f"{one.fact}@{scope}"
        by_fact[fact].append(replace(one, fact=fact, id=f"{one.id}@{scope}"))
    rows = [
        {
            "fact": {"id": fact, "negated": mine[0].negative, "heads": heads_of(mine)},
            "value": mine[0].value,
            "reviewed": False,
        }
        for fact, mine in by_fact.items()
    ]
    return [one for mine in by_fact.values() for one in mine], rows


@given(told(["a"], [Mode.ASSERT], st.none()))
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_scopes_that_agree_are_merged_as_their_claims_would_settle(
    claims: list[tuple[Claim, str]],
) -> None:
    every, rows = facts(claims)
    assert agreeing(rows)
    assert agreed(rows) == list(settle(every, ONE).segments)


@given(told(["a", "b"], [*[Mode.ASSERT] * 6, Mode.DENY, Mode.END, Mode.CORRECT], SPANS))
@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
def test_what_is_merged_without_claims_is_never_other_than_settled(
    claims: list[tuple[Claim, str]],
) -> None:
    every, rows = facts(claims)
    if agreeing(rows):
        assert agreed(rows) == list(settle(every, ONE).segments)


@given(told(["a"], [Mode.ASSERT], st.none()), st.integers(0, 12))
def test_heads_grow_with_later_claims_as_if_all_came_at_once(
    claims: list[tuple[Claim, str]], cut: int
) -> None:
    every = [one for one, _ in claims]
    assert heads_of(every[cut:], heads_of(every[:cut]) or ()) == heads_of(every)


@pytest.mark.parametrize(
    "other",
    [
        claim("a", START, mode=Mode.END),
        claim("a", START, mode=Mode.CORRECT),
        claim("a", START, end=Moment(START + timedelta(days=3), Precision.DAY)),
    ],
)
def test_a_claim_that_says_more_leaves_no_heads(other: Claim) -> None:
    assert heads_of([claim("a", START)]) is not None
    assert heads_of([claim("a", START), other]) is None


def test_a_value_that_differs_is_no_agreement() -> None:
    _, rows = facts([(claim("a", START), "s"), (claim("b", START), "t")])
    assert not agreeing(rows)
    assert not agreeing([{**rows[0], "reviewed": True}])


def test_the_newest_sources_come_first_and_are_few() -> None:
    told_of = [f"{at} e{at} 0 5" for at in range(NEWEST + 2)]
    newest = newest_of(told_of[6:], newest_of(told_of[:6]))
    assert newest == [f"{at} e{at} 0 5" for at in range(NEWEST + 1, 1, -1)]


PLAIN = {"since": None, "rest": None}


@pytest.mark.parametrize(
    ("claims", "weight", "told"),
    [
        ([PLAIN, {}], None, True),
        ([PLAIN, PLAIN | {"since": START}], None, False),
        ([PLAIN, PLAIN | {"rest": "they say"}], None, False),
        ([PLAIN], {"last": START, "tellers": [{"partial": False}]}, True),
        ([PLAIN], {"last": START, "tellers": [{"partial": True}]}, False),
        ([PLAIN], {"last": None, "tellers": [{"partial": False}]}, False),
    ],
)
def test_a_fact_is_undated_where_no_claim_says_since_when_nor_was_partly_read(
    claims: list[dict[str, Any]], weight: dict[str, Any] | None, told: bool
) -> None:
    assert undated(claims, weight) is told
