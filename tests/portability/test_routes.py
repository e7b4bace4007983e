"""Imports and exports over HTTP, run by the job runner as a worker runs them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.jobs.spool import spool_of
from app.kernel.caller import Role
from app.portability.archive import pack
from app.portability.package import open_package
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.portability.packages import turns, write_package

Finish = Callable[[Principal, httpx.Response], Awaitable[dict[str, Any]]]


@pytest.fixture
def finish(opened: Parts) -> Finish:
    """Runs the job that an answer names, and gives it as the API shows it."""

    async def run(who: Principal, answer: httpx.Response) -> dict[str, Any]:
        assert answer.status_code == 202, answer.text
        await opened.runner.run(opened, answer.json()["id"])
        shown: dict[str, Any] = (await who.http.get(f"/v1/jobs/{answer.json()['id']}")).json()
        return shown

    return run


def lines(records: list[dict[str, Any]]) -> bytes:
    """Records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


NDJSON = {"content-type": "application/x-ndjson"}


async def test_json_lines_are_imported_by_a_job(
    admin: Principal, finish: Finish, tenant: str
) -> None:
    body = lines([*turns("elsewhere/dev", 3), {"session": "s"}])
    answer = await admin.http.post(
        "/v1/imports", params={"scope": tenant}, content=body, headers=NDJSON
    )
    job = await finish(admin, answer)
    assert job["state"] == "done", job
    assert job["result"]["kinds"] == {"episode": {"accepted": 3, "duplicates": 0, "rejected": 1}}
    assert job["items"] == [
        {
            "file": "episodes.jsonl",
            "line": 4,
            "reason": "InvalidInput",
            "detail": "scope is missing",
            "field": "scope",
        }
    ]
    listed = (await admin.http.get("/v1/episodes", params={"scope": f"{tenant}/dev"})).json()
    assert len(listed["items"]) == 3


@pytest.mark.parametrize("form", [True, False])
async def test_an_archive_comes_raw_or_in_a_form(
    admin: Principal, finish: Finish, tenant: str, tmp_path: Path, form: bool
) -> None:
    pack(write_package(tmp_path / "p", episodes=turns("x", 5)), tmp_path / "p.tar.gz")
    body = (tmp_path / "p.tar.gz").read_bytes()
    where = {"scope": tenant}
    if form:
        files = {"file": ("backup.tar.gz", body, "application/gzip")}
        answer = await admin.http.post("/v1/imports", params=where, files=files)
    else:
        headers = {"content-type": "application/gzip"}
        answer = await admin.http.post("/v1/imports", params=where, content=body, headers=headers)
    job = await finish(admin, answer)
    assert job["result"]["kinds"]["episode"]["accepted"] == 5


async def test_an_upload_may_be_larger_than_a_request(
    admin: Principal, finish: Finish, opened: Parts, tenant: str
) -> None:
    long = [{**turn, "content": turn["content"] + " word" * 30_000} for turn in turns("x", 20)]
    body = lines(long)
    assert len(body) > 2 * opened.settings.api.max_body
    answer = await admin.http.post(
        "/v1/imports", params={"scope": tenant}, content=body, headers=NDJSON
    )
    job = await finish(admin, answer)
    assert job["result"]["kinds"]["episode"]["accepted"] == 20


async def test_the_same_key_is_one_import(admin: Principal, finish: Finish, tenant: str) -> None:
    headers = {**NDJSON, "idempotency-key": "monday"}
    where = {"scope": tenant}
    body = lines(turns("x", 2))
    first = await admin.http.post("/v1/imports", params=where, content=body, headers=headers)
    await finish(admin, first)
    second = await admin.http.post("/v1/imports", params=where, content=body, headers=headers)
    assert second.json()["id"] == first.json()["id"]
    assert second.json()["state"] == "done"
    other = await admin.http.post("/v1/imports", params=where, content=body + body, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "IdempotencyMismatch")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"dry_run": "true"}, {}),
        ({}, {"dry_run": "true"}),
        ({}, {"scope": "other"}),
        ({}, {"vouched": "true"}),
        ({}, {"kind": "note"}),
        ({}, {"format": "openai-messages"}),
    ],
)
async def test_the_same_key_is_one_import_as_it_was_asked_for(
    admin: Principal, tenant: str, first: dict[str, str], second: dict[str, str]
) -> None:
    headers = {**NDJSON, "idempotency-key": "tuesday"}
    body = lines([{"role": "user", "content": "Hello.", "session": "s", "scope": tenant}])
    answers = []
    for how in (first, second, first):
        where = {**how, "scope": f"{tenant}/{how.get('scope', 'dev')}"}
        answers.append(
            await admin.http.post("/v1/imports", params=where, content=body, headers=headers)
        )
    assert [answer.status_code for answer in answers] == [202, 409, 202], answers[1].text
    assert answers[1].json()["code"] == "IdempotencyMismatch"
    assert answers[2].json()["id"] == answers[0].json()["id"]


