"""kill -9 of the API, of Valkey and of the worker while events are read and posted.

A smaller version of `python -m bench events`: no event is lost, doubled, or read by a key of
another scope; webhooks have each event at least once, and in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
import pytest_asyncio

from app.cli.keys import mint
from app.kernel.caller import Role
from app.settings import read_settings
from app.wiring import Parts, parts
from bench import events
from bench.commands.events import keys_of_two_scopes
from bench.event_sources import Bounds, Captured, Written
from tests.support.processes import Service, service, until_ready
from tests.support.server import EmbeddedPair
from tests.webhooks.conftest import Receiver, receiver

__all__ = ["receiver"]
PATIENCE = 240  # seconds for processes to start again and for what comes late, on a busy machine
TURNS = 30


@dataclass(frozen=True)
class Bench:
    """Servers and processes to be killed, and a look into the graph."""

    pair: EmbeddedPair
    running: Service
    store: Parts

    @property
    def url(self) -> str:
        """Where the API is."""
        return f"http://127.0.0.1:{self.running.port}"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench() -> AsyncIterator[Bench]:
    """One API over a pair of servers of its own."""
    settings = {
        "LOCI_WEBHOOKS__ALLOW": "127.0.0.0/8",
        "LOCI_WEBHOOKS__LOOK_SECONDS": "0.2",
        "LOCI_WEBHOOKS__BACKOFF_SECONDS": "0.1",
        "LOCI_WEBHOOKS__BATCH": "3",
        "LOCI_WEBHOOKS__TIMEOUT_SECONDS": "2",
    }
    with EmbeddedPair() as pair, service(pair, **settings) as running:
        running.start_api()
        async with parts(read_settings(running.environment)) as store:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{running.port}") as http:
                await until_ready(http, running)
            yield Bench(pair, running, store)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_no_listener_loses_an_event_to_kills_of_api_and_valkey(bench: Bench) -> None:
    keys = await keys_of_two_scopes(bench.store)

    async def kill() -> None:
        bench.running.kill("api")
        bench.pair.kill_queue()
        await asyncio.sleep(1)
        await asyncio.to_thread(bench.pair.start_queue)
        bench.running.start_api()

    bounds = Bounds(events=600, rate=60, listeners=8, patience=PATIENCE)
    found = await events.measure(bench.url, Written(bench.store.graph), keys, bounds, kill)
    told = {name: found[name] for name in ("lost", "doubled", "foreign", "delivered")}
    assert told == {"lost": 0, "doubled": 0, "foreign": 0, "delivered": 8 * 300}, found
    assert found["returns"] >= 8, "each listener came back"


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_no_listener_loses_a_capture_to_a_kill_of_the_api(bench: Bench) -> None:
    """Captures come with the audit trail; a batch whose answer went lost is sent again."""
    keys = await keys_of_two_scopes(bench.store, Role.WRITER)

    async def kill() -> None:
        bench.running.kill("api")
        bench.running.start_api()

    bounds = Bounds(events=600, rate=1000, listeners=4, patience=PATIENCE)
    found = await events.measure(bench.url, Captured(bench.url, keys), keys, bounds, kill)
    told = {name: found[name] for name in ("lost", "doubled", "foreign", "delivered")}
    assert told == {"lost": 0, "doubled": 0, "foreign": 0, "delivered": 2 * 600}, found


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_webhook_loses_nothing_to_a_worker_that_is_killed(
    bench: Bench, receiver: Receiver, tenant: str
) -> None:
    minted = await mint(bench.store, f"{tenant}/dev", kind="agent", name="a", role=Role.WRITER)
    receiver.answers = [204, 0, 500]
    headers = {"Authorization": f"Bearer {minted.text}"}
    async with httpx.AsyncClient(base_url=bench.url, headers=headers, timeout=60) as http:
        await until_ready(http, bench.running)
        body = {"url": receiver.url, "kinds": ["capture"]}
        made = await http.post("/v1/webhooks", json=body)
        assert made.status_code == 201, made.text
        bench.running.start_worker()
        said = []
        for number in range(TURNS):
            words = {"content": f"Turn {number} of the watch.", "session": "s"}
            answer = await http.post("/v1/episodes", json=words)
            assert answer.status_code == 201, answer.text
            said.append(answer.json()["id"])
            if number in (10, 20):
                await come(receiver, number // 4)
                bench.running.kill("worker")
                bench.running.start_worker()
        await come(receiver, TURNS)
        bench.running.kill("worker")
    assert list(dict.fromkeys(receiver.targets)) == said


async def come(receiver: Receiver, count: int) -> None:
    """Until so many different events have come."""
    async with asyncio.timeout(PATIENCE):
        while len({*receiver.targets}) < count:  # noqa: ASYNC110 - another process posts them
            await asyncio.sleep(0.05)
