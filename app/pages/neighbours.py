"""Pages that name a page without linking it, and pages that are like it."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.embeddings.calibration import Calibration, Kinds
from app.errors import Conflict
from app.indexing.entry import time_key
from app.indexing.service import IndexService
from app.indexing.spaces import Spaces
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.pages import mentions
from app.pages.excerpt import excerpt
from app.pages.model import Change, Mention, Receipt
from app.pages.naming import name_id, name_key
from app.pages.record import bearer
from app.pages.resolve import Bearer, Known, Source, Wanted, names, settle, upward
from app.pages.rewriting import breaks_link, linked
from app.pages.service import PageService
from app.sanitize.aside import aside

RELATED, RELATED_MOST = 10, 50  # seed 000
_HITS = 400  # chunks that are looked at for one name
_STEPS = 24  # by which the time that is looked back over is narrowed, where there are more
_ALL = timedelta(days=3650 * 4)
_TEXTS = 25  # pages whose texts are read at once
_VECTORS = 64  # chunks of a page that say what it is about


@dataclass(frozen=True, slots=True)
class Related:
    """A page with its similarity to another, calibrated, 0 to 1."""

    page: Row
    similarity: float


@dataclass(frozen=True, slots=True)
class Own:
    """What the cosines to a page mean: by its model, its language, and the length of the mean of
    its passages' vectors, which is the shorter the more they differ."""

    means: Calibration
    language: str
    length: float

    def similarity(self, score: float, language: str) -> float:
        """The calibrated mean of the cosines between a passage and those of the page, by the score
        of the index against their mean, (1 + cosine) / 2."""
        cosine = (2 * score - 1) * self.length
        return round(self.means.similarity(cosine, Kinds.TEXTS, (self.language, language)), 6)


