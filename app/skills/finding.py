"""The legs by which things are found around a text: the two indexes, asked for kinds."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from app.errors import EmbedderUnavailable
from app.indexing.analysis import query_terms
from app.indexing.entry import LIVE
from app.indexing.spaces import Part, Spaces
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.notes.candidates import quoted

log = structlog.get_logger()
TERMS = 64
AT_ONCE = 50  # memories of one statement, which has 30 s: each is a search of the index


@dataclass(frozen=True, slots=True)
class Near:
    """Something near a text: its kind and its cosine, None where only words led to it."""

    id: str
    kind: str
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Like:
    """What is looked for around memories: a kind, from a cosine on, and how many of each."""

    kind: str
    least: float
    limit: int


class Finder:
    """Asks both indexes; without a model the words answer alone."""

    def __init__(self, graph: Graph, spaces: Spaces) -> None:
        self._graph = graph
        self._spaces = spaces

    async def asked(self, text: str, scopes: list[str]) -> list[Part] | None:
        """The vectors of a question, one for each space; None where a model is away."""
        try:
            return await self._spaces.asked(text, scopes)
        except EmbedderUnavailable as error:
            log.warning("skills.no_vector", reason=error.detail)
            return None

    async def near(
        self, parts: list[Part] | None, kinds: tuple[str, ...], limit: int
    ) -> list[Near]:
        """What the vector index holds nearest, best first; nothing without vectors."""
        found: list[Near] = []
        for part in parts or []:
            rows = await self._graph.rows(
                part.space.over(query=Q.skills.near),
                v=part.vector,
                scopes=part.scopes,
                kinds=list(kinds),
                limit=limit,
            )
            found += [Near(row["id"], row["kind"], 2 * row["score"] - 1) for row in rows]
        return sorted(found, key=lambda near: (-(near.cosine or 0.0), near.id))[:limit]

    async def pairs(self, scope: str, ids: list[str], like: Like) -> list[Row]:
        """Each of some memories of a scope with its nearest of a kind: left, right and cosine."""
        space = (await self._spaces.current()).of(scope).active
        found: list[Row] = []
        for start in range(0, len(ids), AT_ONCE):
            found += await self._graph.rows(
                space.over(query=Q.skills.near_pairs),
                ids=ids[start : start + AT_ONCE],
                scope=scope,
                kind=like.kind,
                least=(1 + like.least) / 2,
                limit=like.limit,
            )
        return found

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
