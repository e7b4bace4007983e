"""Edges from names that nobody goes by to the few that somebody goes by and that read alike.

A name has a vector of its own, by the model of the settings, whatever model its scope is searched
by: vectors of two models never meet. What a name may stand for follows from the names that are
there: a name that is new, or that somebody came or ceased to go by, is looked at, and with it those
that are near it; so edges are what making all of them at once would give, as far as the vector
index finds what is near.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import structlog

from app.embeddings.measured import Measured
from app.embeddings.model import Role
from app.errors import EmbedderUnavailable
from app.jobs.lanes import Due
from app.kernel.graph import Graph, Row, Tx
from app.retrieval.alike import Near, stands_for
from app.retrieval.repository import RetrievalRepository

log = structlog.get_logger()
# Cosine from which on two names read alike, by model: tried on MuSiQue, HotpotQA and
# 2WikiMultihopQA (docs/decisions/0041). A model that was not measured compares nothing.
COSINES: Mapping[str, float] = {
    "multilingual-e5-small": 0.93,
    "multilingual-e5-small-int8": 0.93,
}
BATCH = 64  # names given to the model at once
TOGETHER = 128  # names of one transaction
NEIGHBOURS = 16  # owned names that are looked at for a name, of which numbers may rule out some
AROUND = 64  # names around one that somebody came to go by, that are looked at again
TURN = 20  # transactions after which another scope has its turn
SCOPES = 1000  # in which names were never compared, and that are begun at once


class SynonymService:
    """Brings the edges up to the names; without a model that was measured it does nothing."""

    def __init__(self, graph: Graph, model: Measured | None) -> None:
        self.rows = RetrievalRepository(graph)
        self._graph = graph
        self._model = model

    async def due(self) -> list[Due]:
        """Scopes of which names wait to be compared."""
        if self._model is None:
            return []
        for scope in await self.rows.unbegun(SCOPES):
            await self.rows.begin(scope)
        return await self.rows.uncompared()

    async def drain(self) -> int:
        """Compare until nothing waits; how many names were looked at.

        Without an answer of the model the rest waits for the next time.
        """
        total = 0
        try:
            while places := await self.due():
                for place in places:
                    total += await self.turn(place)
        except EmbedderUnavailable as error:
            log.warning("synonyms.no_vectors", reason=error.detail)
        return total

    async def compare(self, place: tuple[str, str]) -> int:
        """Compare what waits in one scope (and its tenant); EmbedderUnavailable."""
        total = 0
        while done := await self.turn(Due(*place)):
            total += done
        return total

    async def turn(self, due: Due) -> int:
        """Compare in one scope for a few transactions; how many names had something done to them.

        Raises EmbedderUnavailable.
        """
        if self._model is None:
            return 0
        place, model, left, total = (due.key, due.tenant), self._model, TURN, 0
        for step in (
            self._embed,
            partial(self._look, owned=True),
            partial(self._look, owned=False),
        ):
            while left and (done := await step(place, model)):
                left, total = left - 1, total + done
        return total

    async def _embed(self, place: tuple[str, str], model: Measured) -> int:
        waiting = await self.rows.voiceless(place[0], BATCH)
        stale = [row for row in waiting if row["hash"] != model.hash(row["key"])]
        texts = [model.fitting(row["key"]) for row in stale]
        vectors = await model.embedder.embed(texts, Role.QUERY) if texts else []
        made = dict(zip((row["id"] for row in stale), vectors, strict=True))
        rows = [
            {"id": row["id"], "vector": made.get(row["id"]), "hash": model.hash(row["key"])}
            for row in waiting
        ]

        async def work(tx: Tx) -> None:
            await self.rows.lock(tx, place)
            await self.rows.save_vectors(tx, place[0], rows)

        if rows:
            await self._graph.write("retrieval.embed_names", work)
        return len(rows)

    async def _look(self, place: tuple[str, str], model: Measured, owned: bool) -> int:
        """Compare one batch; who goes by a name decides which way it is looked from."""

        async def work(tx: Tx) -> int:
            await self.rows.lock(tx, place)
            names = await self.rows.placed(tx, place[0], owned, TOGETHER)
            if names:
                step = self._wake if owned else self._link
                await step(tx, place[0], model, names)
            return len(names)

        return await self._graph.write("retrieval.compare_names", work)

    async def _wake(self, tx: Tx, scope: str, model: Measured, names: list[Row]) -> None:
        """A name that somebody goes by stands for itself, and names near it may stand for it."""
        near: dict[str, list[Near]] = {}
        if await self.rows.any_compared(tx, scope):
            near = await self._near(tx, scope, names, (False, AROUND))
        woken = {n.id for found in near.values() for n in found if n.cosine >= model.figure}
        await self.rows.wake(tx, scope, [row["id"] for row in names], sorted(woken))

    async def _link(self, tx: Tx, scope: str, model: Measured, names: list[Row]) -> None:
        near = await self._near(tx, scope, names, (True, NEIGHBOURS))
        rows = [
            {
                "id": row["id"],
                "near": [
                    {"id": name.id, "cosine": name.cosine}
                    for name in stands_for(row["key"], near.get(row["id"], ()), model.figure)
                ],
            }
            for row in names
        ]
        await self.rows.save_synonyms(tx, scope, rows)

    async def _near(
        self, tx: Tx, scope: str, names: list[Row], wanted: tuple[bool, int]
    ) -> dict[str, list[Near]]:
        ids = [row["id"] for row in names]
        rows = await self.rows.near_names(tx, scope, ids, wanted)
        return {row["id"]: [Near(*name) for name in row["near"]] for row in rows}
