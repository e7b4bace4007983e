"""Point 6: what works on every tenant is run by the operator, and by nobody's key."""

from __future__ import annotations

import pytest

from app.jobs.repository import SYSTEM
from app.kernel.caller import Role
from app.tasks import SCHEDULES
from app.wiring import Parts
from tests.conftest import MakePrincipal


async def started(opened: Parts) -> int:
    """Jobs of schedules, of the installation and of anybody."""
    rows = await opened.graph.raw(
        "MATCH (j:Job) WHERE j.args CONTAINS '\"schedule\"' RETURN count(j) AS n"
    )
    return int(rows[0]["n"])


@pytest.mark.parametrize("place", ["{}/dev/user:ada", "{}/dev", "{}"])
async def test_no_key_runs_a_schedule(
    opened: Parts, principal: MakePrincipal, tenant: str, place: str
) -> None:
    who = await principal(place.format(tenant), role=Role.ADMIN, name="boss", kind="user")
    before = await started(opened)
    for schedule in SCHEDULES:
        answer = await who.http.post(f"/v1/schedules/{schedule.name}/run")
        assert answer.status_code in (403, 404, 405)
    assert await started(opened) == before


async def test_jobs_of_the_installation_are_shown_to_no_tenant(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    job = await opened.jobs.create(
        "audit.seal", tenant=SYSTEM, scope=SYSTEM, args={"schedule": "audit.seal"}
    )
    assert (await boss.http.get(f"/v1/jobs/{job.id}")).status_code == 404
    listed = (await boss.http.get("/v1/jobs", params={"limit": 500})).json()["items"]
    assert SYSTEM not in {item["scope"] for item in listed}
    query = {"query": f'{{ job(id: "{job.id}") {{ id }} }}'}
    assert (await boss.http.post("/graphql", json=query)).json()["data"] == {"job": None}
    assert (await boss.http.post(f"/v1/jobs/{job.id}/cancel")).status_code == 404
    await opened.jobs.request_cancel(
        job.id, tenant=SYSTEM, scopes=[SYSTEM], stops=[f"writer {SYSTEM}"], audit={"id": job.id}
    )
