"""Short-term memory under an erasure; with its scope it goes as all nodes of it do."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.kind import Gone, strings_in
from app.scopes.sessions import session_id
from app.working.values import unpacked

ROUNDS = 5  # of looking again for what others wrote or moved aside meanwhile


class ShortTermErasure:
    """Takes entries out of the graph; run again, it finds nothing."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def meant(
        self, scopes: Collection[str], gone: Gone, tx: Tx | None = None
    ) -> dict[str, str]:
        """Return what an erasure means in some scopes, by id the hash of its value: entries of an
        author or of a session, and those of which session, key or value name a person."""
        alone = gone.names is None and gone.session is None
        rows = await (tx or self._graph).rows(
            Q.shortterm.texts,
            scopes=sorted(scopes),
            author=gone.author if alone else None,
            whole=gone.names is not None,
        )
        return {row["id"]: row["content_hash"] for row in rows if _is_meant(row, gone)}

    async def forget(self, tx: Tx, scopes: Collection[str], gone: Gone) -> dict[str, str]:
        """Take out what an erasure means; by id the hash of its value.

        Whoever promotes an entry holds its lock: it is done before the entry goes, or finds it
        gone.
        """
        taken: dict[str, str] = {}
        for _ in range(ROUNDS):
            found = await self.meant(scopes, gone, tx)
            if not found:
                break
            await tx.one(Q.shortterm.drop_entries, ids=sorted(found), scopes=sorted(scopes))
            taken.update(found)
        return taken


def _is_meant(row: Row, gone: Gone) -> bool:
    if gone.wrote(row["author"]) or gone.ended(session_id(row["scope"], row["session"])):
        return True
    return any(map(gone.named, _texts(row)))


def _texts(row: Row) -> Iterator[str]:
    yield from (row["session"], row["key"])
    if row["content"] is not None:
        yield from strings_in(unpacked(row["content"].encode()))
