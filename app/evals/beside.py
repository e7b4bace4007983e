"""What a search costs one tenant while the worker is busy for another.

Searches go over HTTP, one after the other, in a small scope of one tenant. They are timed with
nothing else to do, then while episodes are imported into another tenant and read there, then while
that tenant's communities are found. The quiet figure is of the same run on the same machine.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from app.errors import LociError
from app.evals.freshness import FAMILY, GIVEN, PLACES, lines
from app.evals.retrieval import ApiClient
from app.evals.speed import Times, Wire

ASKED = (
    "Where does {who} live?",
    "Who works in {place} now?",
    "What is the budget of the {place} office?",
    "Which pump is to be checked in {place}?",
    "Wo wohnt {who}?",
)
WARM = 10.0  # seconds of searches before anything is timed
LOOK = 1.0  # seconds between two looks at what the worker does
TEXTS = 2000  # of the scope that is searched

Tell = Callable[[str], None]
Busy = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many episodes the other tenant imports, and how many seconds either part may take."""

    episodes: int = 20_000
    seconds: float = 120.0


async def measure(
    client: ApiClient,
    wire: Wire,
    scope: str,
    other: ApiClient,
    into: str,
    bounds: Bounds,
    tell: Tell,
) -> dict[str, Any]:
    """Milliseconds of searches in `scope` with each kind of work going on in `into`.

    Raises LociError where the work of the other tenant failed.
    """
    own = await _import(client, [scope], TEXTS)
    await _over(lambda: _running(client, own))
    await _over(lambda: _waiting(client))
    await _searched(wire, scope, WARM, _always)
    quiet = await _searched(wire, scope, bounds.seconds / 2, _always)
    tell(f"quiet: {quiet}")
    job = await _import(other, [f"{into}/w{place}" for place in range(10)], bounds.episodes)
    importing = await _searched(wire, scope, bounds.seconds, lambda: _running(other, job))
    tell(f"importing: {importing}")
    await _over(lambda: _running(other, job))
    reading = await _searched(wire, scope, bounds.seconds, lambda: _waiting(other))
    tell(f"consolidating: {reading}")
    await _over(lambda: _waiting(other))
    asked = await other.call("POST", "/v1/communities/refresh", {"scope": f"{into}/w0"})
    refresh = str(asked["job"])
    found = await _searched(wire, scope, bounds.seconds, lambda: _running(other, refresh))
    tell(f"communities: {found}")
    work = {"importing": importing, "consolidating": reading, "communities": found}
    return {"quiet": quiet} | {
        name: told | {"to_quiet_p95": round(told["p95"] / quiet["p95"], 2)}
        for name, told in work.items()
    }


async def _always() -> bool:
    return True


async def _searched(wire: Wire, scope: str, seconds: float, busy: Busy) -> dict[str, Any]:
    """Searches for so many seconds at most, while there is something to be beside."""
    taken: list[float] = []
    wire.close()  # the server has closed what was idle; the next search opens it again
    start = looked = time.monotonic()
    going = await busy()
    while (going or len(taken) < 2) and time.monotonic() - start < seconds:
        who = f"{GIVEN[len(taken) % 10]} {FAMILY[len(taken) // 10 % 10]}{len(taken) % 50}"
        asked = ASKED[len(taken) % len(ASKED)].format(who=who, place=PLACES[len(taken) % 10])
        milliseconds, _ = await asyncio.to_thread(
            wire.search, {"query": f"{asked} ({len(taken)})", "scopes": [scope]}
        )
        taken.append(milliseconds)
        if time.monotonic() - looked > LOOK:
            going, looked = await busy(), time.monotonic()
    times = Times.of(taken)
    return {
        "searches": times.count,
        "p50": times.p50,
        "p95": times.p95,
        "seconds": round(time.monotonic() - start, 1),
        "load": round(os.getloadavg()[0], 2),
    }


async def _import(client: ApiClient, scopes: list[str], count: int) -> str:
    body = await asyncio.to_thread(
        lambda: b"\n".join(orjson.dumps(line) for line in islice(lines(count, scopes), count))
    )
    job = await client.send("/v1/imports", body, "application/x-ndjson")
    return str(job["id"])


async def _running(client: ApiClient, job: str) -> bool:
    state = await client.call("GET", f"/v1/jobs/{job}")
    if state["state"] not in ("queued", "running", "done"):
        raise LociError(f"the job {job} ended as {state['state']}")
    return str(state["state"]) != "done"


async def _over(busy: Busy) -> None:
    while True:
        if not await busy():
            return
        await asyncio.sleep(LOOK)


async def _waiting(client: ApiClient) -> bool:
    """Whether an episode that the caller sees waits to be read."""
    status = await client.call("GET", "/v1/status")
    return any(int(status["consolidation"][state]) for state in ("raw", "in_progress"))
