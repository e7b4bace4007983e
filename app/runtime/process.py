"""Child processes: started on a leash, recognised later, stopped for certain."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

LEASH = Path(__file__).with_name("leash.py")
FRAME = re.compile(r"at \S+\(|\.\.\. \d+ more")
LOG_LIMIT = 20 * 1024 * 1024


@dataclass(frozen=True)
class Command:
    """A program to run: its arguments, what it adds to our environment, where its output goes."""

    argv: tuple[str, ...]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Mark:
    """A process that cannot be mistaken for another: process id and start time (epoch seconds)."""

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> Mark:
        return cls(pid, psutil.Process(pid).create_time())

    def to_json(self) -> dict[str, float]:
        return {"pid": self.pid, "created": self.created}


def start(command: Command) -> subprocess.Popen[bytes]:
    """Start a command in its own session; it gets SIGTERM when the calling thread's process dies.

    Call it from the main thread: Linux ties the signal to the thread that forked.
    """
    command.log.parent.mkdir(parents=True, exist_ok=True)
    leash = [sys.executable, "-I", "-S", str(LEASH), str(os.getpid())]
    with command.log.open("ab") as log:
        return subprocess.Popen(
            [*leash, *command.argv],
            env={**os.environ, **command.env},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def living(mark: Mark | None) -> psutil.Process | None:
    """The process of a mark while it runs; None once it is gone or its id was given away."""
    if mark is None:
        return None
    try:
        process = psutil.Process(mark.pid)
        # psutil derives the start time from clock ticks: allow for their grain.
        same = abs(process.create_time() - mark.created) < 0.1
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.NoSuchProcess:
        return None


def stop_mark(mark: Mark | None, grace: float = 30.0) -> bool:
    """End a process that we did not fork ourselves; True where one was running."""
    process = living(mark)
    if process is None:
        return False
    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
        try:
            process.wait(grace)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(10)
    return True


def stop_child(child: subprocess.Popen[bytes], grace: float = 30.0) -> None:
    """Ask a child to end, and after `grace` seconds kill its whole group."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            kill_child(child)
    child.wait()


def kill_child(child: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a child and its group: nothing of it is left, and nothing was tidied up."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def last_line(log: Path, limit: int = 8192) -> str:
    """The last line that says something, for a message; empty where there is none.

    Frames of a Java stack trace say nothing to a reader: the line above them does.
    """
    lines = (line.strip() for line in reversed(tail(log, limit).splitlines()))
    return next((line for line in lines if line and not FRAME.match(line)), "")


def tail(log: Path, limit: int) -> str:
    """The end of a file, at most `limit` bytes of it; empty where there is none."""
    if not log.is_file():
        return ""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - limit))
        return stream.read().decode("utf-8", "replace")


def trim_log(log: Path, limit: int = LOG_LIMIT) -> None:
    """Keep one older part of a log that outgrew `limit` bytes.

    The writer holds the file open for appending, so the content is copied and the file emptied;
    a line written between the two is lost.
    """
    if log.is_file() and log.stat().st_size > limit:
        log.with_suffix(log.suffix + ".1").write_bytes(log.read_bytes())
        os.truncate(log, 0)
