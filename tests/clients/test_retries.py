"""What is sent again is done once, under the same key, however it went lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from app.runtime.machine import free_port
from loci_client import AsyncLoci, AsyncMemory, LociProblem, LociUnreachable, Memory, Retries
from loci_client.talk import Ask, Pause, Talk, exchange, reading, writing
from tests.clients.conftest import Door
from tests.conftest import Principal

Drain = Callable[[], Awaitable[int]]
QUICK = Retries(first=0.05, most=0.2)
ASK = writing("POST", "/v1/episodes", {"content": "x", "session": "s"})


async def stored(who: Principal) -> int:
    """How many episodes there are."""
    return len((await who.http.get("/v1/episodes", params={"limit": 500})).json()["items"])


async def test_an_answer_that_went_lost_is_asked_for_again(door: Door, writer: Principal) -> None:
    door.fates = ["lost", "cut"]
    async with AsyncMemory(url=door.url, key=writer.key, retries=QUICK) as memory:
        added = await memory.add("The gate is green.")
    assert len(door.heard) == 3
    assert len(set(door.keys)) == 1
    assert len(door.keys) == 3
    # The first answer, replayed: a second capture would have told of a duplicate.
    assert (added.accepted, await stored(writer)) == (1, 1)


async def test_the_sync_client_sends_the_same_key(door: Door, writer: Principal) -> None:
    door.fates = ["lost"]

    def talk() -> int:
        with Memory(url=door.url, key=writer.key, retries=QUICK) as memory:
            return memory.add("The gate is green.").accepted

    assert await asyncio.to_thread(talk) == 1
    assert len(set(door.keys)) == 1
    assert (len(door.keys), await stored(writer)) == (2, 1)


async def test_each_request_has_a_key_of_its_own(door: Door, writer: Principal) -> None:
    async with AsyncMemory(url=door.url, key=writer.key) as memory:
        await memory.add("The gate is green.")
        await memory.add("The fence is blue.")
        await memory.search("gate")
    assert len(set(door.keys)) == len(door.keys) == 2
    assert len(door.heard) == 3  # what only reads has none


async def test_a_busy_server_is_given_the_time_that_it_asks_for(
    door: Door, writer: Principal
) -> None:
    door.fates = ["busy"]
    began = time.monotonic()
    async with AsyncMemory(url=door.url, key=writer.key, retries=QUICK) as memory:
        added = await memory.add("The gate is green.")
    assert time.monotonic() - began >= 1
    assert (added.accepted, len(set(door.keys)), len(door.keys)) == (1, 1, 2)


async def test_a_server_that_stays_busy_is_a_problem(door: Door, writer: Principal) -> None:
    door.fates = ["busy"] * 3
    impatient = Retries(tries=2)
    async with AsyncMemory(url=door.url, key=writer.key, retries=impatient) as memory:
        with pytest.raises(LociProblem) as raised:
            await memory.add("The gate is green.")
    assert (raised.value.status, raised.value.code) == (503, "")
    assert len(door.heard) == 2


async def test_what_is_being_worked_on_is_waited_for(
    address: str, writer: Principal, drain: Drain
) -> None:
    ask = writing("POST", "/v1/episodes", {"content": "x", "session": "s"}, wait="indexed")
    async with AsyncLoci(address, writer.key, retries=Retries(tries=1, first=0.05)) as loci:
        first = asyncio.create_task(loci.run(exchange(ask, loci.retries)))
        await asyncio.sleep(0.3)
        again = asyncio.create_task(loci.run(exchange(ask, loci.retries)))
        await asyncio.sleep(0.3)
        assert not again.done()
        while not first.done():
            await drain()
            await asyncio.sleep(0.05)
        assert (await again) == (await first)
    assert await stored(writer) == 1


async def test_too_many_requests_are_told_where_the_wait_is_too_long(
    address: str, admin: Principal
) -> None:
    limited = (
        await admin.http.post(
            "/v1/keys", json={"principal": admin.caller.principal, "rate_per_minute": 1}
        )
    ).json()["key"]
    retries = Retries(patience=0.5)
    async with AsyncMemory(url=address, key=limited, retries=retries) as memory:
        asked = [memory.search("gate") for _ in range(3)]  # a minute may begin in between
        with pytest.raises(LociProblem) as raised:
            await asyncio.gather(*asked)
    assert (raised.value.status, raised.value.code) == (429, "RateLimited")


async def test_where_nothing_answers_that_is_told(writer: Principal) -> None:
    retries = Retries(tries=3, first=0.01)
    url = f"http://127.0.0.1:{free_port()}"
    async with AsyncMemory(url=url, key=writer.key, retries=retries) as memory:
        with pytest.raises(LociUnreachable, match="POST /v1/search") as raised:
            await memory.search("gate")
    assert isinstance(raised.value.__cause__, httpx.ConnectError)


async def test_an_address_that_is_none_is_not_tried_again(writer: Principal) -> None:
    async with AsyncMemory(url="ftp://127.0.0.1", key=writer.key) as memory:
        with pytest.raises(LociUnreachable):
            await asyncio.wait_for(memory.search("gate"), 1)


# --- without a network --------------------------------------------------------------------------


def answer(status: int, json: object = None, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = httpx.Request("POST", "http://loci/v1/episodes")
    return httpx.Response(status, json=json, headers=named, request=request)


def pauses(talk: Talk[object], told: Iterator[httpx.Response]) -> list[float]:
    """The pauses of a conversation until it ends, or fails."""
    found: list[float] = []
    step: Ask | Pause = next(talk)
    try:
        while True:
            if isinstance(step, Pause):
                found.append(step.seconds)
                step = talk.send(None)
            else:
                step = talk.send(next(told))
    except (StopIteration, LociProblem, LociUnreachable):
        return found


def test_pauses_double_up_to_the_longest() -> None:
    found = pauses(exchange(ASK, Retries(tries=7)), iter([answer(503)] * 7))
    middle = [0.25, 0.5, 1, 2, 4, 4]
    assert len(found) == len(middle)
    for pause, wanted in zip(found, middle, strict=True):
        assert 0.75 * wanted <= pause <= 1.25 * wanted


def test_a_claim_is_waited_for_longer_than_a_failure() -> None:
    claimed = {"code": "Conflict", "errors": [{"field": "Idempotency-Key", "detail": "busy"}]}
    found = pauses(exchange(ASK, Retries(tries=2)), iter([answer(409, claimed)] * 60))
    assert 60 < sum(found) <= 90  # longer than the minute after which a claim runs out


def test_other_conflicts_and_refusals_are_final() -> None:
    for told in (answer(409, {"code": "Conflict"}), answer(404, {"code": "NotFound"}), answer(500)):
        assert pauses(exchange(ASK, Retries()), iter([told])) == []


@pytest.mark.parametrize(
    ("given", "least", "most"),
    [
        ("7", 7, 7),
        (timedelta(seconds=60), 20, 60),
        (timedelta(seconds=-60), 0, 0),
        ("soon", 0.18, 0.32),
    ],
)
def test_retry_after_is_a_number_or_a_date(
    given: str | timedelta, least: float, most: float
) -> None:
    if isinstance(given, timedelta):
        given = format_datetime(datetime.now(UTC) + given, usegmt=True)
    told = [answer(429, Retry_After=given), answer(200, {})]
    (pause,) = pauses(exchange(ASK, Retries()), iter(told))
    assert least <= pause <= most


def test_an_answer_of_something_else_says_so() -> None:
    page = httpx.Response(
        200, text="<html>", request=httpx.Request("GET", "http://elsewhere/v1/scopes?a=b")
    )
    talk = exchange(reading("GET", "/v1/scopes"), Retries())
    next(talk)
    with pytest.raises(LociProblem, match="http://elsewhere/v1/scopes is no Loci"):
        talk.send(page)
