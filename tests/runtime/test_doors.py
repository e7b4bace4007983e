"""`loci doctor` tells of doors that stand open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.doctor import check_doors


@pytest.fixture
def config(tmp_path: Path) -> RuntimeConfig:
    return RuntimeConfig(tmp_path, tmp_path)


def test_what_listens_here_alone_is_well(config: RuntimeConfig) -> None:
    assert check_doors(config).level == "ok"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_api_on_all_addresses_is_told(config: RuntimeConfig, host: str) -> None:
    found = check_doors(replace(config, api_host=host))
    assert (found.level, host in found.says, "TLS" in found.says) == ("warn", True, True)


@pytest.mark.parametrize(
    ("uri", "level"),
    [
        ("bolt://10.0.0.7:7687", "warn"),
        ("neo4j://graph.example", "warn"),
        ("neo4j+s://graph.example", "ok"),
        ("bolt+ssc://10.0.0.7", "ok"),
        ("bolt://127.0.0.1:7687", "ok"),
        ("bolt://[::1]:7687", "ok"),
    ],
)
def test_bolt_in_the_clear_to_another_host_is_told(
    config: RuntimeConfig, uri: str, level: str
) -> None:
    found = check_doors(replace(config, graph=GraphDoor(uri, "neo4j", "p")))
    assert (found.level, "encrypted" in found.says) == (level, level == "warn")
