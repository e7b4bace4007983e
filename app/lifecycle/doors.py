"""Feedback, attestation, promotion and the learning log over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import Limit, Within
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.lifecycle.feedback import FeedbackService
from app.lifecycle.promotion import PromotionService
from app.lifecycle.requests import LAST
from app.lifecycle.routes import WRITES, After
from app.lifecycle.schemas import (
    AttestedOut,
    ConsideredOut,
    ConsiderIn,
    FeedbackIn,
    FeedbackItemOut,
    FeedbackOut,
    FeedbackPageOut,
    LearningLogOut,
    LearningOut,
    PromotionOut,
    PromotionsOut,
)

Verdict = Annotated[str, QueryParameter(description="useful, wrong or irrelevant.")]
Kind = Annotated[str | None, QueryParameter(description="Only entries of this kind.")]


@post("/v1/feedback", operation_id="giveFeedback", tags=["Lifecycle"], opt=WRITES, status_code=200)
async def give_feedback(
    data: JSONBody[FeedbackIn],
    caller: NamedDependency[Caller],
    feedback: NamedDependency[FeedbackService],
) -> FeedbackOut:
    """Say whether a memory was useful, wrong or irrelevant; each principal counts once."""
    return FeedbackOut.of(await feedback.give(caller, data.memory, data.verdict))


@get(
    "/v1/feedback",
    operation_id="listFeedback",
    tags=["Lifecycle"],
    opt={"requires": Role.CURATOR},
)
async def list_feedback(
    caller: NamedDependency[Caller],
    feedback: NamedDependency[FeedbackService],
    within: Within = None,
    verdict: Verdict = "wrong",
    cursor: After = None,
    limit: Limit = 50,
) -> FeedbackPageOut:
    """What callers said of memories; what they call wrong waits here for a curator."""
    scopes = [s for s in caller.among(within) if caller.may(s, Role.CURATOR)]
    rows = await feedback.graph.rows(
        Q.lifecycle.list_feedback,
        scopes=scopes,
        verdict=verdict,
        after=cursor or "",
        limit=limit + 1,
    )
    shown = [FeedbackItemOut.of(row) for row in rows[:limit]]
    return FeedbackPageOut(shown, shown[-1].id if len(rows) > limit else None)


@post(
    "/v1/facts/{fact_id:str}/attest",
    operation_id="attestFact",
    tags=["Facts"],
    opt=WRITES,
    status_code=HTTP_200_OK,
)
async def attest(
    fact_id: FromPath[str],
    caller: NamedDependency[Caller],
    promoting: NamedDependency[PromotionService],
) -> AttestedOut:
    """Stand for a fact; each principal counts once."""
    return AttestedOut.of(await promoting.attest(caller, fact_id))


@post(
    "/v1/facts/{fact_id:str}/revoke",
    operation_id="revokeAttestation",
    tags=["Facts"],
    opt=WRITES,
    status_code=HTTP_200_OK,
)
async def revoke(
    fact_id: FromPath[str],
    caller: NamedDependency[Caller],
    promoting: NamedDependency[PromotionService],
) -> AttestedOut:
    """Take one's own attestation back."""
    return AttestedOut.of(await promoting.attest(caller, fact_id, revoke=True))


@post(
    "/v1/promotions",
    operation_id="considerPromotions",
    tags=["Lifecycle"],
    opt={"requires": Role.ADMIN},
    status_code=HTTP_200_OK,
)
async def consider(
    data: JSONBody[ConsiderIn],
    caller: NamedDependency[Caller],
    promoting: NamedDependency[PromotionService],
) -> ConsideredOut:
    """Promote and demote what the rules of a scope say, now."""
    scope = caller.require(data.scope or caller.home, Role.ADMIN)
    return ConsideredOut(scope, **await promoting.consider(scope))


@get(
    "/v1/promotions",
    operation_id="listPromotions",
    tags=["Lifecycle"],
    opt={"requires": Role.READER},
)
async def list_promotions(
    caller: NamedDependency[Caller],
    promoting: NamedDependency[PromotionService],
    within: Within = None,
) -> PromotionsOut:
    """Facts that were copied to a wider scope, and copies that lost their support."""
    rows = await promoting.graph.rows(
        Q.lifecycle.promotions_of, scopes=caller.among(within), states=["promoted", "demoted"]
    )
    return PromotionsOut([PromotionOut.of(row["promotion"]) for row in rows])


@get(
    "/v1/learning-log",
    operation_id="getLearningLog",
    tags=["Lifecycle"],
    opt={"requires": Role.READER},
)
async def learning_log(
    caller: NamedDependency[Caller],
    feedback: NamedDependency[FeedbackService],
    within: Within = None,
    kind: Kind = None,
    cursor: After = None,
    limit: Limit = 50,
) -> LearningLogOut:
    """What was learnt, newest first: ids and counts of what changed."""
    rows = await feedback.graph.rows(
        Q.lifecycle.learning_log,
        scopes=caller.among(within),
        kind=kind,
        after=cursor or LAST,
        limit=limit + 1,
    )
    entries = [row["entry"] for row in rows]
    more = len(entries) > limit
    return LearningLogOut(
        [LearningOut.of(entry) for entry in entries[:limit]],
        entries[limit - 1]["place"] if more else None,
    )
