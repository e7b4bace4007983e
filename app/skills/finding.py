"""How things are found around a text: the two indexes, asked for kinds."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from app.embeddings.calibration import Calibration, Kinds
from app.embeddings.model import Role
from app.errors import EmbedderUnavailable
from app.indexing.analysis import analyse, query_terms
from app.indexing.entry import LIVE, quoted
from app.indexing.spaces import Part, Spaces
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.skills.learned import KEYWORDS, hits_needed

log = structlog.get_logger()
TERMS = 64
AT_ONCE = 50  # memories of one statement, which has 30 s: each is a search of the index


@dataclass(frozen=True, slots=True)
class Near:
    """Something near a text: its kind and how alike they are, None where only words led to it."""

    id: str
    kind: str
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Like:
    """What is looked for around memories: a kind, from a similarity on, and how many of each;
    `kinds` are what the two are to each other."""

    kind: str
    kinds: Kinds
    least: float
    limit: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory and one that is near it, and how alike they are."""

    left: str
    right: str
    similarity: float


class Finder:
    """Asks both indexes; without a model the words answer alone."""

    def __init__(self, graph: Graph, spaces: Spaces) -> None:
        self._graph = graph
        self._spaces = spaces

    async def asked(
        self, text: str, scopes: list[str], role: Role = Role.QUERY
    ) -> list[Part] | None:
        """The vectors of a text, one for each space; None where a model is away."""
        try:
            return await self._spaces.asked(text, scopes, role)
        except EmbedderUnavailable as error:
            log.warning("skills.no_vector", reason=error.detail)
            return None

    async def near(
        self, parts: list[Part] | None, sought: tuple[str, ...], limit: int, kinds: Kinds
    ) -> list[Near]:
        """What of some kinds the vector index holds nearest, the most alike first; `kinds` are what
        the text and those are to each other. Nothing without vectors."""
        found: list[Near] = []
        for part in parts or []:
            rows = await self._graph.rows(
                part.space.over(query=Q.skills.near),
                v=part.vector,
                scopes=part.scopes,
                kinds=list(sought),
                limit=limit,
            )
            for row in rows:
                similarity = part.similarity(row["cosine"], kinds, row["language"])
                found.append(Near(row["id"], row["kind"], similarity))
        return sorted(found, key=lambda near: (-(near.similarity or 0.0), near.id))[:limit]

    async def pairs(self, scope: str, ids: list[str], like: Like) -> list[Pair]:
        """Each of some memories of a scope with its nearest of a kind that are alike enough."""
        space = (await self._spaces.current()).of(scope).active
        means = await self._spaces.means(scope)
        found: list[Row] = []
        for start in range(0, len(ids), AT_ONCE):
            found += await self._graph.rows(
                space.over(query=Q.skills.near_pairs),
                ids=ids[start : start + AT_ONCE],
                scope=scope,
                kind=like.kind,
                limit=like.limit,
            )
        pairs = (_pair(row, like.kinds, means) for row in found)
        return [pair for pair in pairs if pair.similarity >= like.least]

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


def _pair(row: Row, kinds: Kinds, means: Calibration) -> Pair:
    similarity = means.similarity(row["cosine"], kinds, tuple(row["languages"]))
    return Pair(row["left"], row["right"], round(similarity, 6))


def words_held(question: str, text: str) -> bool:
    """Whether a text has enough of the words of a question, of which five count at the most."""
    terms = set(analyse(text))
    words = query_terms(question)
    held = sum(not terms.isdisjoint(forms) for forms in words)
    return bool(words) and held >= hits_needed(min(len(words), KEYWORDS))


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
