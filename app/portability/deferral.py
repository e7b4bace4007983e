"""Importing into an empty graph without its two search indexes, which are populated afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.errors import ModelMismatch
from app.indexing.repository import CREATE_INDEX, index_options
from app.indexing.spaces import FIRST
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.migrate import migrations
from app.settings import SearchSettings

DROPPED = ("DROP INDEX memory_vector IF EXISTS", "DROP INDEX memory_text IF EXISTS")


@asynccontextmanager
async def deferred_indexes(graph: Graph, search: SearchSettings) -> AsyncIterator[None]:
    """Without the search indexes inside; made and populated at the end, however it ends."""
    for statement in DROPPED:
        await graph.raw(statement)
    try:
        yield
    finally:
        await make_indexes(graph, search)


async def make_indexes(graph: Graph, search: SearchSettings) -> None:
    """Make the two search indexes where they are missing, and wait until they are populated."""
    space = await graph.optional(Q.portability.vector_space, name=FIRST.name)
    if space is None:
        raise ModelMismatch("the graph has no vector space")
    options = index_options(space["dimension"], search.quantization, search.expansion)
    await graph.raw(text_index())
    await graph.raw(CREATE_INDEX, options=options)
    await graph.raw("CALL db.awaitIndexes(7200)")


def text_index() -> str:
    """The statement that makes the text index, as the latest migration has it."""
    found = [
        statement
        for migration in migrations()
        for statement in migration.statements
        if statement.startswith("CREATE FULLTEXT INDEX memory_text")
    ]
    return found[-1]
