"""A command finds the servers that `loci up` runs on this machine, without being told of them."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.local import local_settings
from app.errors import GraphUnavailable


@pytest.fixture
def port() -> Iterator[int]:
    """A port where something listens, as a Neo4j would."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> Path:
    """The environment means a home with generated passwords, and names no server."""
    for name in ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "LOCI_BOLT_PORT": str(port),
        "LOCI_VALKEY_PORT": "16379",
        "LOCI_HOME": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "neo4j").write_text("one\n")
    (tmp_path / "secrets" / "valkey").write_text("two/2\n")
    return tmp_path


def test_servers_of_the_home_are_found_with_their_passwords(port: int) -> None:
    found = local_settings()
    graph = found.graph
    assert (graph.uri, graph.user, graph.password) == (f"bolt://127.0.0.1:{port}", "neo4j", "one")
    assert found.redis.url == "redis://:two%2F2@127.0.0.1:16379/0"


def test_what_is_given_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    uri = f"neo4j://localhost:{port}"
    given = {"NEO4J_URI": uri, "NEO4J_PASSWORD": "p", "REDIS_URL": "redis://r/1"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found = local_settings()
    assert (found.graph.uri, found.graph.password) == (uri, "p")
    assert found.redis.url == "redis://r/1"


def test_a_host_that_has_no_address_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j://there-is-none.invalid")
    with pytest.raises(GraphUnavailable, match=r"there-is-none\.invalid"):
        local_settings()


@pytest.mark.parametrize("uri", ["bolt://127.0.0.1:1", "neo4j+s://localhost:1"])
def test_a_port_where_nothing_listens_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.setenv("NEO4J_URI", uri)
    begun = time.monotonic()
    with pytest.raises(GraphUnavailable, match=r"no Neo4j answers at \S+:1 \("):
        local_settings()
    assert time.monotonic() - begun < 10, "the driver alone tries for half a minute"


def test_each_server_is_given_or_found_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://r/1")
    found = local_settings()
    assert (found.graph.password, found.redis.url) == ("one", "redis://r/1")


def test_a_home_where_nothing_was_started_yet_has_no_password(home: Path) -> None:
    (home / "secrets" / "neo4j").unlink()
    assert local_settings().graph.password == ""


def test_only_errors_are_logged_unless_a_level_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCI_TELEMETRY__LOG_LEVEL", raising=False)
    assert local_settings().telemetry.log_level == "error"
    monkeypatch.setenv("LOCI_TELEMETRY__LOG_LEVEL", "info")
    assert local_settings().telemetry.log_level == "info"
