"""What was learnt of late and is near a core block: it counts less for a while, so that nobody
moves what an agent is by saying it anew in other words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.embeddings.calibration import Kinds
from app.indexing.spaces import Part, Spaces
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.notes.drift import WINDOWS
from app.scopes.service import ScopeService

LASTS = timedelta(days=7)
NEAR = 0.75  # of a similarity of matter, from which on a text is near a block
TRUSTED = 0.7  # least trust of what cools: what nobody trusts counts little by itself
FACTOR = 0.5  # what the lead of a hit counts that cools
KEPT_SECONDS, KEPT = 60.0, 64  # how long vectors of a block are kept, and of how many


@dataclass(frozen=True, slots=True)
class _Read:
    until: float
    part: Part
    vectors: list[list[float]]


class CoolingService:
    """Compares by the model that a scope is searched by; reads only, and stores nothing."""

    def __init__(self, graph: Graph, scopes: ScopeService, spaces: Spaces) -> None:
        self._graph = graph
        self._scopes = scopes
        self._spaces = spaces
        self._read: dict[tuple[str, str], _Read] = {}

    async def where(self, scopes: Sequence[str]) -> list[str]:
        """Return those of the scopes whose rules let what is near a core block cool."""
        rules = await self._scopes.rules_of(scopes)
        return [scope for scope in scopes if rules[scope].cooling]

    async def near(self, ids: Sequence[str], scopes: Sequence[str]) -> frozenset[str]:
        """Return those of some memories that are trusted, were learnt within seven days, and are
        about the matter of a core block of their scope. Raises EmbedderUnavailable."""
        if not ids or not scopes:
            return frozenset()
        found: set[str] = set()
        for block in await self._graph.rows(Q.blocks.words_of, scopes=list(scopes)):
            found |= await self._like(block, ids)
        return frozenset(found)

    async def _like(self, block: Row, ids: Sequence[str]) -> set[str]:
        read = await self._vectors(block)
        rows = await self._graph.rows(
            read.part.space.over(query=Q.blocks.learnt_near),
            ids=list(ids),
            scope=block["scope"],
            vectors=read.vectors,
            since=now() - LASTS,
            least=TRUSTED,
        )
        return {
            row["id"]
            for row in rows
            if read.part.similarity(row["cosine"], Kinds.MATTER, row["language"]) >= NEAR
        }

    async def _vectors(self, block: Row) -> _Read:
        """The vectors of a block's windows, kept for a minute."""
        place, at = (block["scope"], block["content_hash"]), time.monotonic()
        held = self._read.get(place)
        if held is None or held.until < at:
            if len(self._read) >= KEPT:
                self._read.clear()
            part, vectors = await self._spaces.compared_whole(
                block["content"], block["scope"], WINDOWS
            )
            held = self._read[place] = _Read(at + KEPT_SECONDS, part, vectors)
        return held
