from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil

from app.runtime.process import (
    Command,
    Mark,
    kill_child,
    last_line,
    living,
    start,
    stop_child,
    stop_mark,
    trim_log,
)

SLEEP = (sys.executable, "-c", "import time; time.sleep(600)")
STUBBORN = (
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('x', flush=True);"
    "time.sleep(600)",
)
PARENT = """
import sys, time
from pathlib import Path
from app.runtime.process import Command, start
child = start(Command((sys.executable, "-c", "import time; time.sleep(600)"), Path(sys.argv[1])))
print(child.pid, flush=True)
time.sleep(600)
"""


def gone(pid: int, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_a_child_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert psutil.pid_exists(child)
        parent.kill()
    assert gone(child)


def test_output_and_environment_reach_the_child(tmp_path: Path) -> None:
    program = (sys.executable, "-c", "import os; print(os.environ['GIVEN'], os.getpgid(0))")
    child = start(Command(program, tmp_path / "a" / "log", {"GIVEN": "yes"}))
    assert child.wait(10) == 0
    assert last_line(tmp_path / "a" / "log") == f"yes {child.pid}"


def test_stop_asks_first_and_kills_later(tmp_path: Path) -> None:
    polite = start(Command(SLEEP, tmp_path / "polite"))
    stop_child(polite, 10)
    assert polite.returncode in {-15, 143}
    stubborn = start(Command(STUBBORN, tmp_path / "stubborn"))
    while not last_line(tmp_path / "stubborn"):
        time.sleep(0.02)
    stop_child(stubborn, 0.2)
    assert stubborn.returncode == -9


def test_a_mark_knows_its_process_and_no_other(tmp_path: Path) -> None:
    child = start(Command(SLEEP, tmp_path / "log"))
    mark = Mark.of(child.pid)
    assert living(mark) is not None
    recycled = Mark(child.pid, mark.created - 100)
    assert living(recycled) is None
    assert not stop_mark(recycled)
    assert child.poll() is None
    assert stop_mark(mark, 10)
    child.wait(10)
    assert living(mark) is None
    assert not stop_mark(mark)
    kill_child(child)


def test_a_log_that_grew_too_long_is_cut_under_its_writer(tmp_path: Path) -> None:
    log = tmp_path / "part.log"
    with log.open("ab") as writer:
        writer.write(b"old\n" * 1000)
        writer.flush()
        trim_log(log, limit=100)
        writer.write(b"new\n")
    assert log.read_bytes() == b"new\n"
    assert (tmp_path / "part.log.1").stat().st_size == 4000


def test_the_last_line_skips_blank_ones(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("first\nsecond \n\n")
    assert last_line(tmp_path / "log") == "second"
    assert last_line(tmp_path / "missing") == ""
