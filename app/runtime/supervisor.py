"""The supervisor behind `loci up`: starts every part in order, tends them, stops them."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

import httpx
import psutil
from filelock import FileLock, Timeout

from app.errors import LociError, PartFailed
from app.runtime.commands import Commands, child_environment
from app.runtime.config import RuntimeConfig, make_folders
from app.runtime.embedded import (
    GivenGraph,
    GivenQueue,
    GraphPart,
    QueuePart,
    addresses,
    graph_spec,
    software,
    start_graph,
    start_queue,
    valkey_spec,
)
from app.runtime.jars import Progress, silent
from app.runtime.machine import MIN_HOME_MB, need_disk, need_port
from app.runtime.part import Part
from app.runtime.process import Command, Mark, last_line, living, stop_mark
from app.runtime.state import (
    FAILED,
    READY,
    STARTING,
    STOPPING,
    State,
    lock_file,
    read_state,
    state_file,
    write_state,
)
from app.runtime.watch import Watch

log = logging.getLogger("loci.runtime")

API, WORKER = "API", "worker"
TICK_SECONDS = 0.3
REAP_GRACE = 90.0
API_SECONDS = 300.0


class AlreadyRunning(Exception):
    """Another supervisor holds this home: not a failure, `up` reports it."""


class Interrupted(BaseException):
    """Ctrl-C, SIGTERM or a closed terminal came while the parts were being started."""


@dataclass
class Supervisor:
    """Everything one `loci up` holds. Not reentrant, and to be used from the main thread."""

    config: RuntimeConfig
    commands: Commands
    progress: Progress = silent
    upgrade_store: bool = False
    parts: list[Part] = field(default_factory=list)
    watch: Watch | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    stopping: threading.Event = field(default_factory=threading.Event)
    is_starting: bool = True

    @contextmanager
    def running(self) -> Iterator[None]:
        """Hold the home while the body runs, with all parts up; stop them afterwards.

        Raises AlreadyRunning, Interrupted, or an error of our tree whose text says what to do.
        """
        make_folders(self.config)
        with _hold(self.config), self._signals():
            try:
                self._start_all()
                self.is_starting = False
                self._say(READY)
                yield
            except LociError as error:
                self._say(FAILED, error.detail)
                raise
            finally:
                self.is_starting = False
                self._stop_all()

    def tend(self) -> None:
        """Tend the parts until told to stop; PartFailed when one is given up."""
        while self.tick():
            pass

    def tick(self) -> bool:
        """Wait a moment and look at every part once; False when it is time to stop."""
        if self.stopping.wait(TICK_SECONDS):
            return False
        if self.watch is not None:
            self.watch.tend()
        changed = [part.name for part in self.parts if part.tend()]
        if changed:
            self._say(READY)
        return True

    def _start_all(self) -> None:
        reap(self.config)
        self._say(STARTING, "checks ports and disk")
        need_disk(self.config.home, MIN_HOME_MB, "LOCI_HOME")
        self._need_ports()
        graph, queue = self._graph(), self._queue()
        door, redis_url = graph.wait(), queue.wait()
        self.environment = {**child_environment(self.config), **addresses(door, redis_url)}
        self._start_own()

    def _need_ports(self) -> None:
        config = self.config
        if config.graph is None:
            need_port(config.bolt_port, "LOCI_BOLT_PORT", "Neo4j")
            need_port(config.browser_port, "LOCI_HTTP_PORT", "Neo4j Browser")
        if config.redis_url is None:
            need_port(config.valkey_port, "LOCI_VALKEY_PORT", "Valkey")
        need_port(config.api_port, "LOCI_PORT", "the API")

    def _graph(self) -> GraphPart | GivenGraph:
        if self.config.graph is not None:
            return GivenGraph(self.config.graph)
        self._say(STARTING, "fetches Neo4j")
        tools = software(self.config, self.progress)
        graph = start_graph(graph_spec(self.config, tools.jars, self.upgrade_store), tools)
        self._add(graph.part)
        self.watch = Watch(graph.part, graph.door)
        return graph

    def _queue(self) -> QueuePart | GivenQueue:
        if self.config.redis_url is not None:
            return GivenQueue(self.config.redis_url)
        queue = start_queue(valkey_spec(self.config))
        self._add(queue.part)
        return queue

    def _start_own(self) -> None:
        """The API first: it brings the graph's schema up to date, which the worker then finds."""
        api = self._start_child(API, self.commands.api)
        wait_for_api(self.config, api, self.parts)
        self._start_child(WORKER, self.commands.worker)

    def _start_child(self, name: str, argv: tuple[str, ...]) -> Part:
        output = self.config.logs / f"{name.lower()}.log"
        part = Part(name, Command(argv, output, self.environment))
        part.start()
        self._add(part)
        return part

    def _add(self, part: Part) -> None:
        self.parts.append(part)
        self._say(STARTING, f"waits for {part.name}")

    def _say(self, phase: str, detail: str = "") -> None:
        log.info("%s%s", phase, f": {detail}" if detail else "")
        states = {part.name: part.state for part in self.parts}
        write_state(
            self.config,
            State(
                Mark.of(os.getpid()),
                phase,
                detail,
                {name: state for name, state in states.items() if state is not None},
                ports_of(self.config),
            ),
        )

    def _stop_all(self) -> None:
        """Worker, API, Valkey, Neo4j: each before what it needs."""
        state = read_state(self.config)
        has_failed = state is not None and state.phase == FAILED
        if not has_failed:
            self._say(STOPPING)
        if self.watch is not None:
            self.watch.close()
        for part in reversed(self.parts):
            log.info("stops %s", part.name)
            part.stop()
        if not has_failed:
            state_file(self.config).unlink(missing_ok=True)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        old = {number: signal.getsignal(number) for number in numbers}
        for number in old:
            signal.signal(number, self._on_signal)
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopping.set()
        if self.is_starting:
            self.is_starting = False
            raise Interrupted


