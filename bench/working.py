"""Working memory over HTTP beside a route that only lets its caller in, in turns."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from redis import Redis

from bench.speed import WARM_UP, Times, Wire

EMPTY, BASE = "/v1/working-limits", "/v1/working-memory"
MESSAGE = {
    "role": "user",
    "content": "The pump of building 4 was checked on Monday; Ada writes the report.",
}
VALUE = {"step": 3, "plan": ["load", "sum", "send"], "last": MESSAGE}


@dataclass(frozen=True, slots=True)
class WorkingSpeed:
    """Milliseconds of each call. `empty` is an authenticated route that asks nothing of a server,
    `valkey` one value written and read in Valkey without any of ours. Ratios are to `empty`."""

    empty: Times
    write: Times
    read: Times
    append: Times
    valkey: Times
    write_ratio: float
    read_ratio: float
    append_ratio: float
    write_ratio_p95: float
    read_ratio_p95: float


def measure(wire: Wire, redis: Redis, task: str, count: int) -> WorkingSpeed:
    """Each call so many times, one after the other in turns, so that whatever else the machine does
    meanwhile slows all of them alike."""
    samples: dict[str, list[float]] = {
        name: [] for name in ("empty", "write", "read", "append", "valkey")
    }
    for number in range(count + WARM_UP):
        path = f"{BASE}/{task}/keys/k{number % 50}"
        taken = {
            "empty": wire.ask("GET", EMPTY)[0],
            "write": wire.ask("PUT", path, {"value": VALUE | {"step": number}})[0],
            "read": wire.ask("GET", path)[0],
            # A conversation grows with each message; one that is begun anew now and then does not.
            "append": wire.ask(
                "POST", f"{BASE}/{task}-{number // 50}/conversation", {"value": MESSAGE}
            )[0],
            "valkey": _bare(redis, f"loci:eval:{task}"),
        }
        if number >= WARM_UP:
            for name, milliseconds in taken.items():
                samples[name].append(milliseconds)
    redis.delete(f"loci:eval:{task}")
    times = {name: Times.of(found) for name, found in samples.items()}
    bare = samples["empty"]
    return WorkingSpeed(
        **times,
        write_ratio=_ratio(samples["write"], bare),
        read_ratio=_ratio(samples["read"], bare),
        append_ratio=_ratio(samples["append"], bare),
        write_ratio_p95=round(times["write"].p95 / times["empty"].p95, 2),
        read_ratio_p95=round(times["read"].p95 / times["empty"].p95, 2),
    )


def _ratio(samples: list[float], bare: list[float]) -> float:
    """Of the medians."""
    return round(statistics.median(samples) / statistics.median(bare), 2)


def _bare(redis: Redis, key: str) -> float:
    start = time.perf_counter()
    redis.hset(key, "field", "x" * 150)
    redis.hget(key, "field")
    return (time.perf_counter() - start) * 1000