@pytest.mark.parametrize(
    ("content_type", "body", "status", "code"),
    [
        ("text/html", b"<p>", 415, "UnsupportedMediaType"),
        ("application/x-ndjson", b"", 422, "InvalidInput"),
        ("multipart/form-data", b"x", 422, "InvalidInput"),
        ("multipart/form-data; boundary=x", b"--x--\r\n", 422, "InvalidInput"),
    ],
)
async def test_what_cannot_be_an_upload_is_refused_and_leaves_no_file(
    admin: Principal,
    opened: Parts,
    tenant: str,
    content_type: str,
    body: bytes,
    status: int,
    code: str,
) -> None:
    before = sorted(spool_of(opened.settings).folder.glob("*"))
    answer = await admin.http.post(
        "/v1/imports",
        params={"scope": tenant},
        content=body,
        headers={"content-type": content_type},
    )
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert sorted(spool_of(opened.settings).folder.glob("*")) == before


async def test_importing_needs_admin_where_it_writes(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/dev")
    body = lines(turns("x", 1))
    for who, scope, status in (
        (writer, f"{tenant}/dev", 403),
        (admin, "somebody-else", 404),
        (admin, f"{tenant}/team:red", 422),
    ):
        answer = await who.http.post(
            "/v1/imports", params={"scope": scope}, content=body, headers=NDJSON
        )
        assert answer.status_code == status, answer.text


async def test_a_broken_archive_is_a_dead_job_that_says_so(
    admin: Principal, finish: Finish, tenant: str
) -> None:
    answer = await admin.http.post(
        "/v1/imports",
        params={"scope": tenant},
        content=b"PK no zip",
        headers={"content-type": "application/zip"},
    )
    job = await finish(admin, answer)
    assert job["state"] == "dead"
    assert "package.zip is broken" in job["error"]


async def test_a_cancelled_import_stops(admin: Principal, opened: Parts, tenant: str) -> None:
    answer = await admin.http.post(
        "/v1/imports", params={"scope": tenant}, content=lines(turns("x", 5)), headers=NDJSON
    )
    job = answer.json()["id"]
    cancelled = await admin.http.post(f"/v1/jobs/{job}/cancel")
    assert cancelled.json()["state"] == "cancelled"
    assert await opened.runner.run(opened, job) == "elsewhere"
    listed = await admin.http.get("/v1/episodes")
    assert listed.json()["items"] == []


async def test_an_export_is_downloaded_by_who_asked_for_it(
    admin: Principal,
    principal: MakePrincipal,
    finish: Finish,
    tenant: str,
    tmp_path: Path,
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    writer = await principal(f"{tenant}/dev", name="writer")
    hidden = await principal(f"{tenant}/ops", name="hidden")
    private = {"name": "Ledger", "type": "agent_private", "data": {"said": "Private."}}
    assert (await writer.http.post("/v1/pools", json=private)).status_code == 201
    hook = {"url": "http://127.0.0.1:9/hook"}
    assert (await writer.http.post("/v1/webhooks", json=hook)).status_code == 201
    await writer.http.post("/v1/episodes", json={"content": "Seen.", "session": "s"})
    await hidden.http.post("/v1/episodes", json={"content": "Hidden.", "session": "s"})

    job = await finish(reader, await reader.http.post("/v1/exports", json={}))
    assert job["result"]["records"]["episode"] == 1
    assert "agent" not in job["result"]["records"]
    assert "audit" not in job["result"]["records"]
    assert {"pool", "webhook"} & job["result"]["records"].keys() == set()
    answer = await reader.http.get(f"/v1/exports/{job['id']}")
    assert answer.status_code == 200
    (tmp_path / "out.tar.zst").write_bytes(answer.content)
    with open_package(tmp_path / "out.tar.zst") as package:
        episodes = next(f for f in package.files if f.kind.name == "episode")
        assert b"Seen." in episodes.path.read_bytes()
        assert b"Private." not in b"".join(f.path.read_bytes() for f in package.files)
        assert b"Hidden." not in b"".join(f.path.read_bytes() for f in package.files)
        assert package.manifest.digest == job["result"]["digest"]

    for other in (admin, writer, hidden):
        assert (await other.http.get(f"/v1/exports/{job['id']}")).status_code == 404
    whole = await finish(admin, await admin.http.post("/v1/exports", json={}))
    assert {"agent", "audit", "episode", "pool", "webhook"} <= set(whole["result"]["records"])
    assert whole["result"]["records"]["episode"] == 2


async def test_an_export_of_what_is_not_seen_is_refused(
    principal: MakePrincipal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER)
    answer = await reader.http.post("/v1/exports", json={"scopes": [f"{tenant}/ops"]})
    assert answer.status_code == 404
    assert (await reader.http.get("/v1/exports/nothing")).status_code == 404


async def test_an_export_that_is_not_ready_or_gone_says_so(
    admin: Principal, opened: Parts, finish: Finish
) -> None:
    answer = await admin.http.post("/v1/exports", json={})
    early = await admin.http.get(f"/v1/exports/{answer.json()['id']}")
    assert (early.status_code, early.json()["code"]) == (409, "Conflict")
    job = await finish(admin, answer)
    spool_of(opened.settings).drop(job["id"])
    late = await admin.http.get(f"/v1/exports/{job['id']}")
    assert (late.status_code, late.json()["detail"]) == (404, "the export has expired")


async def test_what_a_revoked_admin_queued_does_not_run(
    admin: Principal, opened: Parts, principal: MakePrincipal, finish: Finish, tenant: str
) -> None:
    other = await principal(tenant, role=Role.ADMIN, name="leaver", kind="user", subtree=True)
    body = lines(turns(tenant, 2))
    answers = [
        await other.http.post(f"/v1/imports?scope={tenant}", content=body, headers=NDJSON),
        await other.http.post("/v1/exports", json={}),
    ]
    rows = await opened.graph.raw(
        "MATCH (j:Job {tenant: $tenant}) RETURN j.args AS args", tenant=tenant
    )
    callers = [json.loads(row["args"])["caller"] for row in rows]
    assert [set(caller) for caller in callers] == [{"principal", "key", "request"}] * 2
    revoked = await admin.http.delete(f"/v1/keys/{other.caller.key}")
    assert revoked.status_code == 200, revoked.text
    for answer in answers:
        job = await finish(admin, answer)
        assert (job["state"], "revoked" in job["error"]) == ("dead", True), job
    assert (await admin.http.get("/v1/episodes")).json()["items"] == []


async def test_a_revoked_admin_neither_erases_nor_consolidates(
    admin: Principal, opened: Parts, principal: MakePrincipal, finish: Finish, tenant: str
) -> None:
    other = await principal(tenant, role=Role.ADMIN, name="leaver", kind="user", subtree=True)
    author = await principal(f"{tenant}/dev", name="author")
    said = await author.http.post("/v1/episodes", json={"content": "I stay.", "session": "s"})
    rules = {"params": {"scope": tenant}, "json": {"erasure": True}}
    assert (await admin.http.patch("/v1/scopes/rules", **rules)).status_code == 200
    target = {"author": author.caller.principal, "scope": f"{tenant}/dev"}
    erasing = await other.http.post("/v1/erasures", json=target)
    assert erasing.status_code == 202, erasing.text
    again = await other.http.post("/v1/consolidate", json={"scope": f"{tenant}/dev"})
    assert again.status_code == 202, again.text
    assert (await admin.http.delete(f"/v1/keys/{other.caller.key}")).status_code == 200
    for job_id in (erasing.json()["job"], again.json()["job"]):
        assert await opened.runner.run(opened, job_id) == "dead"
        job = (await admin.http.get(f"/v1/jobs/{job_id}")).json()
        assert "revoked" in job["error"]
    kept = await admin.http.get(f"/v1/episodes/{said.json()['id']}")
    assert kept.status_code == 200
    assert kept.json()["consolidation_state"] == "raw"


async def test_an_export_that_is_imported_where_it_came_from_is_nobody_s_second_word(
    admin: Principal, principal: MakePrincipal, opened: Parts, finish: Finish, tenant: str
) -> None:
    scope = f"{tenant}/sales"
    for name in ("ann", "bob"):
        who = await principal(scope, name=name)
        said = {"content": f"{name.title()} works for Heron GmbH.", "session": "s"}
        assert (await who.http.post("/v1/episodes", json=said)).is_success
    await opened.consolidation.consolidate(scope)
    claims = (
        "MATCH (e:Episode)-[c:SUPPORTS]->(f:Fact {scope: $scope}) "
        "RETURN f.id AS fact, f.principals AS principals, count(c) AS claims ORDER BY fact"
    )
    before = await opened.graph.raw(claims, scope=scope)
    assert before
    exported = await finish(admin, await admin.http.post("/v1/exports", json={"scopes": [scope]}))
    package = (await admin.http.get(f"/v1/exports/{exported['id']}")).content

    async def imported(target: str) -> dict[str, Any]:
        answer = await admin.http.post(
            "/v1/imports",
            params={"scope": target},
            content=package,
            headers={"content-type": "application/zstd"},
        )
        job = await finish(admin, answer)
        assert job["state"] == "done", job
        told: dict[str, Any] = job["result"]["kinds"]["episode"]
        return told

    for _ in range(2):
        assert await imported(scope) == {"accepted": 0, "duplicates": 2, "rejected": 0}
    await opened.consolidation.consolidate(scope)
    assert await opened.graph.raw(claims, scope=scope) == before
    # Another scope of the tenant has none of it, and takes it in once.
    other = f"{tenant}/other"
    assert (await admin.http.post("/v1/scopes", json={"scope": other})).is_success
    assert (await imported(other))["accepted"] == 2
    assert (await imported(other))["duplicates"] == 2
