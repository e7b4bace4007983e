"""One Neo4j, started here, killed, damaged. In this order: each test leaves it as it found it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import psutil
import pytest
from neo4j import Driver, GraphDatabase

from app.errors import GraphUnavailable, PartFailed, StoreUnusable
from app.kernel.cypher import Q
from app.runtime.config import GraphDoor
from app.runtime.embedded import GraphPart
from app.runtime.machine import free_port
from app.runtime.neo4j import ask, versions
from tests.support.server import EmbeddedPair


@pytest.fixture(scope="module")
def pair() -> Iterator[EmbeddedPair]:
    with EmbeddedPair() as started:
        started.start_graph()
        yield started


@pytest.fixture
def graph(pair: EmbeddedPair) -> GraphPart:
    assert pair.graph is not None
    return pair.graph


@pytest.fixture
def driver(graph: GraphPart) -> Iterator[Driver]:
    with GraphDatabase.driver(graph.door.uri, auth=("neo4j", graph.door.password)) as opened:
        yield opened


def test_it_is_the_server_that_the_lock_promises(graph: GraphPart) -> None:
    assert versions(graph.door) == {"neo4j": "2026.08.1", "edition": "community", "gds": "2.26.0"}


def test_it_listens_on_this_machine_only(graph: GraphPart) -> None:
    assert graph.part.child is not None
    process = psutil.Process(graph.part.child.pid)
    listening = [c.laddr for c in process.net_connections("tcp") if c.status == "LISTEN"]
    assert {address.port for address in listening} >= {graph.spec.bolt_port, graph.spec.http_port}
    assert {address.ip for address in listening} <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}


def test_the_browser_is_served(graph: GraphPart) -> None:
    answer = httpx.get(f"http://127.0.0.1:{graph.spec.http_port}/browser/")
    assert answer.status_code == 200
    assert "<html" in answer.text.lower()


def test_no_query_reaches_a_log(graph: GraphPart, driver: Driver) -> None:
    driver.execute_query("RETURN $said AS said", said="the secret of Sextus")
    logs = list((graph.spec.home / "logs").glob("*.log"))
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


def test_a_wrong_password_is_told_apart_from_a_server_that_is_down(graph: GraphPart) -> None:
    with pytest.raises(StoreUnusable, match=r"refuses the password of user 'neo4j'.*LOCI_HOME"):
        ask(replace(graph.door, password="wrong"), Q.runtime.ping)
    with pytest.raises(GraphUnavailable, match="does not answer"):
        ask(GraphDoor(f"bolt://127.0.0.1:{free_port()}"), Q.runtime.ping)
    with pytest.raises(GraphUnavailable, match="is no address of a Neo4j"):
        ask(GraphDoor("http://127.0.0.1"), Q.runtime.ping)


def test_kill_and_start_again_keeps_what_was_committed(pair: EmbeddedPair, driver: Driver) -> None:
    driver.execute_query("UNWIND range(1, 500) AS i CREATE (:Kept {i: i})")
    pair.kill_graph()
    door = pair.start_graph()
    with GraphDatabase.driver(door.uri, auth=("neo4j", door.password)) as again:
        records, _, _ = again.execute_query("MATCH (n:Kept) RETURN count(n) AS n")
    assert records[0]["n"] == 500


def test_a_damaged_store_is_told_with_the_way_out(pair: EmbeddedPair, graph: GraphPart) -> None:
    pair.stop()
    store = graph.spec.home / "data" / "databases" / "neo4j"
    for file in store.glob("neostore*"):
        if file.is_file():
            file.write_bytes(b"\xff" * file.stat().st_size)
    with pytest.raises(StoreUnusable, match=r"does not open .*restore a backup"):
        pair.start_graph()


def test_a_program_that_ends_at_once_is_no_silent_wait(
    pair: EmbeddedPair, graph: GraphPart
) -> None:
    pair.kill_graph()
    (graph.spec.home / "conf" / "neo4j.conf").write_text("no.such.setting=1\n")
    part = replace(graph).part
    part.start()
    with pytest.raises(PartFailed, match=r"Neo4j ended during its start: .*no.such.setting"):
        graph.wait(60)
