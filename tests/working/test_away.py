"""A Valkey that is away, or too old, is told plainly; the rest of the API goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from app.asgi import create_app, fill_state
from app.errors import WorkingMemoryUnavailable
from app.runtime.machine import free_port
from app.wiring import Parts
from app.working.model import Part, Place, Slot
from app.working.service import Parts as WorkingParts
from app.working.service import WorkingService
from app.working.store import WorkingStore
from tests.conftest import Principal
from tests.support.server import EmbeddedPair
from tests.support.software import skip_where_pure
from tests.working.conftest import BASE, SHARES


@pytest_asyncio.fixture(loop_scope="session")
async def away(opened: Parts, writer: Principal) -> AsyncIterator[httpx.AsyncClient]:
    """An API whose working memory is kept where nothing answers."""
    store = WorkingStore(f"redis://127.0.0.1:{free_port()}/0", opened.working.limits)
    parts = WorkingParts(store, opened.working.copies, opened.scopes, opened.access_rows)
    app = create_app(opened.settings)
    fill_state(app, replace(opened, working=WorkingService(parts)))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://loci", headers=writer.http.headers
    ) as client:
        yield client
    await store.aclose()


async def test_a_valkey_that_is_away_is_told(away: httpx.AsyncClient, writer: Principal) -> None:
    to = writer.caller.principal
    value = {"value": 1}
    asked = [
        ("GET", BASE, None), ("GET", f"{BASE}/t", None), ("GET", f"{BASE}/t/keys/a", None),
        ("PUT", f"{BASE}/t/keys/a", value), ("DELETE", f"{BASE}/t/keys/a", None),
        ("POST", f"{BASE}/t/scratch-pad", {"value": "x"}), ("DELETE", f"{BASE}/t", None),
        ("PUT", f"{BASE}/t/copy", None), ("PUT", f"{SHARES}/{to}/a", value),
        ("GET", f"{SHARES}/{to}/a", None),
    ]  # fmt: skip
    for method, path, body in asked:
        answer = await away.request(method, path, json=body)
        assert answer.status_code == 503, (method, path, answer.text)
        assert answer.json()["code"] == "WorkingMemoryUnavailable"
        assert "Valkey" in answer.json()["detail"]
    assert (await away.get("/v1/working-limits")).status_code == 200
    assert (await away.get("/v1/episodes")).status_code == 200
    body = {"content": "The gate is green.", "session": "s"}
    assert (await away.post("/v1/episodes", json=body)).status_code == 201


async def written(url: str) -> None:
    """Until everything that was told so far is in the server's file."""
    client = Redis.from_url(url)
    await client.set("mark", "1")
    (local, _) = await client.execute_command("WAITAOF", 1, 0, 60_000)
    assert local == 1, "the file was not written within a minute"
    await client.aclose()


async def test_a_valkey_that_was_killed_is_used_again_at_once(opened: Parts) -> None:
    skip_where_pure()
    place, slot = Place("acme", "acme/dev", "agent:acme:scout", "t"), Slot(Part.SCRATCH_PAD)
    with EmbeddedPair() as pair:
        url = pair.start_queue()
        store = WorkingStore(url, opened.working.limits)
        for word in (b'"a"', b'"b"'):
            await store.add_text(place, slot, word, 600)
        await written(url)
        pair.kill_queue()
        with pytest.raises(WorkingMemoryUnavailable):
            await store.add_text(place, slot, b'"lost"', 600)
        pair.start_queue()
        await store.add_text(place, slot, b'"c"', 600)
        held = await store.get(place, slot)
        assert held is not None
        assert held.value == "a\nb\nc"
        assert held.ttl <= 600
        await store.aclose()
