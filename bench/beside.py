"""What a search and a capture cost one tenant while another keeps the machine busy.

Searches go over HTTP, one after the other, in a small scope of one tenant, with two captures a
second beside them. Both are timed with nothing else to do, then while another tenant imports
episodes, has them read, has its communities found, has an erasure checked, hands in texts as large
as one may be, and asks GraphQL for as much as a query may, in width and in depth. The quiet figures
are of the same run on the same machine, before and after all that, and of the same requests: a
capture waits for the searches of its own tenant there too.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Any

import orjson

from app.errors import LociError
from app.evals.client import ApiClient
from bench.freshness import FAMILY, GIVEN, PLACES, lines
from bench.speed import Times, Wire

ASKED = (
    "Where does {who} live?",
    "Who works in {place} now?",
    "What is the budget of the {place} office?",
    "Which pump is to be checked in {place}?",
    "Wo wohnt {who}?",
)
TWICE = 2.0  # the most that a 95th percentile may be, to the quiet one
WARM = 10.0  # seconds of searches before anything is timed
LOOK = 1.0  # seconds between two looks at what the worker does
PAUSE = 0.5  # seconds between two captures
TEXTS = 2000  # of the scope that is searched
LONG_TEXTS = 4
LONG = 650_000  # characters; with its escapes, below the limit of a body
PROSE = "{who} lives in {place} and works for {family} Logistics. She uses Postgres {number}. "
# As many searches of as many hits as one query may cost; two of them are under way at once.
SEARCHES = range(10)
ABREAST = 2
WIDE = " ".join(
    f'a{n}: search(input: {{query: "Who works in {PLACES[n]}?", first: 80}}) '
    "{ hits { id untrusted { text } } }"
    for n in SEARCHES
).join(("{ ", " }"))
# Nearly as deep as a query may go, and nearly as much as it may cost.
DEEP = (
    "{ entities(first: 40) { nodes { facts(first: 5) { nodes { subject { facts(first: 5) { nodes "
    "{ subject { neighbours(first: 5) { nodes { entity { name } } } } } } } } } } } }"
)

Tell = Callable[[str], None]
Busy = Callable[[], Awaitable[bool]]


class Work(StrEnum):
    """What the other tenant has done meanwhile, in the order in which it is begun."""

    IMPORTING = "importing"
    CONSOLIDATING = "consolidating"
    COMMUNITIES = "communities"
    CHECKING = "checking"
    LONG_TEXTS = "long texts"
    WIDE_GRAPHQL = "graphql"
    DEEP_GRAPHQL = "deep graphql"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many episodes the other tenant imports, how many seconds each part may take, and which
    parts there are."""

    episodes: int = 20_000
    seconds: float = 120.0
    works: tuple[Work, ...] = tuple(Work)


@dataclass(frozen=True, slots=True)
class Tenant:
    """One side: where it works, and its ways to the API; `wire` is what is timed."""

    client: ApiClient
    wire: Wire
    scope: str


async def measure(own: Tenant, other: Tenant, bounds: Bounds, tell: Tell) -> dict[str, Any]:
    """Milliseconds of searches and captures of `own` with each kind of work of `other`.

    Raises LociError where the work of the other tenant failed.
    """
    job = await imported(own.client, [own.scope], TEXTS)
    await over(lambda: running(own.client, job))
    await over(lambda: waiting(own.client))
    await _searched(own, WARM, _always)
    quiet = await _beside(own, bounds.seconds, _always)
    tell(f"quiet: {quiet}")
    found: dict[str, Any] = {}
    async for name, busy in _works(other, bounds):
        found[name] = await _beside(own, bounds.seconds, busy)
        tell(f"{name}: {found[name]}")
    after = await _beside(own, bounds.seconds, _always)
    tell(f"quiet after all: {after}")
    return {"quiet": quiet, "quiet after all": after} | _compared(found, quiet, after)


