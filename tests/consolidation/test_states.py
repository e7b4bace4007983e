"""States of episodes on their way: leases, failures with reasons, one holder at a time."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from app.consolidation.apart import Apart, Limits
from app.consolidation.repository import ATTEMPTS, LOST
from app.consolidation.service import ConsolidationService, Tally
from app.entities.digest import scope_digest
from app.errors import LeaseLost
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, again, beliefs, capture, digest, query

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
TOLD = [
    Said(1, "Priya Sundar lives in Bremen.", "Tomas Bielik"),
    Said(2, "Our CI runs on Jenkins.", "Priya Sundar"),
    Said(3, "Marta Quist works at Brennmoor.", "Tomas Bielik"),
]


async def captured(opened: Parts, writer: Principal) -> list[str]:
    return [await capture(opened, writer.caller, said) for said in TOLD]


async def break_assertion(opened: Parts, episode: str) -> None:
    """Leave half a statement in an episode, as a torn write would."""
    await query(
        opened.graph, "MATCH (e:Episode {id: $id}) SET e.assertion = '{\"subject\":'", id=episode
    )


async def states(opened: Parts, scope: str) -> dict[str, str]:
    rows = await query(
        opened.graph,
        "MATCH (e:Episode {scope: $scope}) RETURN e.id AS id, e.consolidation_state AS state",
        scope=scope,
    )
    return {row["id"]: row["state"] for row in rows}


async def expire(opened: Parts, scope: str) -> None:
    """As if the time of a dead worker's lease had passed."""
    await query(
        opened.graph,
        "MATCH (e:Episode {scope: $scope, consolidation_state: 'in_progress'}) "
        "SET e.lease_until = $at "
        "WITH DISTINCT e.scope AS scope MATCH (c:ConsolidationCursor {scope: scope}) "
        "SET c.lease_until = $at",
        scope=scope,
        at=LONG_AGO,
    )


async def test_an_episode_goes_from_raw_over_in_progress_to_consolidated(
    opened: Parts, writer: Principal
) -> None:
    scope, ids = writer.caller.home, await captured(opened, writer)
    assert set((await states(opened, scope)).values()) == {"raw"}
    rows = opened.consolidation._parts.rows
    leased = await rows.lease(scope, writer.caller.tenant, "me", 2)
    assert [row["id"] for row in leased] == ids[:2]
    assert list((await states(opened, scope)).values()).count("in_progress") == 2
    assert await rows.lease(scope, writer.caller.tenant, "another", 2) == []
    setting = await opened.consolidation.setting(scope)
    await opened.consolidation._held(leased, setting, "me", Tally())
    await rows.release(scope, "me")
    await opened.consolidation.consolidate(scope)
    assert set((await states(opened, scope)).values()) == {"consolidated"}
    left = await query(
        opened.graph,
        "MATCH (e:Episode {scope: $scope}) WHERE e.leased_by IS NOT NULL RETURN e.id",
        scope=scope,
    )
    assert left == []


