"""The effects of a change of settings on what scopes keep: tried on what is newest there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.conversations.judging import JudgingService
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.scopes.foresight import Effect
from app.scopes.tuning import overlaid
from app.shortterm.model import Limits as ShortLimits
from app.shortterm.model import end_of

ENTRIES = 200  # of short-term memory that are looked at
FADING = ("short_term.fade", "short_term.days")
JUDGING = ("conversations.prompt", "conversations.model_least")
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ForeseeingParts:
    """Whom the effects are asked of."""

    graph: Graph
    judging: JudgingService
    short_limits: ShortLimits


class ForeseeingService:
    """Reads only. A prompt is tried by asking the model, within the budget that it has."""

    def __init__(self, parts: ForeseeingParts) -> None:
        self._parts = parts

    async def effects(self, scopes: Sequence[str], before: Values, after: Values) -> list[Effect]:
        """Return the effects of the settings that change, one for each outcome."""
        changed = {name for name, value in after.items() if before.get(name) != value}
        found: list[Effect] = []
        if changed & {*FADING, "short_term.ttl_most", "tiers.reads"}:
            found += await self._short_term(scopes, before, after, changed)
        if "pools.max_bytes" in changed:
            found.append(await self._pools(scopes, after["pools.max_bytes"]))
        judged = tuple(name for name in JUDGING if name in changed)
        if judged:
            found.append(await self._judged(scopes, after, judged))
        return found

    async def _short_term(
        self, scopes: Sequence[str], before: Values, after: Values, changed: set[str]
    ) -> list[Effect]:
        rows = await self._parts.graph.rows(
            Q.tiers.recent_entries, scopes=list(scopes), at=now(), limit=ENTRIES
        )
        entries = [row["entry"] for row in rows]
        held, coming = (overlaid(self._parts.short_limits, values) for values in (before, after))
        found = []
        if fading := tuple(name for name in FADING if name in changed):
            moved = [e["id"] for e in entries if _end(e, held) != _end(e, coming)]
            outcome = "would run out at another moment, given its time anew"
            found.append(Effect.of(fading, "short_memory", outcome, len(entries), moved))
        if "short_term.ttl_most" in changed:
            long = [e["id"] for e in entries if (e.get("ttl") or 0) > coming.ttl_most]
            outcome = "has a longer time than would be taken"
            found.append(
                Effect.of(("short_term.ttl_most",), "short_memory", outcome, len(entries), long)
            )
        if "tiers.reads" in changed:
            ready = [e["id"] for e in entries if _ready(e, held) != _ready(e, coming)]
            outcome = "would be promoted" if coming.often < held.often else "would not be promoted"
            found.append(Effect.of(("tiers.reads",), "short_memory", outcome, len(entries), ready))
        return found

    async def _pools(self, scopes: Sequence[str], most: int) -> Effect:
        row = await self._parts.graph.one(
            Q.tiers.large_pools, scopes=list(scopes), at=now(), most=most
        )
        outcome = "holds more than it might, and would take no more"
        return Effect.of(("pools.max_bytes",), "pool", outcome, row["pools"], row["ids"])

    async def _judged(
        self, scopes: Sequence[str], after: Values, settings: tuple[str, ...]
    ) -> Effect:
        judging = self._parts.judging
        limits = overlaid(judging.limits, after)
        looked_at, differs = await judging.foreseen(scopes, limits)
        outcome = "would get another verdict"
        return Effect.of(settings, "conversation_message", outcome, looked_at, differs)


def _end(entry: Row, limits: ShortLimits) -> Any:
    written = entry["updated_at"]
    return end_of(entry.get("ttl"), written, written, limits)


def _ready(entry: Row, limits: ShortLimits) -> bool:
    return bool(entry["count"] >= limits.often)
