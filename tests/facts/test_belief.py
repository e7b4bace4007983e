"""The cases of belief revision, as tables; nothing here needs a database."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import Mode, Moment, Precision
from app.facts.belief import Settlement, settle
from app.facts.claim import Authority, Claim, Reviews, Rules, Tier
from app.facts.interval import Reason, Standing
from app.facts.record import Thing, Triple
from app.facts.sharing import Sharing
from app.facts.sweep import may_not_retire
from app.kernel.clock import FOREVER

ONE = Rules(functional=True)
MANY = Rules(functional=False)
# Of three values two may both be so: the second lies in the first.
PLACED = Rules(
    functional=True,
    sharing=Sharing.PLACES,
    names={"a": "Berlin", "b": "Kreuzberg", "c": "Hamburg"},
)
USER = Authority(Tier.USER, "user:t:ada", 0.5)
OTHER = Authority(Tier.USER, "user:t:bob", 0.5)
THIRD = Authority(Tier.USER, "user:t:cyd", 0.5)
AGENT = Authority(Tier.AGENT, "agent:t:bot", 0.5)
WEB = Authority(Tier.EXTERNAL, "agent:t:web", 0.5)


def day(n: int, year: int = 2026) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC).replace(month=1 + (n - 1) // 28, day=1 + (n - 1) % 28)


def claim(
    value: str,
    said: datetime,
    *,
    by: Authority = USER,
    mode: Mode = Mode.ASSERT,
    start: Moment | None = None,
    end: Moment | None = None,
    ongoing: bool | None = True,
    voids: str | None = None,
    partial: bool = False,
) -> Claim:
    negative = mode in (Mode.END, Mode.DENY)
    fact = f"not {value}" if negative else value
    parts = (fact, said, by, mode, start, end, voids, partial)
    return Claim(
        id=repr(parts),
        fact=fact,
        value=value,
        mode=mode,
        said_at=said,
        authority=by,
        start=start,
        end=end,
        ongoing=ongoing,
        voids=voids,
        partial=partial,
    )


def at(moment: datetime, precision: Precision = Precision.DAY) -> Moment:
    return Moment(moment, precision)


def year(n: int) -> Moment:
    return Moment(datetime(n, 1, 1, tzinfo=UTC), Precision.YEAR)


def triple(predicate: str, value: str) -> Triple:
    subject = Thing("entity", "entity:ada", "Ada", id="ada", root="ada")
    return Triple("acme", "acme", subject, predicate, Thing("text", f"text:{value}", value))


def held(found: Settlement, moment: datetime) -> set[str]:
    return {
        s.fact
        for s in found.segments
        if s.standing is Standing.HELD and s.valid_from <= moment < s.valid_to
    }


def waiting(found: Settlement) -> dict[str, Reason]:
    return {s.fact: s.reason for s in found.segments if s.standing is Standing.QUARANTINED}


def test_a_later_value_of_a_functional_predicate_retires_the_earlier() -> None:
    found = settle([claim("sf", day(1)), claim("nyc", day(10))], ONE)
    assert held(found, day(5)) == {"sf"}
    assert held(found, day(20)) == {"nyc"}
    assert ("sf", "nyc", Reason.LATER_VALUE) in found.superseded
    assert not found.contradictions


def test_a_price_in_another_currency_waits_beside_the_first() -> None:
    euros, dollars, later = "money:EUR:80", "money:USD:90", "money:EUR:85"
    found = settle([claim(euros, day(1)), claim(dollars, day(5)), claim(later, day(9))], ONE)
    assert held(found, day(6)) == {euros}
    assert held(found, day(10)) == {later}
    assert waiting(found) == {dollars: Reason.OTHER_UNIT}


def test_equal_times_leave_the_smaller_value_and_quarantine_the_other() -> None:
    found = settle([claim("sf", day(1)), claim("nyc", day(1))], ONE)
    assert held(found, day(2)) == {"nyc"}
    assert waiting(found) == {"sf": Reason.NO_ORDER}
    assert found.contradictions == {("nyc", "sf")}


def test_values_of_a_predicate_that_takes_many_are_settled_apart() -> None:
    rust, go = (triple("uses", value) for value in ("rust", "go"))
    assert rust.belief_key(functional=False) != go.belief_key(functional=False)
    assert rust.belief_key(functional=True) == go.belief_key(functional=True)


def test_many_values_live_side_by_side() -> None:
    for value in ("rust", "go"):
        assert held(settle([claim(value, day(1))], MANY), day(2)) == {value}


def test_an_older_statement_that_arrives_late_is_placed_in_the_past() -> None:
    late = claim("sf", day(30), start=at(day(1)), ongoing=False)
    found = settle([claim("nyc", day(10)), late], ONE)
    assert held(found, day(5)) == {"sf"}
    assert held(found, day(40)) == {"nyc"}


def test_the_same_value_again_reinforces_and_starts_where_it_first_held() -> None:
    found = settle([claim("nyc", day(10)), claim("nyc", day(3)), claim("nyc", day(7))], ONE)
    (segment,) = found.segments
    assert (segment.valid_from, segment.valid_to) == (day(3), FOREVER)
    assert found.weights["nyc"].evidence == 3
    assert found.weights["nyc"].principals == 1


def test_a_value_may_come_back() -> None:
    found = settle([claim("a", day(1)), claim("b", day(5)), claim("a", day(9))], ONE)
    assert [held(found, day(n)) for n in (2, 6, 10)] == [{"a"}, {"b"}, {"a"}]


def test_no_longer_ends_a_value_and_stands_itself() -> None:
    found = settle([claim("coffee", day(1)), claim("coffee", day(9), mode=Mode.END)], MANY)
    assert held(found, day(5)) == {"coffee"}
    assert held(found, day(10)) == {"not coffee"}
    again = settle(
        [
            claim("coffee", day(1)),
            claim("coffee", day(9), mode=Mode.END),
            claim("coffee", day(20)),
        ],
        MANY,
    )
    assert held(again, day(21)) == {"coffee"}


def test_a_correction_takes_the_error_out_of_the_past_as_well() -> None:
    right = claim("14 may", day(9), mode=Mode.CORRECT, voids="4 may")
    found = settle([claim("4 may", day(1)), right], ONE)
    assert held(found, day(5)) == {"14 may"}
    assert held(found, day(10)) == {"14 may"}
    assert ("4 may", "14 may", Reason.CORRECTED) in found.superseded


def test_a_correction_that_names_no_error_takes_out_what_was_in_force() -> None:
    right = claim("drift", day(9), mode=Mode.CORRECT)
    found = settle([claim("old", day(1)), claim("leak", day(5)), right], ONE)
    assert held(found, day(2)) == {"old"}
    assert held(found, day(6)) == {"drift"}


def test_the_end_that_a_source_names_is_kept() -> None:
    found = settle([claim("x", day(60), start=year(2004), end=year(2005))], ONE)
    (segment,) = found.segments
    assert (segment.valid_from.year, segment.valid_to.year) == (2004, 2005)
    assert segment.reason is Reason.SOURCE_NAMES_END


def test_the_end_that_one_names_does_not_end_what_another_holds() -> None:
    ends = claim("x", day(9), by=OTHER, start=year(2020), end=year(2022), ongoing=False)
    found = settle([claim("x", day(1)), ends], ONE)
    assert held(found, day(20)) == {"x"}
    since = claim("x", day(1), start=year(2019))
    found = settle([since, ends], ONE)
    assert held(found, day(1, 2024)) == {"x"}
    assert held(found, day(20)) == {"x"}


def test_whose_word_it_is_may_name_its_end() -> None:
    since = claim("x", day(1, 2021), start=year(2019))
    ends = claim("x", day(9), start=year(2019), end=year(2022), ongoing=False)
    herself = replace(ends, authority=Authority(Tier.USER, "user:t:bob", 0.5, own=True))
    for last in (ends, herself):
        found = settle([since, last], ONE)
        assert held(found, day(1, 2021)) == {"x"}
        assert held(found, day(1, 2024)) == set()


def test_the_last_who_holds_it_lets_it_go() -> None:
    mine = claim("x", day(1, 2021), start=year(2019))
    others = claim("x", day(9), by=OTHER, start=year(2019), end=year(2022), ongoing=False)
    own = claim("x", day(9), start=year(2019), end=year(2024), ongoing=False)
    found = settle([mine, others, own], ONE)
    assert held(found, day(1, 2023)) == {"x"}
    assert held(found, day(1, 2025)) == set()
    again = claim("x", day(1, 2023))
    found = settle([mine, others, again, replace(own, end=year(2022))], ONE)
    assert held(found, day(20)) == {"x"}


@pytest.mark.parametrize(
    ("first", "second", "current", "why"),
    [
        (USER, AGENT, "a", Reason.LOWER_TIER),
        (USER, WEB, "a", Reason.LOWER_TIER),
        (USER, OTHER, "a", Reason.OTHER_PRINCIPAL),
        (AGENT, USER, "b", None),
        (WEB, AGENT, "b", None),
        (USER, USER, "b", None),
    ],
)
def test_who_may_retire_what(
    first: Authority, second: Authority, current: str, why: Reason | None
) -> None:
    found = settle([claim("a", day(1), by=first), claim("b", day(5), by=second)], ONE)
    assert held(found, day(9)) == {current}
    assert waiting(found) == ({"b": why} if why else {})
    assert found.contradictions == ({("a", "b")} if why else set())


def test_repetition_is_not_corroboration_and_distinct_principals_are() -> None:
    said = [claim("a", day(1))]
    alone = said + [claim("b", day(n), by=OTHER) for n in range(2, 12)]
    assert held(settle(alone, ONE), day(20)) == {"a"}
    both = [*alone, claim("b", day(15), by=THIRD)]
    assert held(settle(both, ONE), day(20)) == {"b"}
    assert waiting(settle(both, ONE)) == {}


def test_whom_it_is_about_has_the_last_word() -> None:
    own = Authority(Tier.USER, "user:t:bob", 0.5, own=True)
    told = [claim("peanuts", day(1)), claim("hazelnuts", day(5), by=own)]
    assert held(settle(told, ONE), day(9)) == {"hazelnuts"}
    against = [claim("hazelnuts", day(1), by=own), claim("peanuts", day(5))]
    assert held(settle(against, ONE), day(9)) == {"hazelnuts"}


def test_members_may_revise_each_other_where_the_workspace_says_so() -> None:
    told = [claim("active", day(1)), claim("completed", day(5), by=OTHER)]
    assert held(settle(told, Rules(functional=True, members=True)), day(9)) == {"completed"}


def test_without_order_in_time_the_stronger_side_stands() -> None:
    up = claim("up", day(1), by=Authority(Tier.AGENT, "p", 0.9))
    down = claim("down", day(1), by=Authority(Tier.AGENT, "q", 0.3))
    found = settle([up, down], ONE)
    assert held(found, day(2)) == {"up"}
    assert waiting(found) == {"down": Reason.NO_ORDER}


@pytest.mark.parametrize(("up", "down", "stands"), [(0.6, 0.3, "up"), (0.3, 0.3, "down")])
def test_however_low_the_trust_one_of_two_states_stands(
    up: float, down: float, stands: str
) -> None:
    told = [
        claim("up", day(1), by=Authority(Tier.AGENT, "p", up)),
        claim("down", day(1), by=Authority(Tier.AGENT, "q", down)),
    ]
    found = settle(told, ONE)
    assert settle(told[::-1], ONE) == found
    assert held(found, day(2)) == {stands}
    assert list(waiting(found).values()) == [Reason.NO_ORDER]


def test_a_year_does_not_come_before_a_month_inside_it() -> None:
    month = Moment(datetime(2020, 5, 1, tzinfo=UTC), Precision.MONTH)
    found = settle([claim("a", day(1), start=year(2020)), claim("b", day(1), start=month)], ONE)
    assert len(held(found, day(9))) == 1
    assert list(waiting(found).values()) == [Reason.NO_ORDER]


def test_reviews_accept_reject_and_give_intervals() -> None:
    told = [claim("a", day(1)), claim("b", day(5), by=AGENT)]
    accepted = settle(told, ONE, Reviews(accepted=["b"]))
    assert held(accepted, day(9)) == {"b"}
    rejected = settle(told, ONE, Reviews(rejected=["b"]))
    assert held(rejected, day(9)) == {"a"}
    assert waiting(rejected) == {"b": Reason.REJECTED}
    spans = {"a": (day(1), day(5)), "b": (day(5), FOREVER)}
    both = settle(told, ONE, Reviews(intervals=spans))
    assert [held(both, day(n)) for n in (2, 9)] == [{"a"}, {"b"}]


def test_what_was_erased_leaves_no_trace() -> None:
    first, second = claim("a", day(1)), claim("b", day(5))
    assert held(settle([first, second], ONE), day(9)) == {"b"}
    assert settle([first], ONE) == settle([first], ONE)
    assert held(settle([first], ONE), day(9)) == {"a"}


def test_a_plan_is_revised_by_newer_words_only() -> None:
    plan = claim("a", day(10), start=at(day(1)), end=at(day(40)))
    newer = claim("b", day(20), start=at(day(30)))
    assert held(settle([plan, newer], ONE), day(35)) == {"b"}
    older = claim("b", day(5), start=at(day(30)))
    assert held(settle([plan, older], ONE), day(35)) == {"a"}


def test_a_plan_that_is_called_off_before_its_day_retires_nothing() -> None:
    home = claim("a", day(1))
    plan = claim("b", day(5), start=at(day(30)))
    off = claim("b", day(10), mode=Mode.DENY)
    found = settle([home, plan, off], ONE)
    assert held(found, day(40)) == {"a", "not b"}
    assert ("b", "not b", Reason.CORRECTED) in found.superseded
    assert held(settle([home, plan], ONE), day(40)) == {"b"}
    again = claim("b", day(12), start=at(day(30)))
    assert held(settle([home, plan, off, again], ONE), day(40)) == {"b"}, "planned anew"
    late = claim("b", day(35), mode=Mode.DENY)
    assert held(settle([home, plan, late], ONE), day(32)) == {"b"}, "it had come to be"
    guessed = claim("b", day(2), by=AGENT)
    assert held(settle([home, plan, off, guessed], ONE), day(40)) == {"a", "not b"}
    meant = claim("b", day(2))
    assert held(settle([meant, plan, off], ONE), day(40)) == {"b"}, "what was then is denied"
    other = claim("b", day(10), by=OTHER, mode=Mode.DENY)
    assert waiting(settle([home, plan, other], ONE)) == {"b": Reason.OTHER_PRINCIPAL}


def test_another_speaker_through_the_same_agent_is_another_voice() -> None:
    ada = Authority(Tier.USER, "agent:t:bot", 0.5, own=True, voice="agent:t:bot|ada")
    bob = Authority(Tier.USER, "agent:t:bot", 0.5, voice="agent:t:bot|bob")
    cyd = Authority(Tier.USER, "agent:t:bot", 0.5, voice="agent:t:bot|cyd")
    told = [claim("tea", day(1), by=ada), claim("beer", day(2), by=bob)]
    assert held(settle([*told, claim("beer", day(3), by=cyd)], ONE), day(9)) == {"tea"}
    shared = Authority(Tier.USER, "agent:t:bot", 0.5, voice="agent:t:bot|ada")
    both = [claim("beer", day(2), by=bob), claim("beer", day(3), by=cyd)]
    found = settle([claim("tea", day(1), by=shared), *both], ONE)
    assert held(found, day(9)) == {"tea"}, "one agent under two names is one principal"


def test_may_not_retire_needs_every_user_who_said_it() -> None:
    assert may_not_retire([USER], [USER, OTHER], ONE) is Reason.OTHER_PRINCIPAL
    assert may_not_retire([USER, OTHER], [USER, OTHER], ONE) is None


def test_what_was_not_wholly_read_ends_nothing_and_may_have_changed_it() -> None:
    found = settle([claim("sf", day(1)), claim("nyc", day(10), partial=True)], ONE)
    assert held(found, day(5)) == {"sf"}
    assert held(found, day(20)) == {"sf", "nyc"}
    assert found.possible == {("sf", "nyc")}
    assert not found.superseded
    assert not found.contradictions


def test_an_end_that_was_not_wholly_read_leaves_what_it_may_have_ended() -> None:
    over = claim("coffee", day(9), mode=Mode.END, partial=True)
    for rules in (ONE, MANY):
        found = settle([claim("coffee", day(1)), over], rules)
        assert held(found, day(10)) == {"coffee", "not coffee"}
        assert found.possible == {("coffee", "not coffee")}


def test_what_is_said_clearly_later_ends_what_stood_beside() -> None:
    told = [claim("sf", day(1)), claim("nyc", day(10), partial=True)]
    for value, left in (("la", {"la"}), ("nyc", {"nyc"}), ("sf", {"sf"})):
        found = settle([*told, claim(value, day(20))], ONE)
        assert held(found, day(21)) == left, value
        assert not found.possible
    ended = settle([*told, claim("sf", day(20), mode=Mode.END)], ONE)
    assert held(ended, day(21)) == {"nyc", "not sf"}
    again = settle([*told, claim("nyc", day(20))], ONE)
    assert ("sf", "nyc", Reason.LATER_VALUE) in again.superseded
    assert held(again, day(12)) == {"sf", "nyc"}


def test_who_may_not_revise_waits_though_nothing_would_end() -> None:
    for by, why in ((OTHER, Reason.OTHER_PRINCIPAL), (AGENT, Reason.LOWER_TIER)):
        found = settle([claim("a", day(1)), claim("b", day(5), by=by, partial=True)], ONE)
        assert held(found, day(9)) == {"a"}
        assert waiting(found) == {"b": why}
        assert not found.possible
    quorum = [claim("a", day(1)), claim("b", day(5), by=OTHER, partial=True)]
    found = settle([*quorum, claim("b", day(6), by=THIRD)], ONE)
    assert held(found, day(9)) == {"a"}, "what was not wholly read makes no quorum"


def test_a_higher_tier_ends_a_lower_one_only_with_what_was_wholly_read() -> None:
    told = [claim("a", day(1), by=AGENT), claim("b", day(5), partial=True)]
    found = settle(told, ONE)
    assert held(found, day(9)) == {"a", "b"}
    assert found.possible == {("a", "b")}
    late = settle([claim("b", day(1), partial=True), claim("a", day(5), by=AGENT)], ONE)
    assert (held(late, day(9)), waiting(late)) == ({"b"}, {"a": Reason.LOWER_TIER})


def test_a_correction_that_was_not_wholly_read_takes_nothing_out() -> None:
    right = claim("14 may", day(9), mode=Mode.CORRECT, voids="4 may", partial=True)
    found = settle([claim("4 may", day(1)), right], ONE)
    assert held(found, day(10)) == {"4 may", "14 may"}
    assert found.possible == {("4 may", "14 may")}


def test_who_waits_is_not_lifted_by_what_was_not_wholly_read() -> None:
    planned = claim("b", day(1), start=year(2025), end=at(day(44)), ongoing=False)
    plain = [planned, claim("a", day(1)), claim("b", day(44))]
    assert held(settle(plain, ONE), day(50)) == {"b"}
    assert waiting(settle(plain, ONE)) == {"a": Reason.NO_ORDER}
    with_partial = settle([*plain, claim("a", day(44), partial=True)], ONE)
    assert held(with_partial, day(50)) == {"a", "b"}


def test_who_waits_keeps_his_word_beside_what_was_not_wholly_read() -> None:
    planned = claim("b", day(3), start=year(2025), end=at(day(44)), ongoing=False)
    plain = [claim("a", day(3), start=year(2025)), claim("b", day(2)), planned]
    assert held(settle(plain, ONE), day(10)) == {"b"}
    for partial in (
        claim("b", day(1), partial=True),
        claim("b", day(1), partial=True, ongoing=False),
    ):
        assert "b" in held(settle([*plain, partial], ONE), day(10))


def test_who_waits_waits_again_once_what_was_not_wholly_read_is_over() -> None:
    told = [claim("a", day(1)), claim("b", day(5), by=OTHER), claim("a", day(8))]
    over = settle([*told, claim("b", day(6), partial=True)], ONE)
    assert held(over, day(9)) == {"a"}
    assert waiting(over) == {"b": Reason.OTHER_PRINCIPAL}
    assert over.contradictions == {("a", "b")}
    ended = claim("c", day(2), start=at(day(2)), end=at(day(8)), partial=True)
    found = settle([claim("b", day(1), partial=True), claim("c", day(7), by=OTHER), ended], ONE)
    assert "c" in waiting(found) or "c" in held(found, day(9))


def test_what_was_not_wholly_read_makes_no_quorum_in_any_order() -> None:
    first, second = claim("a", day(1)), claim("b", day(5), by=OTHER)
    for n in (4, 6):
        found = settle([first, second, claim("b", day(n), by=THIRD, partial=True)], ONE)
        assert held(found, day(9)) == {"a"}
        assert waiting(found) == {"b": Reason.OTHER_PRINCIPAL}


def test_a_curator_who_has_read_it_decides_on_a_possible_change() -> None:
    told = [claim("sf", day(1)), claim("nyc", day(10), partial=True)]
    changed = settle(told, ONE, Reviews(changed=[("sf", "nyc")]))
    assert [held(changed, day(n)) for n in (5, 20)] == [{"sf"}, {"nyc"}]
    both = settle(told, ONE, Reviews(both=[("sf", "nyc")]))
    assert held(both, day(20)) == {"sf", "nyc"}
    assert not both.possible
    wrong = settle(told, ONE, Reviews(rejected=["nyc"]))
    assert held(wrong, day(20)) == {"sf"}
    assert not wrong.possible


AUTHORITIES = st.sampled_from([USER, OTHER, THIRD, AGENT, WEB])


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    start = draw(st.none() | st.integers(1, 40).map(lambda n: at(day(n))) | st.just(year(2025)))
    mode = draw(st.sampled_from([Mode.ASSERT, Mode.ASSERT, Mode.END, Mode.DENY, Mode.CORRECT]))
    end = draw(st.none() | st.integers(41, 60).map(lambda n: at(day(n)))) if start else None
    return claim(
        draw(st.sampled_from("abc")),
        day(draw(st.integers(1, 50))),
        by=draw(AUTHORITIES),
        mode=mode,
        start=start,
        end=end,
        ongoing=draw(st.sampled_from([True, False, None])),
        voids=draw(st.none() | st.sampled_from("abc")) if mode is Mode.CORRECT else None,
        partial=draw(st.booleans()),
    )


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(
    st.lists(claims(), max_size=9),
    st.randoms(use_true_random=False),
    st.sampled_from([ONE, MANY, PLACED]),
)
def test_the_order_of_arrival_does_not_matter(
    told: list[Claim], chance: random.Random, rules: Rules
) -> None:
    mixed = told[:]
    chance.shuffle(mixed)
    found = settle(told, rules)
    assert settle(mixed, rules) == found
    assert settle([*mixed, *told], rules) == found, "a claim that comes twice counts once"


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(st.lists(claims(), min_size=1, max_size=9))
def test_at_most_one_value_is_held_at_a_time(told: list[Claim]) -> None:
    # A change that lies back is read in part of the moment when it was told.
    found = settle([replace(c, partial=False, ongoing=bool(c.ongoing)) for c in told], ONE)
    moments = {s.valid_from for s in found.segments} | {day(70)}
    for moment in moments:
        positive = [fact for fact in held(found, moment) if not fact.startswith("not ")]
        assert len(positive) <= 1
        for fact in positive:
            assert f"not {fact}" not in held(found, moment)
    assert {c.fact for c in told} >= {s.fact for s in found.segments}


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(st.lists(claims(), min_size=1, max_size=9), st.booleans())
def test_what_was_not_wholly_read_takes_nothing_from_what_was(
    told: list[Claim], functional: bool
) -> None:
    rules = Rules(functional=functional)
    one = [replace(c, authority=USER) for c in told if c.mode is not Mode.CORRECT]
    plain = [c for c in one if not c.partial]
    alone, together = settle(plain, rules), settle(one, rules)
    for moment in {s.valid_from for s in alone.segments} | {day(70)}:
        assert held(alone, moment) <= held(together, moment)
    for older, newer in together.possible:
        assert {older, newer} <= {s.fact for s in together.segments}


@pytest.mark.one_python
@settings(max_examples=400, deadline=None)
@given(st.lists(claims(), min_size=1, max_size=9))
def test_whatever_is_held_at_once_and_cannot_be_is_a_possible_change(told: list[Claim]) -> None:
    found = settle(told, ONE)
    now = held(found, datetime(2100, 1, 1, tzinfo=UTC))
    values = {fact for fact in now if not fact.startswith("not ")}
    clash = {frozenset((a, b)) for a in values for b in values if a != b}
    clash |= {frozenset((a, f"not {a}")) for a in values if f"not {a}" in now}
    assert {frozenset(pair) for pair in found.possible} == clash


@pytest.mark.one_python
@settings(max_examples=300, deadline=None)
@given(st.lists(claims(), min_size=1, max_size=8))
def test_a_lower_tier_changes_nothing_that_a_user_holds(told: list[Claim]) -> None:
    users = [c for c in told if c.authority.tier is Tier.USER]
    lower = [c for c in told if c.authority.tier is not Tier.USER]
    alone = settle(users, ONE)
    together = settle(users + lower, ONE)
    for moment in {s.valid_from for s in alone.segments} | {day(70)}:
        assert held(alone, moment) <= held(together, moment)


def test_a_value_beside_the_end_that_it_may_lift_is_a_possible_change() -> None:
    told = [
        claim("c", day(1), mode=Mode.END, start=at(day(1))),
        claim("c", day(1), by=OTHER, start=at(day(2))),
        claim("c", day(2), partial=True),
        claim("a", day(1), mode=Mode.END),
    ]
    found = settle(told, ONE)
    assert held(found, day(9)) >= {"c", "not c"}
    assert {frozenset(pair) for pair in found.possible} == {frozenset(("c", "not c"))}


def test_a_part_of_a_place_ends_no_stay_in_it() -> None:
    told = [claim("a", day(1)), claim("b", day(2)), claim("a", day(3))]
    found = settle(told, PLACED)
    assert held(found, day(9)) == {"a", "b"}
    assert found.superseded == frozenset()
    assert found.possible == {("a", "b")}


def test_what_lies_elsewhere_ends_both() -> None:
    found = settle([claim("a", day(1)), claim("b", day(2)), claim("c", day(4))], PLACED)
    assert held(found, day(3)) == {"a", "b"}
    assert held(found, day(9)) == {"c"}


def test_a_denial_still_ends_the_part() -> None:
    told = [claim("a", day(1)), claim("b", day(2)), claim("b", day(3), mode=Mode.END)]
    assert held(settle(told, PLACED), day(9)) == {"a", "not b"}


@pytest.mark.one_python
@settings(max_examples=200, deadline=None)
@given(st.lists(claims(), min_size=1, max_size=9))
def test_nothing_is_replaced_by_what_may_share_its_time(told: list[Claim]) -> None:
    one = [replace(c, authority=USER) for c in told if c.mode is Mode.ASSERT]
    found = settle(one, PLACED)
    replaced = {(old, new) for old, new, why in found.superseded if why is Reason.LATER_VALUE}
    assert not replaced & {("a", "b"), ("b", "a")}


BUDGET = Rules(functional=True)  # words and amounts, of which the first may share with all others


def amount(value: str, moment: datetime) -> Claim:
    """One of several amounts of a budget, or words for it."""
    key = f"text:{value}" if value.isalpha() else f"money:EUR:{value}"
    return replace(claim(value, moment), value=key)


def test_what_shares_its_time_with_what_is_held_still_ends_what_cannot() -> None:
    told = [amount(v, day(n)) for n, v in enumerate(("unlimited", "5000", "7000", "9000"), 1)]
    found = settle(told, BUDGET)
    assert held(found, day(30)) == {"unlimited", "9000"}
    assert held(found, day(2)) == {"unlimited", "5000"}


def test_a_correction_takes_out_nothing_that_may_be_so_as_well() -> None:
    alone = settle([claim("a", day(1)), claim("b", day(2), mode=Mode.CORRECT)], PLACED)
    assert held(alone, day(9)) == {"a", "b"}
    assert alone.superseded == frozenset()
    told = [claim("a", day(1)), claim("b", day(2)), claim("c", day(3), mode=Mode.CORRECT)]
    corrected = {(old, why) for old, _, why in settle(told, PLACED).superseded}
    assert ("b", Reason.CORRECTED) in corrected, "what was said last is the error"


def test_a_curator_may_say_that_one_took_the_place_of_the_other() -> None:
    told = [claim("a", day(1)), claim("b", day(2))]
    found = settle(told, PLACED, Reviews(changed={("a", "b")}))
    assert held(found, day(9)) == {"b"}
    assert found.possible == frozenset()


def test_what_is_said_again_lifts_its_denial_beside_what_is_held() -> None:
    told = [claim("a", day(1)), claim("b", day(2)), claim("b", day(3), mode=Mode.END)]
    assert held(settle([*told, claim("b", day(4))], PLACED), day(9)) == {"a", "b"}


def test_a_lower_tier_waits_as_ever_and_is_not_ended_by_what_may_be_so_beside_it() -> None:
    later = settle([claim("a", day(1), by=USER), claim("b", day(2), by=AGENT)], PLACED)
    assert held(later, day(9)) == {"a"}
    before = settle([claim("b", day(1), by=AGENT), claim("a", day(2), by=USER)], PLACED)
    assert held(before, day(9)) == {"a", "b"}
    assert before.possible == {("b", "a")}
