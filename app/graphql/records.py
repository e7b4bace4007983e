"""The fields of `Query` that tell what was done: jobs, erasures, promotions, feedback, audit."""

from __future__ import annotations

from datetime import UTC
from operator import attrgetter
from typing import Any

from app.access.schemas import AuditOut
from app.graphql.cursors import Order, by_id, by_time
from app.graphql.doors import Context, Read
from app.graphql.listing import given, listed, one_of, scopes_of, sliced
from app.graphql.loading import Asked, Listing
from app.graphql.relations import JOB, RECEIPT
from app.graphql.seen import Seen
from app.jobs.access import shown_to
from app.kernel import paging
from app.kernel.caller import Role
from app.kernel.clock import END
from app.kernel.cypher import Q
from app.kernel.wire import model_of
from app.lifecycle.requests import LAST, administered
from app.lifecycle.schemas import (
    ErasureIn,
    FeedbackItemOut,
    LearningOut,
    PreviewOut,
    PromotionOut,
)


def _before(cursor: str | None) -> dict[str, Any]:
    at, identifier = paging.decode(cursor) if cursor else (END, LAST)
    return {"before_at": at.astimezone(UTC), "before_id": identifier}


JOBS = Listing(query=Q.jobs.list_jobs, show=JOB.show, order=by_id("job", "id", newest=True))
RECEIPTS = Listing(
    query=Q.lifecycle.list_receipts, show=RECEIPT.show, order=by_id("receipt", "id", newest=True)
)
FEEDBACK = Listing(
    query=Q.lifecycle.list_feedback, show=FeedbackItemOut.of, order=by_id("feedback", "id")
)
LOG = Listing(
    query=Q.lifecycle.learning_log,
    show=lambda row: LearningOut.of(row["entry"]),
    order=by_id("entry", "place", newest=True),
)
AUDIT = Listing(
    query=Q.access.audit_history, show=AuditOut.of, order=Order(_before, by_time("at").write)
)


async def jobs(context: Context, asked: Asked) -> Any:
    """Jobs of the scopes that the key sees, newest first."""
    asked = given(asked, state=asked.args.get("status"))
    return await listed(context, JOBS, asked, shown_to(context.caller))


async def erasures(context: Context, asked: Asked) -> Any:
    """Receipts of the scopes that the key administers, newest first."""
    scopes = administered(context.caller, asked.args.get("scopes"))
    return await listed(context, RECEIPTS, asked, scopes)


async def erasure_preview(context: Context, asked: Asked) -> Seen:
    """What an erasure would take, without taking it."""
    target = model_of(ErasureIn, asked.args["input"]).target()
    told = await context.doors.erasing.preview(context.caller, target)
    return Seen(PreviewOut(**told), asked.moments)


async def promotions(context: Context, asked: Asked) -> Any:
    """Facts that were copied to a wider scope, by the id of the decision."""
    scopes, states = scopes_of(context, asked), ["promoted", "demoted"]
    rows = await context.doors.graph.rows(Q.lifecycle.promotions_of, scopes=scopes, states=states)
    found = [PromotionOut.of(row["promotion"]) for row in rows]
    return sliced(found, attrgetter("id"), asked)


async def feedback(context: Context, asked: Asked) -> Any:
    """What callers said of memories in the scopes that the key curates, by id."""
    asked = given(asked, verdict=asked.args.get("verdict") or "wrong")
    return await listed(context, FEEDBACK, asked, _curated(context, asked))


async def learning_log(context: Context, asked: Asked) -> Any:
    """What was learnt, newest first."""
    return await listed(context, LOG, asked, scopes_of(context, asked))


async def audit_events(context: Context, asked: Asked) -> Any:
    """Audit events of the scopes that the key curates, newest first."""
    asked = given(asked, tenant=context.caller.tenant)
    return await listed(context, AUDIT, asked, _curated(context, asked))


def _curated(context: Context, asked: Asked) -> list[str]:
    caller = context.caller
    return [s for s in scopes_of(context, asked) if caller.may(s, Role.CURATOR)]


RECORDS: dict[str, Read] = {
    "job": one_of(JOB),
    "jobs": jobs,
    "erasure": one_of(RECEIPT),
    "erasures": erasures,
    "erasurePreview": erasure_preview,
    "promotions": promotions,
    "feedback": feedback,
    "learningLog": learning_log,
    "auditEvents": audit_events,
}

# What must be held somewhere for a field that asks for more than a reader, as its route does.
ROLES: dict[str, Role] = {
    "erasure": Role.ADMIN,
    "erasures": Role.ADMIN,
    "erasurePreview": Role.ADMIN,
    "feedback": Role.CURATOR,
    "auditEvents": Role.CURATOR,
}
