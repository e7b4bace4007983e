"""The vector leg: each scope is searched in the space of its own model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from app.indexing.fusion import rrf
from app.indexing.spaces import Part, Spaces
from app.search.model import Filters, Ranking
from app.search.repository import SearchRepository


class VectorLeg:
    """Searches by vectors; scopes come with each question."""

    def __init__(self, repository: SearchRepository, spaces: Spaces) -> None:
        self._repository = repository
        self._spaces = spaces

    async def parts(self, text: str, scopes: Sequence[str]) -> list[Part]:
        """The question's vector in each space that the scopes are searched in."""
        return await self._spaces.asked(text, scopes)

    async def find(
        self, parts: Sequence[Part], filters: Filters, sessions: list[str] | None, depth: int
    ) -> Ranking:
        """What is nearest in each space; cosines of two models do not compare, ranks do."""
        rankings = await asyncio.gather(
            *(self._in(part, filters, sessions, depth) for part in parts)
        )
        if len(rankings) == 1:
            return rankings[0]
        by_rank = [_ranked(ranking) for ranking in rankings]
        return Ranking.joined(by_rank).first(depth) if by_rank else Ranking.empty()

    async def _in(
        self, part: Part, filters: Filters, sessions: list[str] | None, depth: int
    ) -> Ranking:
        mine = replace(filters, scopes=part.scopes)
        found = await asyncio.gather(
            *(self._repository.vector(part, asked, sessions, depth) for asked in mine.split)
        )
        return Ranking.joined(found)

    async def matrix(self, ids: Sequence[str], scopes: Sequence[str]) -> npt.NDArray[np.float32]:
        """A row for each memory, zero where it has no vector.

        Every space has columns of its own: memories of two spaces are as unlike as can be.
        """
        chosen = await self._spaces.current()
        blocks = []
        for space, members in chosen.split(scopes).items():
            size = (await self._spaces.embedder(space, chosen)).info.dimension
            known = await self._repository.vectors(space, list(ids), members)
            blocks.append(_rows(ids, known, size))
        return np.concatenate(blocks, axis=1)


def _rows(
    ids: Sequence[str], known: Mapping[str, list[float]], size: int
) -> npt.NDArray[np.float32]:
    rows = np.zeros((len(ids), size), dtype=np.float32)
    for place, memory in enumerate(ids):
        if memory in known:
            rows[place] = known[memory]
    return rows


def _ranked(ranking: Ranking) -> Ranking:
    """The same with scores that follow from the rank alone."""
    return replace(ranking, scores=rrf({"vector": list(ranking.scores)}, {}))
