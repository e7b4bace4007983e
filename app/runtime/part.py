"""One supervised child: restarted when it dies, with growing pauses, and given up in the end."""

from __future__ import annotations

import logging
import subprocess
import time
from dataclasses import dataclass

from app.errors import PartFailed
from app.runtime.process import Command, Mark, last_line, start, stop_child, trim_log
from app.runtime.state import PartState

log = logging.getLogger("loci.runtime")

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
MOST_FAILURES = 6
STEADY_SECONDS = 60.0


@dataclass
class Part:
    """A command that shall run; `grace` is how long it may take to end, in seconds."""

    name: str
    command: Command
    grace: float = 30.0
    child: subprocess.Popen[bytes] | None = None
    mark: Mark | None = None
    restarts: int = 0
    failures: int = 0
    started: float = 0.0
    next_start: float | None = None

    @property
    def is_running(self) -> bool:
        return self.child is not None and self.child.poll() is None

    @property
    def state(self) -> PartState | None:
        return PartState(self.mark, self.restarts) if self.mark else None

    def start(self) -> None:
        self.child = start(self.command)
        self.mark = Mark.of(self.child.pid)
        self.started = time.monotonic()
        self.next_start = None

    def tend(self) -> bool:
        """Look after the child; True when its state changed. PartFailed when it is given up."""
        trim_log(self.command.log)
        if self.is_running:
            return False
        now = time.monotonic()
        if self.next_start is None:
            self._plan_restart(now)
            return False
        if now < self.next_start:
            return False
        self.start()
        self.restarts += 1
        log.info("%s was started again (pid %d)", self.name, self.mark.pid if self.mark else 0)
        return True

    def _plan_restart(self, now: float) -> None:
        self.failures = 1 if now - self.started > STEADY_SECONDS else self.failures + 1
        code = self.child.returncode if self.child else None
        said = last_line(self.command.log) or "nothing"
        if self.failures >= MOST_FAILURES:
            raise PartFailed(
                f"{self.name} ended {self.failures} times in a row and was given up. "
                f"It last said: {said}. See {self.command.log}."
            )
        pause = min(FIRST_PAUSE * 2 ** (self.failures - 1), LONGEST_PAUSE)
        self.next_start = now + pause
        log.warning(
            "%s ended (code %s), starts again in %.0f s; it last said: %s",
            self.name,
            code,
            pause,
            said,
        )

    def stop(self) -> None:
        if self.child is not None:
            stop_child(self.child, self.grace)
