"""What questions came to, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from app.access.parameters import Limit, Within, aware
from app.kernel import paging
from app.kernel.caller import Caller, Role
from app.kernel.clock import END
from app.questions.analytics import AnalyticsService, Page, Period
from app.questions.log import QuestionLog
from app.questions.schemas import AnalyticsOut, QueriesOut, QueryOut, StatusName

Since = Annotated[
    datetime | None, QueryParameter(description="Asked from then on; a week ago if unset.")
]
Until = Annotated[datetime | None, QueryParameter(description="Asked before then; now if unset.")]


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
    since: Since = None,
    until: Until = None,
    knowledge_base_id: Annotated[
        str | None,
        QueryParameter(description="Only questions that were put to this knowledge base."),
    ] = None,
) -> AnalyticsOut:
    """What questions came to, by mode and door, and which of them found nothing."""
    moments = aware(since, "since"), aware(until, "until")
    period = Period.of(caller.tenant, caller.among(within), *moments, base=knowledge_base_id)
    return AnalyticsOut.of(await analytics.read(caller, period), question_log.dropped)


@get(
    "/v1/rag/queries",
    operation_id="listRagQueries",
    tags=["RAG"],
    opt={"requires": Role.READER},
)
async def list_queries(
    caller: NamedDependency[Caller],
    analytics: NamedDependency[AnalyticsService],
    within: Within = None,
    since: Since = None,
    until: Until = None,
    status: FromQuery[StatusName | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Limit = 50,
) -> QueriesOut:
    """Questions that this key asked, or that count at a scope that it curates, newest first."""
    moments = aware(since, "since"), aware(until, "until")
    period = Period.of(caller.tenant, caller.among(within), *moments)
    before_at, before_id = paging.decode(cursor) if cursor else (END, "~")
    rows = await analytics.page(caller, period, Page(limit + 1, status, before_at, before_id))
    shown = rows[:limit]
    more = len(rows) > limit
    return QueriesOut(
        items=[QueryOut.of(row) for row in shown],
        next=paging.encode(shown[-1]["asked_at"], shown[-1]["id"]) if more else None,
    )


@get(
    "/v1/rag/queries/{query_id:str}",
    operation_id="getRagQuery",
    tags=["RAG"],
    opt={"requires": Role.READER},
)
async def read_query(
    query_id: FromPath[str],
    caller: NamedDependency[Caller],
    analytics: NamedDependency[AnalyticsService],
) -> QueryOut:
    """One question with its searches; of whoever asked it or curates a scope that it counts at."""
    row = await analytics.get(caller, query_id)
    return QueryOut.of(row["query"], row["searches"])
