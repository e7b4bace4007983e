"""The legs by which things are found around a text: the two indexes, asked for kinds."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from app.embeddings.model import Embedder, Role
from app.errors import EmbedderUnavailable
from app.indexing.analysis import query_terms
from app.indexing.entry import LIVE
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.notes.candidates import quoted

log = structlog.get_logger()
TERMS = 64
K = 60  # of reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Near:
    """Something near a text: its kind and its cosine, None where only words led to it."""

    id: str
    kind: str
    cosine: float | None


class Finder:
    """Asks both indexes; without a model the words answer alone."""

    def __init__(self, graph: Graph, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder

    async def vector(self, text: str) -> list[float] | None:
        """The vector of a question; None where the model is away."""
        try:
            return (await self._embedder.embed([text], Role.QUERY))[0]
        except EmbedderUnavailable as error:
            log.warning("skills.no_vector", reason=error.detail)
            return None

    async def near(
        self, vector: list[float] | None, scopes: list[str], kinds: tuple[str, ...], limit: int
    ) -> list[Near]:
        """What the vector index holds nearest, best first; nothing without a vector."""
        if vector is None or not scopes:
            return []
        rows = await self._graph.rows(
            Q.skills.near, v=vector, scopes=scopes, kinds=list(kinds), limit=limit
        )
        found = [Near(row["id"], row["kind"], 2 * row["score"] - 1) for row in rows]
        return sorted(found, key=lambda near: (-(near.cosine or 0.0), near.id))

    async def worded(
        self, text: str, scopes: list[str], kinds: tuple[str, ...], limit: int
    ) -> list[Near]:
        """What the text index holds of the words of a question, best first."""
        query = text_query(text, scopes, kinds)
        if query is None or not scopes:
            return []
        rows = await self._graph.rows(Q.skills.sharing_words, q=query, scopes=scopes, limit=limit)
        ordered = sorted(rows, key=lambda row: (-row["score"], row["id"]))
        return [Near(row["id"], row["kind"], None) for row in ordered]


def text_query(text: str, scopes: list[str], kinds: tuple[str, ...]) -> str | None:
    """A Lucene query of quoted terms; None where the question has no word."""
    forms = dict.fromkeys(form for word in query_terms(text) for form in word)
    wanted = " ".join(quoted(term) for term in list(forms)[:TERMS])
    if not wanted:
        return None
    where = " ".join(quoted(scope) for scope in scopes)
    which = " ".join(quoted(f"k={kind}") for kind in kinds)
    required = f"+scope:({where})^0 +facets:{quoted(LIVE)}^0 +facets:({which})^0"
    return f"{required} +(terms:({wanted}) about_terms:({wanted})^2.0)"


def fused(*rankings: list[str]) -> dict[str, float]:
    """`1 / (60 + rank + 1)` summed over rankings, best first; equals go by id."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, memory in enumerate(ranking):
            scores[memory] = scores.get(memory, 0.0) + 1 / (K + rank + 1)
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))
