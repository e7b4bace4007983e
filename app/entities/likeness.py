"""Entities whose vectors are close: candidates for a curator, never a reason to merge.

A vector is made of name, type and what is held of the entity, so it is there only after the facts
are; it is made by the repair job in batches, and again when what it was made of has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import structlog

from app.embeddings.measured import Measured
from app.embeddings.model import Embedder, Role
from app.entities.describe import FACTS, described
from app.errors import EmbedderUnavailable, InvalidInput
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

log = structlog.get_logger()
# Cosine distance up to which two entities are looked at together, by model, measured with `loci
# eval entities --vectors`; a model that was not measured proposes nothing.
DISTANCES: Mapping[str, float] = {
    "multilingual-e5-small": 0.04,
    "multilingual-e5-small-int8": 0.04,
}
NEIGHBOURS = 9  # the closest eight (seed 001, annex 3.a) and the entity itself
PAGE = 500
BATCH = 64  # texts given to the model at once

Pair = tuple[str, str]


async def near(graph: Graph, model: Measured, scope: str) -> dict[Pair, float]:
    """Pairs of one type with their distance, out of the entities that are new or were changed.

    Without an answer of the model there are none this time, and what is missing is made next time.
    """
    try:
        changed = await _embedded(graph, model, scope)
    except EmbedderUnavailable as error:
        log.warning("likeness.no_vectors", reason=error.detail)
        return {}
    found: dict[Pair, float] = {}
    for entity in changed:
        rows = await graph.rows(Q.likeness.near, id=entity, scope=scope, limit=NEIGHBOURS)
        for row in rows:
            distance = 2 - 2 * row["score"]
            if distance <= model.figure:
                pair = (min(entity, row["id"]), max(entity, row["id"]))
                found[pair] = round(distance, 6)
    return found


async def _embedded(graph: Graph, model: Measured, scope: str) -> list[str]:
    """Give every entity of a scope the vector of what it is now; ids of those that changed."""
    changed: list[str] = []
    after = ""
    while rows := await graph.rows(
        Q.likeness.describe, scope=scope, after=after, facts=FACTS, limit=PAGE
    ):
        after = rows[-1]["id"]
        stale = [row for row in _texts(rows, model) if row["hash"] != row["before"]]
        for start in range(0, len(stale), BATCH):
            made = await _vectors(model.embedder, stale[start : start + BATCH])
            await graph.rows(Q.likeness.store, rows=made, scope=scope)
            changed += [row["id"] for row in made]
    return changed


def _texts(rows: Sequence[Row], model: Measured) -> list[Row]:
    found = []
    for row in rows:
        text = model.fitting(described(row["name"], row["type"], row["facts"]))
        hashed = model.hash(text)
        found.append({"id": row["id"], "text": text, "hash": hashed, "before": row["hash"]})
    return found


async def _vectors(embedder: Embedder, rows: Sequence[Row]) -> list[Row]:
    """Rows to store; a text that the model refuses has no vector, and is not offered again."""
    try:
        vectors = await embedder.embed([row["text"] for row in rows], Role.DOCUMENT)
    except InvalidInput:
        if len(rows) == 1:
            return [{"id": rows[0]["id"], "hash": rows[0]["hash"], "vector": None}]
        return [made for row in rows for made in await _vectors(embedder, [row])]
    return [
        {"id": row["id"], "hash": row["hash"], "vector": vector}
        for row, vector in zip(rows, vectors, strict=True)
    ]
