"""The links of rows to what they name, as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

LINK = "tables.link"
RELINK = "tables.relink"


async def link_waiting(parts: Any, job: Job, report: Report) -> Outcome:
    """Link tables and rows that a package brought."""
    return Outcome({"linked": await parts.table_links.waiting()})


async def link_anew(parts: Any, job: Job, report: Report) -> Outcome:
    """Link all rows again, to what became known after they were written."""
    dry = is_dry(job)
    return Outcome({"linked": await parts.table_links.anew(dry_run=dry), "dry_run": dry})
