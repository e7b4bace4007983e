"""The chores of the skill graph as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report
from app.skills.vocabulary import Chore

SCAN = "skills.scan"
DECAY = "skills.decay"
EMBED = "skills.embed"
GAPS = "skills.gaps"
EXPIRE = "skills.expire"


async def scan_conflicts(parts: Any, job: Job, report: Report) -> Outcome:
    """Look for conflicts among skills, in every scope that has some."""
    return Outcome(await parts.skilled.chores.run_all(Chore.SCAN))


async def decay_stale(parts: Any, job: Job, report: Report) -> Outcome:
    """Lower skills that nobody uses, where a scope's rules say so."""
    return Outcome(await parts.skilled.chores.run_all(Chore.DECAY))


async def embed_skills(parts: Any, job: Job, report: Report) -> Outcome:
    """Let skills without a vector wait for one again."""
    return Outcome(await parts.skilled.chores.run_all(Chore.EMBED))


async def detect_gaps(parts: Any, job: Job, report: Report) -> Outcome:
    """Propose skills where important learnings have none, where a scope's rules say so."""
    return Outcome(await parts.skilled.chores.run_all(Chore.GAPS))


async def expire_proposals(parts: Any, job: Job, report: Report) -> Outcome:
    """Expire proposals that nobody reviewed in time."""
    return Outcome(await parts.skilled.chores.run_all(Chore.EXPIRE))
