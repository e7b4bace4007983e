"""What can be checked of the compose file without an engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


def test_every_service_has_a_health_check_and_restarts(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"neo4j", "valkey", "api", "worker"}
    for service in compose["services"].values():
        assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
        assert service["restart"] == "unless-stopped"


def test_volumes_are_declared_and_used(compose: dict[str, Any]) -> None:
    used = {
        volume.partition(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", [])
    }
    assert used == set(compose["volumes"])


def test_servers_are_published_on_this_machine_only(compose: dict[str, Any]) -> None:
    assert all(p.startswith("127.0.0.1:") for p in compose["services"]["neo4j"]["ports"])
    assert "ports" not in compose["services"]["valkey"]
    assert compose["services"]["api"]["ports"][0].startswith("${LOCI_BIND:-127.0.0.1}:")


def test_no_password_has_a_default(compose: dict[str, Any]) -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    assert not re.search(r"PASSWORD:?-", text)
    assert "${NEO4J_PASSWORD:?" in text
    assert "${VALKEY_PASSWORD:?" in text


def test_it_waits_for_what_it_needs(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services["api"]["depends_on"]) == {"neo4j", "valkey"}
    assert set(services["worker"]["depends_on"]) == {"neo4j", "valkey", "api"}
    for service in ("api", "worker"):
        conditions = {d["condition"] for d in services[service]["depends_on"].values()}
        assert conditions == {"service_healthy"}


def test_tests_and_deployment_run_the_same_images(compose: dict[str, Any]) -> None:
    support = (ROOT / "tests" / "support" / "server.py").read_text()
    for name in ("neo4j", "valkey"):
        assert f'"{compose["services"][name]["image"]}"' in support


def test_each_variable_is_in_the_docs(compose: dict[str, Any]) -> None:
    docs = (ROOT / "docs" / "operations" / "compose.md").read_text()
    text = (ROOT / "docker-compose.yml").read_text()
    for variable in set(re.findall(r"\$\{([A-Z_0-9]+)", text)):
        assert f"`{variable}`" in docs, variable
