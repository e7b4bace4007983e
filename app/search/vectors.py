"""The vector leg: each scope is searched in the space of its own model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from app.embeddings.model import Role
from app.indexing.fusion import rrf
from app.indexing.spaces import Part, Spaces
from app.search.imagining import between
from app.search.model import Filters, Nearness, Ranking
from app.search.repository import SearchRepository


class VectorLeg:
    """Searches by vectors; scopes come with each question."""

    def __init__(self, repository: SearchRepository, spaces: Spaces) -> None:
        self._repository = repository
        self._spaces = spaces

    async def parts(self, text: str, scopes: Sequence[str]) -> list[Part]:
        """The question's vector in each space that the scopes are searched in."""
        return await self._spaces.asked(text, scopes)

    async def toward(self, parts: Sequence[Part], text: str) -> list[Part]:
        """The same with vectors between the question's and a short stored text's."""
        chosen = await self._spaces.current()
        found = []
        for part in parts:
            embedder = await self._spaces.embedder(part.space, chosen)
            (vector,) = await embedder.embed([text], Role.DOCUMENT)
            found.append(replace(part, vector=between(part.vector, vector)))
        return found

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
        mine = filters  # all of a tenant only where it is all in one space
        if len(part.scopes) < len(filters.scopes):
            mine = replace(filters, scopes=part.scopes, trees=[])
        found = await asyncio.gather(
            *(self._repository.vector(part, asked, sessions, depth) for asked in mine.split)
        )
        ranking = Ranking.joined(found)
        return replace(ranking, similar=_nearness(part, ranking.scores))

    async def similar(self, parts: Sequence[Part], ids: Sequence[str]) -> dict[str, Nearness]:
        """How near to the question each of these memories is, as far as it has a vector: by its
        best window."""
        if not ids:
            return {}
        found = await asyncio.gather(*(self._repository.closest(part, list(ids)) for part in parts))
        return {
            memory: near
            for part, scores in zip(parts, found, strict=True)
            for memory, near in _nearness(part, scores).items()
        }

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


def _nearness(part: Part, scores: Mapping[str, float]) -> dict[str, Nearness]:
    """By the model of the space; the database gives (1 + cosine) / 2."""
    return {memory: Nearness(2 * score - 1, part.model) for memory, score in scores.items()}


def _ranked(ranking: Ranking) -> Ranking:
    """The same with scores that follow from the rank alone."""
    return replace(ranking, scores=rrf({"vector": list(ranking.scores)}, {}))
