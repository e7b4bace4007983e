"""What has not been used for long ranks lower where a scope's rules say so, and nowhere else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kernel.clock import now
from app.kernel.graph import query_log
from app.search.mode import Mode
from app.search.model import MOST_FADED, Fade
from app.search.schemas import SearchIn
from app.wiring import Parts
from tests.conftest import Principal
from tests.search.test_service import capture, ids, search

DAY = timedelta(days=1)
SHARES = st.floats(0, 1)
SCORES = st.floats(0, 20)


@given(SHARES, SCORES, SCORES, SCORES)
def test_what_fades_alike_keeps_its_order(left: float, one: float, two: float, low: float) -> None:
    low = min(low, one, two)
    first, second = Fade(left, max(one, two), low), Fade(left, min(one, two), low)
    assert first.score >= second.score
    assert low <= second.score <= second.before + 1e-9
    assert first.score - low >= (1 - MOST_FADED) * (first.before - low) - 1e-9


def test_what_has_not_faded_keeps_its_score_and_the_rest_loses_at_most_a_part() -> None:
    assert Fade(1.0, 0.9, 0.1).score == pytest.approx(0.9)
    assert Fade(0.0, 0.9, 0.1).score == pytest.approx(0.1 + 0.7 * 0.8)
    assert Fade(0.5, 0.9, 0.1).factor == pytest.approx(0.85)


async def switch_on(admin: Principal, scope: str, **rules: Any) -> None:
    put = await admin.http.put("/v1/scopes/rules", params={"scope": scope}, json=rules)
    assert put.status_code == 200, put.text


async def two_wombats(admin: Principal, opened: Parts) -> tuple[str, str]:
    """An old episode that matches a little better than a new one."""
    ago = (now() - 60 * DAY).isoformat()
    old = await capture(
        admin, "The wombat sleeps in hangar nine.", session="a", speaker="Ada", captured_at=ago
    )
    # One word longer: a little worse whatever else the index holds, as its lengths and
    # frequencies are those of all tenants.
    new = await capture(
        admin, "The wombat sleeps in hangar nine alone.", session="b", speaker="Bea"
    )
    await opened.indexing.drain()
    return old, new


async def asked(admin: Principal, **more: Any) -> dict[str, Any]:
    question = {"mode": "keyword", "kinds": ["episode"], **more}
    return await search(admin, "wombat sleeps hangar nine", **question)


def scores(found: dict[str, Any]) -> list[tuple[str, int, float | None]]:
    return [(hit["id"], hit["rank"], (hit["fade"] or {}).get("factor")) for hit in found["hits"]]


async def test_what_lay_idle_ranks_lower_and_says_so(admin: Principal, opened: Parts) -> None:
    old, new = await two_wombats(admin, opened)
    third = await capture(admin, "A hangar.", session="c")  # the weakest candidate
    before = await asked(admin)
    assert ids(before) == [old, new, third]
    assert all(hit["fade"] is None for hit in before["hits"])
    await switch_on(admin, admin.caller.home, decay=True)
    after = await asked(admin)
    assert ids(after) == [new, old, third]
    faded = next(hit for hit in after["hits"] if hit["id"] == old)
    was = next(hit for hit in before["hits"] if hit["id"] == old)
    assert (was["rank"], faded["rank"]) == (1, 2)
    assert was["score"] > faded["score"]
    assert faded["fade"]["left"] == pytest.approx(0.5 ** (60 / 7), abs=1e-4)
    assert faded["fade"]["factor"] == pytest.approx(0.7, abs=2e-3)


async def test_off_again_the_answer_is_the_same_to_the_bit(admin: Principal, opened: Parts) -> None:
    await two_wombats(admin, opened)
    before = await asked(admin)
    await switch_on(admin, admin.caller.home, maintenance="nightly")
    assert scores(await asked(admin)) != scores(before)
    await switch_on(admin, admin.caller.home)
    assert (await asked(admin))["hits"] == before["hits"]


async def test_a_pin_and_a_question_about_the_past_hold_it_where_it_is(
    admin: Principal, opened: Parts
) -> None:
    old, new = await two_wombats(admin, opened)
    third = await capture(admin, "A hangar.", session="c")
    await switch_on(admin, admin.caller.home, decay=True)
    assert ids(await asked(admin)) == [new, old, third]
    then = await asked(admin, as_of=now().isoformat())
    assert ids(then) == [old, new, third]
    assert then["hits"][0]["fade"] is None
    pin = await admin.http.post(f"/v1/memories/{old}/pin")
    assert pin.status_code == 200
    assert ids(await asked(admin)) == [old, new, third]


async def test_facts_fade_by_their_predicate_and_from_when_they_were_learnt(
    admin: Principal, opened: Parts
) -> None:
    await capture(admin, "Heron has been active since 2015. Ada Berger lives in Bremen.")
    await opened.consolidation.consolidate(admin.caller.home)
    await opened.indexing.drain()
    await switch_on(admin, admin.caller.home, decay=True)
    found = await search(admin, "Heron active, Ada Berger Bremen", kinds=["fact"])
    assert len(found["hits"]) >= 2
    assert all(hit["fade"]["left"] > 0.99 for hit in found["hits"])


async def test_where_it_is_off_the_rules_cost_no_query_of_a_second_search(
    admin: Principal, opened: Parts
) -> None:
    await two_wombats(admin, opened)
    await opened.scopes.rules_of(admin.caller.visible)
    asking: list[tuple[str, float]] = []
    token = query_log.set(asking)
    try:
        request = SearchIn(query="wombat", mode=Mode.KEYWORD).to_request(admin.caller)
        assert (await opened.searches.search(request)).hits
    finally:
        query_log.reset(token)
    assert not {"scopes.rules", "lifecycle.last_uses"} & {name for name, _ in asking}
    assert "search.keyword" in {name for name, _ in asking}
