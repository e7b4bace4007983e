"""kill -9 of the worker and of Valkey in the middle of an import over HTTP.

The job comes to its end, and what is stored is what an undisturbed import stores.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.cli.keys import mint
from app.kernel.caller import Role
from app.portability.archive import pack
from app.portability.kind import Selection
from app.portability.kinds import BY_NAME
from app.settings import read_settings
from app.wiring import Parts, parts
from tests.conftest import Principal
from tests.portability.packages import turns, write_package
from tests.support.processes import Service, service, until_ready
from tests.support.server import EmbeddedPair

COUNT = 1_500
FURTHEST = 400  # a kill comes when so many lines are in, at the latest
HEADERS = {"content-type": "application/gzip", "idempotency-key": "the-import"}
PATIENCE = 300  # seconds for a process to start and an import to come far
ENDED = {"done", "dead", "cancelled"}
RANDOM = random.Random()


@dataclass(frozen=True)
class Bench:
    """Servers and processes to be killed, a look into the graph, and what is imported."""

    pair: EmbeddedPair
    running: Service
    store: Parts
    body: Callable[[str], bytes]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    """One API over a pair of servers of its own; each test starts the workers it needs."""
    folder = tmp_path_factory.mktemp("kills")
    settings = {
        "LOCI_API__IMPORT_DIR": str(folder / "spool"),
        "LOCI_WORKER__SWEEP_SECONDS": "1",
        "LOCI_WORKER__LEASE_SECONDS": "4",
    }
    with EmbeddedPair() as pair, service(pair, **settings) as running:
        running.start_api()  # at the same time as what follows, on a graph without a schema
        async with parts(read_settings(running.environment)) as store:
            yield Bench(pair, running, store, lambda tenant: package(folder / tenant, tenant))


def package(folder: Path, tenant: str) -> bytes:
    """An archive of episodes, of which three lines are refused, early and late."""
    lines: list[Any] = turns(f"{tenant}/dev", COUNT)
    lines[3] = "{broken"
    lines[COUNT // 2]["scope"] = "somebody-else/dev"
    lines[COUNT - 2]["role"] = "parrot"
    write_package(folder, episodes=lines)
    pack(folder, folder.with_suffix(".tar.gz"))
    return folder.with_suffix(".tar.gz").read_bytes()


@pytest_asyncio.fixture(loop_scope="session")
async def http(bench: Bench, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the API, as the tenant's admin."""
    minted = await mint(bench.store, tenant, kind="user", name="admin", role=Role.ADMIN)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{bench.running.port}",
        headers={"Authorization": f"Bearer {minted.text}"},
        timeout=60,
    ) as client:
        await until_ready(client, bench.running)
        yield client


async def submitted(http: httpx.AsyncClient, body: bytes) -> dict[str, Any]:
    answer = await http.post("/v1/imports", content=body, headers=HEADERS)
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    return job


async def shown(http: httpx.AsyncClient, job: str) -> dict[str, Any]:
    answer = await http.get(f"/v1/jobs/{job}")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def ended(http: httpx.AsyncClient, job: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        while (found := await shown(http, job))["state"] not in ENDED:  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.1)
    return found


async def committed(store: Parts, tenant: str, job: str) -> tuple[int, int]:
    """Episodes that are there, and how many of them the job's mark covers."""
    rows = await store.graph.raw(
        "MATCH (j:Job {id: $job}) "
        "RETURN COUNT { (:Episode {tenant: $tenant}) } AS there, j.progress AS progress",
        tenant=tenant,
        job=job,
    )
    tallies = json.loads(rows[0]["progress"] or "{}").get("tallies", {})
    return rows[0]["there"], tallies.get("episode", {}).get("accepted", 0)


async def come_to(store: Parts, tenant: str, job: str, count: int) -> None:
    """Until so many episodes are committed, of which the job's mark covers some."""
    async with asyncio.timeout(PATIENCE):
        there, marked = 0, 0
        while there < count or not marked:
            await asyncio.sleep(0.01)
            there, marked = await committed(store, tenant, job)


async def content_digest(store: Parts, tenant: str) -> str:
    """A digest over all sessions and episodes as they are exported, but for ids made at random."""
    chosen = Selection([f"{tenant}/dev"])
    lines = []
    for kind in (BY_NAME["session"], BY_NAME["episode"]):
        async for record in kind.export(store.graph, chosen):
            record.get("provenance", {}).pop("id", None)
            record.pop("id", None)
            # The worker reads what was imported in its own time.
            for told in (
                "consolidation_state", "consolidated_at", "attempts", "consolidation_error",
            ):  # fmt: skip
                record.get("stats", {}).pop(told, None)
            lines.append(json.dumps(kind.counted(record), sort_keys=True, default=str))
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


