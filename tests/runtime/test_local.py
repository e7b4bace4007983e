"""A command finds the servers that `loci up` runs on this machine, without being told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.local import local_settings
from app.errors import GraphUnavailable

HOME = {"LOCI_BOLT_PORT": "17687", "LOCI_VALKEY_PORT": "16379"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment means a home with generated passwords, and names no server."""
    for name in ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**HOME, "LOCI_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "neo4j").write_text("one\n")
    (tmp_path / "secrets" / "valkey").write_text("two/2\n")
    return tmp_path


def test_servers_of_the_home_are_found_with_their_passwords() -> None:
    found = local_settings()
    graph = found.graph
    assert (graph.uri, graph.user, graph.password) == ("bolt://127.0.0.1:17687", "neo4j", "one")
    assert found.redis.url == "redis://:two%2F2@127.0.0.1:16379/0"


def test_what_is_given_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"NEO4J_URI": "neo4j://localhost:1", "NEO4J_PASSWORD": "p", "REDIS_URL": "redis://r/1"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found = local_settings()
    assert (found.graph.uri, found.graph.password) == ("neo4j://localhost:1", "p")
    assert found.redis.url == "redis://r/1"


def test_a_host_that_has_no_address_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j://there-is-none.invalid")
    with pytest.raises(GraphUnavailable, match=r"there-is-none\.invalid"):
        local_settings()


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
