"""How soon what is said is known: from a capture over HTTP until its fact is listed.

Measured twice through a running API and worker: with nothing else to do, and in one tenant while
many episodes are imported into another. The import is asked for over HTTP as well, and is stopped
once enough was measured, or its time is up.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from statistics import quantiles
from typing import Any

import orjson

from app.errors import LociError, Unavailable
from app.evals.client import ApiClient

WARM = 3  # captures before anything is timed
LOOK = 0.05  # seconds between two looks at the facts
AIMS = {"quiet": 2.0, "while importing": 10.0}  # seconds at p95, of either part
MOST = 30.0  # seconds that one fact is waited for; then it counts as that long
START_MOST = 120.0  # seconds until the import is under way
START = datetime(2026, 1, 5, 8, tzinfo=UTC)
GIVEN = ("Ada", "Bruno", "Chiara", "Deniz", "Emil", "Frida", "Goran", "Hanne", "Ilse", "Jonas")
FAMILY = ("Berger", "Conti", "Demir", "Ehlers", "Falk", "Graf", "Hofer", "Ivers", "Jansen", "Kunz")
PLACES = ("Bremen", "Kiel", "Graz", "Basel", "Lyon", "Turin", "Leeds", "Ghent", "Porto", "Riga")
TOLD = (
    "{who} lives in {place}. The train was late again, so we talked for half an hour.",
    "I met {who} on Tuesday; {who} works for {family} Logistics in {place} now.",
    "The budget of the {place} office is {number} euros, and nobody was surprised.",
    "{who} prefers tea, and asked whether the review could be moved by {number} minutes.",
    "We had rain in {place} all week. The pump of building {number} is to be checked.",
    "{who} wohnt in {place} und arbeitet bei {family} Bau.",
)

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is captured and imported, and how many seconds either part may take."""

    captures: int = 40
    episodes: int = 100_000
    seconds: float = 100.0


async def measure(
    client: ApiClient, scope: str, importer: ApiClient, into: str, bounds: Bounds, tell: Tell
) -> dict[str, Any]:
    """Both parts; `client` writes to `scope`, `importer` administers another tenant, `into`."""
    run = secrets.token_hex(3)
    for number in range(WARM):  # the first of each query is planned by the database
        await _known(client, scope, f"Warm{run} Up{chr(97 + number)}", "Bremen")
    quiet = await _captured(client, scope, f"Quiet{run}", bounds)
    tell(f"quiet: {quiet}")
    job = await _import(importer, into, bounds.episodes)
    try:
        await _under_way(importer, job)
        tell(f"the import of {bounds.episodes} episodes is under way")
        busy = await _captured(client, scope, f"Busy{run}", bounds)
        state = await importer.call("GET", f"/v1/jobs/{job}")
    finally:
        await _stop(importer, job)
    still = {"state": state["state"], "progress": state["progress"]}
    return {"quiet": quiet, "while importing": busy, "import at the end": still}


def missed(found: Mapping[str, Any]) -> list[str]:
    """A sentence for each part that was slower than its aim, or of which nothing was measured."""
    told = []
    for part, aim in AIMS.items():
        p95 = found[part]["p95_s"]
        if p95 > aim:
            told.append(f"{part}: {p95} s at p95, aim {aim} s")
    return told


async def _captured(
    client: ApiClient, scope: str, name: str, bounds: Bounds
) -> dict[str, float | int]:
    """Seconds from capture to fact, one capture after the other, and the machine's load."""
    deadline = time.monotonic() + bounds.seconds
    taken: list[float] = []
    for number in range(bounds.captures):
        if time.monotonic() > deadline:
            break
        who = f"{name} {FAMILY[number % 10]}{chr(97 + number // 10 % 26)}"
        taken.append(await _known(client, scope, who, PLACES[number % 10]))
        await asyncio.sleep(0.2)
    cuts = quantiles(taken, n=100, method="inclusive") if len(taken) > 1 else taken * 99
    return {
        "captures": len(taken),
        "p50_s": round(cuts[49], 2),
        "p95_s": round(cuts[94], 2),
        "most_s": round(max(taken), 2),
        "load": round(os.getloadavg()[0], 2),
    }


async def _known(client: ApiClient, scope: str, who: str, place: str) -> float:
    """Seconds until the fact of one capture is listed, `MOST` at most."""
    start = time.monotonic()
    body = {"content": f"{who} lives in {place}.", "session": "freshness", "scope": scope}
    await client.call("POST", "/v1/episodes", body)
    subject = who.replace(" ", "%20")
    while (taken := time.monotonic() - start) < MOST:
        try:
            found = await client.call("GET", f"/v1/facts?scope={scope}&subject={subject}")
        except Unavailable:
            raise
        except LociError:  # nobody of that name yet
            found = {"items": []}
        if found["items"]:
            return time.monotonic() - start
        await asyncio.sleep(LOOK)
    return taken


def lines(count: int, scopes: list[str]) -> Iterator[dict[str, Any]]:
    """Episodes that say something, no two alike, scope by scope in talks of forty turns."""
    each = -(-count // len(scopes))
    for number in range(count):
        who = f"{GIVEN[number % 10]} {FAMILY[number // 10 % 10]}{number // 100 % 50}"
        text = TOLD[number % len(TOLD)].format(
            who=who,
            place=PLACES[number // 7 % 10],
            family=FAMILY[number // 3 % 10],
            number=1000 + number,
        )
        yield {
            "scope": scopes[number // each],
            "session": f"talk-{number // 40}",
            "role": "user",
            "speaker": GIVEN[number // 40 % 10],
            "content": text,
            "captured_at": (START + timedelta(seconds=20 * number)).isoformat(),
        }


async def _import(importer: ApiClient, into: str, count: int) -> str:
    """Ask for the import; the id of its job."""
    scopes = [f"{into}/w{place:02d}" for place in range(10)]
    body = await asyncio.to_thread(
        lambda: b"\n".join(orjson.dumps(line) for line in islice(lines(count, scopes), count))
    )
    job = await importer.send("/v1/imports", body, "application/x-ndjson")
    return str(job["id"])


async def _under_way(importer: ApiClient, job: str) -> None:
    deadline = time.monotonic() + START_MOST
    while time.monotonic() < deadline:
        state = await importer.call("GET", f"/v1/jobs/{job}")
        if state["progress"] or state["state"] not in ("queued", "running"):
            return
        await asyncio.sleep(0.5)
    raise Unavailable("the import has not begun: is a worker running?")


async def _stop(importer: ApiClient, job: str) -> None:
    state = await importer.call("GET", f"/v1/jobs/{job}")
    if state["state"] in ("queued", "running"):
        await importer.call("POST", f"/v1/jobs/{job}/cancel")
