"""Point 9: a job is seen and stopped with the rights to what it is about, and counts tell nobody
of what another tenant does."""

from __future__ import annotations

from typing import Any

import pytest

from app.jobs.access import ADMINISTERED, CURATED
from app.jobs.model import Job
from app.kernel.caller import Role
from app.kernel.ids import new_id
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal


async def status(who: Principal) -> dict[str, Any]:
    answer = await who.http.get("/v1/status")
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


async def seen(who: Principal, job: str) -> set[str]:
    """By which routes a caller sees a job."""
    found = set()
    if (await who.http.get(f"/v1/jobs/{job}")).status_code == 200:
        found.add("read")
    listed = (await who.http.get("/v1/jobs", params={"limit": 500})).json()["items"]
    if job in {item["id"] for item in listed}:
        found.add("list")
    one = {"query": f'{{ job(id: "{job}") {{ id }} }}'}
    if (await who.http.post("/graphql", json=one)).json()["data"]["job"]:
        found.add("graphql")
    return found


EVERYWHERE = {"read", "list", "graphql"}


async def test_status_counts_nothing_of_another_tenant(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER)
    other = await principal(f"{tenant}-x/dev", name="other")
    before = await status(reader)
    assert before["jobs"] == {}
    assert before["backlog"] == {"pending": 0, "failed": 0, "unlinked": 0}
    for n in range(3):
        body = {"content": f"Their line {n}.", "session": "s"}
        await other.http.post("/v1/episodes", json=body)
        job = await opened.jobs.create(
            "none", tenant=f"{tenant}-x", scope=f"{tenant}-x/dev", args={}, job_id=new_id()
        )
        await opened.graph.raw("MATCH (j:Job {id: $id}) SET j.state = 'dead'", id=job.id)
    assert await status(reader) == before
    theirs = await status(other)
    assert theirs["jobs"] == {"dead": 3}
    assert theirs["backlog"]["pending"] == 3


