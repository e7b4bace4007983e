"""Notes in the graph: one method a read; writes run inside the service's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.errors import StateRefused
from app.facts.claim import Tier
from app.indexing.spaces import Part
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.notes.candidates import MOST, text_query
from app.notes.model import Candidate, Incoming, Namespace, Standing
from app.notes.record import shelf_id

_VECTOR_DEPTH = 4 * MOST  # the index does not know namespaces


class NoteRepository:
    """Reads; the scopes are an argument of every query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def revision(self, scope: str, namespace: Namespace) -> int:
        """Return how often the notes of a scope and namespace have changed."""
        row = await self.graph.optional(Q.notes.shelf, id=shelf_id(scope, namespace), scope=scope)
        return int(row["rev"]) if row else 0

    async def candidates(
        self,
        scope: str,
        new: Incoming,
        near: Part | None,
        text_hash: str,
        also: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return live notes like the new one by vector or words, and those that they superseded;
        `also` those of some ids."""
        cosines = await self._similar(scope, near)
        worded = set(await self._sharing_words(scope, new))
        worded |= set(also)
        ids = [*cosines, *sorted(worded - cosines.keys())]
        rows = await self.graph.rows(
            Q.notes.candidates, ids=ids, hash=text_hash, scope=scope, namespace=new.namespace
        )
        return [
            candidate_of(row["note"], cosines.get(row["note"]["id"]), row["note"]["id"] in worded)
            for row in rows
        ]

    async def get(self, note: str, scopes: list[str]) -> Row | None:
        return await self.graph.optional(Q.notes.get, id=note, scopes=scopes)

    async def against(self, note: str, scope: str) -> dict[str, list[str]]:
        """Return what a note that waits stands against, each with what came in its place."""
        rows = await self.graph.rows(Q.notes.against, id=note, scope=scope)
        return {row["id"]: row["later"] for row in rows}

    async def page(self, scopes: list[str], **page: Any) -> list[Row]:
        return await self.graph.rows(Q.notes.page, scopes=scopes, **page)

    async def with_text(
        self,
        scopes: Sequence[str],
        namespaces: Sequence[str],
        text: str,
        *,
        whole: bool = False,
        after: str = "",
        limit: int,
    ) -> list[Row]:
        """Return held notes that contain a text, or with `whole` are it, whatever their case."""
        rows = await self.graph.rows(
            Q.notes.with_text,
            scopes=list(scopes),
            namespaces=[str(one) for one in namespaces],
            needle=text.strip().lower(),
            whole=whole,
            after=after,
            limit=limit,
        )
        return [row["note"] for row in rows]

    async def versions(self, note: str, scopes: list[str]) -> list[Row]:
        rows = await self.graph.rows(Q.notes.versions, id=note, scopes=scopes)
        return [row["version"] for row in rows]

    async def _similar(self, scope: str, near: Part | None) -> dict[str, float]:
        if near is None:
            return {}
        query = near.space.over(query=Q.notes.similar)
        rows = await self.graph.rows(query, v=near.vector, scope=scope, limit=_VECTOR_DEPTH)
        return {row["id"]: row["cosine"] for row in rows}

    async def _sharing_words(self, scope: str, new: Incoming) -> list[str]:
        query = text_query(new.content, new.language, scope, new.namespace)
        if query is None:
            return []
        rows = await self.graph.rows(Q.notes.sharing_words, q=query, scope=scope, limit=MOST)
        return [row["id"] for row in rows]


class BlockRepository:
    """Core blocks and patterns of failure."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def put(self, block: Row, audit: Row) -> Row:
        """Set a block; StateRefused for one that changes only as others attest."""
        scope, kind = block["scope"], block["kind"]

        async def work(tx: Tx) -> Row:
            await tx.optional(Q.scopes.lock_scope, path=scope, at=block["updated_at"])
            if await tx.rows(Q.blocks.protection, scope=scope, kind=kind):
                raise StateRefused("the block is protected: propose an edit", field="kind")
            found: Row = (await tx.one(Q.blocks.put_block, block=block, audit=audit))["block"]
            return found

        return await self.graph.write("blocks.put", work)

    async def blocks(self, scopes: list[str]) -> list[Row]:
        return [row["block"] for row in await self.graph.rows(Q.blocks.list_blocks, scopes=scopes)]

    async def add_pattern(self, pattern: Row, audit: Row) -> Row:
        row = await self.graph.one(Q.blocks.create_pattern, pattern=pattern, audit=audit)
        found: Row = row["pattern"]
        return found

    async def patterns(self, scopes: list[str], after: str, limit: int) -> list[Row]:
        rows = await self.graph.rows(
            Q.blocks.list_patterns, scopes=scopes, after=after, limit=limit
        )
        return [row["pattern"] for row in rows]


def candidate_of(note: Row, cosine: float | None = None, worded: bool = True) -> Candidate:
    """Return a stored note as one that another is held against."""
    moments: dict[str, datetime] = {name: note[name] for name in ("valid_from", "valid_to")}
    return Candidate(
        id=note["id"],
        content=note["content"],
        language=note["language"],
        tier=Tier(note["tier"]),
        author=note["author"],
        standing=Standing(note["standing"]),
        confirmations=note["confirmations"],
        cosine=cosine,
        worded=worded,
        read_out=note["cited"] is not None,
        confidence=note["confidence"],
        **moments,
    )
