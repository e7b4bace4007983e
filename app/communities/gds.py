"""Projections and algorithms in the database, by the client of Graph Data Science.

The client waits for its answers, so everything here is for a thread. pandas and pyarrow come with
it: only a process that looks for communities loads this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import neo4j
import numpy as np
from graphdatascience import GraphDataScience
from graphdatascience.error.gds_not_installed import GdsNotFound
from graphdatascience.error.unable_to_connect import UnableToConnectError
from graphdatascience.query_runner.neo4j_query_runner import Neo4jQueryRunner
from graphdatascience.query_runner.query_type import QueryType
from pandas import DataFrame

from app.communities.model import Network
from app.errors import GdsUnavailable
from app.kernel.graph import WRITE_TIMEOUT, Graph

SEED = 20_240_305
ALL = "*"


class Runner(Neo4jQueryRunner):
    """The client's way to the database, with limits of ours.

    Its own has no time-out, and asks a database that went away for ten minutes, which a worker
    that stops would wait for; the driver has tried again for long enough by then.
    """

    def _verify_connectivity(self, database: str | None, retry_config: Any) -> None:
        """Leave that to the statement itself."""

    def _wrap_query(self, query: str, query_type: QueryType) -> neo4j.Query:
        statement: Any = query  # the driver takes literals only, to warn of injection
        return neo4j.Query(statement, metadata={"query": "gds"}, timeout=WRITE_TIMEOUT)


@contextmanager
def client(graph: Graph) -> Iterator[GraphDataScience]:
    """Open a client; GdsUnavailable where the library is missing or does not answer."""
    with graph.blocking() as (driver, database):
        runner = Runner(driver, "bolt", database=database, show_progress=False)
        try:
            yield GraphDataScience(runner, arrow=False, show_progress=False)
        except GdsNotFound as error:
            raise GdsUnavailable("Graph Data Science is not installed") from error
        except UnableToConnectError as error:
            said = str(error).splitlines()[0]
            raise GdsUnavailable(f"Graph Data Science does not answer: {said}") from error


def estimate(graph: Graph, nodes: int, edges: int) -> int:
    """Return the bytes that a weighted projection of that size and Leiden over it take at most."""
    edge = {"type": ALL, "properties": "weight"}
    with client(graph) as gds:
        found = gds.leiden.estimate(
            {
                "nodeProjection": ALL,
                "relationshipProjection": {"EDGE": edge},
                "nodeCount": nodes,
                "relationshipCount": edges,
            },
            concurrency=1,
            include_intermediate_communities=True,
        )
    return found.bytes_max


def leiden_paths(graph: Graph, name: str, given: Network) -> dict[str, Sequence[int]]:
    """Project a network under that name, find its communities and drop it again.

    Returns the communities of each entity that has an edge, by level, finest first. With one
    thread, a seed, and numbers in the order of the edges they are always the same.
    """
    with client(graph) as gds:
        try:
            made = gds.graph.construct(
                name,
                *_frames(given),
                concurrency=1,
                undirected_relationship_types=[ALL],
                overwrite=True,
            )
            rows = gds.leiden.stream(
                made,
                relationship_weight_property="weight",
                random_seed=SEED,
                concurrency=1,
                include_intermediate_communities=True,
                log_progress=False,
            )
        finally:
            gds.graph.drop(name, fail_if_missing=False)
    found = zip(rows["nodeId"], rows["intermediateCommunityIds"], strict=True)
    return {given.ids[place]: path for place, path in found}


def drop_older(graph: Graph, prefix: str, before: datetime) -> int:
    """Drop projections of that prefix that were made before a moment; how many those were."""
    with client(graph) as gds:
        old = [
            info.graph_name
            for info in gds.graph.list()
            if info.graph_name.startswith(prefix) and info.creation_time.astimezone(UTC) < before
        ]
        gds.graph.drop(list(old), fail_if_missing=False)
    return len(old)


def _frames(given: Network) -> tuple[DataFrame, DataFrame]:
    """Nodes, in the order in which edges name them, and edges, for the client."""
    ends = np.stack([given.left, given.right], axis=1)
    places, first = np.unique(ends.ravel(), return_index=True)
    return (
        DataFrame({"nodeId": places[np.argsort(first)]}),
        DataFrame(
            {"sourceNodeId": given.left, "targetNodeId": given.right, "weight": given.weight}
        ),
    )
