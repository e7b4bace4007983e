"""Communities that a question comes to: by the entities of a walk, or as a question about all."""

from __future__ import annotations

from collections.abc import Sequence

from app.communities.repository import CommunityRepository
from app.communities.view import CommunityView, viewed
from app.kernel.clock import now
from app.kernel.graph import Graph
from app.rag.gathering import Walk
from app.rag.model import COMMUNITIES, Ask, Lack, Reached, Without
from app.rag.repository import RagRepository


class Reaching:
    """Reads within the scopes of each question."""

    def __init__(self, graph: Graph, rows: RagRepository) -> None:
        self._communities = CommunityRepository(graph)
        self._rows = rows

    async def overall(self, ask: Ask) -> list[Reached]:
        """The outermost communities, the largest first; of some knowledge bases those that cite
        them, the most lines first."""
        if ask.bases is None:
            ids = await self._communities.page(ask.scopes, {}, 0, COMMUNITIES)
        else:
            ids = await self._rows.communities_of_bases(ask.bases, ask.scopes, COMMUNITIES)
        views = await self._views(ask, ids)
        largest = max((view.size for view in views), default=1)
        return [Reached(view, round(view.size / largest, 6), 0, ()) for view in views]

    async def reached(self, ask: Ask, walk: Walk) -> list[Reached]:
        """The communities of the walk's entities, by the entity of each that it holds highest."""
        best: dict[str, str] = {}
        for entity in await self._counting(ask, walk):
            community = walk.names[entity]["community"]
            if community is not None and (
                community not in best or walk.scores[entity] > walk.scores[best[community]]
            ):
                best[community] = entity
        ids = sorted(best, key=lambda i: (-walk.scores[best[i]], i))[:COMMUNITIES]
        return [
            Reached(view, round(walk.scores[e], 6), walk.hops[e], walk.path(e))
            for view in await self._views(ask, ids)
            if (e := best[view.id])
        ]

    async def lack(self, ask: Ask) -> Lack:
        """Why there is no community: none was made yet, or a pass over a scope failed."""
        cursors = await self._communities.cursors(ask.scopes)
        failed = [f"{scope}: {row['error']}" for scope, row in cursors.items() if row["error"]]
        if not failed:
            return Lack(Without.NO_COMMUNITIES)
        return Lack(Without.COMMUNITIES_FAILED, "; ".join(failed))

    async def _counting(self, ask: Ask, walk: Walk) -> list[str]:
        """The walk's entities; where only some knowledge bases count, those that these name."""
        if ask.bases is None:
            return list(walk.names)
        named = await self._rows.named_in_bases(list(walk.names), ask.bases, ask.scopes)
        return [entity for entity in walk.names if entity in named]

    async def _views(self, ask: Ask, ids: Sequence[str]) -> list[CommunityView]:
        """Communities; where only some knowledge bases count, those of which these say a line."""
        views = viewed(await self._communities.read(ids, ask.scopes, now()))
        if ask.bases is None:
            return views
        sources = {line.source for view in views for line in view.lines}
        kept = await self._rows.in_bases(sorted(sources), ask.bases, ask.scopes)
        return [said for view in views if (said := view.only(kept)).lines]
