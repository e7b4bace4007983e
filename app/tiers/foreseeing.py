"""The effects of a change of settings on what scopes keep: tried on what is newest there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.conversations.judging import JudgingService
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.pools.model import EVERYONE
from app.scopes.foresight import Effect
from app.scopes.tuning import overlaid
from app.shortterm.model import Limits as ShortLimits
from app.shortterm.model import end_of

ENTRIES = 200  # of short-term memory that are looked at
POOLS = 200  # of each scope, the largest ones
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

    async def effects(
        self, who: Caller, scopes: Sequence[str], before: Values, after: Values
    ) -> list[Effect]:
        """Return the effects of the settings that change, one for each outcome. Entries of other
        agents are counted and not named, and pools that the caller may not read are neither."""
        changed = {name for name, value in after.items() if before.get(name) != value}
        found: list[Effect] = []
        if changed & {*FADING, "short_term.ttl_most", "tiers.reads"}:
            rows = await self._parts.graph.rows(
                Q.tiers.recent_entries, scopes=list(scopes), at=now(), limit=ENTRIES
            )
            limits = [overlaid(self._parts.short_limits, values) for values in (before, after)]
            entries = _Entries([row["entry"] for row in rows], who.principal)
            found += _short_term(entries, limits[0], limits[1], changed)
        if "pools.max_bytes" in changed:
            found.append(await self._pools(who, scopes, after["pools.max_bytes"]))
        judged = tuple(name for name in JUDGING if name in changed)
        if judged:
            found.append(await self._judged(scopes, after, judged))
        return found

    async def _pools(self, who: Caller, scopes: Sequence[str], most: int) -> Effect:
        row = await self._parts.graph.one(
            Q.tiers.large_pools,
            scopes=list(scopes),
            readers=[who.principal, EVERYONE],
            at=now(),
            most=most,
            limit=POOLS,
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


@dataclass(frozen=True, slots=True)
class _Entries:
    """Entries of short-term memory, of which those of one agent may be named."""

    rows: Sequence[Row]
    agent: str

    def effect(
        self, settings: tuple[str, ...], outcome: str, changes: Callable[[Row], bool]
    ) -> Effect:
        """Return the effect on those that some settings change."""
        changed = [row for row in self.rows if changes(row)]
        own = [row["id"] for row in changed if row["author"] == self.agent]
        others = len(changed) - len(own)
        return Effect.of(settings, "short_memory", outcome, len(self.rows), own, others)


def _short_term(
    entries: _Entries, held: ShortLimits, coming: ShortLimits, changed: set[str]
) -> list[Effect]:
    found = []
    if fading := tuple(name for name in FADING if name in changed):
        outcome = "would run out at another moment, given its time anew"
        found.append(entries.effect(fading, outcome, lambda e: _end(e, held) != _end(e, coming)))
    if "short_term.ttl_most" in changed:
        outcome = "has a longer time than would be taken"
        most = coming.ttl_most
        found.append(
            entries.effect(("short_term.ttl_most",), outcome, lambda e: (e.get("ttl") or 0) > most)
        )
    if "tiers.reads" in changed:
        outcome = "would be promoted" if coming.often < held.often else "would not be promoted"
        found.append(
            entries.effect(
                ("tiers.reads",), outcome, lambda e: _ready(e, held) != _ready(e, coming)
            )
        )
    return found


def _end(entry: Row, limits: ShortLimits) -> Any:
    written = entry["updated_at"]
    return end_of(entry.get("ttl"), written, written, limits)


def _ready(entry: Row, limits: ShortLimits) -> bool:
    return bool(entry["count"] >= limits.often)
