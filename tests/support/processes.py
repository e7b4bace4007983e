"""The API and a worker as processes of their own, which a test may kill."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from app.runtime.machine import free_port
from app.runtime.watch import THREADS
from tests.support.server import EmbeddedPair

log = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Service:
    """The API and a worker as processes; the worker is restarted as a supervisor would."""

    pair: EmbeddedPair
    environment: dict[str, str]
    port: int
    logs: Path
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, *command: str) -> None:
        with (self.logs / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def start_api(self) -> None:
        self.start(
            "api", "uvicorn", "--factory", "app.asgi:create_app", "--port", str(self.port),
            "--no-access-log",
        )  # fmt: skip

    def start_worker(self) -> None:
        self.start("worker", "app.worker")

    def kill(self, name: str) -> None:
        self.children[name].send_signal(signal.SIGKILL)
        self.children[name].wait()

    def account(self) -> str:
        """How each process stands, and the end of what it printed: for a failure's message."""
        lines = []
        for name, child in self.children.items():
            code = child.poll()
            lines.append(f"--- {name}: {'runs' if code is None else f'ended with {code}'}")
            lines.append((self.logs / f"{name}.log").read_text(errors="replace")[-4000:])
        threads = self.pair.folder / "neo4j" / "logs" / THREADS
        if threads.exists():
            lines.append(f"--- Neo4j was stuck\n{threads.read_text(errors='replace')[-20000:]}")
        return "\n".join(lines)

    async def keep(self) -> None:
        """Start again what has ended, or does not work any more, as a supervisor does."""
        starts = {"api": self.start_api, "worker": self.start_worker}
        while True:
            for name, child in list(self.children.items()):
                if child.poll() is not None:
                    log.warning("%s ended with %s and is started again", name, child.returncode)
                    starts[name]()
            if self.pair.watch is not None and await asyncio.to_thread(self.pair.watch.tend):
                await asyncio.to_thread(self.pair.start_graph)
            await asyncio.sleep(0.5)


@contextmanager
def service(pair: EmbeddedPair, **settings: str) -> Iterator[Service]:
    """A service over a pair that is started here; nothing of it runs before it is asked for."""
    given = {k: v for k, v in os.environ.items() if not k.startswith(("LOCI_", "NEO4J", "REDIS"))}
    environment = {
        **given,
        **pair.backend().environment,
        "LOCI_EMBEDDING__PROVIDER": "hash",
        "LOCI_EMBEDDING__ALLOW_TEST": "true",
        "LOCI_WORKER__SWEEP_SECONDS": "2",
        "LOCI_TELEMETRY__LOG_LEVEL": "error",
        **settings,
    }
    logs = pair.folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    made = Service(pair, environment, free_port(), logs)
    try:
        yield made
    finally:
        for child in made.children.values():
            with suppress(ProcessLookupError):
                child.kill()
            child.wait()


async def until_ready(http: httpx.AsyncClient, running: Service) -> None:
    """Until the API says that it can serve."""
    for _ in range(1200):
        with suppress(httpx.TransportError):
            if (await http.get("/health/ready")).status_code == 200:
                return
        await asyncio.sleep(0.1)
    pytest.fail(f"the API did not become ready\n{running.account()}")
