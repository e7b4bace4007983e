"""The walk: personalised PageRank that the question draws along, over passages and names; pure.

From a passage it goes over each name that the text holds to the passages that are about it, or, if
none is, more weakly to the others that hold it; and over the names that the passage is about back
to those that hold them. Which way it takes, it takes by how well the passages there answer what the
question says beside the names (personalised PageRank: Haveliwala 2002; damping 0.5 as HippoRAG,
Gutiérrez et al. 2024; the constants were tried on whole sets, docs/decisions/0026 has them).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from app.retrieval.matrix import Vector, Walkable
from app.retrieval.model import Edge

Places = npt.NDArray[np.intp]

STEPS = 3  # what is left after them is an eighth; two and four find the same
FOLLOW = 0.5  # share of the walk that goes on at each step
FLOOR = 0.3  # the match of a passage that no leg found, beside up to 1
DRAW = 1.5  # power of the match: what sets apart what answers well
SHARED = 0.2  # weight of a name that nobody is about
BACK = 0.3  # weight of the way from a passage to those that name what it is about
ACTIVE = 100  # passages that hand on in one step: the heaviest
WIDEST = 200  # passages behind a name that a walk still goes over; a name of more tells nothing


@dataclass(frozen=True, slots=True)
class Flow:
    """What one step hands on: `amount` by which name from which passage, for each unit of match
    and weight at the other end; `about` tells that it goes to those that are about the name."""

    source: Places
    name: Places
    about: npt.NDArray[np.bool_]
    back: npt.NDArray[np.bool_]
    amount: Vector


@dataclass(frozen=True, slots=True)
class Trace:
    """One scope's walk: where it began, what drew it, what it handed on, and where it was."""

    graph: Walkable
    seeds: Vector
    match: Vector
    flows: tuple[Flow, ...]
    mass: Vector

    def before(self, place: int) -> tuple[int, Edge, str, float] | None:
        """What brought most to a passage: from where, by which name, and how much of its mass."""
        best: tuple[int, Edge, str, float] | None = None
        for flow in self.flows:
            for matrix, about in ((self.graph.about, True), (self.graph.mentions, False)):
                came = self._came(flow, place, (matrix, about))
                if came is not None and (best is None or came[3] > best[3]):
                    best = came
        return best

    def _came(
        self, flow: Flow, place: int, way: tuple[csr_array, bool]
    ) -> tuple[int, Edge, str, float] | None:
        matrix, about = way
        span = slice(matrix.indptr[place], matrix.indptr[place + 1])
        weights = np.zeros(len(self.graph.keys), np.float32)
        weights[matrix.indices[span]] = matrix.data[span]
        came = flow.amount * weights[flow.name]
        came[(flow.about != about) | (flow.source == place)] = 0
        entry = int(np.argmax(came)) if len(came) else 0
        if not len(came) or came[entry] <= 0:
            return None
        source, name = int(flow.source[entry]), int(flow.name[entry])
        amount = FOLLOW * float(came[entry] * self.match[place])
        return source, self._edge(flow, entry), self.graph.keys[name], amount

    def _edge(self, flow: Flow, entry: int) -> Edge:
        if flow.about[entry]:
            alike = self.graph.is_alike(int(flow.source[entry]), int(flow.name[entry]))
            return Edge.ALIKE if alike else Edge.NAMES
        return Edge.NAMED_BY if flow.back[entry] else Edge.SHARES


def walk(graph: Walkable, seeds: Vector, match: Vector) -> Trace:
    """Walk from the seeds; `match` says how much each passage draws, above 0."""
    mass, flows = seeds, []
    for _ in range(STEPS):
        flow = _handed(graph, mass, match)
        flows.append(flow)
        mass = np.float32(1 - FOLLOW) * seeds + np.float32(FOLLOW) * _reached(graph, flow, match)
    return Trace(graph, seeds, match, tuple(flows), mass)


def _handed(graph: Walkable, mass: Vector, match: Vector) -> Flow:
    """How the heaviest passages split their mass over their names."""
    rows = np.flatnonzero(mass)
    if len(rows) > ACTIVE:
        rows = rows[np.argpartition(-mass[rows], ACTIVE)[:ACTIVE]]
    held_by, held, held_weight = _edges(graph.mentions, rows)
    about_by, about, about_weight = _edges(graph.about, rows)
    names, at = np.unique(np.concatenate((held, about)), return_inverse=True)
    here, own = at[: len(held)], at[len(held) :]
    owners, owner_mean, owner_count = _behind(graph.about_of, names, match)
    holders, holder_mean, holder_count = _behind(graph.mentions_of, names, match)
    owned = owner_count[here] > 0
    rarity = graph.rarity[held]
    forth = np.sqrt(rarity) * owner_mean[here]
    across = np.where(holder_count[here] > 1, SHARED * rarity * holder_mean[here], 0)
    drawn = np.concatenate(
        (
            held_weight * np.where(owned, forth, across),
            about_weight * BACK * holder_mean[own],
        )
    )
    behind = np.concatenate((np.where(owned, owners[here], holders[here]), holders[own]))
    by = np.concatenate((held_by, about_by))
    leaving = np.bincount(by, drawn, len(rows))
    kept = np.flatnonzero((drawn > 0) & (behind > 0))
    by, drawn = by[kept], drawn[kept]
    return Flow(
        source=rows[by],
        name=names[at[kept]],
        about=np.concatenate((owned, np.zeros(len(about), bool)))[kept],
        back=kept >= len(held),
        amount=(mass[rows[by]] * drawn / leaving[by] / behind[kept]).astype(np.float32),
    )


def _reached(graph: Walkable, flow: Flow, match: Vector) -> Vector:
    """What comes of a step where it goes."""
    out = np.zeros(len(match))
    for matrix, ends in ((graph.about_of, flow.about), (graph.mentions_of, ~flow.about)):
        names, at = np.unique(flow.name[ends], return_inverse=True)
        amounts = np.bincount(at, flow.amount[ends], len(names))
        by, places, weights = _edges(matrix, names)
        out += np.bincount(places, amounts[by] * weights * match[places], len(match))
    return out.astype(np.float32)


def _edges(matrix: csr_array, rows: Places) -> tuple[Places, Places, Vector]:
    """Every entry of these rows: the row's place among them, its column and its weight."""
    starts = matrix.indptr[rows]
    lengths = matrix.indptr[rows + 1] - starts
    by = np.repeat(np.arange(len(rows)), lengths)
    ends = np.cumsum(lengths)
    entries = np.arange(len(by)) + np.repeat(starts - (ends - lengths), lengths)
    return by, matrix.indices[entries], matrix.data[entries]


def _behind(matrix: csr_array, names: Places, match: Vector) -> tuple[Vector, Vector, Places]:
    """How much draws behind each name, in all and in the mean, and how many passages there are."""
    counts = matrix.indptr[names + 1] - matrix.indptr[names]
    narrow = np.flatnonzero((counts > 0) & (counts <= WIDEST))
    by, places, weights = _edges(matrix, names[narrow])
    total = np.zeros(len(names), np.float32)
    total[narrow] = np.bincount(by, weights * match[places], len(narrow))
    return total, total / np.maximum(counts, 1), counts
