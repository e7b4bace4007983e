"""One caller's long text holds up nobody: no door sanitises on the loop that serves all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.embeddings.tokens import count_tokens
from app.kernel.caller import Role
from app.kernel.pauses import keep_for_good
from app.sanitize.aside import LONG, is_long
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from tests.conftest import MakePrincipal, Principal

SIZE = 900_000  # characters: a body has 1 MiB
SHAPE = "> On Monday anna wrote:\n"
Door = Callable[[Principal, str], Awaitable[httpx.Response]]


@pytest_asyncio.fixture(loop_scope="session")
async def curator(principal: MakePrincipal, tenant: str) -> Principal:
    return await principal(f"{tenant}/dev", role=Role.CURATOR, name="tall-order")


def hostile(size: int) -> str:
    return ("Read this. " + SHAPE * (size // len(SHAPE) + 1))[:size]


async def episode(who: Principal, text: str) -> httpx.Response:
    return await who.http.post("/v1/episodes", json={"content": text, "session": "s"})


async def observations(who: Principal, text: str) -> httpx.Response:
    parts = [text[at : at + 9_000] for at in range(0, len(text), 9_000)]
    items = [{"sensor": "mailbox", "payload": {"text": part}} for part in parts]
    return await who.http.post("/v1/observations", json={"items": items})


async def large_observation(who: Principal, text: str) -> httpx.Response:
    items = [{"sensor": "mailbox", "payload": {"text": text}}]
    return await who.http.post("/v1/observations", json={"items": items})


async def messages(who: Principal, text: str) -> httpx.Response:
    begun = await who.http.post("/agent-memory/v1/conversations", json={})
    parts = [text[at : at + 150_000] for at in range(0, len(text), 150_000)]
    said = {"messages": [{"role": "user", "content": part} for part in parts]}
    path = f"/agent-memory/v1/conversations/{begun.json()['id']}/messages/bulk"
    return await who.http.post(path, json=said)


async def block(who: Principal, text: str) -> httpx.Response:
    return await who.http.put("/v1/core-blocks/identity", json={"content": text})


async def entry(who: Principal, text: str) -> httpx.Response:
    context = (await who.http.post("/v1/contexts", json={"name": "long"})).json()["id"]
    body = {"key": "k", "content": text}
    return await who.http.post(f"/v1/contexts/{context}/entries", json=body)


async def page(who: Principal, text: str) -> httpx.Response:
    return await who.http.post("/v1/pages", json={"title": "Long", "content": text})


TAKEN: dict[Door, int] = {episode: 201, observations: 201, messages: 201, page: 201}
REFUSED: dict[Door, int] = {large_observation: 422, block: 413, entry: 413}


@asynccontextmanager
async def watched(gaps: list[float]) -> AsyncIterator[None]:
    """Notes how long the loop served nobody, in seconds, each time that it came round."""

    async def tick() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - before)

    ticking = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticking.cancel()


@pytest.mark.parametrize("door", [*TAKEN, *REFUSED], ids=lambda door: door.__name__)
async def test_a_long_text_at_a_door_holds_up_nobody(curator: Principal, door: Door) -> None:
    text = hostile(SIZE)
    count_tokens("Once.")  # a process reads the tokens once, which is not what is measured
    start = time.perf_counter()
    await asyncio.to_thread(sanitize, text[: SIZE // 6], SanitizePolicy())
    whole = 6 * (time.perf_counter() - start)
    keep_for_good()  # as a server does: the modules of the tests are not looked through meanwhile
    gaps: list[float] = []
    async with watched(gaps):
        answer = await door(curator, text)
    assert answer.status_code == {**TAKEN, **REFUSED}[door], answer.text[:300]
    # On a machine that does other things too the bar is a part of what the text takes at all.
    assert max(gaps) < max(0.3, whole / 3)


@pytest.mark.parametrize(
    ("value", "long"),
    [
        ("a" * LONG, False), ("a" * (LONG + 1), True), ({"a" * (LONG + 1): 1}, True),
        ([["a" * 100] * 30], True), ([["a"] * 10], False), (None, False), (7, False),
        ([0] * (LONG + 1), True), ({"a": {"b": ["c" * LONG]}}, True),
    ],
)  # fmt: skip
def test_what_is_long(value: Any, long: bool) -> None:
    assert is_long(value) is long
