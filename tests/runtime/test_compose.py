"""What can be checked of the compose file without an engine."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from arq.constants import health_check_key_suffix

from app.settings import ALIASES, read_settings

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


def test_api_and_workers_share_what_is_imported(compose: dict[str, Any]) -> None:
    folder = compose["services"]["api"]["environment"]["LOCI_API__IMPORT_DIR"]
    for service in ("api", "worker"):
        assert f"imports:{folder}" in compose["services"][service]["volumes"]
        assert compose["services"][service]["environment"]["LOCI_API__IMPORT_DIR"] == folder
    assert f"--owner loci --group loci --mode 700 {folder}" in (ROOT / "Dockerfile").read_text()


def test_every_variable_is_a_setting(compose: dict[str, Any]) -> None:
    for service in ("api", "worker"):
        environment = compose["services"][service]["environment"]
        settings = read_settings(environment)  # an unknown LOCI_ variable is an error
        unread = set(environment) - set(ALIASES) - {n for n in environment if n.startswith("LOCI_")}
        assert not unread
        assert settings.graph.uri == "bolt://neo4j:7687"
        assert settings.redis.url.endswith("@valkey:6379/0")


def test_commands_exist_and_ports_agree(compose: dict[str, Any]) -> None:
    docker = (ROOT / "Dockerfile").read_text()
    api, worker = (compose["services"][name]["command"] for name in ("api", "worker"))
    assert json.dumps(api) == json.dumps(
        json.loads(re.findall(r"CMD (\[.*\])", _joined(docker))[0])
    )
    port = api[api.index("--port") + 1]
    assert compose["services"]["api"]["ports"][0].endswith(f":{port}")
    assert f"127.0.0.1:{port}/health/ready" in str(compose["services"]["api"]["healthcheck"])
    assert f"EXPOSE {port}\n" in docker
    module, _, factory = next(word for word in api if ":" in word).partition(":")
    assert callable(getattr(importlib.import_module(module), factory))
    assert worker[1] == "-m"
    assert callable(importlib.import_module(worker[2]).main)


def test_the_workers_health_check_looks_for_the_key_that_they_write(
    compose: dict[str, Any],
) -> None:
    key = read_settings({}).redis.queue + health_check_key_suffix
    assert f'"{key}"' in str(compose["services"]["worker"]["healthcheck"]["test"])


def _joined(text: str) -> str:
    return re.sub(r"\\\n\s*", "", text)


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