def _compared(found: dict[str, Any], *quiet: dict[str, Any]) -> dict[str, Any]:
    """What was found, with its p95 to that of the quicker of the quiet times: the first one may
    have had a database that was not warm yet."""
    least = {kind: min(times[kind]["p95"] for times in quiet) for kind in quiet[0]}
    return {
        name: times
        | {f"{kind}_to_quiet_p95": round(times[kind]["p95"] / least[kind], 2) for kind in least}
        for name, times in found.items()
    }


def slower(found: dict[str, Any]) -> list[str]:
    """What became slower than TWICE the quiet time, as `work: searches`."""
    return [
        f"{name}: {kind}"
        for name, times in found.items()
        for kind in ("searches", "captures")
        if times.get(f"{kind}_to_quiet_p95", 0) > TWICE
    ]


async def _works(other: Tenant, bounds: Bounds) -> AsyncIterator[tuple[Work, Busy]]:
    """Each kind of work that is asked for, begun; the next one begins when the one before is
    over."""
    client, into = other.client, other.scope
    scopes = [f"{into}/w{place}" for place in range(10)]
    job = await imported(client, scopes, bounds.episodes)  # what the parts after it work on
    if Work.IMPORTING in bounds.works:
        yield Work.IMPORTING, lambda: running(client, job)
    await over(lambda: running(client, job))
    if Work.CONSOLIDATING in bounds.works:
        yield Work.CONSOLIDATING, lambda: waiting(client)
    await over(lambda: waiting(client))
    if Work.COMMUNITIES in bounds.works:
        async with _again(lambda: _refreshed(client, scopes)):
            yield Work.COMMUNITIES, _always
    if Work.CHECKING in bounds.works:
        receipt = await erased(client, other.scope)
        async with _again(lambda: _checked(client, receipt)):
            yield Work.CHECKING, _always
    if Work.LONG_TEXTS in bounds.works:
        await _hand_in_long(other)
        yield Work.LONG_TEXTS, lambda: waiting(client)
    await over(lambda: waiting(client))
    for name, query in ((Work.WIDE_GRAPHQL, WIDE), (Work.DEEP_GRAPHQL, DEEP)):
        if name in bounds.works:
            async with _asking_graphql(other, query):
                yield name, _always


async def _always() -> bool:
    return True


async def _beside(own: Tenant, seconds: float, busy: Busy) -> dict[str, Any]:
    """Searches, and two captures a second, for so many seconds while there is work beside them."""
    taken: list[float] = []
    capturing = asyncio.create_task(_capturing(own, taken))
    try:
        searches = await _searched(own, seconds, busy)
    finally:
        capturing.cancel()
        await asyncio.gather(capturing, return_exceptions=True)
    if len(taken) < 2:
        raise LociError("the work was over before two captures were timed")
    return {"searches": searches, "captures": _told(taken)}


async def _searched(own: Tenant, seconds: float, busy: Busy) -> dict[str, Any]:
    """Searches for so many seconds at most, while there is something to be beside."""
    taken: list[float] = []
    own.wire.close()  # the server has closed what was idle; the next search opens it again
    start = looked = time.monotonic()
    going = await busy()
    while (going or len(taken) < 2) and time.monotonic() - start < seconds:
        who = f"{GIVEN[len(taken) % 10]} {FAMILY[len(taken) // 10 % 10]}{len(taken) % 50}"
        asked = ASKED[len(taken) % len(ASKED)].format(who=who, place=PLACES[len(taken) % 10])
        milliseconds, _ = await asyncio.to_thread(
            own.wire.search, {"query": f"{asked} ({len(taken)})", "scopes": [own.scope]}
        )
        taken.append(milliseconds)
        if time.monotonic() - looked > LOOK:
            going, looked = await busy(), time.monotonic()
    return {**_told(taken), "seconds": round(time.monotonic() - start, 1)}


async def _capturing(own: Tenant, taken: list[float]) -> None:
    """Two captures a second until it is cancelled; how long each took."""
    while True:
        await asyncio.sleep(PAUSE)
        number = time.monotonic_ns() // 1_000_000
        said = f"The review of building {number} was moved; {GIVEN[number % 10]} told me so."
        body = {"content": said, "scope": own.scope, "session": "beside"}
        start = time.perf_counter()
        await own.client.call("POST", "/v1/episodes", body)
        taken.append((time.perf_counter() - start) * 1000)


