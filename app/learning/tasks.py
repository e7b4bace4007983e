"""The learning loop as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.autonomy.receipt import Receipt
from app.jobs.model import Job, Outcome, Report, is_dry

END_IDLE = "learning.end_idle"
FOLLOW_TURNS = "learning.follow"
FIND_INTENTS = "learning.find_intents"
COLLECT_LOG = "learning.collect"


async def end_idle_segments(parts: Any, job: Job, report: Report) -> Outcome:
    """End tasks of which nothing is told any more, and score them."""
    return Outcome((await parts.segments.end_idle(None, dry_run=is_dry(job))).told())


async def follow_turns(parts: Any, job: Job, report: Report) -> Outcome:
    """Begin and end tasks by what was said in conversations since the last run."""
    return Outcome((await parts.following.run(None, Receipt(dry_run=is_dry(job)))).told())


async def find_intents(parts: Any, job: Job, report: Report) -> Outcome:
    """Find what tasks are after that are alike."""
    return Outcome((await parts.intents.find_new(None, dry_run=is_dry(job))).told())


async def collect_learning(parts: Any, job: Job, report: Report) -> Outcome:
    """Tell the learning log of skills and of what consolidation has done."""
    return Outcome((await parts.learned_log.collect(None, dry_run=is_dry(job))).told())
