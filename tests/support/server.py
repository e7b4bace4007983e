"""Real Neo4j and Valkey for tests: given, in containers, or embedded, in that order.

A database serves a whole session; tests keep apart by scope. Crash tests take an `EmbeddedPair`
of their own, which they may kill and start again on the same data and ports.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from testcontainers.core.container import DockerContainer

from app.runtime.config import GraphDoor
from app.runtime.embedded import (
    GivenGraph,
    GivenQueue,
    GraphPart,
    QueuePart,
    Software,
    start_graph,
    start_queue,
)
from app.runtime.machine import Memory, free_port
from app.runtime.neo4j_config import Neo4jSpec
from app.runtime.process import kill_child
from app.runtime.valkey import ValkeySpec
from app.runtime.watch import Watch
from tests.support.software import embedded_software, has_engine, skip_where_pure

NEO4J_IMAGE = "neo4j:2026.08-community"
VALKEY_IMAGE = "valkey/valkey:9"
CONTAINER_PASSWORD = "loci-tests-only"
TEST_MEMORY = Memory(heap_mb=1024, pagecache_mb=512)
# A test session is too short for the optimising compiler to pay: 10.5 s of CPU a start, not 17.7.
TEST_JAVA_FLAGS = ("-XX:TieredStopAtLevel=1",)
# Nor does a collector that works beside the program: what it asks of compiled code makes planning
# dearer.
TEST_COLLECTOR = ("-XX:-UseG1GC", "-XX:+UseParallelGC")
# A store of tests grows from nothing, and each time that a count has grown fourfold, the plans that
# rest on it are made anew: a thousand statements six times over, more than anything else that the
# tests wait for. Here they are made anew where a count has grown twentyfold, however old they are.
# Never would leave the plans in place that were made for an empty store.
TEST_SETTINGS = {
    "dbms.cypher.statistics_divergence_threshold": "0.95",
    "internal.cypher.replan_algorithm": "NONE",
}
# What a crash test kills has lived for seconds only; a real server has had its first checkpoint.
TEST_CHECKPOINT_SECONDS = 5
ROOM = 6 * 1024**3  # bytes, of memory that stores of tests may take some of
CHECKPOINT = re.compile(r"\[neo4j/.*Scheduled checkpoint .* checkpoint completed")


@dataclass(frozen=True)
class Backend:
    """How to reach the two servers; `source` is `given`, `containers` or `embedded`."""

    neo4j_uri: str
    neo4j_user: str
    neo4j_password: str = field(repr=False)
    redis_url: str = field(repr=False)
    source: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which a child process finds the two."""
        return {
            "NEO4J_URI": self.neo4j_uri,
            "NEO4J_USER": self.neo4j_user,
            "NEO4J_PASSWORD": self.neo4j_password,
            "REDIS_URL": self.redis_url,
        }


@contextmanager
def start_backend() -> Iterator[Backend]:
    """A graph and a queue, ready; what was started here is stopped at the end.

    Skips the test that asks where TESTS_PURE says that none is to be started.

    NEO4J_URI (with NEO4J_USER, NEO4J_PASSWORD) and REDIS_URL are taken where set, each alone too.
    Else containers where a Docker engine answers, else the embedded runtime with 1 GiB of heap.
    """
    skip_where_pure()
    with _graph() as (door, source), _queue() as url:
        yield Backend(door.uri, door.user, door.password, url, source)


@contextmanager
def _graph() -> Iterator[tuple[GraphDoor, str]]:
    if os.environ.get("NEO4J_URI"):
        yield GivenGraph(_given_door()).wait(), "given"
    elif has_engine():
        with _graph_container() as door:
            yield door, "containers"
    else:
        with EmbeddedPair() as pair:
            yield pair.start_graph(), "embedded"


@contextmanager
def _queue() -> Iterator[str]:
    if os.environ.get("REDIS_URL"):
        yield GivenQueue(os.environ["REDIS_URL"]).wait()
    elif has_engine():
        with _queue_container() as url:
            yield url
    else:
        with EmbeddedPair() as pair:
            yield pair.start_queue()


def _given_door() -> GraphDoor:
    user = os.environ.get("NEO4J_USER") or os.environ.get("NEO4J_USERNAME") or "neo4j"
    return GraphDoor(os.environ["NEO4J_URI"], user, os.environ.get("NEO4J_PASSWORD", ""))


