"""Runs a supervisor in a process of its own, with a small API and worker, for tests."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from app.errors import LociError
from app.runtime.commands import Commands
from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.logs import log_to_file
from app.runtime.state import State, read_state
from app.runtime.supervisor import AlreadyRunning, Interrupted, Supervisor

API = """
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        ready = self.path == "/health/ready" and os.environ["REDIS_URL"].startswith("redis://")
        self.send_response(200 if ready else 503)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ["LOCI_PORT"])), Handler).serve_forever()
"""
WORKER = "import os, time; print(os.environ['NEO4J_URI'], flush=True); time.sleep(600)"
COMMANDS = Commands(api=(sys.executable, "-c", API), worker=(sys.executable, "-c", WORKER))
ROOT = Path(__file__).parents[2]


def spawn(config: RuntimeConfig, commands: Commands = COMMANDS) -> subprocess.Popen[str]:
    """A supervisor in another process; its complaint comes on standard output."""
    told = {"config": {**asdict(config), "home": str(config.home), "cache": str(config.cache)}}
    assert config.model_cache is None
    told["commands"] = asdict(commands)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.runtime.driver", json.dumps(told)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def supervised(
    config: RuntimeConfig, commands: Commands = COMMANDS
) -> Iterator[subprocess.Popen[str]]:
    """A supervisor that has come up; killed at the end if it still runs."""
    with spawn(config, commands) as process:
        try:
            wait_for_phase(config, process, "ready")
            yield process
        finally:
            process.kill()


def wait_for_phase(
    config: RuntimeConfig, process: subprocess.Popen[str], phase: str, seconds: float = 240
) -> State:
    """The state once it has the phase; fails with what the supervisor said if it ends first."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        state = read_state(config)
        mine = state is not None and state.supervisor.pid == process.pid
        if state is not None and mine and state.phase == phase:
            return state
        if process.poll() is not None:
            raise AssertionError(process.stdout.read() if process.stdout else "ended")
        time.sleep(0.05)
    raise AssertionError(f"not {phase} after {seconds} s: {read_state(config)}")


def main(told: str) -> None:
    raw = json.loads(told)
    given = raw["config"]
    given |= {"home": Path(given["home"]), "cache": Path(given["cache"])}
    if given["graph"]:
        given["graph"] = GraphDoor(**given["graph"])
    config = RuntimeConfig(**given)
    commands = Commands(**{name: tuple(argv) for name, argv in raw["commands"].items()})
    try:
        with log_to_file(config):
            supervisor = Supervisor(config, commands)
            with supervisor.running():
                supervisor.tend()
    except AlreadyRunning:
        sys.stdout.write("already running\n")
    except Interrupted:
        sys.stdout.write("interrupted\n")
    except LociError as error:
        sys.stdout.write(f"{error.code}: {error.detail}\n")
        sys.exit(1)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main(sys.argv[1])
