"""What a call by the Model Context Protocol costs beyond the route that does the same, in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.errors import LociError
from app.mcp.schemas import RELEVANT
from bench.speed import WARM_UP, Times, Wire

MOST = 5.0  # milliseconds that a call may cost beyond its route, at the 95th percentile
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
KEY = "/v1/working-memory/{task}/keys/step"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with its arguments, and the route that does the same."""

    tool: str
    given: dict[str, Any]
    method: str
    path: str
    body: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Overhead:
    """Milliseconds of a tool and of its route, and what lies between their percentiles; `holds`
    tells whether that of the 95th is within the bar."""

    tool: str
    mcp: Times
    rest: Times
    p50: float
    p95: float
    holds: bool


def calls(task: str, scope: str) -> list[Call]:
    """A read that costs little, and a search, which costs much and answers with much."""
    question = {"query": "Who checked the pump?", "scopes": [scope], "limit": 10}
    body = {**question, "form": "both", "min_score": RELEVANT}  # as the tool asks by itself
    return [
        Call("working_retrieve", {"task": task, "key": "step"}, "GET", KEY.format(task=task)),
        Call("search", question, "POST", "/v1/search", body),
    ]


def measure(rest: Wire, mcp: Wire, call: Call, count: int, most: float = MOST) -> Overhead:
    """A tool and its route so many times, one after the other, so that whatever else the machine
    does meanwhile slows both alike; each is first every other time, for the second may find what
    the first left at hand."""
    samples: dict[str, list[float]] = {"mcp": [], "rest": []}
    sides: list[tuple[str, Callable[[], float]]] = [
        ("rest", lambda: rest.ask(call.method, call.path, call.body)[0]),
        ("mcp", lambda: by_protocol(mcp, call)[0]),
    ]
    for number in range(count + WARM_UP):
        taken = {name: ask() for name, ask in (sides if number % 2 else reversed(sides))}
        if number >= WARM_UP:
            for name, milliseconds in taken.items():
                samples[name].append(milliseconds)
    low, high = (
        round(float(np.percentile(samples["mcp"], at) - np.percentile(samples["rest"], at)), 2)
        for at in (50, 95)
    )
    times = {name: Times.of(found) for name, found in samples.items()}
    return Overhead(call.tool, times["mcp"], times["rest"], low, high, high <= most)


def by_protocol(mcp: Wire, call: Call) -> tuple[float, dict[str, Any]]:
    """Milliseconds of a call of a tool, and its value; LociError where it is a problem."""
    params = {"name": call.tool, "arguments": call.given}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    taken, told = mcp.ask("POST", "/mcp?tools=working", body)
    result = told.get("result")
    if result is None or result.get("isError"):
        raise LociError(f"{call.tool}: {told}")
    value: dict[str, Any] = result["structuredContent"]
    return taken, value
