"""How central entities are within their communities: pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from app.communities.model import Central, Members, Network

FOLLOW = 0.85  # damping of Page et al. 1999
STEPS = 60
CLOSE = 1e-9


def network(rows: Iterable[tuple[str, Mapping[str, float]]]) -> Network:
    """A graph of entities and the weights of their neighbours.

    Of neighbours that have no row of their own nothing is kept; an edge told from both ends, or
    twice, weighs what is told of it together.
    """
    told = dict(rows)
    ids = sorted(told)
    at = {entity: place for place, entity in enumerate(ids)}
    edges: dict[tuple[int, int], float] = {}
    for entity, company in told.items():
        for other, weight in company.items():
            if other in at and other != entity:
                one, two = sorted((at[entity], at[other]))
                edges[one, two] = edges.get((one, two), 0.0) + weight
    places = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    weights = np.array([edges[one, two] for one, two in places.tolist()], dtype=np.float64)
    return Network(ids, places[:, 0], places[:, 1], weights)


def central(graph: Network, groups: Iterable[Members]) -> dict[str, Central]:
    """PageRank of every grouped entity over the edges inside its group.

    Groups do not touch, so that one computation serves all: within each the scores add up to the
    number of its members.
    """
    group = {entity: place for place, members in enumerate(groups) for entity in members}
    owner = np.array([group.get(entity, -1) for entity in graph.ids], dtype=np.int64)
    inside = (owner[graph.left] == owner[graph.right]) & (owner[graph.left] >= 0)
    scores = _pagerank(graph, inside, owner)
    return {
        entity: Central(entity, round(float(scores[place]), 9))
        for place, entity in enumerate(graph.ids)
        if owner[place] >= 0
    }


def _pagerank(
    graph: Network, inside: npt.NDArray[np.bool_], owner: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    size = len(graph.ids)
    left, right, weight = graph.left[inside], graph.right[inside], graph.weight[inside]
    edges = csr_array(
        (np.concatenate((weight, weight)), (np.r_[left, right], np.r_[right, left])),
        shape=(size, size),
    )
    leaving = np.asarray(edges.sum(axis=1)).ravel()
    alone = leaving == 0
    share = csr_array(edges.T) @ csr_array(
        (1 / np.where(alone, 1.0, leaving), (np.arange(size), np.arange(size))), shape=(size, size)
    )
    scores = np.ones(size)
    for _ in range(STEPS):
        # Who has no edge inside gives its share back to itself, and stays at 1.
        after = (1 - FOLLOW) + FOLLOW * (share @ scores + np.where(alone, scores, 0.0))
        if np.abs(after - scores).max(initial=0.0) < CLOSE:
            break
        scores = after
    return np.where(owner >= 0, scores, 0.0)
