"""Neo4j and Valkey as this package starts them: one function each, used by `up` and by tests."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.errors import GraphUnavailable, LociError, PlatformUnsupported, QueueUnavailable
from app.kernel.cypher import Q
from app.runtime import neo4j, valkey
from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.jars import JarCache, Progress, fetch, silent
from app.runtime.java import Java, find_java
from app.runtime.lock import read_lock
from app.runtime.machine import Memory, machine_mb, memory_for
from app.runtime.neo4j_config import Neo4jSpec, mark_store, prepare
from app.runtime.part import Part
from app.runtime.valkey import ValkeySpec

GRAPH, QUEUE = "Neo4j", "Valkey"
GRAPH_GRACE = 90.0
GIVEN_SECONDS = 30.0


@dataclass(frozen=True)
class Software:
    """What the embedded Neo4j is run with."""

    java: Java
    jars: JarCache


def need_platform() -> None:
    """PlatformUnsupported, naming the way out, where the embedded parts do not run."""
    if sys.platform not in {"linux", "darwin"}:
        raise PlatformUnsupported(
            f"Embedded Neo4j and Valkey do not run on {platform.system()}: use docker-compose.yml, "
            "or set NEO4J_URI and REDIS_URL to servers of yours."
        )


def software(config: RuntimeConfig, progress: Progress = silent) -> Software:
    """Find Java and complete the cache of jars; raises what `find_java` and `fetch` raise."""
    need_platform()
    java = find_java()
    jars = JarCache.under(config.cache, read_lock())
    fetch(jars, config.maven_url, progress)
    return Software(java, jars)


def memory_of(config: RuntimeConfig) -> Memory:
    """What was set, else a share of the machine."""
    default = memory_for(machine_mb())
    return Memory(config.heap_mb or default.heap_mb, config.pagecache_mb or default.pagecache_mb)


def graph_spec(config: RuntimeConfig, jars: JarCache, upgrade: bool = False) -> Neo4jSpec:
    return Neo4jSpec(
        home=config.neo4j_home,
        plugins=jars.plugins,
        password_file=config.neo4j_password_file,
        version=jars.lock.neo4j_version,
        bolt_port=config.bolt_port,
        http_port=config.browser_port,
        memory=memory_of(config),
        upgrade=upgrade,
        further=config.neo4j,
    )


def valkey_spec(config: RuntimeConfig) -> ValkeySpec:
    return ValkeySpec(config.valkey_home, config.valkey_password_file, config.valkey_port)


@dataclass(frozen=True)
class GraphPart:
    """A started Neo4j and how to reach it."""

    part: Part
    door: GraphDoor
    spec: Neo4jSpec

    def wait(self, seconds: float = 180.0) -> GraphDoor:
        """Until it answers; then the store counts as written by this version."""
        logs: Path = self.spec.home / "logs"
        neo4j.wait_ready(self.door, lambda: self.part.is_running, logs, seconds)
        mark_store(self.spec)
        return self.door


@dataclass(frozen=True)
class QueuePart:
    """A started Valkey and its URL."""

    part: Part
    url: str = field(repr=False)

    def wait(self, seconds: float = 30.0) -> str:
        valkey.wait_ready(self.url, lambda: self.part.is_running, self.part.command.log, seconds)
        return self.url


@dataclass(frozen=True)
class GivenGraph:
    """A Neo4j that someone else runs."""

    door: GraphDoor

    def wait(self, seconds: float = GIVEN_SECONDS) -> GraphDoor:
        """Until it answers; GraphUnavailable after `seconds`, StoreUnusable for a bad password."""
        _patiently(lambda: neo4j.ask(self.door, Q.runtime.ping), GraphUnavailable, seconds)
        return self.door


@dataclass(frozen=True)
class GivenQueue:
    """A Valkey or Redis that someone else runs."""

    url: str = field(repr=False)

    def wait(self, seconds: float = GIVEN_SECONDS) -> str:
        """Until it answers; QueueUnavailable after `seconds`, StoreUnusable for a bad password."""
        _patiently(lambda: valkey.ask_version(self.url), QueueUnavailable, seconds)
        return self.url


def _patiently(question: Callable[[], object], retried: type[LociError], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            question()
            return
        except retried:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.5)


def start_graph(spec: Neo4jSpec, tools: Software) -> GraphPart:
    """Prepare the home and start the server; it is not ready yet."""
    password = prepare(spec)
    part = Part(GRAPH, neo4j.command(spec, tools.java, tools.jars.class_path), GRAPH_GRACE)
    part.start()
    return GraphPart(part, neo4j.door_of(spec, password), spec)


def start_queue(spec: ValkeySpec) -> QueuePart:
    url = valkey.prepare(spec)
    part = Part(QUEUE, valkey.command(spec))
    part.start()
    return QueuePart(part, url)


def addresses(door: GraphDoor, redis_url: str) -> Mapping[str, str]:
    """The environment by which every other part finds the two."""
    named = {"NEO4J_DATABASE": door.database} if door.database else {}
    return {
        "NEO4J_URI": door.uri,
        "NEO4J_USER": door.user,
        "NEO4J_PASSWORD": door.password,
        "REDIS_URL": redis_url,
        **named,
    }
