"""The upkeep of pools as tasks of a worker."""

from __future__ import annotations

from typing import Any

from app.jobs.model import Job, Outcome, Report, is_dry

RETENTION = "pools.retention"
TEXTS = "pools.texts"


async def retain_pools(parts: Any, job: Job, report: Report) -> Outcome:
    """Take out pools that have ended, keys that ran out, and events older than a day."""
    receipt = await parts.pool_upkeep.run(None, dry_run=is_dry(job))
    pools = sum(counts["pools"] for counts in receipt.counts.values())
    keys = sum(counts["keys"] for counts in receipt.counts.values())
    told = {"receipt": receipt.id, "pools": pools, "keys": keys, "events": receipt.events}
    return Outcome(told | {"scopes": receipt.counts})


async def follow_pools(parts: Any, job: Job, report: Report) -> Outcome:
    """Make the texts that search finds of pools those of their data, where they are due."""
    return Outcome({"texts": await parts.pool_texts.run()})
