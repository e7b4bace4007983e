"""What questions came to, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from app.access.parameters import Within, aware
from app.kernel.caller import Caller, Role
from app.questions.analytics import AnalyticsService, Period
from app.questions.log import QuestionLog
from app.questions.schemas import AnalyticsOut


@get(
    "/v1/rag/analytics",
    operation_id="ragAnalytics",
    tags=["RAG"],
    opt={"requires": Role.READER},
)
async def rag_analytics(
    caller: NamedDependency[Caller],
    analytics: NamedDependency[AnalyticsService],
    question_log: NamedDependency[QuestionLog],
    within: Within = None,
    since: Annotated[
        datetime | None, QueryParameter(description="Asked from then on; a week ago if unset.")
    ] = None,
    until: Annotated[
        datetime | None, QueryParameter(description="Asked before then; now if unset.")
    ] = None,
    knowledge_base_id: Annotated[
        str | None,
        QueryParameter(description="Only questions that were put to this knowledge base."),
    ] = None,
) -> AnalyticsOut:
    """What questions came to, by mode and door, and which of them found nothing."""
    moments = aware(since, "since"), aware(until, "until")
    period = Period.of(caller.among(within), *moments, base=knowledge_base_id)
    return AnalyticsOut.of(await analytics.read(caller, period), question_log.dropped)