@contextmanager
def _graph_container() -> Iterator[GraphDoor]:
    container = (
        DockerContainer(NEO4J_IMAGE)
        .with_env("NEO4J_AUTH", f"neo4j/{CONTAINER_PASSWORD}")
        .with_env("NEO4J_PLUGINS", '["graph-data-science"]')
        .with_env("NEO4J_dbms_usage__report_enabled", "false")
        .with_env("NEO4J_server_memory_heap_max__size", "1g")
        .with_exposed_ports(7687)
    )
    with container:
        uri = f"bolt://{container.get_container_host_ip()}:{container.get_exposed_port(7687)}"
        yield GivenGraph(GraphDoor(uri, "neo4j", CONTAINER_PASSWORD)).wait(240)


@contextmanager
def _queue_container() -> Iterator[str]:
    with DockerContainer(VALKEY_IMAGE).with_exposed_ports(6379) as container:
        address = f"{container.get_container_host_ip()}:{container.get_exposed_port(6379)}"
        yield GivenQueue(f"redis://{address}/0").wait(60)


def in_memory() -> str | None:
    """A folder that lies in memory, where there is one with room: each commit waits for its disk.

    A killed process loses as little there as on a disk; only a machine that goes down loses more.
    """
    folder = Path("/dev/shm")
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < ROOM:
        return None
    return str(folder) if psutil.virtual_memory().available >= ROOM else None


class EmbeddedPair:
    """A private Neo4j and a private Valkey, started when asked for, gone with their data at exit.

    `kill_graph` and `kill_queue` are SIGKILL; starting again uses the same data and port. A server
    that is killed and must come back is given the Java that users have: no `java_flags`.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        java_flags: tuple[str, ...] = (*TEST_JAVA_FLAGS, *TEST_COLLECTOR),
    ) -> None:
        self._java_flags = java_flags
        self._made = folder is None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="loci-test-", dir=in_memory()))
        self.graph: GraphPart | None = None
        self.queue: QueuePart | None = None
        self.watch: Watch | None = None
        self._ports = (free_port(), free_port(), free_port())

    def __enter__(self) -> EmbeddedPair:
        return self

    def __exit__(self, *exception: object) -> None:
        self._watch_no_more()
        # What holds these is thrown away: no need for an orderly end.
        self.kill_graph()
        self.kill_queue()
        if self._made:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start_graph(self) -> GraphDoor:
        """Start, or start again, the Neo4j; returns when it answers."""
        tools = embedded_software()
        self.graph = start_graph(self._graph_spec(tools), tools)
        self._watch_no_more()
        self.watch = Watch(self.graph.part, self.graph.door)
        return self.graph.wait()

    def start_queue(self) -> str:
        """Start, or start again, the Valkey; returns its URL when it answers."""
        home = self.folder / "valkey"
        spec = ValkeySpec(home, self.folder / "secrets" / "valkey", self._ports[2])
        self.queue = start_queue(spec)
        return self.queue.wait()

    def wait_for_checkpoint(self, seconds: float = 60) -> None:
        """Until the next checkpoint, which needs somebody who writes.

        What was made since the last one, a kill lets the server make anew.
        """
        before, end = self._checkpoints(), time.monotonic() + seconds
        while self._checkpoints() == before:
            if time.monotonic() > end:
                raise TimeoutError(f"no checkpoint in {seconds} s")
            time.sleep(0.2)

    def _checkpoints(self) -> int:
        log = self.folder / "neo4j" / "logs" / "debug.log"
        return len(CHECKPOINT.findall(log.read_text("utf-8")))

    def _watch_no_more(self) -> None:
        if self.watch is not None:
            self.watch.close()

    def kill_graph(self) -> None:
        if self.graph is not None and self.graph.part.child is not None:
            kill_child(self.graph.part.child)

    def kill_queue(self) -> None:
        if self.queue is not None and self.queue.part.child is not None:
            kill_child(self.queue.part.child)

    def stop(self) -> None:
        """Stop both in order, as `loci down` does."""
        for started in (self.queue, self.graph):
            if started is not None:
                started.part.stop()

    def backend(self) -> Backend:
        """Both, started; what a test hands to child processes."""
        door, url = self.start_graph(), self.start_queue()
        return Backend(door.uri, door.user, door.password, url, "embedded")

    def _graph_spec(self, tools: Software) -> Neo4jSpec:
        return Neo4jSpec(
            home=self.folder / "neo4j",
            plugins=tools.jars.plugins,
            password_file=self.folder / "secrets" / "neo4j",
            version=tools.jars.lock.neo4j_version,
            bolt_port=self._ports[0],
            http_port=self._ports[1],
            memory=TEST_MEMORY,
            java_flags=self._java_flags,
            checkpoint_seconds=TEST_CHECKPOINT_SECONDS,
            further=TEST_SETTINGS,
        )
