"""Knowledge bases and documents in the graph: reads, and the locks that writers begin with."""

from __future__ import annotations

from app.documents.model import BASE_MOVES, BaseState, settled, shown
from app.errors import NotFound
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest


def base_key(scope: str, name: str) -> str:
    """One value for knowledge bases of one name in one scope."""
    return digest("knowledge-base", scope, name.casefold())


def document_key(base: str, name: str) -> str:
    """One value for documents of one name in one base."""
    return digest("document", base, name)


def leaving_key(document: str) -> str:
    """The same of a document that is being deleted: its name is free for another one."""
    return digest("leaving document", document)


class DocumentRepository:
    """One method a query, or a lock with what it reads."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def base(self, base: str, scopes: list[str]) -> Row:
        """A base by its id; NotFound where it is not visible."""
        row = await self.graph.optional(Q.documents.get_base, id=base, scopes=scopes)
        if row is None:
            raise NotFound(f"there is no knowledge base {base}", field="knowledge_base")
        found: Row = row["base"]
        return found

    async def base_named(self, name: str, scopes: list[str]) -> Row | None:
        """The base of that name in the narrowest of some scopes."""
        keys = [base_key(scope, name) for scope in scopes]
        rows = await self.graph.rows(Q.documents.base_by_key, keys=keys, scopes=scopes)
        return rows[0]["base"] if rows else None

    async def find_base(self, given: str, scopes: list[str]) -> Row:
        """A base by id or by name; NotFound."""
        row = await self.graph.optional(Q.documents.get_base, id=given, scopes=scopes)
        found = row["base"] if row else await self.base_named(given, scopes)
        if found is None:
            raise NotFound(f"there is no knowledge base {given}", field="knowledge_base")
        return found

    async def bases(self, scopes: list[str], after: str, limit: int) -> list[Row]:
        return await self.graph.rows(
            Q.documents.list_bases, scopes=scopes, after=after, limit=limit
        )

    async def statistics(self, base: str, scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.documents.statistics, id=base, scopes=scopes)

    async def document(self, document: str, scopes: list[str]) -> Row:
        """A document with its base; NotFound where it is not visible."""
        row = await self.graph.optional(Q.documents.get_document, id=document, scopes=scopes)
        if row is None:
            raise NotFound(f"there is no document {document}")
        return row

    async def documents(
        self, base: str | None, scopes: list[str], status: str | None, page: tuple[str, int]
    ) -> list[Row]:
        """A page of documents: those of one base, or all that are visible."""
        after, limit = page
        common = {"scopes": scopes, "status": status, "after": after, "limit": limit}
        if base is None:
            rows = await self.graph.rows(Q.documents.list_all, **common)
        else:
            rows = await self.graph.rows(Q.documents.list_documents, base=base, **common)
        return [row["document"] for row in rows]

    async def documents_of(self, base: str, scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.documents.documents_of, base=base, scopes=scopes)

    async def chunks(self, work: str, scopes: list[str], after: int, limit: int) -> list[Row]:
        rows = await self.graph.rows(
            Q.chunks.page, work=work, scopes=scopes, after=after, limit=limit
        )
        return [row["chunk"] for row in rows]

    async def texts(self, work: str, scopes: list[str]) -> list[Row]:
        """The chunks of a work with their words, in order."""
        rows = await self.graph.rows(Q.chunks.texts, work=work, scopes=scopes)
        return [row["chunk"] for row in rows]


async def lock_document(tx: Tx, document: str) -> Row | None:
    """A document that nobody else changes until the transaction ends; None where it is gone."""
    row = await tx.optional(Q.documents.lock_document, id=document, at=now())
    return row["document"] if row else None


async def lock_base(tx: Tx, base: str) -> tuple[Row, int]:
    """The same of a base, with how many documents of it have yet to end."""
    row = await tx.optional(Q.documents.lock_base, id=base, at=now())
    if row is None:
        raise NotFound(f"there is no knowledge base {base}", field="knowledge_base")
    return row["base"], int(row["waiting"])


async def show_document(tx: Tx, document: str) -> None:
    """Let the chunks of a document be found, or not, as its state and its base's are now.

    Both stay locked until the transaction ends, so that neither moves on meanwhile.
    """
    row = await lock_document(tx, document)
    if row is not None:
        base, _ = await lock_base(tx, row["base"])
        live = shown(base["status"], row["status"])
        await tx.rows(Q.chunks.show, work=document, live=live)


async def begin_base(tx: Tx, base: str) -> None:
    """Tell that a document of a base is on its way; one that is paused or put away stays so."""
    row, _ = await lock_base(tx, base)
    if BaseState.INDEXING in BASE_MOVES[BaseState(row["status"])]:
        begun = {"status": str(BaseState.INDEXING), "error": None}
        await tx.rows(Q.documents.set_base, id=base, properties=begun)


async def settle_base(tx: Tx, base: str, error: str | None = None) -> BaseState:
    """Let a base follow from its documents, and tell how it stands; it stays locked.

    `error` tells of a fault that was ours.
    """
    row, waiting = await lock_base(tx, base)
    state = settled(row["status"], waiting, broken=error is not None)
    if state != BaseState(row["status"]):
        await tx.rows(
            Q.documents.set_base,
            id=base,
            properties={"status": str(state), "error": error, "updated_at": now()},
        )
    return state