async def test_a_text_that_runs_over_is_given_up_at_once_and_holds_nobody_up(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    hostile = await capture(opened, writer.caller, Said(1, "Anna lives in Berlin. " * 20_000))
    plain = await capture(opened, writer.caller, Said(2, "Priya Sundar lives in Bremen."))
    service = ConsolidationService(opened.consolidation._parts)
    service.reader = Apart(Limits(seconds=0.5))
    try:
        tally = await service.consolidate(scope)
    finally:
        service.reader.stop()
    assert (tally.episodes, tally.failed) == (1, 1)
    assert await states(opened, scope) == {hostile: "failed", plain: "consolidated"}
    seen = (await writer.http.get("/v1/consolidation", params={"scope": scope})).json()
    failure = next(row for row in seen["failures"] if row["id"] == hostile)
    assert failure["attempts"] == 1
    assert failure["reason"] == "ReadsTooLong: reading takes more than 0.5 seconds"


async def test_one_bad_episode_does_not_hold_up_the_rest(opened: Parts, writer: Principal) -> None:
    scope, ids = writer.caller.home, await captured(opened, writer)
    await break_assertion(opened, ids[1])
    tally = await opened.consolidation.consolidate(scope)
    assert (tally.episodes, tally.failed) == (2, 1)
    assert await states(opened, scope) == {
        ids[0]: "consolidated",
        ids[1]: "failed",
        ids[2]: "consolidated",
    }
    seen = (await writer.http.get("/v1/consolidation", params={"scope": scope})).json()
    mine = next(row for row in seen["scopes"] if row["scope"] == scope)
    assert (mine["consolidated"], mine["failed"], mine["raw"]) == (2, 1, 0)
    failure = next(row for row in seen["failures"] if row["id"] == ids[1])
    assert failure["attempts"] == ATTEMPTS
    assert failure["reason"].startswith("JSONDecodeError")
    told = {fact[0] for fact in await beliefs(opened, scope)}
    assert {"priya sundar", "marta quist"} <= told


async def test_a_failed_episode_is_taken_up_again_as_a_job(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    scope, ids = writer.caller.home, await captured(opened, writer)
    await break_assertion(opened, ids[0])
    await opened.consolidation.consolidate(scope)
    curator = await principal(scope, role=Role.CURATOR, name="curator", kind="user")
    body = {"scope": scope, "again": "failed"}
    assert (await writer.http.post("/v1/consolidate", json=body)).status_code == 403
    await query(opened.graph, "MATCH (e:Episode {id: $id}) REMOVE e.assertion", id=ids[0])
    answer = await curator.http.post("/v1/consolidate", json=body)
    assert answer.status_code == 202, answer.text
    assert answer.json()["again"] == 1
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert set((await states(opened, scope)).values()) == {"consolidated"}

    before = (await scope_digest(opened.graph, scope), await digest(opened, scope))
    answer = await curator.http.post("/v1/consolidate", json={"scope": scope, "again": "all"})
    assert answer.json()["again"] == 3
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert (await scope_digest(opened.graph, scope), await digest(opened, scope)) == before


async def test_a_lease_that_ran_out_is_taken_over(opened: Parts, writer: Principal) -> None:
    scope, ids = writer.caller.home, await captured(opened, writer)
    rows = opened.consolidation._parts.rows
    assert len(await rows.lease(scope, writer.caller.tenant, "gone", 32)) == 3
    assert (await opened.consolidation.consolidate(scope)).episodes == 0, "it is still held"
    await expire(opened, scope)
    assert (await opened.consolidation.consolidate(scope)).episodes == len(ids)
    assert set((await states(opened, scope)).values()) == {"consolidated"}


async def test_a_text_that_ends_its_worker_is_given_up_and_no_other(
    opened: Parts, writer: Principal
) -> None:
    scope, ids = writer.caller.home, await captured(opened, writer)
    rows = opened.consolidation._parts.rows
    for death in range(ATTEMPTS):
        assert await rows.lost(scope) == 0
        leased = await rows.lease(scope, writer.caller.tenant, f"gone-{death}", 32)
        assert [row["id"] for row in leased] == (ids[:1] if death else ids)
        assert await rows.lost(scope) == 0, "it is still held"
        await expire(opened, scope)
    tally = await opened.consolidation.consolidate(scope)
    assert (tally.episodes, tally.failed) == (2, 1)
    counted = await query(
        opened.graph,
        "MATCH (e:Episode {scope: $scope}) RETURN e.consolidation_state AS state, "
        "e.attempts AS attempts, e.consolidation_error AS reason ORDER BY e.ingested_at",
        scope=scope,
    )
    done = {"state": "consolidated", "attempts": None, "reason": None}
    assert counted == [{"state": "failed", "attempts": ATTEMPTS, "reason": LOST}, done, done]
    assert await rows.reset(scope, ["failed"]) == 1
    assert (await opened.consolidation.consolidate(scope)).episodes == 1


async def test_who_lost_the_lease_writes_nothing(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    await captured(opened, writer)
    rows = opened.consolidation._parts.rows
    leased = await rows.lease(scope, writer.caller.tenant, "slow", 32)
    await query(
        opened.graph,
        "MATCH (e:Episode {scope: $scope}) WITH e LIMIT 1 SET e.leased_by = 'quick'",
        scope=scope,
    )
    setting = await opened.consolidation.setting(scope)
    with pytest.raises(LeaseLost):
        await opened.consolidation._held(leased, setting, "slow", Tally())
    assert await beliefs(opened, scope) == []
    assert await query(opened.graph, "MATCH (e:Entity {scope: $scope}) RETURN e", scope=scope) == []


async def test_two_that_drain_at_once_share_the_work(opened: Parts, writer: Principal) -> None:
    scope, ids = writer.caller.home, await captured(opened, writer)
    services = [ConsolidationService(opened.consolidation._parts, 1) for _ in range(3)]
    tallies = await asyncio.gather(*(service.consolidate(scope) for service in services))
    await services[0].consolidate(scope)
    assert sum(tally.episodes for tally in tallies) <= len(ids)
    assert set((await states(opened, scope)).values()) == {"consolidated"}
    alone = await query(
        opened.graph,
        "MATCH (c:ConsolidationCursor {scope: $scope}) RETURN c.consolidated AS done",
        scope=scope,
    )
    assert alone == [{"done": len(ids)}]


async def test_a_second_pass_keeps_to_what_names_meant(opened: Parts, writer: Principal) -> None:
    """A name that has gained a second bearer still means, there, whom it meant at first."""
    scope = writer.caller.home
    for said in (
        Said(1, "Frau Weber lives in Bremen.", "Tomas Bielik"),
        Said(2, "Weber lives in Bremen.", "Tomas Bielik"),
        Said(3, "Herr Weber lives in Kiel.", "Tomas Bielik"),
        Said(4, "Weber lives in Emden.", "Tomas Bielik"),
    ):
        await capture(opened, writer.caller, said)
        await opened.consolidation.consolidate(scope)
    before = (await scope_digest(opened.graph, scope), await digest(opened, scope))
    await again(opened, scope, 2)
    await again(opened, scope)
    assert (await scope_digest(opened.graph, scope), await digest(opened, scope)) == before
