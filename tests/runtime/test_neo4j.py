"""The whole runtime with a Neo4j of its own: used, killed, damaged. The tests run in this order."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest
from neo4j import Driver, GraphDatabase

from app.errors import GraphUnavailable, StoreUnusable
from app.kernel.cypher import Q
from app.runtime.config import GraphDoor, RuntimeConfig
from app.runtime.machine import free_port
from app.runtime.neo4j import ask, versions
from app.runtime.report import graph_door, status
from app.runtime.state import State, read_state
from tests.runtime.conftest import make_config
from tests.runtime.driver import spawn, wait_for_phase
from tests.support.server import TEST_JAVA_FLAGS
from tests.support.software import jar_folder

pytestmark = pytest.mark.slow


class Whole:
    """A supervisor with everything below it, which a test may kill and start again."""

    def __init__(self, config: RuntimeConfig) -> None:
        self.config = config
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = spawn(self.config)
        wait_for_phase(self.config, self.process, "ready")

    @property
    def state(self) -> State:
        state = read_state(self.config)
        assert state is not None
        return state

    @property
    def door(self) -> GraphDoor:
        return graph_door(self.config)

    def end(self, number: signal.Signals) -> int:
        """Signal the supervisor; its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        with self.process:
            return self.process.wait(60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    config = make_config(tmp_path_factory.mktemp("whole"))
    config = replace(config, cache=jar_folder(), heap_mb=1024, pagecache_mb=256)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", " ".join(TEST_JAVA_FLAGS))
        started = Whole(config)
        started.start()
        yield started
        if started.process is not None and started.process.poll() is None:
            started.end(signal.SIGKILL)


@pytest.fixture
def driver(whole: Whole) -> Iterator[Driver]:
    with GraphDatabase.driver(whole.door.uri, auth=("neo4j", whole.door.password)) as opened:
        yield opened


def test_it_is_the_server_that_the_lock_promises(whole: Whole) -> None:
    assert versions(whole.door) == {"neo4j": "2026.08.1", "edition": "community", "gds": "2.26.0"}


def test_everything_is_up(whole: Whole) -> None:
    assert list(whole.state.parts) == ["Neo4j", "Valkey", "API", "worker"]
    found = status(whole.config)
    assert found.is_ready, found
    assert found.parts[0].detail == "Neo4j 2026.08.1 community, GDS 2.26.0"


def test_it_listens_on_this_machine_only(whole: Whole) -> None:
    process = psutil.Process(whole.state.parts["Neo4j"].mark.pid)
    listening = [c.laddr for c in process.net_connections("tcp") if c.status == "LISTEN"]
    wanted = {whole.config.bolt_port, whole.config.browser_port}
    assert {address.port for address in listening} >= wanted
    assert {address.ip for address in listening} <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}


def test_the_browser_is_served(whole: Whole) -> None:
    answer = httpx.get(whole.config.browser_url)
    assert answer.status_code == 200
    assert "<html" in answer.text.lower()


def test_no_query_reaches_a_log(whole: Whole, driver: Driver) -> None:
    driver.execute_query("RETURN $said AS said", said="the secret of Sextus")
    logs = list((whole.config.neo4j_home / "logs").glob("*.log"))
    assert logs
    assert not any("secret of Sextus" in log.read_text("utf-8", "replace") for log in logs)


