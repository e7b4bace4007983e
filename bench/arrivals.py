"""What an answer of the database costs this process: as the driver reads it, and as we do."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from app.kernel.arrivals import CONNECTIONS, SOCKETS, fetching, receiving
from app.kernel.cypher import Q
from app.kernel.graph import Graph

ROWS = (1, 10, 100, 1000)
ROUNDS = 15
CALLS = 20  # of one round


@contextmanager
def reading(*, at_once: bool) -> Iterator[None]:
    """Have the driver read part by part, as it comes, or take what has arrived at once."""
    socket = importlib.import_module(SOCKETS).AsyncBoltSocketBase
    connection = importlib.import_module(CONNECTIONS).AsyncBolt
    before = socket.recv_into, connection.fetch_message
    theirs = tuple(map(_theirs, before))
    ours = receiving(theirs[0]), fetching(theirs[1])
    socket.recv_into, connection.fetch_message = ours if at_once else theirs
    try:
        yield
    finally:
        socket.recv_into, connection.fetch_message = before


def _theirs(function: Any) -> Any:
    """The driver's function behind ours."""
    return next((c.cell_contents for c in function.__closure__ or ()), function)


async def measure(graph: Graph) -> list[dict[str, float]]:
    """Milliseconds of this process's processor time a query, by its rows; medians of rounds in
    turns."""
    return [await _of(graph, rows) for rows in ROWS]


async def _of(graph: Graph, rows: int) -> dict[str, float]:
    found: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(ROUNDS):
        for at_once, taken in found.items():
            with reading(at_once=at_once):
                taken.append(await _taken(graph, rows))
    theirs, ours = median(found[False]), median(found[True])
    return {
        "rows": rows,
        "theirs_ms": round(theirs, 2),
        "ours_ms": round(ours, 2),
        "ratio": round(ours / theirs, 2),
    }


async def _taken(graph: Graph, rows: int) -> float:
    start = time.process_time()
    for _ in range(CALLS):
        await graph.rows(Q.evals.records, count=rows)
    return (time.process_time() - start) / CALLS * 1000
