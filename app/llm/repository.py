"""What a language model has read, has yet to read and may still cost: one method a query."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, time, timedelta
from typing import Any

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import digest
from app.kernel.scope import parse_scope

USAGE_KEPT = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Counts:
    """What one question came to: asked or answered from before, and its statements."""

    asked: int = 0
    cached: int = 0
    failed: int = 0
    accepted: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Hold:
    """An episode that one holder has taken, and the usage that it is counted in."""

    episode: Row
    scope: str
    holder: str
    usage: str


def day_of(moment: datetime) -> str:
    """The day, in UTC, that a budget belongs to."""
    return moment.date().isoformat()


def next_day(moment: datetime) -> datetime:
    """When the next budget begins."""
    return datetime.combine(moment.date() + timedelta(days=1), time(), moment.tzinfo)


def usage_id(scope: str, day: str) -> str:
    """One node a scope and day."""
    return digest("model-usage", scope, day)[:32]


class ReadingRepository:
    """Readings, the budget, and the states of episodes on their way to the model."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def due_scopes(self, limit: int = 1000) -> list[str]:
        rows = await self.graph.rows(Q.llm.due_scopes, at=now(), limit=limit)
        return [row["scope"] for row in rows]

    async def take(self, scope: str, holder: str, lease: timedelta) -> Hold | None:
        """The next episode that is due; None where none is."""
        at = now()
        day = day_of(at)
        usage = usage_id(scope, day)
        row = await self.graph.optional(
            Q.llm.take,
            scope=scope,
            tenant=parse_scope(scope).tenant,
            usage=usage,
            day=day,
            holder=holder,
            at=at,
            until=at + lease,
        )
        return None if row is None else Hold(row["episode"], scope, holder, usage)

    async def reserve(self, hold: Hold, tokens: int, budget: int) -> bool:
        """Whether that many tokens of the day's budget were left; they are set aside."""
        row = await self.graph.optional(
            Q.llm.reserve, usage=hold.usage, tokens=tokens, budget=budget, at=now()
        )
        return row is not None

    async def count(self, hold: Hold, tokens: int, counts: Counts) -> None:
        await self.graph.rows(
            Q.llm.count_usage, usage=hold.usage, tokens=tokens, counts=asdict(counts)
        )

    async def kept_answer(self, key: str, scope: str) -> str | None:
        row = await self.graph.optional(Q.llm.kept_answer, id=key, scope=scope)
        return None if row is None else str(row["answer"])

    async def keep(self, hold: Hold, reading: dict[str, Any], *, merge: bool) -> bool:
        """Whether the episode counts as read; it may have gone, or be in another's hands."""
        row = await self.graph.optional(
            Q.llm.keep,
            episode=hold.episode["id"],
            scope=hold.scope,
            holder=hold.holder,
            reading=reading,
            merge=merge,
            at=now(),
        )
        return row is not None and bool(row["read"])

    async def postpone(self, hold: Hold, state: str, reason: str, due_at: datetime) -> None:
        attempts = int(hold.episode.get("model_attempts") or 0) + (reason != "budget")
        await self.graph.rows(
            Q.llm.postpone,
            episode=hold.episode["id"],
            scope=hold.scope,
            holder=hold.holder,
            state=state,
            attempts=attempts,
            reason=reason,
            due_at=due_at,
        )

    async def ask_again(self, scope: str, limit: int = 1_000_000) -> int:
        row = await self.graph.one(Q.llm.ask_again, scope=scope, at=now(), limit=limit)
        return int(row["found"])

    async def status(self, scopes: list[str]) -> dict[str, Row]:
        """By scope: what is due, and what today's questions came to."""
        rows = await self.graph.rows(Q.llm.status, scopes=scopes, day=day_of(now()))
        return {row["scope"]: row for row in rows}

    async def troubles(self, scopes: list[str], limit: int) -> list[Row]:
        return await self.graph.rows(Q.llm.troubles, scopes=scopes, limit=limit)

    async def backlog(self) -> dict[str, int]:
        """Over the whole installation: what is due and failed, and what today cost and brought."""
        row = await self.graph.one(Q.llm.backlog, day=day_of(now()))
        return {name: int(count) for name, count in row.items()}

    async def expire_usage(self) -> int:
        row = await self.graph.one(Q.llm.expire_usage, before=day_of(now() - USAGE_KEPT))
        return int(row["removed"])
