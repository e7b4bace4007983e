"""The walk: personalised PageRank that the question draws along, over passages and names; pure.

From a passage it goes over each name that the text holds to the passages that are about it, or, if
none is, more weakly to the others that hold it; and over the names that the passage is about back
to those that hold them. Which way it takes, it takes by how well the passages there match what the
question says beside the names (personalised PageRank: Haveliwala 2002; damping 0.5 as HippoRAG,
Gutiérrez et al. 2024; the constants were tried on whole sets, docs/decisions/0026 has them).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from app.retrieval.matrix import Vector, Walkable
from app.retrieval.model import Edge

STEPS = 3  # what is left after them is an eighth; two and four find the same
FOLLOW = 0.5  # share of the walk that goes on at each step
FLOOR = 0.3  # the match of a passage that no leg found, beside up to 1
DRAW = 1.5  # power of the match: what sets apart what answers well
SHARED = 0.2  # weight of a name that nobody is about
DENSE = 4  # where a quarter of the edges are walked, all of them are, which costs less
BACK = 0.3  # weight of the way from a passage to those that name what it is about


@dataclass(frozen=True, slots=True)
class Channels:
    """How much goes over each name: to passages about it, to others that hold it, and back."""

    forth: Vector
    across: Vector
    back: Vector


@dataclass(frozen=True, slots=True)
class Trace:
    """One scope's walk: where it began, what drew it, and where it was."""

    graph: Walkable
    seeds: Vector
    match: Vector
    channels: Channels
    leaving: Vector  # of each passage: one by all that draws from there
    mass: Vector

    def before(self, place: int) -> tuple[int, Edge, str, float] | None:
        """What brought most to a passage: from where, by which name, and how much of its mass."""
        graph, flow = self.graph, self.mass * self.leaving
        back, across = self.channels.back, self.channels.across
        ways = [
            *_ways(graph.about, place, (Edge.NAMES, self.channels.forth, graph.mentions_of)),
            *_ways(graph.mentions, place, (Edge.SHARES, across, graph.mentions_of)),
            *_ways(graph.mentions, place, (Edge.NAMED_BY, back, graph.about_of)),
        ]
        best: tuple[int, Edge, str, float] | None = None
        for edge, column, weight, matrix in ways:
            source, much = _most(matrix, column, flow, place)
            amount = FOLLOW * float(self.match[place]) * weight * much
            if source is not None and (best is None or amount > best[3]):
                best = (source, edge, graph.keys[column], amount)
        return best


def walk(graph: Walkable, seeds: Vector, match: Vector) -> Trace:
    """Walk from the seeds; `match` says how well each passage matches the question, from 0."""
    channels, leaving = _drawn(graph, match)
    mass = seeds.copy()
    for _ in range(STEPS):
        flow = mass * leaving
        holding = _spread(graph.mentions, graph.mentions_of, flow)
        owning = _spread(graph.about, graph.about_of, flow)
        reached = _spread(graph.about_of, graph.about, channels.forth * holding)
        shared = channels.across * holding + channels.back * owning
        reached += _spread(graph.mentions_of, graph.mentions, shared)
        mass = np.float32(1 - FOLLOW) * seeds + np.float32(FOLLOW) * match * reached
    return Trace(graph, seeds, match, channels, leaving, mass)


def _spread(by_source: csr_array, by_target: csr_array, values: Vector) -> Vector:
    """What comes of values where they go; the two matrices are each other's transpose.

    The first steps of a walk are at few places: then only their rows are looked at.
    """
    places = np.flatnonzero(values)
    starts = by_source.indptr[places]
    lengths = by_source.indptr[places + 1] - starts
    total = int(lengths.sum())
    if total * DENSE > by_source.nnz:
        dense: Vector = by_target @ values
        return dense
    ends = np.cumsum(lengths)
    entries = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    weights = by_source.data[entries] * np.repeat(values[places], lengths)
    targets = by_source.indices[entries]
    return np.bincount(targets, weights, by_target.shape[0]).astype(np.float32)


def _drawn(graph: Walkable, match: Vector) -> tuple[Channels, Vector]:
    """The channels by what draws at their ends (the mean match there), and what leaves each
    passage by them."""
    drawn_about, drawn_held = graph.about_of @ match, graph.mentions_of @ match
    owned, held = np.diff(graph.about_of.indptr), np.diff(graph.mentions_of.indptr)
    mean_held = drawn_held * _inverse(held)
    forth = np.sqrt(graph.rarity) * drawn_about * _inverse(owned)
    across = np.where((owned == 0) & (held > 1), SHARED * graph.rarity * mean_held, 0)
    back = BACK * mean_held
    channels = Channels(
        forth=(forth * _inverse(drawn_about)).astype(np.float32),
        across=(across * _inverse(drawn_held)).astype(np.float32),
        back=(back * _inverse(drawn_held)).astype(np.float32),
    )
    out = graph.mentions @ (forth + across).astype(np.float32)
    out += graph.about @ back.astype(np.float32)
    return channels, _inverse(out)


def _inverse(values: Vector) -> Vector:
    out: Vector = np.zeros(len(values), np.float32)
    np.divide(1, values, out=out, where=values > 0, casting="unsafe")
    return out


def _most(matrix: csr_array, column: int, flow: Vector, besides: int) -> tuple[int | None, float]:
    """The passage at a name from which most flows, and how much."""
    places = matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]
    places = places[places != besides]
    if not len(places):
        return None, 0.0
    best = int(places[np.argmax(flow[places])])
    return best, float(flow[best])


def _ways(
    matrix: csr_array, place: int, way: tuple[Edge, Vector, csr_array]
) -> list[tuple[Edge, int, float, csr_array]]:
    edge, channel, sources = way
    span = slice(matrix.indptr[place], matrix.indptr[place + 1])
    columns, weights = matrix.indices[span], matrix.data[span]
    return [
        (edge, int(column), float(weight * channel[column]), sources)
        for column, weight in zip(columns, weights, strict=True)
        if channel[column] > 0
    ]
