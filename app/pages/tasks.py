"""Upkeep of pages: links to what is no page, and passages that a crash left behind."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.pages.linking import settle_pages

RELINK = "pages.relink"
_PAGES = 200


async def run_relink(parts: Any, job: Job, report: Report) -> Outcome:
    """Resolve again what links name that is no page, since that comes and goes on its own."""
    after, done = "", 0
    while rows := await parts.graph.rows(Q.pages.to_relink, after=after, limit=_PAGES):
        by_tenant: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            by_tenant[row["tenant"]].append(row["id"])
        for tenant, ids in sorted(by_tenant.items()):
            await _settle(parts.graph, tenant, ids)
        done += len(rows)
        after = rows[-1]["id"]
        await report({"pages": done})
    brought = await parts.page_passages.sweep()
    return Outcome({"pages": done, "brought": brought})


async def _settle(graph: Graph, tenant: str, ids: list[str]) -> None:
    async def work(tx: Tx) -> None:
        await settle_pages(tx, tenant, ids, now())

    await graph.write("pages.relink", work)
