"""The queries of the retrieval graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from app.entities.touched import TouchedScopes
from app.indexing.analysis import query_terms
from app.indexing.entry import quoted
from app.jobs.lanes import Due
from app.kernel.clock import END, START, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.skipscan import SkipScan
from app.retrieval.model import Admission, Revision, ScopeLock

PAGE = 500  # passages looked at at once for a new name
CLITICS = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))  # the text index cuts them off


def _due(scope: str) -> Due:
    return Due(scope, scope.partition("/")[0])


class RetrievalRepository:
    """One method a query; the linker's take its transaction.

    With `compares` names that are written wait to be compared with others.
    """

    def __init__(self, graph: Graph, *, compares: bool = False) -> None:
        self.graph = graph
        self._compares = compares
        self._state = "pending" if compares else None
        self._waiting = SkipScan(
            graph, query=Q.retrieval.waiting_scopes, states=["pending", "titled"]
        )
        self._uncompared = SkipScan(
            graph, query=Q.retrieval.uncompared, states=["pending", "placed"]
        )
        self._touched = TouchedScopes(graph, Q.retrieval.every_scope)

    async def due(self) -> list[Due]:
        """Scopes with passages that wait."""
        return [_due(scope) for scope in await self._waiting.keys()]

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
            state=self._state,
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

    async def forget_links(self, tx: Tx, lock: ScopeLock, rows: list[Row]) -> None:
        """Take out what passages name no more; `rows` hold all names of each."""
        await tx.rows(Q.retrieval.forget_links, scope=lock.scope, rows=rows)

    async def save_links(self, tx: Tx, lock: ScopeLock, rows: list[Row]) -> None:
        await tx.rows(
            Q.retrieval.save_links,
            scope=lock.scope,
            tenant=lock.tenant,
            rows=rows,
            revision=lock.revision,
            state=self._state,
        )

    async def bump(self, tx: Tx, lock: ScopeLock, linked: int) -> None:
        await tx.rows(
            Q.retrieval.bump,
            scope=lock.scope,
            revision=lock.revision,
            linked=linked,
            compares=self._compares,
        )

    async def revisions(self, scopes: list[str]) -> dict[str, Revision]:
        found = await self.graph.one(Q.retrieval.revisions, scopes=scopes)
        return {
            scope: Revision(revision, dropped, called_at or START, alike)
            for scope, revision, dropped, called_at, alike in found["found"]
        }

    async def revised(self, scopes: list[str]) -> tuple[int, ...]:
        """Return a stamp of the revisions of scopes: another one where any of them has changed."""
        found = await self.graph.one(Q.retrieval.revised, scopes=scopes)
        return tuple(found["sums"])

    async def called_since(self, scope: str, after: datetime, upto: datetime) -> list[Row]:
        """Entities with several names, or merged, that were written to after one moment and up to
        another."""
        return await self.graph.rows(Q.retrieval.called_since, scope=scope, after=after, upto=upto)

    async def newly_called(self, limit: int) -> list[Row]:
        """Scopes whose entities were named or joined since that was last noted, and until when."""
        if not (scopes := await self._touched.scopes()):
            return []
        return await self.graph.rows(Q.retrieval.newly_called, scopes=scopes, limit=limit)

    async def note_called(self, rows: list[Row]) -> None:
        await self.graph.rows(Q.retrieval.note_called, rows=rows)

    async def linked_since(self, scope: str, after: int, upto: int) -> list[Row]:
        return await self.graph.rows(Q.retrieval.linked_since, scope=scope, after=after, upto=upto)

    async def synonyms(self, scope: str) -> dict[str, list[str]]:
        """What names of a scope may stand for, as keys."""
        pairs = (await self.graph.one(Q.retrieval.synonyms, scope=scope))["pairs"]
        found: dict[str, list[str]] = {}
        for key, other in sorted(pairs):
            found.setdefault(key, []).append(other)
        return found

    async def unbegun(self, limit: int) -> list[str]:
        """Scopes with names that were written while nobody compared them."""
        rows = await self.graph.rows(Q.retrieval.unbegun, limit=limit)
        return [row["scope"] for row in rows]

    async def begin(self, scope: str) -> None:
        """Let every name of a scope that was never compared wait for that."""
        await self.graph.rows(Q.retrieval.begin, scope=scope)
        await self.graph.rows(Q.retrieval.begun, scope=scope)

    async def uncompared(self) -> list[Due]:
        """Scopes with names that wait to be compared."""
        return [_due(scope) for scope in await self._uncompared.keys()]

    async def voiceless(self, scope: str, limit: int) -> list[Row]:
        """Names that wait, and what their vectors were made from."""
        return await self.graph.rows(Q.retrieval.voiceless, scope=scope, limit=limit)

    async def save_vectors(self, tx: Tx, scope: str, rows: list[Row]) -> None:
        await tx.rows(Q.retrieval.save_vectors, scope=scope, rows=rows)

    async def placed(self, tx: Tx, scope: str, owned: bool, limit: int) -> list[Row]:
        """Names with vectors that are to be compared: those that somebody goes by, or the rest."""
        return await tx.rows(Q.retrieval.placed, scope=scope, owned=owned, limit=limit)

    async def any_compared(self, tx: Tx, scope: str) -> bool:
        """Whether any name that nobody goes by was compared before."""
        return bool((await tx.one(Q.retrieval.any_compared, scope=scope))["found"])

    async def near_names(
        self, tx: Tx, scope: str, ids: list[str], wanted: tuple[bool, int]
    ) -> list[Row]:
        """For each name those near it, as id, key and cosine: `wanted` says whether somebody goes
        by them, and how many."""
        owned, limit = wanted
        return await tx.rows(Q.retrieval.near_names, scope=scope, ids=ids, owned=owned, limit=limit)

    async def wake(self, tx: Tx, scope: str, owned: list[str], near: list[str]) -> None:
        """Names that somebody goes by are done; names near them are compared again."""
        await tx.rows(Q.retrieval.wake, scope=scope, owned=owned, near=near)

    async def save_synonyms(self, tx: Tx, scope: str, rows: list[Row]) -> None:
        """What names may stand for, in place of what they did before."""
        await tx.rows(Q.retrieval.save_synonyms, scope=scope, rows=rows)

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
