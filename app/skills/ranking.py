"""Skills for a task, ranked by words and by how tasks ended that used them."""

from __future__ import annotations

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.skills.manifest import Manifest, Outcomes, manifest, ranked
from app.skills.service import SkillService, Wanted
from app.skills.vocabulary import Status

PAGE = 500
LATEST = 200  # tasks of one skill that count, the newest


class RankingService:
    """Reads only."""

    def __init__(self, graph: Graph, skills: SkillService) -> None:
        self._graph = graph
        self._skills = skills

    async def manifest(self, task: str, scopes: list[str], window: int) -> Manifest:
        """Return the active skills of some scopes that a prompt of so many characters lists."""
        rows = await self._active(scopes)
        outcomes = await self._outcomes([row["id"] for row in rows], scopes)
        return manifest(ranked(rows, task, outcomes, now()), window)

    async def _active(self, scopes: list[str]) -> list[Row]:
        found: list[Row] = []
        after = ""
        while True:
            wanted = Wanted(scopes, None, Status.ACTIVE, after, PAGE)
            rows = [row["skill"] for row in await self._skills.page(wanted)]
            found += rows
            if len(rows) < PAGE:
                return found
            after = rows[-1]["id"]

    async def _outcomes(self, ids: list[str], scopes: list[str]) -> dict[str, Outcomes]:
        rows = await self._graph.rows(Q.learning.outcomes, ids=ids, scopes=scopes, limit=LATEST)
        return {
            row["id"]: Outcomes(len(row["uses"]), sum(good for _, good in row["uses"]), row["last"])
            for row in rows
        }
