"""What a curator's word does to belief, and what is said after it: pure."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import Mode
from app.facts.belief import Settlement, settle
from app.facts.claim import Authority, Claim, Reviews, Rules, Tier
from app.facts.interval import Reason, Standing
from app.kernel.clock import FOREVER
from tests.facts.test_belief import (
    AGENT,
    MANY,
    ONE,
    OTHER,
    PLACED,
    THIRD,
    USER,
    at,
    claim,
    claims,
    day,
    held,
    waiting,
)

TOOL = Authority(Tier.TOOL, "agent:t:probe", 0.5)
BOT = Authority(Tier.AGENT, "agent:t:two", 0.5)


def courses(found: Settlement, *days: int) -> list[set[str]]:
    return [held(found, day(n)) for n in days]


# --- accepting ----------------------------------------------------------------------------------

MOVED = [claim("berlin", day(1)), claim("vienna", day(5), by=OTHER), claim("graz", day(9))]
ACCEPTED = Reviews(accepted=["vienna"], decided={"vienna": day(10)})


def test_what_is_accepted_late_ends_no_newer_belief() -> None:
    found = settle(MOVED, ONE, Reviews(accepted=["vienna"]))
    assert courses(found, 3, 7, 12) == [{"berlin"}, {"vienna"}, {"graz"}]
    assert waiting(found) == {}
    assert ("berlin", "vienna", Reason.LATER_VALUE) in found.superseded


def test_what_is_said_after_an_acceptance_goes_on_from_there() -> None:
    told = MOVED[:2]
    for by, value in ((USER, "graz"), (USER, "berlin"), (OTHER, "linz")):
        found = settle([*told, claim(value, day(30), by=by)], ONE, ACCEPTED)
        assert courses(found, 7, 31) == [{"vienna"}, {value}], value
    stranger = settle([*told, claim("linz", day(30), by=THIRD)], ONE, ACCEPTED)
    assert held(stranger, day(31)) == {"vienna"}
    assert waiting(stranger) == {"linz": Reason.OTHER_PRINCIPAL}


def test_who_said_what_was_accepted_may_take_it_back() -> None:
    over = claim("vienna", day(12), by=OTHER, mode=Mode.END)
    found = settle([*MOVED[:2], over], ONE, ACCEPTED)
    assert courses(found, 7, 13) == [{"vienna"}, {"not vienna"}]
    before = settle([*MOVED[:2], replace(over, said_at=day(8))], ONE, ACCEPTED)
    assert courses(before, 7, 9) == [{"vienna"}, {"not vienna"}]


def test_what_it_stood_against_is_decided_however_often_it_was_said() -> None:
    told = [*MOVED[:2], claim("berlin", day(7)), claim("berlin", day(8), by=AGENT)]
    found = settle(told, ONE, ACCEPTED)
    assert courses(found, 3, 6, 9, 40) == [{"berlin"}, {"vienna"}, {"vienna"}, {"vienna"}]
    again = settle([*told, claim("berlin", day(20))], ONE, ACCEPTED)
    assert courses(again, 9, 21) == [{"vienna"}, {"berlin"}]


def test_what_waits_beside_what_is_accepted_goes_on_waiting() -> None:
    for by in (OTHER, THIRD):
        found = settle([*MOVED[:2], claim("linz", day(7), by=by)], ONE, ACCEPTED)
        assert courses(found, 6, 9) == [{"vienna"}, {"vienna"}], by
        assert waiting(found) == {"linz": Reason.OTHER_PRINCIPAL}


def test_what_a_lower_tier_said_and_was_accepted_keeps_its_tier() -> None:
    told = [claim("a", day(1)), claim("b", day(5), by=AGENT)]
    reviews = Reviews(accepted=["b"], decided={"b": day(10)})
    assert courses(settle(told, ONE, reviews), 3, 9) == [{"a"}, {"b"}]
    assert courses(settle([*told, claim("c", day(9))], ONE, reviews), 6, 12) == [{"b"}, {"c"}]
    stranger = settle([*told, claim("c", day(9), by=OTHER)], ONE, reviews)
    assert (held(stranger, day(12)), waiting(stranger)) == ({"b"}, {"c": Reason.OTHER_PRINCIPAL})
    over = claim("b", day(20), by=AGENT, mode=Mode.END)
    assert courses(settle([*told, over], ONE, reviews), 12, 21) == [{"b"}, {"not b"}]
    confirmed = [*told, claim("a", day(3), by=BOT), claim("a", day(7), by=BOT)]
    assert courses(settle(confirmed, ONE, reviews), 3, 12) == [{"a"}, {"b"}]


def test_what_fills_a_gap_above_what_is_accepted_stays() -> None:
    told = [
        claim("a", day(1)),
        claim("b", day(5), by=AGENT),
        claim("a", day(6), mode=Mode.END),
        claim("c", day(9), by=TOOL),
    ]
    before, after = settle(told, ONE), settle(told, ONE, Reviews(accepted=["b"]))
    assert held(before, day(12)) == {"not a", "c"}
    assert courses(after, 3, 5, 12) == [{"a"}, {"b"}, {"not a", "c"}]


def test_a_denial_is_accepted_and_followed_like_a_value() -> None:
    told = [claim("b", day(1)), claim("b", day(5), by=OTHER, mode=Mode.DENY)]
    reviews = Reviews(accepted=["not b"], decided={"not b": day(10)})
    for rules in (ONE, MANY):
        found = settle([*told, claim("b", day(7))], rules, reviews)
        assert courses(found, 3, 12) == [{"b"}, {"not b"}]
        again = settle([*told, claim("b", day(20))], rules, reviews)
        assert courses(again, 12, 21) == [{"not b"}, {"b"}]


def test_another_unit_is_accepted_and_the_newer_price_stays() -> None:
    euros, dollars, later = "money:EUR:80", "money:USD:90", "money:EUR:85"
    told = [claim(euros, day(1)), claim(dollars, day(5))]
    reviews = Reviews(accepted=[dollars], decided={dollars: day(10)})
    assert courses(settle(told, ONE, reviews), 3, 9) == [{euros}, {dollars}]
    found = settle([*told, claim(later, day(9))], ONE, reviews)
    assert courses(found, 3, 6, 12) == [{euros}, {dollars}, {later}]


def test_of_one_moment_the_accepted_stands() -> None:
    told = [claim("a", day(5)), claim("b", day(5), by=AGENT)]
    found = settle(told, ONE, Reviews(accepted=["b"]))
    assert (held(found, day(9)), waiting(found)) == ({"b"}, {"a": Reason.NO_ORDER})


def test_what_is_said_of_it_after_the_acceptance_is_as_any_word() -> None:
    told = [*MOVED, claim("vienna", day(20), by=OTHER)]
    assert courses(settle(told, ONE, ACCEPTED), 7, 12, 21) == [{"vienna"}, {"graz"}, {"graz"}]


def test_an_accepted_correction_corrects() -> None:
    right = claim("14 may", day(9), by=OTHER, mode=Mode.CORRECT, voids="4 may")
    told = [claim("4 may", day(1)), right]
    assert held(settle(told, ONE), day(12)) == {"4 may"}
    found = settle(told, ONE, Reviews(accepted=["14 may"]))
    assert courses(found, 5, 12) == [{"14 may"}, {"14 may"}]


# --- intervals ----------------------------------------------------------------------------------

RAMIPRIL = claim("ramipril", day(1))
OVER = Reviews(ended={"ramipril": day(10)})


def test_what_a_later_text_ended_comes_back_with_a_later_word() -> None:
    for rules in (ONE, MANY):
        found = settle([RAMIPRIL], rules, OVER)
        assert courses(found, 5, 11) == [{"ramipril"}, set()]
        again = settle([RAMIPRIL, claim("ramipril", day(20))], rules, OVER)
        assert courses(again, 5, 11, 21) == [{"ramipril"}, set(), {"ramipril"}]


def test_a_later_text_ends_one_stint_and_no_other() -> None:
    told = [RAMIPRIL, claim("ramipril", day(3), mode=Mode.END), claim("ramipril", day(8))]
    found = settle(told, MANY, OVER)
    assert courses(found, 2, 5, 9, 11) == [{"ramipril"}, {"not ramipril"}, {"ramipril"}, set()]


def test_a_later_text_ends_a_denial() -> None:
    denied = claim("lift", day(1), mode=Mode.DENY)
    found = settle([denied], MANY, Reviews(ended={"not lift": day(10)}))
    assert courses(found, 5, 11) == [{"not lift"}, set()]


def test_what_another_says_may_follow_what_a_later_text_ended() -> None:
    told = [claim("berlin", day(1)), claim("vienna", day(20), by=OTHER)]
    found = settle(told, ONE, Reviews(ended={"berlin": day(10)}))
    assert courses(found, 5, 11, 21) == [{"berlin"}, set(), {"vienna"}]


KEPT = Reviews(
    intervals={"berlin": (day(1), FOREVER), "vienna": (day(5), FOREVER)},
    decided={"berlin": day(10), "vienna": day(10)},
)


def test_what_is_kept_side_by_side_ends_with_what_is_said_later() -> None:
    told = MOVED[:2]
    assert held(settle(told, ONE, KEPT), day(12)) == {"berlin", "vienna"}
    over, graz = claim("vienna", day(20), mode=Mode.END), claim("graz", day(25))
    found = settle([*told, over, graz], ONE, KEPT)
    assert courses(found, 3, 12, 22, 26) == [
        {"berlin"},
        {"berlin", "vienna"},
        {"berlin", "not vienna"},
        {"graz", "not vienna"},
    ]
    assert {("vienna", "not vienna", Reason.STOPPED)} <= found.superseded
    for by in (THIRD, AGENT):
        away = [claim("vienna", day(20), mode=Mode.END, by=by), claim("graz", day(25), by=by)]
        assert held(settle([*told, *away], ONE, KEPT), day(26)) >= {"berlin", "vienna"}, by


def test_what_is_kept_side_by_side_does_not_end_each_other() -> None:
    told = [*MOVED[:2], claim("berlin", day(15)), claim("vienna", day(16), by=OTHER)]
    assert held(settle(told, ONE, KEPT), day(20)) == {"berlin", "vienna"}
    before = [*told, claim("graz", day(9))]
    assert held(settle(before, ONE, KEPT), day(9)) == {"berlin", "vienna", "graz"}


def test_an_interval_that_is_over_begins_anew_with_a_later_word() -> None:
    spans = {"berlin": (day(1), day(5)), "vienna": (day(5), FOREVER)}
    reviews = replace(KEPT, intervals=spans)
    assert courses(settle(MOVED[:2], ONE, reviews), 3, 12) == [{"berlin"}, {"vienna"}]
    found = settle([*MOVED[:2], claim("berlin", day(15))], ONE, reviews)
    assert courses(found, 3, 12, 16) == [{"berlin"}, {"vienna"}, {"berlin"}]


def test_what_was_read_in_part_may_have_changed_what_has_an_interval() -> None:
    told = [*MOVED[:2], claim("graz", day(25), partial=True)]
    found = settle(told, ONE, KEPT)
    assert held(found, day(26)) == {"berlin", "vienna", "graz"}
    assert found.possible == {("berlin", "graz"), ("vienna", "graz")}
    before = settle([*MOVED[:2], claim("graz", day(9), partial=True)], ONE, KEPT)
    assert not before.possible


# --- corrections --------------------------------------------------------------------------------


def test_a_correction_takes_out_the_stint_that_it_means_alone() -> None:
    told = [claim("vienna", day(1)), claim("berlin", day(5)), claim("vienna", day(10))]
    for voids in ("vienna", None):
        right = claim("graz", day(11), mode=Mode.CORRECT, voids=voids)
        found = settle([*told, right], ONE)
        assert courses(found, 3, 7, 12) == [{"vienna"}, {"berlin"}, {"graz"}]
        assert held(found, day(10)) == {"graz"}
        assert ("vienna", "graz", Reason.CORRECTED) in found.superseded


def test_a_correction_after_an_end_takes_out_the_later_stint() -> None:
    told = [
        claim("vienna", day(1)),
        claim("vienna", day(4), mode=Mode.END),
        claim("vienna", day(10)),
        claim("graz", day(11), mode=Mode.CORRECT, voids="vienna"),
    ]
    found = settle(told, ONE)
    assert courses(found, 3, 10, 12) == [{"vienna"}, {"not vienna", "graz"}, {"not vienna", "graz"}]


def test_a_correction_leaves_what_a_lower_tier_said_of_another_time() -> None:
    told = [
        claim("vienna", day(1), by=AGENT),
        claim("berlin", day(5)),
        claim("vienna", day(10)),
        claim("vienna", day(10), by=BOT),
        claim("graz", day(11), mode=Mode.CORRECT, voids="vienna"),
    ]
    assert courses(settle(told, ONE), 3, 7, 12) == [{"vienna"}, {"berlin"}, {"graz"}]


def test_a_correction_takes_out_what_a_lower_tier_said_of_the_same_stay() -> None:
    told = [
        claim("vienna", day(3), by=AGENT),
        claim("vienna", day(10)),
        claim("graz", day(11), mode=Mode.CORRECT, voids="vienna"),
    ]
    assert courses(settle(told, ONE), 5, 12) == [set(), {"graz"}]


def test_a_correction_of_a_plan_leaves_what_was_so_before() -> None:
    told = [
        claim("vienna", day(1)),
        claim("berlin", day(5)),
        claim("vienna", day(10), start=at(day(30))),
        claim("graz", day(11), mode=Mode.CORRECT, voids="vienna"),
    ]
    found = settle(told, ONE)
    assert courses(found, 3, 20, 31) == [{"vienna"}, {"berlin"}, {"graz"}]


def test_who_waits_with_an_error_corrects_himself() -> None:
    told = [
        claim("vienna", day(1)),
        claim("berlin", day(5)),
        claim("vienna", day(10), by=OTHER),
        claim("graz", day(11), by=OTHER, mode=Mode.CORRECT, voids="vienna"),
    ]
    found = settle(told, ONE)
    assert courses(found, 3, 12) == [{"vienna"}, {"berlin"}]
    assert "vienna" not in waiting(found)


# --- whatever the order -------------------------------------------------------------------------

FACTS = st.sampled_from(["a", "b", "c", "not a", "not b"])
MOMENTS = st.integers(1, 55).map(day)


@st.composite
def decided(draw: st.DrawFn) -> Reviews:
    """Some verdicts, each with the moment at which it fell."""
    start = draw(MOMENTS)
    end = draw(st.none() | MOMENTS.filter(lambda moment: moment > start))
    reviewed = draw(st.lists(FACTS, max_size=3, unique=True))
    one, two, three = [*reviewed, *[None] * (3 - len(reviewed))]
    return Reviews(
        accepted=[one] if one else [],
        ended={two: draw(MOMENTS)} if two else {},
        intervals={three: (start, end or FOREVER)} if three else {},
        decided={fact: draw(MOMENTS) for fact in reviewed},
    )


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(
    st.lists(claims(), max_size=9),
    decided(),
    st.randoms(use_true_random=False),
    st.sampled_from([ONE, MANY, PLACED]),
)
def test_with_reviews_too_the_order_of_arrival_does_not_matter(
    told: list[Claim], reviews: Reviews, chance: random.Random, rules: Rules
) -> None:
    mixed = told[:]
    chance.shuffle(mixed)
    found = settle(told, rules, reviews)
    assert settle(mixed, rules, reviews) == found
    assert settle([*mixed, *told], rules, reviews) == found
    assert {s.fact for s in found.segments} <= {c.fact for c in told} | set(reviews.intervals)


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(st.lists(claims(), min_size=2, max_size=9), MOMENTS)
def test_accepting_holds_one_value_at_a_time(told: list[Claim], moment: datetime) -> None:
    # A change that is told with its date may stand beside what is held when it is told.
    whole = [replace(c, partial=False, ongoing=bool(c.ongoing)) for c in told]
    found = settle(whole, ONE, Reviews(accepted=["a", "not b"], decided={"a": moment}))
    for start in {s.valid_from for s in found.segments} | {day(70)}:
        positive = [fact for fact in held(found, start) if not fact.startswith("not ")]
        assert len(positive) <= 1
        for fact in positive:
            assert f"not {fact}" not in held(found, start)


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ac"), st.integers(2, 40).filter(lambda n: n != 5)),
        max_size=6,
        unique_by=lambda one: one[1],
    ),
    st.booleans(),
)
def test_accepting_ends_no_belief_that_began_later(
    told: list[tuple[str, int]], lower: bool
) -> None:
    """What one who may revise it said of another value after what waits, holds as before."""
    waits = claim("b", day(5), by=AGENT if lower else OTHER)
    own = [claim("a", day(1)), *(claim(value, day(n)) for value, n in told), waits]
    before = settle(own, ONE)
    after = settle(own, ONE, Reviews(accepted=["b"], decided={"b": day(45)}))
    for segment in before.segments:
        if segment.standing is Standing.HELD and segment.valid_from > day(5):
            assert segment in after.segments
