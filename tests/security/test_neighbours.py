"""Two tenants at the real worker: what one hands in to be read does not hold up the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from app.kernel.caller import Role
from app.settings import Settings
from tests.conftest import MakePrincipal, Principal
from tests.readers.shapes import text_of
from tests.support.processes import worker_beside
from tests.support.server import Backend

HOSTILE = ("prose_en", "turns", "blank_lines+word", "mail+word")  # what takes longest to read
LONG = 650_000  # characters: with its escapes, below the limit of a body
ROUNDS = 3
PATIENCE = 10.0  # seconds; a capture waited for 40 and more


@pytest_asyncio.fixture(loop_scope="session")
async def worker(backend: Backend, settings: Settings) -> AsyncIterator[None]:
    """The worker as a process of its own."""
    async with worker_beside(backend, settings):
        yield


async def say(who: Principal, number: int) -> float:
    """Seconds until a capture is read."""
    start = time.monotonic()
    body = {"content": f"Nora Feld{number} lives in Bremen.", "session": "s"}
    while True:
        answer = await who.http.post("/v1/episodes", params={"wait": "consolidated"}, json=body)
        assert answer.status_code in (200, 201), answer.text
        if answer.json()["consolidated"]:
            return time.monotonic() - start


async def export(who: Principal) -> float:
    """Seconds until an export is done."""
    start = time.monotonic()
    job: dict[str, Any] = (await who.http.post("/v1/exports", json={})).json()
    while job["state"] != "done":
        assert job["state"] in ("queued", "running"), job
        await asyncio.sleep(0.05)
        job = (await who.http.get(f"/v1/jobs/{job['id']}")).json()
    return time.monotonic() - start


async def waits(who: Principal) -> bool:
    """Whether texts of a tenant wait or are read now."""
    scopes = (await who.http.get("/v1/consolidation")).json()["scopes"]
    return any(scope["raw"] + scope["in_progress"] for scope in scopes)


@pytest.mark.slow
@pytest.mark.timeout(900)  # on a machine with other work
@pytest.mark.usefixtures("worker")
async def test_a_neighbours_hostile_texts_hold_up_no_capture_and_no_export(
    principal: MakePrincipal, tenant: str
) -> None:
    hostile = await principal(f"{tenant}a", role=Role.ADMIN, name="a", kind="user")
    other = await principal(f"{tenant}b", role=Role.ADMIN, name="b", kind="user")
    await say(other, 0)  # the worker has started
    await export(other)  # and what is asked for the first time is planned
    alone = [(await say(other, n), await export(other)) for n in range(1, 1 + ROUNDS)]
    for shape in HOSTILE:
        body = {"content": text_of(shape, LONG), "session": shape}
        assert (await hostile.http.post("/v1/episodes", json=body)).status_code == 201
    beside = []
    for n in range(ROUNDS):
        await asyncio.sleep(1)
        beside.append((await say(other, 10 + n), await export(other)))
    assert await waits(hostile)  # else nothing was beside it
    slowest = max(max(pair) for pair in beside)
    assert slowest <= PATIENCE + 4 * max(max(pair) for pair in alone), (alone, beside)
