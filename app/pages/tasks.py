"""Upkeep of pages: links to what is no page, passages that a crash left behind, and names that
nobody uses any more."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph

RELINK = "pages.relink"
_PAGES = 200  # that are marked in one transaction
_NAMES = 1_000
# A name falls out of use when a page is written or erased, which touches it. Looking at what was
# touched lately keeps the work to what has changed; the first minutes belong to whoever writes.
_LATELY, _SETTLED = timedelta(days=7), timedelta(minutes=10)


async def run_relink(parts: Any, job: Job, report: Report) -> Outcome:
    """Let pages that link to what is no page wait for their links again, since that comes and goes
    on its own, and bring up every page that waits."""
    after, pages = "", 0
    while rows := await parts.graph.rows(Q.pages.relink, after=after, limit=_PAGES):
        pages += len(rows)
        after = rows[-1]["id"]
        await report({"pages": pages})
    brought = await parts.due_pages.sweep()
    dropped = await drop_names(parts.graph, now() - _SETTLED)
    return Outcome({"pages": pages, "brought": brought, "names": dropped})


async def drop_names(graph: Graph, before: datetime) -> int:
    """Take away names that no page goes by or links to, of those last touched in the week before a
    moment; how many."""
    total = 0
    while True:
        since = before - _LATELY
        row = await graph.one(Q.pages.drop_names, since=since, before=before, limit=_NAMES)
        total += int(row["dropped"])
        if row["dropped"] < _NAMES:
            return total