async def test_an_export_of_a_hidden_workspace_is_its_askers_own(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    hidden = await principal(f"{tenant}/hidden", name="inside")
    await hidden.http.post("/v1/episodes", json={"content": "Secret plans.", "session": "s"})
    reader = await principal(tenant, role=Role.READER, name="reader", subtree=False)
    writer = await principal(tenant, name="writer", subtree=False)
    job = (await admin.http.post("/v1/exports", json={})).json()["id"]
    assert await opened.runner.run(opened, job) == "done"
    assert await seen(admin, job) == EVERYWHERE
    for who in (reader, writer, hidden):
        assert await seen(who, job) == set()


@pytest.mark.parametrize("access", [ADMINISTERED, CURATED])
async def test_a_writer_stops_no_job_that_it_could_not_have_started(
    opened: Parts, principal: MakePrincipal, tenant: str, access: Any
) -> None:
    scope = f"{tenant}/dev"
    boss = await principal(scope, role=Role.ADMIN, name="boss", kind="user")
    writer = await principal(scope)

    async def made() -> Job:
        return await opened.jobs.create(
            "none", tenant=tenant, scope=scope, args={}, job_id=new_id(), access=access
        )

    job = await made()
    for action in ("cancel", "rerun"):
        assert (await writer.http.post(f"/v1/jobs/{job.id}/{action}")).status_code == 404
    change = {"query": f'mutation {{ cancelJob(id: "{job.id}") {{ state }} }}'}
    assert (await writer.http.post("/graphql", json=change)).json()["errors"]
    assert (await boss.http.get(f"/v1/jobs/{job.id}")).json()["state"] == "queued"
    assert (await boss.http.post(f"/v1/jobs/{job.id}/cancel")).json()["state"] == "cancelled"
    assert (await writer.http.post(f"/v1/jobs/{job.id}/rerun")).status_code == 404


async def test_each_job_over_http_is_stopped_with_the_role_that_starts_it(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(tenant, name="writer", subtree=True)
    started = {
        "import": await admin.http.post(
            "/v1/imports", params={"scope": tenant}, content=b"{}\n",
            headers={"content-type": "application/x-ndjson"},
        ),
        "export": await admin.http.post("/v1/exports", json={}),
        "communities": await admin.http.post("/v1/communities/refresh", json={}),
        "consolidate": await admin.http.post("/v1/consolidate", json={}),
    }  # fmt: skip
    for name, answer in started.items():
        assert answer.status_code == 202, (name, answer.text)
        job = answer.json().get("id") or answer.json()["job"]
        stopped = await writer.http.post(f"/v1/jobs/{job}/cancel")
        assert stopped.status_code == 404, name
        assert (await admin.http.post(f"/v1/jobs/{job}/cancel")).status_code == 200, name


async def test_a_writer_stops_its_own_export(writer: Principal) -> None:
    job = (await writer.http.post("/v1/exports", json={})).json()["id"]
    stopped = await writer.http.post(f"/v1/jobs/{job}/cancel")
    assert stopped.json()["state"] == "cancelled"


async def queued(opened: Parts, who: Principal) -> dict[str, str]:
    """Jobs that a key asked for, by their tasks, before any has run."""
    base = (await who.http.post("/v1/knowledge-bases", json={"name": "b"})).json()["id"]
    body = {"knowledge_base": base, "name": "a", "text": "Mara lives in Kiel."}
    taken = (await who.http.post("/v1/documents", json=body)).json()
    assert await opened.runner.run(opened, taken["job"]["id"]) == "done"
    answers = [
        await who.http.post("/v1/communities/refresh", json={}),
        await who.http.post("/v1/consolidate", json={}),
        await who.http.delete(f"/v1/documents/{taken['document']['id']}"),
        await who.http.delete(f"/v1/knowledge-bases/{base}"),
    ]
    for answer in answers:
        assert answer.status_code == 202, answer.text
    jobs = [job for job in await opened.jobs.due() if job.tenant == who.caller.tenant]
    return {job.task: job.id for job in jobs if job.args.get("caller")}


LOSES = {
    "key": "MATCH (k:ApiKey {id: $key}) SET k.revoked_at = datetime.realtime()",
    "role": "MATCH (k:ApiKey {id: $key}) SET k.role = 'reader'",
}


@pytest.mark.parametrize("loses", LOSES)
async def test_what_a_key_asked_for_is_not_done_once_it_may_not_ask(
    opened: Parts, principal: MakePrincipal, tenant: str, loses: str
) -> None:
    await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    who = await principal(tenant, role=Role.CURATOR, name="hired", kind="user")
    jobs = await queued(opened, who)
    assert len(jobs) == 4
    await opened.graph.raw(LOSES[loses], key=who.caller.key)
    for task, job in jobs.items():
        assert await opened.runner.run(opened, job) == "dead", task
        (row,) = await opened.graph.raw("MATCH (j:Job {id: $id}) RETURN j.error AS error", id=job)
        assert row["error"].startswith(("Forbidden", "NotFound")), row


@pytest.mark.parametrize("loses", LOSES)
async def test_another_model_is_not_prepared_or_given_up_for_a_key_that_may_not(
    opened: Parts, principal: MakePrincipal, tenant: str, loses: str
) -> None:
    await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    who = await principal(tenant, role=Role.ADMIN, name="hired", kind="user")
    scope = f"{tenant}/dev"
    await principal(scope, name="inside")
    asked = {"prepare": {"scope": scope, "model": "wide"}, "finish": {"scope": scope}}
    jobs = []
    for action, body in asked.items():
        answer = await who.http.post(f"/v1/embedding/{action}", json=body)
        assert answer.status_code == 202, answer.text
        jobs.append(answer.json()["job"])
    await opened.graph.raw(LOSES[loses], key=who.caller.key)
    for job in jobs:
        assert await opened.runner.run(opened, job) == "dead"
        (row,) = await opened.graph.raw("MATCH (j:Job {id: $id}) RETURN j.error AS error", id=job)
        assert row["error"].startswith(("Forbidden", "NotFound")), row


async def test_what_a_key_asks_for_is_done(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(tenant, role=Role.CURATOR, name="hired", kind="user")
    for task, job in (await queued(opened, who)).items():
        assert await opened.runner.run(opened, job) == "done", task
