from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from app.errors import GraphUnavailable, InvalidInput, PlatformUnsupported, QueueUnavailable
from app.runtime.config import GraphDoor, RuntimeConfig, runtime_config
from app.runtime.embedded import (
    GivenGraph,
    GivenQueue,
    graph_spec,
    memory_of,
    need_platform,
)
from app.runtime.jars import JarCache
from app.runtime.lock import read_lock
from app.runtime.machine import Memory, free_port, machine_mb, memory_for
from app.runtime.neo4j_config import settings_of
from app.settings import read_settings


def test_another_platform_is_told_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    need_platform()
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(PlatformUnsupported, match=r"docker-compose\.yml.*NEO4J_URI and REDIS_URL"):
        need_platform()


def test_what_was_set_beats_the_share_of_the_machine(config: RuntimeConfig) -> None:
    assert memory_of(config) == memory_for(machine_mb())
    assert memory_of(replace(config, heap_mb=700, pagecache_mb=300)) == Memory(700, 300)


def test_settings_of_the_server_win_over_ours(config: RuntimeConfig) -> None:
    given = {"LOCI_RUNTIME__NEO4J": '{"db.tx_log.rotation.size": "32m", "server.x": "a b"}'}
    chosen = replace(config, neo4j=runtime_config(read_settings(given), {}).neo4j)
    told = settings_of(graph_spec(chosen, JarCache.under(config.cache, read_lock())))
    assert (told["db.tx_log.rotation.size"], told["server.x"]) == ("32m", "a b")
    assert told["db.logs.query.enabled"] == "OFF"


@pytest.mark.parametrize(
    "given", ['{"a": "b\\nserver.bolt.enabled=true"}', '{"A b": "c"}', '{"a=b": "c"}', "[", '["a"]']
)
def test_what_is_no_setting_of_the_server_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="LOCI_RUNTIME__NEO4J"):
        read_settings({"LOCI_RUNTIME__NEO4J": given})


def test_the_embedded_graph_is_made_from_the_configuration(config: RuntimeConfig) -> None:
    spec = graph_spec(config, JarCache.under(config.cache, read_lock()))
    assert spec.home == config.home / "neo4j"
    assert spec.plugins.is_relative_to(config.cache)
    assert (spec.bolt_port, spec.http_port) == (config.bolt_port, config.browser_port)
    assert (spec.version, spec.upgrade) == ("2026.08.1", False)


def test_a_given_server_that_does_not_answer_is_waited_for_and_then_told() -> None:
    with pytest.raises(GraphUnavailable):
        GivenGraph(GraphDoor(f"bolt://127.0.0.1:{free_port()}")).wait(0.2)
    with pytest.raises(QueueUnavailable):
        GivenQueue(f"redis://127.0.0.1:{free_port()}/0").wait(0.2)
