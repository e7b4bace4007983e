"""A page's text as passages: cut as documents are, and kept in step with every edit.

A page says how far that is in `passage_state`: a write sets it to `due`, settling its links makes
that `uncut`, and whoever brings the passages up to the text takes the rest away, in the transaction
that writes them. What is left waiting is found again (`app.pages.due`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.documents.chunking import cut
from app.documents.model import Chunking, Work
from app.documents.record import Text, chunk_rows
from app.documents.writing import ChunkWriter, Target
from app.errors import Conflict, NotFound
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.pages.prose import plain
from app.pages.wikilink import links, names_of

DUE, UNCUT, UNLINKED = "due", "uncut", "unlinked"  # both wait, passages alone, links alone
ROLES = ("user", "assistant")  # whose words a passage is: a person's, or an agent's
ORIGIN = "page"
_TRIES = 5  # against other writers of the same page


class PassageService:
    """Brings the passages of pages up to their texts."""

    def __init__(self, graph: Graph, writer: ChunkWriter) -> None:
        self._graph = graph
        self.writer = writer

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

    async def marked(self, tx: Tx, pages: Sequence[Row], counts: Sequence[int]) -> bool:
        """Whether all pages still are as they were read; they are marked as done then."""
        rows = [
            {"id": p["id"], "version": p["version"], "live": p["live"], "chunks": count}
            for p, count in zip(pages, counts, strict=True)
        ]
        scopes = sorted({page["scope"] for page in pages})
        return len(await tx.rows(Q.pages.passages_done, rows=rows, scopes=scopes)) == len(rows)

    async def _brought(self, page: Row, stored: set[str]) -> dict[str, int] | None:
        """None where the page was changed meanwhile."""
        rows = await asyncio.to_thread(rows_of, page, stored) if page["live"] else []
        current = True

        async def mark(tx: Tx) -> None:
            nonlocal current
            current = await self.marked(tx, [page], [len(rows)])

        found = await self.writer.replace(Target(page["id"], page["scope"]), rows, mark)
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
    found = [(link.shown, name) for link in links(page["content"]) for name in names_of(link)]
    return Text(said.text, cut(said.text, said.headings, Chunking()), said.headings, found)


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
        aliases=tuple(page["aliases"]),
    )
