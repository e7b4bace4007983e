"""The upkeep of contexts as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.contexts.staleness import Verdict
from app.jobs.model import Job, Outcome, Report, is_dry

FADE = "contexts.fade"
ROT_OF_CONTEXTS = "contexts.rot"


async def fade_contexts(parts: Any, job: Job, report: Report) -> Outcome:
    """Let entries fade by the days that have passed, and archive what is spent."""
    receipt = await parts.context_upkeep.run(None, dry_run=is_dry(job))
    return Outcome({"receipt": receipt.id, "contexts": receipt.contexts, **receipt.counts})


async def rot_contexts(parts: Any, job: Job, report: Report) -> Outcome:
    """Archive entries that have gone stale, and count those that somebody should look at."""
    found = await parts.context_upkeep.rot(None, dry_run=is_dry(job))
    kinds = {verdict.value: len(found.of(verdict)) for verdict in (Verdict.REVIEW, Verdict.ARCHIVE)}
    return Outcome({"entries": found.total, **kinds})
