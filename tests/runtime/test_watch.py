"""A server that runs and does not work is ended; one that is merely slow or waited for is not."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from app.kernel.cypher import Q
from app.runtime import neo4j
from app.runtime.config import GraphDoor
from app.runtime.watch import THREADS, Signs, Watch
from tests.support.server import EmbeddedPair

# Goes on when it is terminated: nothing looks at the clock inside a regular expression.
ENDLESS = f"RETURN '{'x' * 44}' =~ '(x+x+)+\\\\1y' AS found"
# Waits for its client, who fetches a first row of many.
WAITING = "UNWIND range(1, 5000000) AS i RETURN i"


def test_silence_and_work_on_what_was_terminated_show_that_a_server_is_stuck() -> None:
    signs = Signs(patience=60)
    assert signs.why_stuck(1000) is None
    signs.asked = 900
    assert signs.why_stuck(959) is None
    assert "not answered for 61 s" in str(signs.why_stuck(961))
    signs.asked = None
    signs.note({"query-1": 5.0, "query-2": 0.1}, 1000)
    signs.note({"query-1": 25.0, "query-2": 0.1}, 1050)
    assert signs.why_stuck(1050) is None
    signs.note({"query-1": 35.0, "query-2": 0.1}, 1061)
    assert "query-1 was terminated" in str(signs.why_stuck(1061))
    signs.note({"query-2": 0.1}, 1070)
    assert signs.why_stuck(1200) is None


@pytest.fixture(scope="module")
def pair() -> Iterator[EmbeddedPair]:
    with EmbeddedPair() as made:
        made.start_graph()
        yield made


def door_of(pair: EmbeddedPair) -> GraphDoor:
    assert pair.graph is not None
    return pair.graph.door


def quick(pair: EmbeddedPair, patience: float) -> Watch:
    assert pair.graph is not None
    return Watch(pair.graph.part, pair.graph.door, every=0.2, patience=patience)


def ended(watch: Watch, seconds: float) -> bool:
    """Whether the watch ends its server within this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if watch.tend():
            return True
        time.sleep(0.1)
    return False


def ask_in_vain(door: GraphDoor, query: str) -> None:
    with (
        suppress(Neo4jError, DriverError),
        GraphDatabase.driver(door.uri, auth=(door.user, door.password)) as driver,
        driver.session() as session,
    ):
        session.run(query).consume()


def terminate(door: GraphDoor, containing: str, used_ms: int = 0) -> None:
    """Terminate the transaction that runs a query, once it is there and has used so much CPU: one
    that has not begun to work ends at once."""
    with GraphDatabase.driver(door.uri, auth=(door.user, door.password)) as driver:
        for _ in range(300):
            rows = driver.execute_query(
                "SHOW TRANSACTIONS YIELD transactionId, currentQuery, currentQueryCpuTime "
                "WHERE currentQuery CONTAINS $text AND NOT currentQuery CONTAINS 'SHOW' "
                "AND currentQueryCpuTime.milliseconds >= $used RETURN transactionId AS id",
                text=containing,
                used=used_ms,
            ).records
            if rows:
                driver.execute_query("TERMINATE TRANSACTIONS $id", id=rows[0]["id"])
                return
            time.sleep(0.1)
    pytest.fail(f"no transaction runs {containing}")


@pytest.mark.slow
def test_a_terminated_query_that_waits_for_its_client_is_no_reason(pair: EmbeddedPair) -> None:
    door = door_of(pair)
    watch = quick(pair, patience=3)
    with (
        GraphDatabase.driver(door.uri, auth=(door.user, door.password)) as driver,
        driver.session(fetch_size=1) as session,
    ):
        result = session.run(WAITING)
        assert next(iter(result))["i"] == 1
        terminate(door, "5000000")
        assert not ended(watch, 6)
        with suppress(Neo4jError, DriverError):
            result.consume()
    watch.close()
    assert neo4j.ask(door, Q.runtime.ping) == [{"one": 1}]


@pytest.mark.slow
def test_one_that_works_on_is_ended_and_its_threads_are_kept(pair: EmbeddedPair) -> None:
    door = door_of(pair)
    watch = quick(pair, patience=3)
    asker = threading.Thread(target=ask_in_vain, args=(door, ENDLESS))
    asker.start()
    terminate(door, "=~", used_ms=500)
    assert ended(watch, 60)
    asker.join(60)
    watch.close()
    assert pair.graph is not None
    assert not pair.graph.part.is_running
    threads: Path = pair.folder / "neo4j" / "logs" / THREADS
    assert "Full thread dump" in threads.read_text("utf-8")
    assert neo4j.ask(pair.start_graph(), Q.runtime.ping) == [{"one": 1}]


@pytest.mark.slow
def test_a_server_that_says_nothing_is_ended(pair: EmbeddedPair) -> None:
    assert pair.graph is not None
    child = pair.graph.part.child
    assert child is not None
    watch = quick(pair, patience=3)
    assert not ended(watch, 2)
    os.kill(child.pid, signal.SIGSTOP)
    assert ended(watch, 60)
    watch.close()
    assert child.poll() == -signal.SIGKILL
