"""What `LOCI_RUNTIME__NEO4J` gives the server, and what is said where the server refuses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.runtime.config import RuntimeConfig
from tests.runtime.driver import spawn
from tests.support.software import embedded_software


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"db.tx_log.rotaton.size": "32m"},
            "LOCI_RUNTIME__NEO4J names db.tx_log.rotaton.size, which is no setting of this Neo4j.",
        ),
        (
            {"db.tx_log.rotation.size": "plenty"},
            "LOCI_RUNTIME__NEO4J gives db.tx_log.rotation.size a value that this Neo4j refuses: "
            "'plenty' is not a valid size",
        ),
    ],
)
def test_a_setting_that_the_server_refuses_is_named_and_nothing_hangs(
    config: RuntimeConfig, given: dict[str, str], said: str
) -> None:
    embedded_software()
    with spawn(replace(config, neo4j=given)) as process:
        try:
            told, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode != 0
    assert said in told
    assert "Exception" not in told
