"""Vectors and index entries of passages in a package."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from app.errors import InvalidInput
from app.indexing.judging import judgement
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.portability.kind import At, Record, Selection, cleaned
from app.portability.records import IndexRecord, pack_vector, unpack_vector


class Carrier(Protocol):
    """A record that may bring its vector."""

    @property
    def embedding(self) -> Any:
        """Floats, or base64 of them."""

    @property
    def index(self) -> IndexRecord | None:
        """How the vector was made."""


def given_vectors(record: Carrier, at: At, identifier: str) -> tuple[Row, list[Row]]:
    """What a record brings for its node, and rows of its further windows.

    Raises InvalidInput (`embedding`) for a vector that is none of the manifest's model.
    """
    if record.embedding is None:
        return {}, []
    index = record.index
    made: Row = {"embedding": _checked(record.embedding, at), "index_state": "done"}
    if index is None:
        return made, []
    made["context_terms"] = index.context_terms
    if index.embed_hash and at.rules.keeps:
        made["embed_hash"] = index.embed_hash
    made["windows"] = len(index.windows) + 1
    windows = []
    for window in index.windows:
        windows.append(
            {
                "memory_id": identifier,
                "id": f"{identifier}~{window.place}",
                "vector": _checked(window.embedding, at),
                "hash": window.embed_hash if at.rules.keeps else None,
                "properties": {"place": window.place, "start": window.start, "end": window.end},
            }
        )
    return made, windows


def _checked(given: Any, at: At) -> list[float]:
    vector = unpack_vector(given)
    if not at.rules.dimension:
        raise InvalidInput("the manifest names no model of the vectors", field="embedding")
    if len(vector) != at.rules.dimension:
        raise InvalidInput(
            f"a vector has {len(vector)} floats where {at.rules.dimension} are due",
            field="embedding",
        )
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        raise InvalidInput("a vector has no direction", field="embedding")
    return vector


def judged(made: Row, windows: list[Row], content: str, at: At) -> Row:
    """The judgement on a text that brings its vectors; none where nobody can judge by them."""
    if at.rules.judge is None or "embedding" not in made:
        return {}
    ends = [window["properties"]["start"] for window in windows]
    first = (made["embedding"], 0, min(ends, default=len(content)) or len(content))
    further = [(w["vector"], w["properties"]["start"], w["properties"]["end"]) for w in windows]
    return judgement(at.rules.judge, content, [first, *further])


async def stored_vectors(graph: Graph, chosen: Selection, ids: list[str]) -> dict[str, Row]:
    """By id the vectors that passages have, with their windows; none where none are wanted."""
    if not chosen.vectors:
        return {}
    rows = await graph.rows(Q.portability.export_vectors, scopes=chosen.scopes, ids=ids)
    return {row["id"]: row for row in rows}


def packed_vector(vector: Row | None) -> Record:
    """What a record says of a vector."""
    if not vector:
        return {}
    index = {
        "embed_hash": vector["embed_hash"],
        "context_terms": vector["context_terms"],
        "windows": [_window(window) for window in vector["windows"]],
    }
    return {"embedding": pack_vector(vector["vector"]), "index": cleaned(index)}


def counted(record: Record) -> Record:
    """Without vectors and index entries, which are made from the rest."""
    return {k: v for k, v in record.items() if k not in ("embedding", "index")}


def _window(window: Row) -> Record:
    return cleaned({**window, "embedding": pack_vector(window["embedding"])})
