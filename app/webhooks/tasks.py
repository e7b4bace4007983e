"""What runs out of webhooks, as a task of a worker."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.jobs.model import Job, Outcome, Report
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.webhooks.model import DeliveryState

EXPIRE_DELIVERIES = "webhooks.expire"


async def expire_deliveries(parts: Any, job: Job, report: Report) -> Outcome:
    """Drop deliveries that arrived some days ago, and dead letters after a month."""
    given = parts.settings.webhooks
    kept = {
        DeliveryState.DELIVERED: given.kept_days,
        DeliveryState.DROPPED: given.kept_days,
        DeliveryState.DEAD: given.dead_days,
    }
    removed = {}
    for state, days in kept.items():
        before = now() - timedelta(days=days)
        row = await parts.graph.one(Q.webhooks.expire, state=state, before=before)
        removed[state.value] = row["removed"]
        await report(removed)
    return Outcome(removed)
