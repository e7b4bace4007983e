"""Two tenants at one worker: what one hands in to be read does not hold up the other."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from tests.readers.shapes import text_of
from tests.scenarios.stories.house import House, Person

HOSTILE = ("prose_en", "turns", "blank_lines+word", "mail+word")  # what takes longest to read
LONG = 650_000  # characters: with its escapes, below the limit of a body
ROUNDS = 3
PATIENCE = 10.0  # seconds; a capture waited for 40 and more


async def told(house: House) -> None:
    hostile, other = await house.tenant("hostile"), await house.tenant("patient")
    await say(other, 0)
    await export(other)  # and what is asked for the first time is planned
    alone = [(await say(other, n), await export(other)) for n in range(1, 1 + ROUNDS)]
    for shape in HOSTILE:
        await hostile.post("/v1/episodes", {"content": text_of(shape, LONG), "session": shape})
    beside = []
    for n in range(ROUNDS):
        await asyncio.sleep(1)
        beside.append((await say(other, 10 + n), await export(other)))
    assert await waits(hostile), "nothing was beside it"
    slowest = max(max(pair) for pair in beside)
    assert slowest <= PATIENCE + 4 * max(max(pair) for pair in alone), (alone, beside)


async def say(who: Person, number: int) -> float:
    """Seconds until a capture is read."""
    start = time.monotonic()
    body = {"content": f"Nora Feld{number} lives in Bremen.", "session": "s"}
    while not (await who.post("/v1/episodes", body, wait="consolidated"))["consolidated"]:
        pass  # the request waits
    return time.monotonic() - start


async def export(who: Person) -> float:
    """Seconds until an export is done."""
    start = time.monotonic()
    job: dict[str, Any] = await who.post("/v1/exports")
    while job["state"] != "done":
        assert job["state"] in ("queued", "running"), job
        await asyncio.sleep(0.05)
        job = await who.get(f"/v1/jobs/{job['id']}")
    return time.monotonic() - start


async def waits(who: Person) -> bool:
    """Whether texts of a tenant wait or are read now."""
    scopes = (await who.get("/v1/consolidation"))["scopes"]
    return any(scope["raw"] + scope["in_progress"] for scope in scopes)
