"""What `python -m bench truth` counts, on rows whose outcome is plain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import chain
from pathlib import Path

import pytest
import pytest_asyncio

from app.evals.client import ApiClient
from app.wiring import Parts
from bench.truth import Case, Outcome, Said, load, measure, table
from tests.conftest import Principal
from tests.extraction.near_pairs import NEAR
from tests.extraction.update_pairs import UPDATES

HANDS = sorted((Path(__file__).parent / "truth").glob("hand_*.jsonl"))
# Near misses of other hands that end something: of the half that may be read this one (a line of a
# play), and of the half that is only counted no more than there were when it was counted first.
SEEN_ENDED = ["B-nm-de-014"]
UNSEEN_ENDED = 0


def case(identity: str, kind: str, *texts: str) -> Case:
    said = tuple(
        Said(text=text, at=f"2026-03-0{day}T09:00:00Z") for day, text in enumerate(texts, start=1)
    )
    return Case(id=identity, lang="en", kind=kind, texts=said)


@pytest_asyncio.fixture(loop_scope="session")
async def reading(opened: Parts, tenant: str) -> AsyncIterator[None]:
    """Consolidate what the tenant captures, as the worker does."""

    async def work() -> None:
        while True:
            for due in await opened.consolidation.due():
                if due.tenant == tenant:
                    await opened.consolidation.turn(due)
            await asyncio.sleep(0.05)

    task = asyncio.create_task(work())
    yield
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.usefixtures("reading")
async def test_what_ended_and_what_did_not_is_told_apart(admin: Principal, tenant: str) -> None:
    cases = [
        case("t-moved", "update", "Nora Finn lives in Ghent.", "Nora Finn lives in Bruges now."),
        case("t-same", "near_miss", "Nora Finn lives in Ghent.", "Nora Finn likes green tea."),
        case("t-empty", "near_miss", "Hm.", "Oh."),
    ]
    client = ApiClient("", "", admin.http)
    outcomes = {o.case.id: o for o in await measure(client, tenant, cases, lambda _: None)}
    assert [len(o.read) for o in outcomes.values()] == [1, 1, 0]
    assert outcomes["t-moved"].ended == outcomes["t-moved"].read
    assert outcomes["t-same"].ended == outcomes["t-empty"].ended == ()
    assert "Bruges" in outcomes["t-moved"].held[0]


def test_a_table_counts_halves_and_languages() -> None:
    ended = Outcome(case("a", "update", "x", "y"), ("f",), ("f",), (), ())
    told = Outcome(case("b", "update", "x", "y"), ("f",), (), ("f",), ("f",))
    unread = Outcome(case("c", "update", "x", "y"), (), (), (), ())
    rows = [row for row in table([ended, told, unread]) if row["lang"] == "all"]
    total = {name: sum(row[name] for row in rows) for name in ("rows", "read", "ended", "told")}
    assert total == {"rows": 3, "read": 2, "ended": 1, "told": 2}
    assert all(row["half"] in ("seen", "unseen") for row in rows)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("reading")
async def test_near_misses_of_other_hands_end_nothing(admin: Principal, tenant: str) -> None:
    cases = [c for path in HANDS for c in load(path) if c.kind == "near_miss"]
    client = ApiClient("", "", admin.http)
    ended = [o for o in await measure(client, tenant, cases, lambda _: None) if o.ended]
    assert [o.case.id for o in ended if o.case.half == "seen"] == SEEN_ENDED
    assert sum(o.case.half == "unseen" for o in ended) <= UNSEEN_ENDED


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("reading")
async def test_our_own_near_misses_end_nothing_and_our_updates_do(
    admin: Principal, tenant: str
) -> None:
    near = [case(f"n{n}", "near_miss", *pair) for n, pair in enumerate(chain(*NEAR.values()))][::3]
    rows = list(chain(*UPDATES.values()))[::12]
    updates = [case(f"u{n}", "update", *row[:2]) for n, row in enumerate(rows)]
    client = ApiClient("", "", admin.http)
    found = await measure(client, tenant, [*near, *updates], lambda _: None)
    assert [o.as_row() for o in found if o.case.kind == "near_miss" and o.ended] == []
    done = [o for o in found if o.case.kind == "update"]
    assert sum(bool(o.ended) for o in done) >= 0.95 * len(done), [
        o.as_row() for o in done if not o.ended
    ]
