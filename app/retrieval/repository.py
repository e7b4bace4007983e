"""The queries of the retrieval graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from app.indexing.analysis import query_terms
from app.kernel.clock import END, START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.retrieval.model import Admission, Revision, ScopeLock

PAGE = 500  # passages looked at at once for a new name
CLITICS = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))  # the text index cuts them off


class RetrievalRepository:
    """One method a query; the linker's take its transaction."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def due(self, limit: int) -> list[tuple[str, str]]:
        """Scopes and their tenants with passages that wait."""
        rows = await self.graph.rows(Q.retrieval.due_scopes, limit=limit)
        return [(row["scope"], row["tenant"]) for row in rows]

    async def waiting(self) -> int:
        """How many passages wait, in every scope."""
        return int((await self.graph.one(Q.retrieval.count_waiting))["waiting"])

    async def lock(self, tx: Tx, place: tuple[str, str]) -> ScopeLock:
        """Hold a scope's names until the transaction ends."""
        scope, tenant = place
        row = await tx.one(Q.retrieval.lock, scope=scope, tenant=tenant, at=now())
        return ScopeLock(scope, tenant, row["revision"] + 1, row["linked"])

    async def unnamed(self, tx: Tx, scope: str, limit: int) -> list[Row]:
        return await tx.rows(Q.retrieval.unnamed, scope=scope, limit=limit)

    async def unlinked(self, tx: Tx, scope: str, limit: int) -> list[Row]:
        return await tx.rows(Q.retrieval.unlinked, scope=scope, limit=limit)

    async def save_names(self, tx: Tx, lock: ScopeLock, rows: list[Row]) -> list[Row]:
        """What passages are about; the keys that nobody went by before."""
        return await tx.rows(
            Q.retrieval.save_names,
            scope=lock.scope,
            tenant=lock.tenant,
            rows=rows,
            revision=lock.revision,
        )

    async def known(self, tx: Tx, scope: str, ids: list[str]) -> set[str]:
        rows = await tx.rows(Q.retrieval.known_names, scope=scope, ids=ids)
        return {row["key"] for row in rows}

    async def names_since(self, tx: Tx, scope: str, after: int) -> list[str]:
        keys: list[str] = (await tx.one(Q.retrieval.names_since, scope=scope, after=after))["keys"]
        return keys

    async def with_words(self, tx: Tx, scope: str, keys: Sequence[str]) -> list[Row]:
        """Linked passages that hold every word of a key, in whatever order and form: each with the
        keys whose words it holds, and as often as there are pages of a key's passages."""
        queries = [(key, words_query(scope, key)) for key in keys]
        asked = [{"key": key, "q": query} for key, query in queries if query is not None]
        found: list[Row] = []
        skip = 0
        while asked:
            rows = await tx.rows(
                Q.retrieval.with_words, scope=scope, names=asked, skip=skip, limit=PAGE
            )
            found += rows
            skip += PAGE
            counts = Counter(key for row in rows for key in row["keys"])
            asked = [name for name in asked if counts[name["key"]] >= PAGE]
        return [row for row in found if row["state"] == "linked"]

    async def save_links(self, tx: Tx, lock: ScopeLock, rows: list[Row]) -> None:
        await tx.rows(
            Q.retrieval.save_links,
            scope=lock.scope,
            tenant=lock.tenant,
            rows=rows,
            revision=lock.revision,
        )

    async def bump(self, tx: Tx, lock: ScopeLock, linked: int) -> None:
        await tx.rows(Q.retrieval.bump, scope=lock.scope, revision=lock.revision, linked=linked)

    async def revisions(self, scopes: list[str]) -> dict[str, Revision]:
        rows = await self.graph.rows(Q.retrieval.revisions, scopes=scopes)
        return {
            row["scope"]: Revision(row["revision"], row["dropped"], row["called_at"] or START)
            for row in rows
        }

    async def called_since(self, scope: str, after: datetime, upto: datetime) -> list[Row]:
        """Entities with several names, or merged, that were written to after one moment and up to
        another."""
        return await self.graph.rows(Q.retrieval.called_since, scope=scope, after=after, upto=upto)

    async def newly_called(self, limit: int) -> list[Row]:
        """Scopes whose entities were named or joined since that was last noted, and until when."""
        return await self.graph.rows(Q.retrieval.newly_called, limit=limit)

    async def note_called(self, rows: list[Row]) -> None:
        await self.graph.rows(Q.retrieval.note_called, rows=rows)

    async def linked_since(self, scope: str, after: int, upto: int) -> list[Row]:
        return await self.graph.rows(Q.retrieval.linked_since, scope=scope, after=after, upto=upto)

    async def terms(self, passage: str, scopes: list[str]) -> set[str]:
        """The analysed words of a passage, and of what it is about."""
        row = await self.graph.optional(Q.retrieval.terms_of, id=passage, scopes=scopes)
        return set(row["terms"].split()) if row else set()

    async def admit(self, ids: list[str], wanted: Admission) -> set[str]:
        """Which passages are held now and satisfy the filters of a search."""
        rows = await self.graph.rows(
            Q.retrieval.admit,
            ids=ids,
            scopes=wanted.scopes,
            kinds=wanted.kinds,
            roles=wanted.roles,
            sessions=wanted.sessions,
            tags=wanted.tags,
            since=(wanted.since or START).astimezone(UTC),
            until=(wanted.until or END).astimezone(UTC),
        )
        return {row["id"] for row in rows}


def words_query(scope: str, key: str) -> str | None:
    """A text query for all words of a key in one scope; None where it holds no word to look for."""
    words = query_terms(" ".join(w for w in key.split() if w not in CLITICS))
    if not words:
        return None
    clauses = [f"+terms:({' '.join(quoted(form) for form in forms)})" for forms in words]
    return " ".join([f"+scope:{quoted(scope)}", *clauses])


def quoted(token: str) -> str:
    """One exact token of the text index."""
    return '"' + token.replace("\\", "\\\\").replace('"', '\\"') + '"'
