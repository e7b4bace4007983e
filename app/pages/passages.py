"""A page's text as passages: cut as documents are, and kept in step with every edit.

A page says how far that is in `passage_state`: a write sets it to `due`, and whoever brings the
passages up to the text sets it to `done`, in the transaction that writes them. What a crash leaves
due is found again by a sweep.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import structlog

from app.documents.chunking import cut
from app.documents.model import Chunking, Work
from app.documents.record import Text, chunk_rows
from app.documents.writing import ChunkWriter, Target
from app.errors import Conflict, LociError, NotFound
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.pages.prose import plain

log = structlog.get_logger()
DUE = "due"
ROLES = ("user", "assistant")  # whose words a passage is: a person's, or an agent's
ORIGIN = "page"
_TRIES = 5  # against other writers of the same page
_SWEPT = 200  # pages that one look at what is due takes


class PassageService:
    """Brings the passages of pages up to their texts."""

    def __init__(self, graph: Graph, writer: ChunkWriter) -> None:
        self._graph = graph
        self._writer = writer

    async def bring(self, page: str, scope: str) -> dict[str, int]:
        """Make the passages of a page those of its present text; none where it is deleted.

        Returns how many were added, kept and dropped. Raises Conflict where others write the page
        all the time, NotFound where it is gone.
        """
        for _ in range(_TRIES):
            row = await self._graph.optional(Q.pages.to_cut, id=page, scope=scope)
            if row is None:
                raise NotFound(f"there is no page {page}")
            done = await self._brought(row["page"], set(row["chunks"]))
            if done is not None:
                return done
        raise Conflict("too many others write this page at this moment; try again")

    async def due(self) -> bool:
        """Whether any page waits."""
        return bool(await self._graph.rows(Q.pages.passages_due, limit=1))

    async def sweep(self) -> int:
        """Bring up what a crash left behind; how many pages that were."""
        done = 0
        while rows := await self._graph.rows(Q.pages.passages_due, limit=_SWEPT):
            for row in rows:
                await self._swept(row)
            done += len(rows)
        return done

    async def _swept(self, row: Row) -> None:
        """Bring up one page; one whose text cannot be cut waits behind the others for an edit."""
        try:
            await self.bring(row["id"], row["scope"])
        except LociError as error:
            if error.status >= 500:
                raise
            log.warning("pages.not_cut", page=row["id"], code=error.code)
            await self._graph.rows(Q.pages.passages_failed, id=row["id"], scope=row["scope"])

    async def _brought(self, page: Row, stored: set[str]) -> dict[str, int] | None:
        """None where the page was changed meanwhile."""
        rows = await asyncio.to_thread(rows_of, page, stored) if page["live"] else []
        current = True

        async def mark(tx: Tx) -> None:
            nonlocal current
            row = await tx.optional(
                Q.pages.passages_done,
                id=page["id"],
                scope=page["scope"],
                version=page["version"],
                live=page["live"],
                chunks=len(rows),
            )
            current = row is not None

        found = await self._writer.replace(Target(page["id"], page["scope"]), rows, mark)
        return found.counts() if current else None


def rows_of(page: Row, stored: set[str]) -> list[Row]:
    """The rows of a page's passages. One whose words are stored keeps whose words they are; new
    ones are those of whoever wrote the page last."""
    text = text_of(page)
    mine = "user" if page["updated_by"].startswith("user:") else "assistant"
    at = now()
    by_role = {
        role: chunk_rows(replace(work_of(page), role=role), text, at, dated=False)
        for role in (mine, *(r for r in ROLES if r != mine))
    }
    return [
        next((row for row in rows if row["chunk"]["id"] in stored), rows[0])
        for rows in zip(*by_role.values(), strict=True)
    ]


def text_of(page: Row) -> Text:
    """What a page says, with the places at which it is cut."""
    said = plain(page["content"])
    return Text(said.text, cut(said.text, said.headings, Chunking()), said.headings)


def work_of(page: Row) -> Work:
    """The page as its passages see it."""
    return Work(
        id=page["id"],
        scope=page["scope"],
        tenant=page["tenant"],
        author=page["updated_by"],
        title=page["title"],
        captured_at=page["updated_at"],
        origin=ORIGIN,
        tags=tuple(page["tags"]),
        pii=tuple(page["pii"]),
        marker_ids=tuple(page["marker_ids"]),
    )
