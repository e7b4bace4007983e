"""What lies in some scopes, counted or taken out by seeks, whatever else the store holds.

A label that is a parameter is scanned, over all tenants; so each index has a query of its own.
Kinds that share an umbrella's index are read together.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.errors import GraphBusy
from app.kernel.cypher import Q, over
from app.kernel.graph import Graph
from app.kernel.scope import parse_scope
from app.kernel.vocab import Label
from app.lifecycle.proof import PLACES

TRIES, PAUSE = 5, 0.2  # of a removal that met somebody else's change; seconds between two
_TEXTS = frozenset({Label.EPISODE, Label.CHUNK})  # found as passages


@dataclass(frozen=True, slots=True)
class LabelIndex:
    """An index that nodes of some labels are found by: its label, and its two properties."""

    label: Label
    place: str
    key: str
    labels: tuple[str, ...]

    @property
    def index(self) -> tuple[str, str, str]:
        """What a query over passages is written over."""
        return self.label, self.place, self.key

    def given(self, scopes: Sequence[str]) -> dict[str, list[str]]:
        """The parameters of such a query."""
        places = set(scopes)
        if self.place == "tenant":
            places = {parse_scope(scope).tenant for scope in scopes}
        return {"places": sorted(places), "scopes": [*scopes], "labels": [*self.labels]}


def indexes_of(labels: Iterable[Label]) -> tuple[LabelIndex, ...]:
    """The indexes that nodes of these labels are found by, in the order of the labels."""
    found: dict[Label, list[str]] = defaultdict(list)
    for label in labels:
        found[_indexed(label)].append(label.value)
    return tuple(LabelIndex(label, *PLACES[label], tuple(some)) for label, some in found.items())


def _indexed(label: Label) -> Label:
    if label in PLACES:
        return label
    return Label.PASSAGE if label in _TEXTS else Label.DECLARED


async def held(graph: Graph, found_by: LabelIndex, scopes: Sequence[str]) -> dict[str, int]:
    """How many nodes of each label lie in some scopes; a label without any is left out."""
    rows = await graph.rows(over(Q.scope_deletion.held, *found_by.index), **found_by.given(scopes))
    return {row["label"]: int(row["count"]) for row in rows}


async def drop(graph: Graph, found_by: LabelIndex, scopes: Sequence[str]) -> dict[str, int]:
    """Take out what lies in some scopes, in transactions of a thousand; how many of each label.

    Raises GraphBusy where somebody else's changes met it again and again.
    """
    for _ in range(TRIES - 1):
        try:
            return await _drop(graph, found_by, scopes)
        except GraphBusy:
            await asyncio.sleep(PAUSE)
    return await _drop(graph, found_by, scopes)


async def _drop(graph: Graph, found_by: LabelIndex, scopes: Sequence[str]) -> dict[str, int]:
    rows = await graph.rows(over(Q.scope_deletion.drop, *found_by.index), **found_by.given(scopes))
    return {row["label"]: int(row["count"]) for row in rows}
