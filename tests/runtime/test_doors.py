"""`loci doctor` tells of doors that stand open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.limits import LIMITS, limits_check
from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.doctor import check_doors
from app.settings import Settings


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


@pytest.mark.parametrize(
    ("url", "level"),
    [
        ("redis://10.0.0.8:6379/0", "warn"),
        ("redis://:secret@queue.example/1", "warn"),
        ("rediss://queue.example/1", "ok"),
        ("redis://localhost:6379/0", "ok"),
    ],
)
def test_valkey_in_the_clear_on_another_host_is_told(
    config: RuntimeConfig, url: str, level: str
) -> None:
    found = check_doors(replace(config, redis_url=url))
    assert (found.level, "Valkey" in found.says) == (level, level == "warn")
    assert "secret" not in found.says


@pytest.mark.parametrize(
    ("group", "name", "value"),
    [
        ("api", "rate_per_minute", 600_000),
        ("api", "max_body", 2**40),
        ("api", "max_upload", 10**12),
        ("documents", "max_characters", 10**10),
    ],
)
def test_a_limit_that_is_as_good_as_off_is_told(
    config: RuntimeConfig, group: str, name: str, value: int
) -> None:
    before = Settings()
    given = getattr(before, group).model_copy(update={name: value})
    found = limits_check(before.model_copy(update={group: given}))(config)
    assert (found.level, f"LOCI_{group}__{name}".upper() in found.says) == ("warn", True)
    assert str(value) in found.says


@pytest.mark.parametrize("times", [1, 10])
def test_limits_that_hold_are_well(config: RuntimeConfig, times: int) -> None:
    before = Settings()
    rate = before.api.rate_per_minute * times
    api = before.api.model_copy(update={"rate_per_minute": rate})
    assert limits_check(before.model_copy(update={"api": api}))(config).level == "ok"


def test_the_limits_that_are_looked_at_are_settings() -> None:
    for group, names in LIMITS.items():
        assert all(isinstance(getattr(getattr(Settings(), group), name), int) for name in names)
