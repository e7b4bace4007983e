"""Consolidation as a job, and what the worker's sweep calls."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from app.jobs.model import Job, Outcome, Report

CONSOLIDATE = "consolidation.run"


async def run_consolidation(parts: Any, job: Job, report: Report) -> Outcome:
    """Consolidate one scope until nothing waits there; run again, it goes on."""

    async def tell(done: int) -> None:
        await report({"episodes": done})

    tally = await parts.consolidation.consolidate(job.args["scope"], progress=tell)
    return Outcome(asdict(tally))