def _told(taken: list[float]) -> dict[str, Any]:
    times = Times.of(taken)
    return {
        "count": times.count,
        "p50": times.p50,
        "p95": times.p95,
        "load": round(os.getloadavg()[0], 2),
    }


async def _hand_in_long(other: Tenant) -> None:
    for text in range(LONG_TEXTS):
        content = "".join(
            PROSE.format(
                who=f"{GIVEN[n % 10]} {FAMILY[n // 10 % 10]}{text}x{n}",
                place=PLACES[n % 10],
                family=FAMILY[n % 10],
                number=n,
            )
            for n in range(LONG // len(PROSE))
        )
        body = {"content": content, "scope": other.scope, "session": f"long {text}"}
        await other.client.call("POST", "/v1/episodes", body)


async def _refreshed(client: ApiClient, scopes: list[str]) -> None:
    """The communities of each scope, found anew."""
    asked = [await client.call("POST", "/v1/communities/refresh", {"scope": s}) for s in scopes]
    await over(partial(running, client, *(str(job["job"]) for job in asked)))


async def _checked(client: ApiClient, receipt: str) -> None:
    """The check whether anything that the tenant keeps holds what an erasure took."""
    job = (await client.call("POST", f"/v1/erasures/{receipt}/check", {}))["job"]
    await over(partial(running, client, str(job)))


@asynccontextmanager
async def _again(work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Work that is over sooner than one can look at it, again and again."""

    async def repeat() -> None:
        while True:
            await work()

    repeating = asyncio.create_task(repeat())
    try:
        yield
    finally:
        if repeating.done():
            repeating.result()
        repeating.cancel()
        await asyncio.gather(repeating, return_exceptions=True)


@asynccontextmanager
async def _asking_graphql(other: Tenant, query: str) -> AsyncIterator[None]:
    """A large query of the other tenant, several at once, one after the other."""
    body = {"query": query}

    async def ask() -> None:
        while True:
            answer = await other.client.call("POST", "/graphql", body)
            if "errors" in answer:
                raise LociError(f"GraphQL refused: {answer['errors'][0]['message']}")

    asking = [asyncio.create_task(ask()) for _ in range(ABREAST)]
    try:
        yield
    finally:
        for task in asking:
            if task.done():
                task.result()
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def erased(client: ApiClient, scope: str) -> str:
    """Erase one memory of a scope; the id of the receipt."""
    await client.call("PUT", f"/v1/scopes/rules?scope={scope}", {"erasure": True})
    said = {"content": "The key of the annex hangs behind the door.", "scope": scope}
    memory = (await client.call("POST", "/v1/episodes", {**said, "session": "erased"}))["id"]
    return str((await client.call("POST", "/v1/erasures", {"memory": memory}))["receipt"])


async def imported(client: ApiClient, scopes: list[str], count: int) -> str:
    """Have so many episodes imported into some scopes; the id of the job."""
    body = await asyncio.to_thread(
        lambda: b"\n".join(orjson.dumps(line) for line in islice(lines(count, scopes), count))
    )
    job = await client.send("/v1/imports", body, "application/x-ndjson")
    return str(job["id"])


async def running(client: ApiClient, *jobs: str) -> bool:
    """Whether one of some jobs has not ended; LociError where one failed."""
    for job in jobs:
        state = (await client.call("GET", f"/v1/jobs/{job}"))["state"]
        if state not in ("queued", "running", "done"):
            raise LociError(f"the job {job} ended as {state}")
        if state != "done":
            return True
    return False


async def over(busy: Busy) -> None:
    """Wait until there is nothing more to be beside."""
    while True:
        if not await busy():
            return
        await asyncio.sleep(LOOK)


async def waiting(client: ApiClient) -> bool:
    """Whether what the caller sees waits to be read, embedded or linked."""
    status = await client.call("GET", "/v1/status")
    waiting = [status["consolidation"][state] for state in ("raw", "in_progress")]
    waiting += [status["backlog"][state] for state in ("pending", "unlinked")]
    return any(int(count) for count in waiting)
