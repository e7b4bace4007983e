"""Schedules that the operator runs dry tell what they would do, and write nothing but their job."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from app.jobs.repository import SYSTEM
from app.tasks import DRY_RUNS, SCHEDULES
from app.wiring import Parts
from tests.conftest import Command, Principal

WRITTEN = (
    "MATCH (n) WHERE NOT n:Job AND NOT n:Idempotency AND n.scope STARTS WITH $tenant "
    "RETURN n.id AS id, properties(n) AS p ORDER BY n.id"
)


async def state(opened: Parts, tenant: str) -> list[Any]:
    """Everything that is stored of a tenant."""
    rows = await opened.graph.raw(WRITTEN, tenant=tenant)
    return [orjson.dumps(row["p"], default=str, option=orjson.OPT_SORT_KEYS) for row in rows]


async def filled(opened: Parts, who: Principal) -> None:
    """Something for each schedule: what ran out, a table, what no snapshot has."""
    short = {"session": "s", "key": "weir", "value": "The weir of Tarn is shut."}
    assert (await who.http.post("/v1/short-term-memory", json=short)).status_code == 201
    url = "/v1/working-memory/shift"
    put = await who.http.put(f"{url}/state", json={"value": 1})
    assert put.status_code == 200
    assert (await who.http.put(f"{url}/copy")).status_code == 200
    table = {"name": "weirs", "columns": [{"name": "weir"}]}
    made = await who.http.post("/v1/tables", json=table)
    assert made.status_code == 201, made.text
    rows = {"rows": [{"weir": "Tarn"}]}
    added = await who.http.post(f"/v1/tables/{made.json()['id']}/rows", json=rows)
    assert added.is_success, added.text
    await opened.graph.raw(
        "MATCH (n) WHERE (n:ShortMemory OR n:WorkingCopy) AND n.scope = $scope "
        "SET n.expires_at = datetime() - duration('PT1H')",
        scope=who.caller.home,
    )


async def result_of(opened: Parts, job: str) -> dict[str, Any]:
    """What a job of the installation told."""
    found = await opened.jobs.get(job, [SYSTEM])
    assert found is not None
    assert found.result is not None
    return dict(found.result)


async def test_a_dry_run_writes_nothing(
    opened: Parts, writer: Principal, tenant: str, command: Command
) -> None:
    await filled(opened, writer)
    await opened.indexing.drain()
    before = await state(opened, tenant)
    told: dict[str, Any] = {}
    for name in ("working.expire", "shortterm.expire", "tables.relink", "snapshots.take"):
        ran = await command("schedules", "run", name, "--dry-run", "--json")
        assert ran.exit_code == 0, ran.output
        job = orjson.loads(ran.stdout)["job"]
        assert await opened.runner.run(opened, job) == "done"
        told[name] = await result_of(opened, job)
    assert await state(opened, tenant) == before
    assert {each["dry_run"] for each in told.values()} == {True}
    assert told["working.expire"]["copies"] >= 1
    assert told["shortterm.expire"]["entries"] >= 1
    assert told["tables.relink"]["linked"] >= 1
    assert told["snapshots.take"]["changed"] >= 1


@pytest.mark.parametrize("task", sorted(DRY_RUNS))
def test_what_may_run_dry_is_a_schedule(task: str) -> None:
    assert task in {schedule.task for schedule in SCHEDULES}
