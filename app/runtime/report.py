"""What runs, on which ports, in which version: `loci status`."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from app.errors import LociError
from app.runtime import neo4j, valkey
from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.embedded import GRAPH, QUEUE
from app.runtime.machine import is_free
from app.runtime.passwords import read_existing
from app.runtime.process import living
from app.runtime.state import State, read_state
from app.runtime.supervisor import API, WORKER, why_not_ready
from app.runtime.valkey import url_of


@dataclass(frozen=True)
class PartReport:
    """One part; `pid` and `uptime` (seconds) only where we run it."""

    name: str
    running: bool
    ready: bool
    detail: str
    pid: int | None = None
    port: int | None = None
    uptime: float | None = None
    restarts: int = 0


@dataclass(frozen=True)
class Status:
    """`phase` is `stopped`, `starting`, `ready`, `stopping` or `failed`."""

    phase: str
    detail: str
    home: str
    parts: tuple[PartReport, ...]

    @property
    def is_ready(self) -> bool:
        return all(part.ready for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "ready": self.is_ready}


def graph_door(config: RuntimeConfig) -> GraphDoor:
    """How to reach the graph that this configuration means."""
    if config.graph is not None:
        return config.graph
    password = read_existing(config.neo4j_password_file)
    return GraphDoor(f"bolt://127.0.0.1:{config.bolt_port}", "neo4j", password)


def redis_url(config: RuntimeConfig) -> str:
    """How to reach the queue that this configuration means."""
    if config.redis_url is not None:
        return config.redis_url
    return url_of(read_existing(config.valkey_password_file), config.valkey_port)


def status(config: RuntimeConfig) -> Status:
    """Ask every part; never raises for one that does not answer."""
    state = read_state(config)
    phase, detail = _phase(state)
    return Status(
        phase,
        detail,
        str(config.home),
        (
            _part(state, GRAPH, config.bolt_port, _graph_says(config)),
            _part(state, QUEUE, config.valkey_port, _queue_says(config)),
            _part(state, API, config.api_port, _api_says(config)),
            _part(state, WORKER, None, None),
        ),
    )


def _phase(state: State | None) -> tuple[str, str]:
    if state is None:
        return "stopped", ""
    if state.is_alive or state.phase == "failed":
        return state.phase, state.detail
    return "stopped", "the last supervisor was killed; `loci up` or `loci down` ends what it left"


Answer = tuple[bool, str]


def _part(state: State | None, name: str, port: int | None, says: Answer | None) -> PartReport:
    known = state.parts.get(name) if state else None
    process = living(known.mark) if known else None
    ready, detail = says or (process is not None, "running" if process else "not running")
    return PartReport(
        name=name,
        running=process is not None or ready,
        ready=ready,
        detail=detail,
        pid=process.pid if process else None,
        port=port,
        uptime=round(time.time() - known.mark.created, 1) if known and process else None,
        restarts=known.restarts if known else 0,
    )


def _graph_says(config: RuntimeConfig) -> Answer:
    if config.graph is None and is_free(config.bolt_port):
        return False, "not running"
    try:
        found = neo4j.versions(graph_door(config))
    except LociError as error:
        return False, error.detail
    return True, f"Neo4j {found['neo4j']} {found['edition']}, GDS {found['gds'] or 'missing'}"


def _queue_says(config: RuntimeConfig) -> Answer:
    if config.redis_url is None and is_free(config.valkey_port):
        return False, "not running"
    try:
        return True, f"Valkey {valkey.ask_version(redis_url(config))}"
    except LociError as error:
        return False, error.detail


def _api_says(config: RuntimeConfig) -> Answer:
    if is_free(config.api_port):
        return False, "not running"
    reason = why_not_ready(config)
    return not reason, reason or "ready"