def test_the_filtered_vector_index_and_gds_work_without_the_jars_left_out(driver: Driver) -> None:
    driver.execute_query(
        "CYPHER 25 CREATE VECTOR INDEX probe FOR (n:Probe) ON n.v WITH [n.scope] OPTIONS "
        "{indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}"
    )
    driver.execute_query(
        "UNWIND range(1, 50) AS i CREATE (a:Probe {i: i, scope: i % 2, v: [i, 1.0, 2.0, 3.0]}) "
        "WITH collect(a) AS all UNWIND all AS a UNWIND all AS b "
        "WITH a, b WHERE a.i / 10 = b.i / 10 AND a.i < b.i CREATE (a)-[:NEAR]->(b)"
    )
    driver.execute_query("CALL db.awaitIndexes(60)")
    records, _, _ = driver.execute_query(
        "CYPHER 25 MATCH (n:Probe) SEARCH n IN (VECTOR INDEX probe FOR $v WHERE n.scope = 1 "
        "LIMIT 5) SCORE AS s RETURN n.scope AS scope",
        v=[7.0, 1.0, 2.0, 3.0],
    )
    assert [record["scope"] for record in records] == [1] * 5
    driver.execute_query(
        "CALL gds.graph.project('probe', 'Probe', {NEAR: {orientation: 'UNDIRECTED'}})"
    )
    records, _, _ = driver.execute_query(
        "CALL gds.leiden.stream('probe', {concurrency: 1}) YIELD communityId "
        "RETURN count(DISTINCT communityId) AS communities"
    )
    assert records[0]["communities"] == 6
    records, _, _ = driver.execute_query(
        "CALL gds.pageRank.stream('probe') YIELD score RETURN count(score) AS n"
    )
    assert records[0]["n"] == 50


def test_a_wrong_password_is_told_apart_from_a_server_that_is_down(whole: Whole) -> None:
    with pytest.raises(StoreUnusable, match=r"refuses the password of user 'neo4j'.*LOCI_HOME"):
        ask(replace(whole.door, password="wrong"), Q.runtime.ping)
    with pytest.raises(GraphUnavailable, match="does not answer"):
        ask(GraphDoor(f"bolt://127.0.0.1:{free_port()}"), Q.runtime.ping)
    with pytest.raises(GraphUnavailable, match="is no address of a Neo4j"):
        ask(GraphDoor("http://127.0.0.1"), Q.runtime.ping)


def test_the_password_is_on_no_command_line(whole: Whole) -> None:
    for part in whole.state.parts.values():
        assert whole.door.password not in " ".join(psutil.Process(part.mark.pid).cmdline())


def test_killed_as_a_whole_it_starts_again_with_all_that_was_committed(
    whole: Whole, driver: Driver
) -> None:
    driver.execute_query("UNWIND range(1, 500) AS i CREATE (:Kept {i: i})")
    before = whole.state.parts["Neo4j"].mark
    os.kill(before.pid, signal.SIGKILL)
    whole.end(signal.SIGKILL)
    whole.start()
    assert whole.state.parts["Neo4j"].mark != before
    with GraphDatabase.driver(whole.door.uri, auth=("neo4j", whole.door.password)) as again:
        records, _, _ = again.execute_query("MATCH (n:Kept) RETURN count(n) AS n")
    assert records[0]["n"] == 500


def test_told_to_stop_it_stops_neo4j_too(whole: Whole) -> None:
    neo4j = psutil.Process(whole.state.parts["Neo4j"].mark.pid)
    assert whole.end(signal.SIGTERM) == 0
    assert not neo4j.is_running()


def test_a_server_that_ends_at_once_is_no_silent_wait(whole: Whole) -> None:
    said = _failure(replace(whole.config, heap_mb=10**9))
    assert said.startswith("PartFailed: Neo4j ended during its start: ")
    assert str(whole.config.neo4j_home / "logs") in said


def test_a_damaged_store_is_told_with_the_way_out(whole: Whole) -> None:
    store = whole.config.neo4j_home / "data" / "databases" / "neo4j"
    for file in _files(store, "neostore*"):
        file.write_bytes(b"\xff" * file.stat().st_size)
    said = _failure(whole.config)
    assert said.startswith(f"StoreUnusable: The store in {whole.config.neo4j_home / 'data'} ")
    assert "restore a backup" in said


def _files(folder: Path, pattern: str) -> list[Path]:
    found = [path for path in folder.glob(pattern) if path.is_file()]
    assert found
    return found


def _failure(config: RuntimeConfig) -> str:
    """What a start that fails says."""
    with spawn(config) as process:
        said = process.communicate(timeout=120)[0]
    assert process.returncode == 1
    return said
