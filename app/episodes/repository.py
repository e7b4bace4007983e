"""Episodes and sessions in the graph."""

from __future__ import annotations

from typing import Any, Protocol

from app.errors import NotFound
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.scopes.sessions import session_id


class Beside(Protocol):
    """What is written in the transaction of a capture, before and behind the episodes."""

    async def before(self, tx: Tx) -> None:
        """Lock what is to be changed."""

    async def behind(self, tx: Tx, captured: list[Row]) -> None:
        """Write what follows from the answers of the capture, in the order of its rows."""


class EpisodeRepository:
    """One method a query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def capture(self, rows: list[Row], beside: Beside | None = None) -> list[Row]:
        """Write all rows in one transaction; each answer says whether it was accepted."""

        async def work(tx: Tx) -> list[Row]:
            if beside is not None:
                await beside.before(tx)
            captured = await tx.rows(Q.episodes.capture, rows=rows)
            if beside is not None:
                await beside.behind(tx, sorted(captured, key=lambda row: int(row["index"])))
            return captured

        return await self.graph.write("episodes.capture", work)

    async def get(self, ids: list[str], scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.episodes.get_episodes, ids=ids, scopes=scopes)

    async def page(self, scopes: list[str], **page: Any) -> list[Row]:
        session = page.pop("session")
        if session is None:
            rows = await self.graph.rows(Q.episodes.list_episodes, scopes=scopes, **page)
        else:
            rows = await self.graph.rows(
                Q.episodes.list_session_episodes, scopes=scopes, session=session, **page
            )
        return [row["episode"] for row in rows]

    async def session(self, ids: list[str], scopes: list[str]) -> Row | None:
        return await self.graph.optional(Q.episodes.get_session, ids=ids, scopes=scopes)

    async def session_named(self, name: str, scopes: list[str]) -> Row:
        """Return a session by its id or by its owner's name of it; NotFound (`session`)."""
        ids = [name, *(session_id(scope, name) for scope in scopes)]
        row = await self.session(ids, scopes)
        if row is None:
            raise NotFound(f"there is no session {name}", field="session")
        return row

    async def sessions(self, scopes: list[str], limit: int, after: str) -> list[Row]:
        return await self.graph.rows(
            Q.episodes.list_sessions, scopes=scopes, limit=limit, after=after
        )

    async def states(self, ids: list[str]) -> list[Row]:
        """How far each is on its way to be `indexed` and `consolidated`."""
        return await self.graph.rows(Q.episodes.states, ids=ids)

    async def superseded(self, memory: str, scopes: list[str]) -> Row | None:
        """A live episode or note in the scopes, with whose words it is."""
        return await self.graph.optional(Q.episodes.superseded, id=memory, scopes=scopes)

    async def near_duplicates(self, ids: list[str], scopes: list[str]) -> dict[str, str]:
        """What episodes nearly repeat, by episode."""
        rows = await self.graph.rows(Q.episodes.near_duplicates, ids=ids, scopes=scopes)
        return {row["id"]: row["other"] for row in rows}

    async def public_key(self, principal: str) -> str | None:
        row = await self.graph.optional(Q.episodes.public_key, principal=principal)
        return row["public_key"] if row else None
