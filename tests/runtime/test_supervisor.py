"""The supervisor as a process: started twice, interrupted, killed, and with parts that fail."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from app.runtime import supervisor
from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.process import last_line, living
from app.runtime.report import redis_url, status
from app.runtime.state import State, read_state
from app.runtime.supervisor import stop
from tests.runtime.driver import COMMANDS, spawn, supervised, wait_for_phase
from tests.support.server import Backend

STUBBORN = (
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('deaf', flush=True); time.sleep(600)",
)


@pytest.fixture
def door(backend: Backend) -> GraphDoor:
    """A Neo4j that someone else runs, for supervisors that need not start one."""
    return GraphDoor(backend.neo4j_uri, backend.neo4j_user, backend.neo4j_password)


@pytest.fixture
def given(config: RuntimeConfig, door: GraphDoor) -> RuntimeConfig:
    return replace(config, graph=door)


def all_gone(state: State, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(living(part.mark) for part in state.parts.values()):
            return True
        time.sleep(0.05)
    return False


def wait_for_line(log: Path, line: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while last_line(log) != line:
        assert time.monotonic() < deadline, last_line(log)
        time.sleep(0.05)


def test_up_twice_status_and_down(given: RuntimeConfig) -> None:
    with supervised(given) as first:
        found = status(given)
        assert found.phase == "ready"
        assert found.is_ready, found
        assert [part.name for part in found.parts] == ["Neo4j", "Valkey", "API", "worker"]
        with spawn(given) as second:
            assert second.communicate(timeout=60)[0] == "already running\n"
            assert second.returncode == 0
        state = read_state(given)
        assert state is not None
        assert given.graph is not None
        wait_for_line(given.logs / "worker.log", given.graph.uri)
        assert stop(given) == "Stopped worker, API, Valkey and Neo4j."
        assert first.wait(10) == 0
    assert all_gone(state)
    assert read_state(given) is None
    assert status(given).phase == "stopped"
    assert stop(given) == "Nothing was running."
    log = (given.logs / "supervisor.log").read_text()
    assert log.index("stops worker") < log.index("stops API") < log.index("stops Valkey")


def test_ctrl_c_ends_it_and_its_data_stay(given: RuntimeConfig) -> None:
    with supervised(given) as process:
        with Redis.from_url(redis_url(given)) as client:
            client.set("kept", "yes")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    with supervised(given), Redis.from_url(redis_url(given)) as client:
        assert client.get("kept") == b"yes"


def test_a_killed_supervisor_leaves_nothing_that_blocks_the_next(given: RuntimeConfig) -> None:
    with supervised(given) as process:
        state = read_state(given)
        process.kill()
    assert state is not None
    assert all_gone(state)
    with supervised(given):
        assert status(given).is_ready


def test_what_is_left_all_the_same_is_ended(
    given: RuntimeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that does not heed the kernel's SIGTERM."""
    with supervised(given, replace(COMMANDS, worker=STUBBORN)) as process:
        state = wait_for_phase(given, process, "ready")
        wait_for_line(given.logs / "worker.log", "deaf")
        process.kill()
    worker = state.parts["worker"].mark
    assert living(worker)
    found = status(given)
    assert found.phase == "stopped"
    assert "the last supervisor was killed" in found.detail
    monkeypatch.setattr(supervisor, "REAP_GRACE", 0.3)
    assert stop(given) == "Ended what was left: worker."
    assert not living(worker)
    assert read_state(given) is None


def test_a_part_that_dies_is_started_again(given: RuntimeConfig) -> None:
    with supervised(given) as process:
        state = read_state(given)
        assert state is not None
        for name in ("worker", "Valkey"):
            os.kill(state.parts[name].mark.pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while not status(given).is_ready and time.monotonic() < deadline:
            time.sleep(0.1)
        state = wait_for_phase(given, process, "ready")
        assert {name: part.restarts for name, part in state.parts.items()} == {
            "Valkey": 1,
            "API": 0,
            "worker": 1,
        }
    assert "worker ended (code -9)" in (given.logs / "supervisor.log").read_text()


def test_an_api_that_cannot_start_is_a_sentence_and_stops_the_rest(given: RuntimeConfig) -> None:
    broken = replace(COMMANDS, api=(sys.executable, "-c", "raise SystemExit('no such module')"))
    with spawn(given, broken) as process:
        said = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert said.startswith("PartFailed: The API ended during its start: no such module. See ")
    found = status(given)
    assert found.phase == "failed"
    assert "no such module" in found.detail
    assert not any(part.running for part in found.parts if part.name != "Neo4j")


def test_a_taken_port_is_a_sentence_before_anything_starts(given: RuntimeConfig) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", given.api_port))
        taken.listen()
        with spawn(given) as process:
            said = process.communicate(timeout=60)[0]
    assert said.startswith(f"PortTaken: Port {given.api_port}, which the API needs, is taken by ")
    assert f"(pid {os.getpid()})" in said
    assert "set LOCI_PORT to another port" in said
    assert not (given.valkey_home / "valkey.log").exists()


def test_a_given_graph_with_a_wrong_password_is_a_sentence(given: RuntimeConfig) -> None:
    wrong = replace(given, graph=GraphDoor(given.graph.uri, "neo4j", "wrong"))  # type: ignore[union-attr]
    with spawn(wrong) as process:
        said = process.communicate(timeout=60)[0]
    assert said.startswith("StoreUnusable: ")
    assert "correct NEO4J_PASSWORD" in said


def test_an_interrupt_while_starting_ends_what_had_started(
    given: RuntimeConfig,
) -> None:
    never = replace(COMMANDS, api=(sys.executable, "-c", "import time; time.sleep(600)"))
    with spawn(given, never) as process:
        state = wait_for_phase(given, process, "starting")
        while "API" not in state.parts:
            time.sleep(0.05)
            state = wait_for_phase(given, process, "starting")
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60)[0] == "interrupted\n"
    assert all_gone(state)
