"""Pages that wait: for their links to be settled, for their passages to be cut, or for both.

A write of many pages leaves them so, and so do a crash and the hourly look at what is no page.
What each waits for stands in its `passage_state`: `due` for both, `unlinked` for links alone,
`uncut` for passages alone. Whoever does one of them takes that alone away, so that links that come
to mean something else while a page is cut are settled again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from app.documents.writing import Fresh, Target
from app.errors import LociError
from app.jobs.lanes import Due
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.skipscan import SkipScan
from app.pages.linking import part_doubled, settle_pages
from app.pages.passages import DUE, UNCUT, UNLINKED, PassageService, rows_of

log = structlog.get_logger()
_TAKEN = 200  # pages that one look at what waits takes
_TOGETHER = 50  # pages whose first passages are written in one transaction


class DuePages:
    """Brings waiting pages up to their texts, many at a time."""

    def __init__(self, graph: Graph, passages: PassageService) -> None:
        self._graph = graph
        self._passages = passages
        self._waiting = SkipScan(
            graph, query=Q.pages.waiting_tenants, states=[DUE, UNCUT, UNLINKED]
        )

    async def waiting(self) -> bool:
        """Whether any page waits."""
        return bool(await self.due())

    async def due(self) -> list[Due]:
        """Tenants of which pages wait."""
        return [Due(tenant, tenant) for tenant in await self._waiting.keys()]

    async def sweep(self) -> int:
        """Bring up every page that waits; how many that were."""
        done = 0
        while due := await self.due():
            for one in due:
                done += await self.turn(one)
        return done

    async def turn(self, due: Due) -> int:
        """Bring up some pages of one tenant, those that wait longest; how many that were."""
        rows = await self._graph.rows(Q.pages.due, tenant=due.tenant, limit=_TAKEN)
        await self._settle(due.tenant, [row for row in rows if row["state"] != UNCUT])
        uncut = [row["id"] for row in rows if row["state"] != UNLINKED]
        for start in range(0, len(uncut), _TOGETHER):
            await self._cut(uncut[start : start + _TOGETHER])
        return len(rows)

    async def _settle(self, tenant: str, rows: Sequence[Row]) -> None:
        if doubled := [row["id"] for row in rows if row["doubled"]]:
            await self._parted(tenant, doubled)  # first: whose links are settled waits no more
        if rows:
            await self._linked(tenant, [row["id"] for row in rows])

    async def _parted(self, tenant: str, ids: list[str]) -> None:
        async def work(tx: Tx) -> None:
            await part_doubled(tx, tenant, ids, now())

        await self._graph.write("pages.part", work)

    async def _linked(self, tenant: str, ids: list[str]) -> None:
        async def work(tx: Tx) -> None:
            await settle_pages(tx, tenant, ids, now())

        await self._graph.write("pages.settle", work)

    async def _cut(self, ids: Sequence[str]) -> None:
        """Write the passages of pages: together where they are the first ones, each apart else."""
        found = await self._graph.rows(Q.pages.many_to_cut, ids=list(ids))
        first = [row["page"] for row in found if row["page"]["live"] and not row["chunks"]]
        written = await self._first(first) if first else False
        done = {page["id"] for page in first} if written else set()
        for row in found:
            if row["page"]["id"] not in done:
                await self._apart(row["page"])

    async def _first(self, pages: Sequence[Row]) -> bool:
        """Whether all of it was written; nothing is where a page was changed meanwhile, or cannot
        be cut."""
        try:
            rows = await asyncio.to_thread(lambda: [rows_of(page, set()) for page in pages])
        except LociError:
            return False
        fresh = [
            Fresh(Target(page["id"], page["scope"]), chunks)
            for page, chunks in zip(pages, rows, strict=True)
        ]

        async def mark(tx: Tx) -> bool:
            return await self._passages.marked(tx, pages, [len(chunks) for chunks in rows])

        return await self._passages.writer.write_first(fresh, mark)

    async def _apart(self, page: Row) -> None:
        """One page; one whose text cannot be cut waits behind the others for an edit."""
        try:
            await self._passages.bring(page["id"], page["scope"])
        except LociError as error:
            if error.status >= 500:
                raise
            log.warning("pages.not_cut", page=page["id"], code=error.code)
            await self._graph.rows(Q.pages.passages_failed, id=page["id"], scope=page["scope"])
