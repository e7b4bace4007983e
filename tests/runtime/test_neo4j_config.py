from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.errors import StoreUnusable
from app.runtime.machine import Memory
from app.runtime.neo4j_config import STORE_MARK, Neo4jSpec, prepare, store_version


@pytest.fixture
def spec(tmp_path: Path) -> Neo4jSpec:
    return Neo4jSpec(
        home=tmp_path / "neo4j",
        plugins=tmp_path / "plugins",
        password_file=tmp_path / "secrets" / "neo4j",
        version="2026.08.1",
        bolt_port=1,
        http_port=2,
        memory=Memory(1024, 512),
    )


@pytest.fixture
def used(spec: Neo4jSpec) -> Neo4jSpec:
    """A home that a server has run in."""
    prepare(spec)
    (spec.home / "data" / "databases").mkdir(parents=True)
    return spec


def mark(spec: Neo4jSpec, version: str) -> None:
    (spec.home / STORE_MARK).write_text(json.dumps({"neo4j": version}))


def test_a_new_home_gets_a_private_first_user(spec: Neo4jSpec) -> None:
    password = prepare(spec)
    line = (spec.home / "data" / "dbms" / "auth.ini").read_text()
    assert line.startswith("neo4j:SHA-256,")
    assert password not in line
    assert (spec.home / "data" / "dbms" / "auth.ini").stat().st_mode & 0o777 == 0o600
    assert store_version(spec.home) == "2026.08.1"


def test_the_configuration_listens_here_only_and_logs_no_query(spec: Neo4jSpec) -> None:
    password = prepare(spec)
    text = (spec.home / "conf" / "neo4j.conf").read_text()
    assert password not in text
    settings = dict(line.split("=", 1) for line in text.splitlines())
    listening = {name: value for name, value in settings.items() if name.endswith("listen_address")}
    assert all(value.startswith("127.0.0.1") for value in listening.values())
    assert settings["db.logs.query.enabled"] == "OFF"
    assert settings["dbms.usage_report.enabled"] == "false"
    assert settings["server.memory.heap.max_size"] == "1024m"


def test_a_second_start_keeps_the_password(used: Neo4jSpec) -> None:
    before = used.password_file.read_text()
    assert prepare(used) == before


def test_a_newer_store_asks_for_a_newer_loci(used: Neo4jSpec) -> None:
    mark(used, "2026.10.0")
    with pytest.raises(StoreUnusable, match=r"written by Neo4j 2026\.10\.0.*upgrade Loci"):
        prepare(used)


def test_an_older_store_is_opened_only_when_told(used: Neo4jSpec) -> None:
    mark(used, "2026.07.3")
    with pytest.raises(StoreUnusable, match=r"older Neo4j 2026\.07\.3.*loci up --upgrade-store"):
        prepare(used)
    prepare(replace(used, upgrade=True))


@pytest.mark.parametrize("content", [None, "", "{}", "[]", "not json"])
def test_a_store_of_unknown_origin_is_left_alone(used: Neo4jSpec, content: str | None) -> None:
    (used.home / STORE_MARK).unlink()
    if content is not None:
        (used.home / STORE_MARK).write_text(content)
    with pytest.raises(StoreUnusable, match="holds a store without"):
        prepare(used)


def test_a_lost_password_file_is_named(used: Neo4jSpec) -> None:
    used.password_file.unlink()
    with pytest.raises(StoreUnusable, match=r"secrets/neo4j is missing: restore that file"):
        prepare(used)
    assert not used.password_file.exists()
