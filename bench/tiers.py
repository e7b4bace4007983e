"""What an agent waits for at each step: a key over four tiers, a context for its task, a turn.

Beside a route that only lets its caller in and a plain search of the same words, in turns, so that
whatever else the machine does meanwhile slows all of them alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from app.evals.client import ApiClient
from bench.speed import WARM_UP, Times, Wire

EMPTY = "/v1/working-limits"
CONTEXT = 4_000  # tokens
# Milliseconds at the 95th percentile.
MOST = {"router": 15.0, "missed": 15.0, "context": 60.0, "bundle": 60.0, "turn": 50.0}
KEYS = 20


@dataclass(frozen=True, slots=True)
class TierSpeed:
    """Milliseconds of each call; ratios of medians to `empty` or `search`, and what lies above its
    bar at the 95th percentile.

    `router` reads a key that only the last of four tiers has, `missed` one that none has; `bundle`
    is a search that fills as many tokens as `context` may have. Tokens are means.
    """

    empty: Times
    router: Times
    missed: Times
    search: Times
    context: Times
    bundle: Times
    turn: Times
    router_ratio: float
    context_ratio: float
    turn_ratio: float
    context_tokens: float
    bundle_tokens: float
    above: list[str]


async def shared(client: ApiClient, scope: str, name: str) -> None:
    """Make a pool of a scope with keys in it."""
    await client.call("POST", "/v1/pools", {"name": name, "pool_id": name, "scope": scope})
    data = {f"key-{number}": {"step": number, "note": "checked"} for number in range(KEYS)}
    path = f"/v1/pools/{name}/data?scope={quote(scope, safe='')}"
    await client.call("PUT", path, {"value": data})


def measure(wire: Wire, scope: str, name: str, questions: Sequence[str]) -> TierSpeed:
    """Each call once for each question: all of a scope is read, turns are written to it, and keys
    are looked for in its pool of that name."""
    samples: dict[str, list[float]] = {name: [] for name in ("empty", "search", *MOST)}
    tokens: list[tuple[int, int]] = []
    for number, question in enumerate(questions):
        task = {"query": question, "token_budget": CONTEXT, "scope": scope}
        context, made = wire.ask("POST", "/v1/tiers/context", task)
        filled, found = wire.search({"query": question, "limit": 100, "token_budget": CONTEXT})
        taken = {
            "empty": wire.ask("GET", EMPTY)[0],
            "router": _read(wire, f"key-{number % KEYS}", name, scope),
            "missed": _read(wire, f"none-{number}", name, scope),
            "search": wire.search({"query": question})[0],
            "context": context,
            "bundle": filled,
            "turn": wire.ask("POST", "/v1/turns", _turn(question, number, name, scope))[0],
        }
        if number >= WARM_UP:
            tokens.append((made["tokens"], found["tokens"]))
            for name, milliseconds in taken.items():
                samples[name].append(milliseconds)
    times = {name: Times.of(found) for name, found in samples.items()}
    return TierSpeed(
        **times,
        router_ratio=_ratio(samples["router"], samples["empty"]),
        context_ratio=_ratio(samples["context"], samples["search"]),
        turn_ratio=_ratio(samples["turn"], samples["search"]),
        context_tokens=round(statistics.fmean(one for one, _ in tokens), 1),
        bundle_tokens=round(statistics.fmean(other for _, other in tokens), 1),
        above=[name for name, bar in MOST.items() if times[name].p95 > bar],
    )


def _read(wire: Wire, key: str, pool: str, scope: str) -> float:
    asked = f"key={key}&pool={pool}&session_id=speed&scope={quote(scope, safe='')}"
    return wire.ask("GET", f"/v1/tiers/value?{asked}")[0]


def _turn(question: str, number: int, name: str, scope: str) -> dict[str, Any]:
    return {
        "messages": [{"content": f"{question} ({number})", "role": "user"}],
        "session": f"{name}-{number // 10}",
        "scope": scope,
        "begins": number % 10 == 0,
    }


def _ratio(samples: list[float], bare: list[float]) -> float:
    return round(statistics.median(samples) / statistics.median(bare), 2)