async def undisturbed(
    opened: Parts, admin: Principal, body: bytes, like: dict[str, Any]
) -> dict[str, Any]:
    """The same upload into a store that nobody kills, at the same moment by its clock."""
    job = await submitted(admin.http, body)
    assert job["id"] == like["id"]
    await opened.graph.raw(
        "MATCH (j:Job {id: $id}) SET j.created_at = datetime($at)",
        id=job["id"],
        at=like["created_at"],
    )
    assert await opened.runner.run(opened, job["id"]) == "done"
    return await shown(admin.http, job["id"])


async def same(opened: Parts, store: Parts, tenant: str) -> None:
    """Both stores hold the same, once."""
    assert await content_digest(store, tenant) == await content_digest(opened, tenant)
    mine, others = await census(store, tenant), await census(opened, tenant)
    assert mine == others
    whole = COUNT - 3
    assert mine == {"episodes": whole, "texts": whole, "records": whole, "fewest": 1, "most": 1}


async def census(store: Parts, tenant: str) -> dict[str, int]:
    """Nodes of the scope imported to, and the audit events of one episode."""
    rows = await store.graph.raw(
        "MATCH (e:Episode {scope: $scope}) "
        "WITH count(*) AS episodes, count(DISTINCT e.content) AS texts, "
        "min(COUNT { (e)<-[:AUDIT]-() }) AS fewest, max(COUNT { (e)<-[:AUDIT]-() }) AS most "
        "MATCH (p:ProvenanceRecord {scope: $scope}) "
        "RETURN episodes, texts, fewest, most, count(p) AS records",
        scope=f"{tenant}/dev",
    )
    return rows[0]


def alike(job: dict[str, Any], reference: dict[str, Any]) -> None:
    """The job tells what an undisturbed one tells, but for lines that were there already."""
    assert job["state"] == "done", job
    assert job["error"] is None
    assert job["items"] == reference["items"]
    assert [item["line"] for item in job["items"]] == [4, COUNT // 2 + 1, COUNT - 1]
    tally = job["result"]["kinds"]["episode"]
    assert tally["rejected"] == 3
    assert tally["accepted"] + tally["duplicates"] == COUNT - 3


@pytest.mark.slow
@pytest.mark.timeout(900)  # on however busy a machine
async def test_another_worker_ends_the_import_of_one_that_was_killed(
    bench: Bench, http: httpx.AsyncClient, opened: Parts, admin: Principal, tenant: str
) -> None:
    point = RANDOM.randrange(1, FURTHEST)
    running, store, body = bench.running, bench.store, bench.body(tenant)
    running.start_worker()
    first = await submitted(http, body)
    await come_to(store, tenant, first["id"], point)
    running.kill("worker")
    await asyncio.sleep(0.5)  # what was sent before the kill is committed, or rolled back
    stopped = await shown(http, first["id"])
    there, marked = await committed(store, tenant, first["id"])
    assert point <= there < COUNT - 3, (point, there)
    assert (stopped["state"], stopped["attempts"]) == ("running", 1)
    running.start_worker()
    job = await ended(http, first["id"])
    running.kill("worker")
    assert job["attempts"] == 2
    alike(job, await undisturbed(opened, admin, body, job))
    assert job["result"]["kinds"]["episode"]["duplicates"] == there - marked
    await same(opened, store, tenant)
    assert (await http.get("/v1/audit/check")).json()["intact"]
    assert (await submitted(http, body))["id"] == job["id"], "the same upload is the same job"


@pytest.mark.slow
@pytest.mark.timeout(900)  # on however busy a machine
async def test_an_import_outlives_a_valkey_that_was_killed_and_comes_back_empty(
    bench: Bench, http: httpx.AsyncClient, opened: Parts, admin: Principal, tenant: str
) -> None:
    point = RANDOM.randrange(1, FURTHEST)
    running, store, body = bench.running, bench.store, bench.body(tenant)
    late = "".join(json.dumps(turn) + "\n" for turn in turns(f"{tenant}/ops", 20, "late"))
    running.start_worker()
    first = await submitted(http, body)
    await come_to(store, tenant, first["id"], point)
    bench.pair.kill_queue()
    stopped = await shown(http, first["id"])
    assert stopped["state"] in {"running", "queued"}
    second = await http.post(
        "/v1/imports", content=late, headers={"content-type": "application/x-ndjson"}
    )
    assert second.status_code == 202, second.text
    await asyncio.to_thread(shutil.rmtree, bench.pair.folder / "valkey")
    await asyncio.to_thread(bench.pair.start_queue)
    keeper = asyncio.create_task(running.keep())
    try:
        job = await ended(http, first["id"])
        other = await ended(http, second.json()["id"])
    finally:
        keeper.cancel()
    running.kill("worker")
    assert (other["state"], other["attempts"]) == ("done", 1)
    assert other["result"]["kinds"]["episode"]["accepted"] == 20
    assert job["attempts"] <= 2
    alike(job, await undisturbed(opened, admin, body, job))
    await same(opened, store, tenant)
