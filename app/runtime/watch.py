"""Whether a Neo4j that runs still works, and its end where it does not.

A server may run and be of no use: it takes connections and answers none, or a query that was
terminated goes round for ever, and what waits for its locks waits on. Nothing but a restart helps,
and a restart loses nothing that was acknowledged.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from dataclasses import dataclass, field

from app.errors import GraphUnavailable, StoreUnusable
from app.kernel.cypher import Q
from app.runtime import neo4j
from app.runtime.config import GraphDoor
from app.runtime.java_threads import threads_of
from app.runtime.part import Part
from app.runtime.process import kill_child

log = logging.getLogger("loci.runtime")

EVERY = 10.0  # seconds between two questions
PATIENCE = 120.0  # seconds without an answer, or of work on what was terminated
THREADS = "stuck.log"  # where that is kept, beside its other logs


@dataclass
class Signs:
    """What was seen of a server; times are seconds of one monotonic clock.

    `asked` is since when a question waits for its answer. `working` has the terminated queries
    that go on: when each was first seen, and the seconds of CPU that it had used by then and now.
    One thread writes, another reads: each field is replaced as a whole.
    """

    patience: float = PATIENCE
    asked: float | None = None
    working: dict[str, tuple[float, float, float]] = field(default_factory=dict)

    def note(self, cpu: dict[str, float], at: float) -> None:
        """The terminated queries that are there at a moment, with the CPU that each has used."""
        known = self.working
        self.working = {
            query: (*known.get(query, (at, used))[:2], used) for query, used in cpu.items()
        }

    def why_stuck(self, at: float) -> str | None:
        """What shows that the server does not work any more; None while nothing does.

        A terminated query whose client does not fetch the rest is there as well, and is no sign:
        it uses no CPU.
        """
        asked = self.asked
        if asked is not None and at - asked > self.patience:
            return f"it has not answered for {at - asked:.0f} s"
        for query, (since, before, used) in self.working.items():
            if at - since > self.patience and used - before > 0.05 * (at - since):
                return f"{query} was terminated, and works on for {at - since:.0f} s"
        return None


class Watch:
    """Asks a server in a thread of its own; `tend` ends the server where it is stuck.

    Whoever started the server starts it again. A server that refuses connections is starting or
    has ended, which is not looked at here.
    """

    def __init__(
        self, part: Part, door: GraphDoor, *, every: float = EVERY, patience: float = PATIENCE
    ) -> None:
        self._part = part
        self._door = door
        self._every = every
        self._signs = Signs(patience)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._ask_on, name="neo4j-watch", daemon=True)
        self._thread.start()

    def tend(self) -> bool:
        """Whether the server was stuck; it is killed then, and its log says what it was at."""
        reason = self._signs.why_stuck(time.monotonic())
        child = self._part.child
        if reason is None or child is None or not self._part.is_running:
            return False
        log.error("%s is stuck and is ended: %s", self._part.name, reason)
        self._keep_threads(child.pid)
        kill_child(child)
        self._signs.asked = None
        self._signs.note({}, time.monotonic())
        return True

    def close(self) -> None:
        """Ask no more; a question that waits for its answer is left to end by itself."""
        self._closed.set()

    def _keep_threads(self, pid: int) -> None:
        """Write down what the server's threads do; one that is stopped altogether says nothing."""
        with contextlib.suppress(OSError):
            (self._part.command.log.parent / THREADS).write_bytes(threads_of(pid))

    def _ask_on(self) -> None:
        while not self._closed.wait(self._every):
            self._signs.asked = time.monotonic()
            try:
                rows = neo4j.ask(self._door, Q.runtime.terminated)
            except (GraphUnavailable, StoreUnusable):
                continue  # it is starting, or its password was changed: that is not stuck
            finally:
                self._signs.asked = None
            seen = {row["query"]: float(row["cpu_ms"]) / 1000 for row in rows}
            self._signs.note(seen, time.monotonic())
