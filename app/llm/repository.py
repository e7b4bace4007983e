"""What a language model has read, has yet to read and may still cost: one method a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, time, timedelta

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.kernel.skipscan import SkipScan

NONE = timedelta()
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
    """Turns that one holder has taken, in order, and the usage that they are counted in."""

    episodes: tuple[Row, ...]
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
        self._waiting = SkipScan(graph, query=Q.llm.waiting, states=["due"])

    async def due_scopes(self, each: int = 100) -> list[Row]:
        """Scopes with something for the model to read, at most `each` of a tenant."""
        if not (scopes := await self._waiting.keys()):
            return []
        return await self.graph.rows(Q.llm.due_scopes, scopes=scopes, at=now(), each=each)

    async def take(
        self, scope: str, holder: str, lease: timedelta, most: int, patience: timedelta = NONE
    ) -> Hold | None:
        """The next turns of one session that are due, `most` at most; None where none has been
        for as long as `patience` says."""
        at = now()
        day = day_of(at)
        usage = usage_id(scope, day)
        rows = await self.graph.rows(
            Q.llm.take,
            scope=scope,
            tenant=parse_scope(scope).tenant,
            usage=usage,
            day=day,
            holder=holder,
            at=at,
            settled=at - patience,
            until=at + lease,
            most=most,
        )
        episodes = tuple(row["episode"] for row in rows)
        return Hold(episodes, scope, holder, usage) if episodes else None

    async def before(self, episode: Row, limit: int) -> list[Row]:
        """Turns of the same session before one, the last first."""
        place = {n: episode[n] for n in ("session", "scope", "captured_at", "ingested_at", "id")}
        rows = await self.graph.rows(Q.llm.before, **place, limit=limit)
        return [row["episode"] for row in rows]

    async def held_facts(self, hold: Hold, limit: int) -> list[Row]:
        """What is held of the things that turns mention: `id` and `text`."""
        ids = [episode["id"] for episode in hold.episodes]
        return await self.graph.rows(
            Q.llm.held_facts, episodes=ids, scope=hold.scope, at=now(), limit=limit
        )

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

    async def kept_answer(self, key: str, scope: str) -> Row | None:
        """An answer that was given before, with what was `held` beside the question."""
        return await self.graph.optional(Q.llm.kept_answer, id=key, scope=scope)

    async def keep(
        self, tx: Tx, hold: Hold, reading: Row, **shown: Sequence[Row | str]
    ) -> dict[str, bool]:
        """Keep an answer beside the `turns` it is about (`id` and `label`) and what was shown
        `beside` them; `merge` are ids of turns that go through consolidation again. Return which
        turns count as read: one may have gone, or be in another's hands."""
        rows = await tx.rows(
            Q.llm.keep, scope=hold.scope, holder=hold.holder, reading=reading, at=now(), **shown
        )
        return {row["id"]: bool(row["read"]) for row in rows}

    async def postpone(
        self, hold: Hold, episodes: Sequence[Row], state: str, reason: str, due_at: datetime
    ) -> None:
        """Leave turns for another time, or for a person; a spent budget counts no attempt."""
        attempts = max(int(episode.get("model_attempts") or 0) for episode in episodes)
        await self.graph.rows(
            Q.llm.postpone,
            episodes=[episode["id"] for episode in episodes],
            scope=hold.scope,
            holder=hold.holder,
            state=state,
            attempts=attempts + (reason != "budget"),
            reason=reason,
            due_at=due_at,
        )

    async def hand_back(self, hold: Hold, episodes: Sequence[Row]) -> None:
        """Let turns that did not fit into a window wait for the next one."""
        ids = [episode["id"] for episode in episodes]
        await self.graph.rows(
            Q.llm.hand_back, episodes=ids, scope=hold.scope, holder=hold.holder, at=now()
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
