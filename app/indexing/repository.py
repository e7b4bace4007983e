"""What waits for the index, and what goes into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.embeddings.model import ModelInfo
from app.errors import ModelMismatch
from app.indexing.spaces import FIRST, Space
from app.kernel.clock import now
from app.kernel.cypher import Q, spaced
from app.kernel.graph import Graph, Row, Tx
from app.kernel.skipscan import SkipScan


@dataclass(frozen=True, slots=True)
class Stored:
    """What a batch writes in one space; `dropped` are places of windows that are no more."""

    space: Space
    vectors: list[Row]
    windows: list[Row]
    dropped: list[Row]


class IndexRepository:
    """One method a step of the indexing pass."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._waiting = SkipScan(graph, query=Q.indexing.waiting_tenants, states=["pending"])

    async def newest(self, each: int) -> list[list[str]]:
        """Ids that wait, at most `each` of a tenant, those that came last first."""
        tenants = await self._waiting.keys()
        row = await self.graph.one(Q.indexing.newest_pending, tenants=tenants, each=each)
        return list(row["waiting"])

    async def oldest(self, each: int) -> list[list[str]]:
        """Ids that wait, at most `each` of a tenant, those that came first first."""
        tenants = await self._waiting.keys()
        row = await self.graph.one(Q.indexing.oldest_pending, tenants=tenants, each=each)
        return list(row["waiting"])

    async def backlog(self) -> dict[str, int]:
        """How many episodes wait for their vectors, and how many the model refused."""
        pending = await self.graph.one(Q.indexing.count_pending)
        failed = await self.graph.one(Q.indexing.count_failed)
        return {"pending": pending["pending"], "failed": failed["failed"]}

    async def neighbourhood(self, ids: list[str], reach: int) -> dict[str, Row]:
        rows = await self.graph.one(Q.indexing.neighbourhood, ids=ids, reach=reach)
        return {row["id"]: row for row in rows["found"]}

    async def texts(self, ids: list[str]) -> dict[str, Row]:
        rows = await self.graph.one(Q.indexing.texts, ids=ids)
        return {row["id"]: row for row in rows["found"]}

    async def known_vectors(self, space: Space, hashes: list[str]) -> dict[str, list[float]]:
        rows = await self.graph.rows(space.over(query=Q.indexing.known_vectors), hashes=hashes)
        return {row["hash"]: row["vector"] for row in rows}

    async def near(self, space: Space, ids: list[str], most: int) -> list[Row]:
        """Episodes with what is next to each in a space, at most `most`."""
        query = space.over(query=Q.indexing.near_episodes)
        return await self.graph.rows(query, ids=ids, near=most)

    async def store(self, entries: list[Row], repeats: list[Row]) -> None:
        """What is known of a batch whose vectors are there: it waits no longer. One transaction;
        ids in order, so that two workers cannot deadlock."""

        async def work(tx: Tx) -> None:
            await tx.rows(Q.indexing.store_entries, rows=_ordered(entries))
            if repeats:
                await tx.rows(Q.indexing.flag_repeats, rows=_ordered(repeats))

        await self.graph.write("indexing.store", work)

    async def store_vectors(self, stored: list[Stored]) -> None:
        """One transaction for the vectors of a batch, in the same order."""

        async def work(tx: Tx) -> None:
            for part in stored:
                over = part.space.over
                if not part.vectors:
                    continue
                await tx.rows(over(query=Q.indexing.store_vectors), rows=_ordered(part.vectors))
                await tx.rows(Q.indexing.drop_windows, rows=_ordered(part.dropped))
                if part.windows:
                    await tx.rows(over(query=Q.indexing.store_windows), rows=part.windows)

        await self.graph.write("indexing.store_vectors", work)

    async def mark_failed(self, ids: list[str], reason: str) -> None:
        await self.graph.rows(Q.indexing.mark_failed, ids=ids, reason=reason)

    async def retry_failed(self) -> int:
        """Let what the model refused wait again; returns how many texts that are."""
        return int((await self.graph.one(Q.indexing.retry_failed))["found"])


