"""What the questions of a period came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.errors import InvalidInput, NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import END, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.scopes.service import ScopeService

PERIOD = timedelta(days=7)
LISTED = 20  # questions without a result


@dataclass(frozen=True, slots=True)
class Period:
    """Scopes and a half-open interval of moments, both aware; with `base` only questions to that
    knowledge base."""

    tenant: str
    scopes: list[str]
    since: datetime
    until: datetime
    base: str | None = None

    @classmethod
    def of(
        cls,
        tenant: str,
        scopes: list[str],
        since: datetime | None,
        until: datetime | None,
        base: str | None = None,
    ) -> Period:
        """The last week where nothing is given; InvalidInput (`since`) for an empty one."""
        end = until or now()
        begin = since or end - PERIOD
        if begin >= end:
            raise InvalidInput("since must lie before until", field="since")
        return cls(tenant, scopes, begin, end, base)

    @property
    def where(self) -> Row:
        """The parameters of every query over it."""
        return {
            "tenant": self.tenant,
            "scopes": self.scopes,
            "since": self.since,
            "until": self.until,
            "base": self.base,
        }


@dataclass(frozen=True, slots=True)
class Page:
    """Where a list of questions goes on, and of which status they are; None for all."""

    limit: int
    status: str | None = None
    before_at: datetime = END
    before_id: str = "~"


@dataclass(frozen=True, slots=True)
class Analytics:
    """Totals, and rows by what was asked for, by mode, and of questions without a result."""

    period: Period
    totals: Row
    doors: list[Row]
    modes: list[Row]
    unanswered: list[Row]


class AnalyticsService:
    """Reads what was recorded, and lets go of what is old."""

    def __init__(self, graph: Graph, scopes: ScopeService) -> None:
        self._graph = graph
        self._scopes = scopes

    async def read(self, caller: Caller, period: Period) -> Analytics:
        """Of scopes that the caller sees; words only of its own questions and where it curates.

        Raises NotFound for a knowledge base that is not visible.
        """
        await self._check_base(period.base, caller)
        where = period.where
        unanswered = await self._graph.rows(Q.questions.unanswered, **where, limit=LISTED)
        return Analytics(
            period,
            await self._graph.one(Q.questions.totals, **where),
            await self._graph.rows(Q.questions.by_door, **where),
            await self._graph.rows(Q.questions.by_mode, **where),
            [{**row, "words": _words(row["worded"], caller)} for row in unanswered],
        )

    async def get(self, caller: Caller, query_id: str) -> Row:
        """A question that the caller asked, or that counts where it curates, with its searches;
        NotFound where there is none."""
        row = await self._graph.optional(
            Q.questions.get_query,
            id=query_id,
            principal=caller.principal,
            scopes=caller.visible,
            curated=_curated(caller),
        )
        if row is None:
            raise NotFound(f"there is no query {query_id}")
        return row

    async def page(self, caller: Caller, period: Period, page: Page) -> list[Row]:
        """The same that count at scopes, newest first."""
        rows = await self._graph.rows(
            Q.questions.list_queries,
            tenant=period.tenant,
            scopes=period.scopes,
            since=period.since,
            until=period.until,
            principal=caller.principal,
            curated=_curated(caller),
            status=page.status,
            before_at=page.before_at,
            before_id=page.before_id,
            limit=page.limit,
        )
        return [row["query"] for row in rows]

    async def average_latency(self, mode: str, period: Period) -> float | None:
        """Mean milliseconds of the searches that ran in a mode (seed 000); None without any."""
        rows = await self._graph.rows(Q.questions.by_mode, **period.where)
        of_mode = [row for row in rows if row["mode"] == mode]
        searches = sum(row["searches"] for row in of_mode)
        spent = sum(row["avg_ms"] * row["searches"] for row in of_mode)
        return spent / searches if searches else None

    async def sweep(self, before: datetime) -> dict[str, int]:
        """Drop what was asked before a moment, and words that a scope no longer wants kept."""
        expired = await self._graph.one(Q.questions.expire, before=before)
        rows = await self._graph.rows(Q.questions.worded)
        unworded = await self._unword([row["scope"] for row in rows])
        return {"questions": expired["removed"], "question_words": unworded}

    async def _check_base(self, base: str | None, caller: Caller) -> None:
        if base is None:
            return
        if not await self._graph.rows(Q.search.bases, ids=[base], scopes=caller.visible):
            raise NotFound(f"there is no knowledge base {base}", field="knowledge_base_id")

    async def _unword(self, scopes: Sequence[str]) -> int:
        rules = await self._scopes.rules_of(scopes)
        taken = 0
        for scope in scopes:
            if rules[scope].questions != "text":
                taken += (await self._graph.one(Q.questions.unword, scope=scope))["questions"]
        return taken


def _curated(caller: Caller) -> list[str]:
    return [scope for scope in caller.visible if caller.may(scope, Role.CURATOR)]


def _words(worded: Row | None, caller: Caller) -> str | None:
    if worded is None:
        return None
    own = worded["principal"] == caller.principal
    curated = any(caller.may(scope, Role.CURATOR) for scope in worded["scopes"])
    return worded["words"] if own or curated else None