def ports_of(config: RuntimeConfig) -> dict[str, int]:
    """Ports that this runtime listens on, by what listens."""
    ports = {API: config.api_port}
    if config.graph is None:
        ports |= {"Neo4j": config.bolt_port, "Neo4j Browser": config.browser_port}
    if config.redis_url is None:
        ports["Valkey"] = config.valkey_port
    return ports


def wait_for_api(
    config: RuntimeConfig, api: Part, parts: list[Part], seconds: float = API_SECONDS
) -> None:
    """Until `/health/ready` answers 200; PartFailed when the API ends first or `seconds` pass."""
    deadline = time.monotonic() + seconds
    while reason := why_not_ready(config):
        if not api.is_running:
            said = last_line(api.command.log) or "it said nothing"
            raise PartFailed(f"The API ended during its start: {said}. See {api.command.log}.")
        if time.monotonic() > deadline:
            raise PartFailed(
                f"The API was not ready after {seconds:.0f} s ({reason}): see {api.command.log}."
            )
        for part in parts:
            if part is not api:
                part.tend()
        time.sleep(TICK_SECONDS)


def why_not_ready(config: RuntimeConfig) -> str:
    """Empty when the API is ready, else the reason in a few words."""
    try:
        answer = httpx.get(f"{config.api_url}/health/ready", timeout=5, trust_env=False)
    except httpx.TransportError as error:
        return str(error) or type(error).__name__
    return "" if answer.status_code == httpx.codes.OK else f"status {answer.status_code}"


def reap(config: RuntimeConfig) -> list[str]:
    """End what a killed supervisor left behind; the names of what was still running."""
    state = read_state(config)
    parts = list(state.parts.items()) if state else []
    left = [name for name, part in reversed(parts) if stop_mark(part.mark, REAP_GRACE)]
    for name in left:
        log.warning("ended %s, left behind by a supervisor that was killed", name)
    return left


def stop(config: RuntimeConfig, seconds: float = 180.0) -> str:
    """What `loci down` does; a sentence that says what was done.

    Raises PartFailed where the supervisor does not end within `seconds`.
    """
    state = read_state(config)
    supervisor = living(state.supervisor) if state else None
    if supervisor is None:
        left = reap(config)
        state_file(config).unlink(missing_ok=True)
        return f"Ended what was left: {', '.join(left)}." if left else "Nothing was running."
    supervisor.terminate()
    try:
        supervisor.wait(seconds)
    except psutil.TimeoutExpired:
        raise PartFailed(
            f"The supervisor (pid {supervisor.pid}) did not end within {seconds:.0f} s: see "
            f"{config.logs}, or kill that process and run `loci down` again."
        ) from None
    return "Stopped worker, API, Valkey and Neo4j."


@contextmanager
def _hold(config: RuntimeConfig) -> Iterator[None]:
    lock = FileLock(lock_file(config))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise AlreadyRunning from None
    try:
        yield
    finally:
        lock.release()
