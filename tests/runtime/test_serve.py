"""The commands as a user types them, on a home where nothing runs, and on one where all does."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.cli import serve
from app.errors import PortTaken
from app.runtime.commands import Commands
from app.runtime.config import GraphDoor, RuntimeConfig, runtime_config
from app.runtime.doctor import examine
from app.runtime.embedded import addresses
from app.runtime.first_run import done_mark, first_key
from app.runtime.lock import read_lock
from app.runtime.process import living
from app.runtime.report import graph_door
from app.runtime.state import read_state
from app.settings import read_settings
from tests.runtime.driver import supervised
from tests.support.server import Backend

runner = CliRunner()


@pytest.fixture
def cli() -> typer.Typer:
    made = typer.Typer()
    serve.register(made)
    return made


@pytest.fixture
def home(config: RuntimeConfig, monkeypatch: pytest.MonkeyPatch) -> RuntimeConfig:
    """The environment means `config`, and nothing runs there."""
    for name in ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    given = {
        "LOCI_HOME": config.home,
        "LOCI_CACHE": config.cache,
        "LOCI_PORT": config.api_port,
        "LOCI_BOLT_PORT": config.bolt_port,
        "LOCI_HTTP_PORT": config.browser_port,
        "LOCI_VALKEY_PORT": config.valkey_port,
        "LOCI_EMBEDDING__PROVIDER": "e5",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, str(value))
    return config


@pytest.fixture
def running(
    home: RuntimeConfig, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RuntimeConfig]:
    """All of it runs, with the Neo4j of the session."""
    monkeypatch.setenv("NEO4J_URI", backend.neo4j_uri)
    monkeypatch.setenv("NEO4J_USER", backend.neo4j_user)
    monkeypatch.setenv("NEO4J_PASSWORD", backend.neo4j_password)
    door = GraphDoor(backend.neo4j_uri, backend.neo4j_user, backend.neo4j_password)
    config = replace(home, graph=door)
    with supervised(config):
        yield config


def test_the_settings_reach_the_runtime(home: RuntimeConfig) -> None:
    read = runtime_config(read_settings(), {"LOCI_MAVEN_URL": "http://127.0.0.1:1"})
    expected = replace(home, maven_url="http://127.0.0.1:1", model_cache=home.cache / "models")
    assert read == expected


def test_a_given_graph_or_queue_is_not_started(home: RuntimeConfig) -> None:
    environment = {
        "NEO4J_URI": "neo4j+s://example",
        "NEO4J_PASSWORD": "p",
        "REDIS_URL": "redis://x",
    }
    read = runtime_config(read_settings(environment), {})
    assert read.graph == GraphDoor("neo4j+s://example", "neo4j", "p")
    assert read.redis_url == "redis://x"
    assert "'p'" not in repr(read)
    assert addresses(read.graph, read.redis_url)["NEO4J_URI"] == "neo4j+s://example"


def test_status_of_a_stopped_home(home: RuntimeConfig, cli: typer.Typer) -> None:
    result = runner.invoke(cli, ["status", "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (found["phase"], found["ready"]) == ("stopped", False)
    assert {part["detail"] for part in found["parts"]} == {"not running"}


def test_status_down_and_a_second_up(running: RuntimeConfig, cli: typer.Typer) -> None:
    shown = runner.invoke(cli, ["status"])
    assert shown.exit_code == 0, shown.output
    assert "Loci is ready" in shown.stdout
    for arguments in (["up"], ["up", "--detach"]):
        again = runner.invoke(cli, arguments)
        assert again.exit_code == 0, again.output
        assert "Loci runs already" in again.stdout
    state = read_state(running)
    assert state is not None
    stopped = runner.invoke(cli, ["down"])
    assert stopped.exit_code == 0
    assert "Stopped worker, API, Valkey and Neo4j." in stopped.stdout
    assert not any(living(part.mark) for part in state.parts.values())
    assert "Nothing was running." in runner.invoke(cli, ["down"]).stdout


def test_doctor_of_a_running_home_finds_nothing_to_put_right(
    running: RuntimeConfig, cli: typer.Typer
) -> None:
    result = runner.invoke(cli, ["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert result.exit_code == 0, checks
    assert checks["ports"]["says"].startswith("In use by the running Loci: API ")
    assert checks["gds"]["says"].startswith("Graph Data Science 2.")
    assert all(checks[name]["level"] == "ok" for name in ("neo4j", "valkey", "api", "home"))


def test_doctor_names_what_is_wrong(home: RuntimeConfig, cli: typer.Typer) -> None:
    (home.neo4j_home / "data" / "databases").mkdir(parents=True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", home.valkey_port))
        taken.listen()
        result = runner.invoke(cli, ["doctor", "--json"])
    found = {check["name"]: check for check in json.loads(result.stdout)}
    levels = {name: check["level"] for name, check in found.items()}
    assert result.exit_code == 1
    assert str(home.valkey_port) in found["ports"]["says"]
    assert "(unknown)" in found["store"]["says"]
    assert [levels[name] for name in ("ports", "store", "valkey")] == ["fail"] * 3
    assert levels["neo4j"] == "warn"


def test_doctor_finds_a_damaged_jar(home: RuntimeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    small = home.cache / "small.lock"
    home.cache.mkdir()
    small.write_text(f"org.example:part0:1.0 {'0' * 64} 3 lib\n")
    monkeypatch.setattr("app.runtime.doctor.read_lock", lambda: read_lock(small))
    lock = read_lock(small)
    folder = home.cache / f"neo4j-unknown-{lock.digest[:8]}"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "org.example.part0-1.0.jar").write_text("abc")
    (folder / "complete").write_text(lock.digest)
    found = {check.name: check for check in examine(home)}
    assert found["jars"].level == "fail"
    assert "1 jars are damaged" in found["jars"].says
    assert str(folder) in found["jars"].says


def test_up_on_a_taken_port_raises_the_sentence(home: RuntimeConfig, cli: typer.Typer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", home.bolt_port))
        taken.listen()
        result = runner.invoke(cli, ["up"])
    assert isinstance(result.exception, PortTaken)
    assert "LOCI_BOLT_PORT" in str(result.exception)


def test_the_first_key_is_read_and_left_nowhere(tmp_path: Path) -> None:
    said = ((sys.executable, "-c", 'print(\'{"key": "loci_x",\\n "tenant": "demo"}\')'), {})
    assert first_key(said, tmp_path) == "loci_x"
    assert not any("loci_x" in file.read_text() for file in tmp_path.iterdir())
    assert first_key(((sys.executable, "-c", "print('{\"key\": null}')"), {}), tmp_path) is None


def test_the_first_run_is_noted_with_the_store_it_was_for(home: RuntimeConfig) -> None:
    assert done_mark(home).parent == home.neo4j_home
    one, other = (replace(home, graph=GraphDoor(f"bolt://{name}")) for name in "ab")
    assert done_mark(one) != done_mark(other)
    assert done_mark(one).parent == home.run


def test_a_first_step_that_fails_is_told_and_tried_again(
    home: RuntimeConfig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home.neo4j_home.mkdir()
    failing = Commands((), (), (sys.executable, "-c", "raise SystemExit('no such tenant')"))
    working = Commands((), (), (sys.executable, "-c", 'print(\'{"key": "loci_y"}\')'))
    monkeypatch.setattr(serve, "own_commands", lambda config: failing)
    serve.welcome(home, lambda: True)
    assert "no such tenant" in capsys.readouterr().out
    monkeypatch.setattr(serve, "own_commands", lambda config: working)
    serve.welcome(home, lambda: True)
    assert "loci_y" in capsys.readouterr().out
    serve.welcome(home, lambda: True)
    assert "loci_y" not in capsys.readouterr().out


def test_an_empty_start_makes_the_key_and_loads_nothing(
    home: RuntimeConfig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store that is to take a backup over; a later start loads no demo either."""
    home.neo4j_home.mkdir()
    loaded = home.home / "loaded"
    seed = (sys.executable, "-c", f"open({str(loaded)!r}, 'w')")
    own = Commands((), (), (sys.executable, "-c", 'print(\'{"key": "loci_z"}\')'), seed)
    monkeypatch.setattr(serve, "own_commands", lambda config: own)
    serve.welcome(home, lambda: True, empty=True)
    assert "loci_z" in capsys.readouterr().out
    assert not loaded.exists()
    serve.welcome(home, lambda: True)
    assert not loaded.exists()
    done_mark(home).unlink()
    serve.welcome(home, lambda: True)
    assert loaded.exists(), "the same first start without --empty loads it"


@pytest.mark.parametrize("detached", [True, False])
def test_the_flag_reaches_the_first_steps(
    home: RuntimeConfig, cli: typer.Typer, monkeypatch: pytest.MonkeyPatch, detached: bool
) -> None:
    run = "_run_detached" if detached else "_run_here"
    asked: list[bool] = []
    monkeypatch.setattr(serve, run, lambda config, upgrade, empty: asked.append(empty))
    for flags in (["--empty"], []):
        done = runner.invoke(cli, ["up", *flags, *(["--detach"] if detached else [])])
        assert done.exit_code == 0, done.output
    assert asked == [True, False]


def test_the_door_of_an_embedded_graph_has_the_generated_password(home: RuntimeConfig) -> None:
    assert graph_door(home).password == ""
    home.neo4j_password_file.write_text("generated\n")
    assert graph_door(home) == GraphDoor(f"bolt://127.0.0.1:{home.bolt_port}", "neo4j", "generated")