class Neighbours:
    """Mentions by the text index, likeness by the vector index; neither looks at all texts."""

    def __init__(
        self, graph: Graph, pages: PageService, indexing: IndexService, spaces: Spaces
    ) -> None:
        self.graph = graph
        self._pages = pages
        self._indexing = indexing
        self._spaces = spaces

    async def unlinked(self, who: Caller, page: str, limit: int = mentions.MOST) -> list[Mention]:
        """Pages that name this one, by title or alias, without linking it: newest first, each with
        its first mention. NotFound as for reading."""
        stored = (await self._pages.read(who, page))["page"]
        named = [stored["title"], *stored["aliases"]]
        found: list[Mention] = []
        ids = await self._naming(stored, named, who.visible)
        for start in range(0, len(ids), _TEXTS):
            texts = await self._texts(ids[start : start + _TEXTS], who.visible)
            found += await asyncio.to_thread(_mentions, texts, named, limit - len(found))
            if len(found) >= limit:
                break
        return found

    async def link(self, who: Caller, page: str, source: str) -> Receipt:
        """Make links of all mentions of a page in another page's text.

        Raises NotFound for either, Forbidden without the right to write the source, Conflict where
        the text does not mention the page, or where no name of it would mean it there.
        """
        target = (await self._pages.read(who, page))["page"]
        stored = (await self._pages.read(who, source))["page"]
        who.require(stored["scope"], Role.WRITER)
        named = [target["title"], *target["aliases"]]
        text = stored["content"]
        spans = await aside(text, lambda: list(mentions.find(text, named)))
        if not spans or source == page:
            raise Conflict(f"the text of {source} does not mention the page {page}", field="source")
        name = await self._name_for(stored, target)
        content = await aside(text, lambda: linked(text, spans, name))
        change = Change(content=content, version=stored["version"])
        return await self._pages.change(who, source, change)

    async def related(self, who: Caller, page: str, limit: int = RELATED) -> list[Related]:
        """Pages whose passages are nearest to what this page says, at most 50; none while it has
        no vectors. NotFound as for reading.

        A page counts by its nearest passage, and that by its mean likeness to this page's own.
        """
        scope = (await self._pages.read(who, page))["page"]["scope"]
        chosen = await self._spaces.current()
        space = chosen.of(scope).active
        scopes = chosen.split(who.visible).get(space, [])
        rows = await self.graph.rows(
            space.over(query=Q.pages.page_vectors), id=page, scopes=scopes, limit=_VECTORS
        )
        if not rows:
            return []
        wanted = min(limit, RELATED_MOST)
        mean, length = _mean([row["vector"] for row in rows])
        found: list[Row] = []
        for depth in (8 * wanted + len(rows), 40 * RELATED_MOST):
            found = await self.graph.rows(
                space.over(query=Q.pages.like), v=mean, id=page, scopes=scopes, limit=depth
            )
            if len({row["page"]["id"] for row in found}) >= wanted:
                break
        means = await self._spaces.means(scope)
        spoken = Counter(row["language"] for row in rows).most_common(1)[0][0]
        return _related(found, Own(means, spoken, length))[:wanted]

    async def reembed(self, who: Caller, page: str) -> int:
        """Make the vectors of a page's passages anew; how many there are."""
        stored = (await self._pages.read(who, page))["page"]
        who.require(stored["scope"], Role.WRITER)
        rows = await self.graph.rows(Q.pages.chunk_ids, id=page, scopes=who.visible)
        ids = [row["id"] for row in rows]
        if ids:
            await self.graph.rows(Q.pages.await_vector, ids=ids, scopes=[stored["scope"]])
            await self._indexing.index(ids)
        return len(ids)

    async def texts(self, ids: list[str], scopes: list[str]) -> dict[str, Row]:
        """Live pages with their texts, by id."""
        return {page["id"]: page for page in await self._texts(ids, scopes)}

    async def _naming(self, page: Row, named: Sequence[str], scopes: list[str]) -> list[str]:
        """Ids of pages that may name the page, newest first."""
        at = {
            row["id"]: row["updated_at"]
            for names in mentions.together(named)
            for row in await self._of_names(page, names, scopes)
        }
        return sorted(sorted(at), key=at.__getitem__, reverse=True)

    async def _of_names(self, page: Row, named: Sequence[str], scopes: list[str]) -> list[Row]:
        """The same for names that one query asks for, each with when it was changed.

        Where the text index finds more than is looked at, only what was said of late is asked for:
        the time back is halved until all of it fits, and stretched while it holds too few.
        """
        found: list[Row] = []
        short, reach, long = timedelta(0), _ALL, _ALL
        for _ in range(_STEPS):
            since = None if reach == _ALL else time_key(now() - reach)
            query = mentions.query(named, scopes, since)
            if query is None:
                return []
            row = await self.graph.one(
                Q.pages.naming_chunks, q=query, page=page["id"], scopes=scopes, limit=_HITS
            )
            if row["hits"] >= _HITS:
                long = reach
                found = found or row["pages"]
            else:
                short, found = reach, row["pages"]
                if reach == _ALL or len(found) >= mentions.MOST:
                    break
            reach = (short + long) / 2 if short else long / 4
        return found

    async def _texts(self, ids: list[str], scopes: list[str]) -> list[Row]:
        rows = await self.graph.rows(Q.pages.contents, ids=ids, scopes=scopes)
        return [row["page"] for row in rows]

    async def _name_for(self, source: Row, target: Row) -> str:
        """The first name of a page that means it where the source stands."""
        named = [name for name in names(bearer(target)) if not breaks_link(name)]
        keys = {name_id(target["tenant"], name): name_key(name) for name in named}
        scopes = list(upward(source["scope"]))
        rows = await self.graph.rows(Q.pages.bearers, names=sorted(keys), scopes=scopes)
        known: dict[str, list[Bearer]] = {}
        for row in rows:
            known.setdefault(keys[row["name"]], []).append(bearer(row["page"]))
        for name in named:
            wanted = (Wanted(name, (name,)),)
            edges = settle(Source(source["id"], source["scope"], wanted), Known(known)).edges
            if edges and edges[0].target == target["id"]:
                return name
        raise Conflict(f"no name of {target['id']} means it in {source['scope']}", field="source")


def _mentions(texts: Sequence[Row], named: Sequence[str], limit: int) -> list[Mention]:
    found: list[Mention] = []
    for page in texts:
        span = next(mentions.find(page["content"], named), None)
        if span is not None and len(found) < limit:
            found.append(_mention(page, span))
    return found


def _mention(page: Row, span: tuple[int, int]) -> Mention:
    return Mention(
        page=page["id"],
        title=page["title"],
        slug=page["slug"],
        kind=page["kind"],
        scope=page["scope"],
        excerpt=excerpt(page["content"], *span),
        start=span[0],
        end=span[1],
        updated_at=page["updated_at"],
    )


def _mean(vectors: Sequence[Sequence[float]]) -> tuple[list[float], float]:
    """The mean of some vectors, each of length 1, and how long it is."""
    lengths = [math.hypot(*vector) or 1.0 for vector in vectors]
    units = ([x / n for x in v] for v, n in zip(vectors, lengths, strict=True))
    mean = [sum(values) / len(vectors) for values in zip(*units, strict=True)]
    return mean, math.hypot(*mean)


def _related(found: Sequence[Row], own: Own) -> list[Related]:
    """The pages of some rows by their best passage, the likest first."""
    best: dict[str, Related] = {}
    for row in found:
        one = Related(row["page"], own.similarity(row["score"], row["language"]))
        known = best.get(row["page"]["id"])
        if known is None or one.similarity > known.similarity:
            best[row["page"]["id"]] = one
    return sorted(best.values(), key=lambda one: (-one.similarity, one.page["id"]))