def _ordered(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: str(row["id"]))


# The filters come after the vector in the index itself: a small tenant is never starved.
CREATE_INDEX = (
    "CYPHER 25 CREATE VECTOR INDEX memory_vector IF NOT EXISTS FOR (n:Searchable) ON n.embedding "
    "WITH [n.scope, n.tenant, n.live, n.kind, n.session, n.role, n.captured_at, n.ingested_at, "
    "n.expired_at] OPTIONS $options"
)

# Entities are no answers of a search: they have an index of their own, which upkeep asks.
CREATE_ENTITY_INDEX = (
    "CYPHER 25 CREATE VECTOR INDEX entity_vector IF NOT EXISTS FOR (n:Entity) ON n.embedding "
    "WITH [n.scope, n.type] OPTIONS $options"
)

# Names of passages are compared with each other by the worker, those that somebody goes by apart.
CREATE_NAME_INDEX = (
    "CYPHER 25 CREATE VECTOR INDEX name_vector IF NOT EXISTS FOR (n:Name) ON n.embedding "
    "WITH [n.scope, n.owned] OPTIONS $options"
)


def create_index(space: Space) -> str:
    """The statement that makes the vector index of a space."""
    return spaced(CREATE_INDEX, space.suffix)


def drop_index(space: Space) -> str:
    """The statement that drops it."""
    return spaced("DROP INDEX memory_vector IF EXISTS", space.suffix)


def index_options(dimension: int, quantization: str, expansion: int) -> dict[str, Any]:
    """Settings of the vector index; docs/benchmarks.md holds the measurements behind them."""
    return {
        "indexConfig": {
            "vector.dimensions": dimension,
            "vector.similarity_function": "cosine",
            "vector.quantization.type": quantization,
            "vector.default_search_expansion_factor": expansion,
        }
    }


async def ensure_space(graph: Graph, model: ModelInfo, options: dict[str, Any]) -> None:
    """Record the model of the stored vectors and make their index.

    Raises ModelMismatch where the graph holds vectors of another model: they do not compare.
    """
    stored = await graph.one(
        Q.indexing.save_space,
        name=FIRST.name,
        model=model.name,
        version=model.version,
        dimension=model.dimension,
        at=now(),
    )
    wanted = {"model": model.name, "version": model.version, "dimension": model.dimension}
    if stored != wanted:
        raise ModelMismatch(
            f"the graph holds vectors of {stored['model']} {stored['version']} "
            f"({stored['dimension']} dimensions), the settings name {model.name} {model.version} "
            f"({model.dimension}): set the old model again, or run `loci reembed`, which drops "
            "the stored vectors and makes them anew"
        )
    await graph.raw(CREATE_INDEX, options=options)
    await graph.raw(CREATE_ENTITY_INDEX, options=options)
    await graph.raw(CREATE_NAME_INDEX, options=options)
    await graph.raw("CALL db.awaitIndexes(600)")


async def reset_space(graph: Graph, model: ModelInfo, options: dict[str, Any]) -> int:
    """Drop every stored vector and start over with `model`; how many episodes now wait.

    The record of the old model goes last: a run that was cut short is simply run again.
    """
    await graph.raw("DROP INDEX memory_vector IF EXISTS")
    await graph.raw("DROP INDEX entity_vector IF EXISTS")
    await graph.raw("DROP INDEX name_vector IF EXISTS")
    await graph.rows(Q.indexing.forget_vectors)
    await graph.rows(Q.likeness.drop_all)
    await graph.rows(Q.retrieval.forget_name_vectors)
    pending = (await graph.one(Q.indexing.await_vectors))["pending"]
    await graph.rows(Q.indexing.forget_space, name=FIRST.name)
    await ensure_space(graph, model, options)
    return int(pending)
