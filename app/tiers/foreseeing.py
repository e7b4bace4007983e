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
from app.tiers.foretold import FULL, LATER, SCOPES, WHOLES

ENTRIES = 200  # of short-term memory that are looked at
POOLS = 200  # of each scope, the largest ones
THINGS = 200  # of each scope, the newest ones
FADING = ("short_term.fade", "short_term.days")
ENTRIES_BY = {*FADING, "short_term.ttl_most", "tiers.reads"}
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
        self, who: Caller, scopes: Mapping[str, Values], before: Values, after: Values
    ) -> list[Effect]:
        """Return the effects of the settings that change, one for each outcome. Entries of other
        agents are counted and not named, and pools that the caller may not read are neither; what
        lies in a scope that does not follow a setting is not looked at."""
        changed = {name for name, value in after.items() if before.get(name) != value}
        found: list[Effect] = []
        if changed & ENTRIES_BY:
            found += await self._entries(who, _Change(scopes, before, after, changed))
        if "pools.max_bytes" in changed:
            follow = _following(scopes, "pools.max_bytes")
            found.append(await self._pools(who, follow, after["pools.max_bytes"]))
        judged = tuple(name for name in JUDGING if name in changed)
        if judged:
            found.append(await self._judged(scopes, after, judged))
        for name in sorted(changed & (SCOPES.keys() | WHOLES.keys())):
            found.append(await self._full(who, name, _following(scopes, name), after[name]))
        return [*found, *_later(changed)]

    async def _full(self, who: Caller, name: str, scopes: list[str], most: int) -> Effect:
        """The effect of a bound on what is there: a scope, or a thing, that has reached it."""
        parts, graph = WHOLES.get(name), self._parts.graph
        if parts is None:
            kind = SCOPES[name]
            row = await graph.one(Q.tiers.full_scopes, scopes=scopes, kind=kind, most=most)
            seen = [scope for scope in row["full"] if scope in who.visible]
            unnamed = len(row["full"]) - len(seen)
            return Effect.of((name,), "scope", FULL, row["looked"], seen, unnamed)
        row = await graph.one(
            Q.tiers.full_wholes,
            scopes=scopes,
            kind=parts.whole,
            part=parts.part,
            status=parts.status,
            most=most,
            limit=THINGS,
        )
        return Effect.of((name,), parts.whole, FULL, row["looked"], row["full"])

    async def _entries(self, who: Caller, change: _Change) -> list[Effect]:
        names = change.names & ENTRIES_BY
        rows = await self._parts.graph.rows(
            Q.tiers.recent_entries,
            scopes=_following(change.scopes, *names),
            at=now(),
            limit=ENTRIES,
        )
        limits = {
            row["entry"]["scope"]: change.limits(row["entry"]["scope"], self._parts.short_limits)
            for row in rows
        }
        entries = _Entries([row["entry"] for row in rows], who.principal, change, limits)
        return _short_term(entries, change)

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
        self, scopes: Mapping[str, Values], after: Values, settings: tuple[str, ...]
    ) -> Effect:
        judging = self._parts.judging
        coming = {
            scope: overlaid(judging.limits, {**after, **scopes[scope]})
            for scope in _following(scopes, *settings)
        }
        looked_at, differs = await judging.foreseen(coming)
        outcome = "would get another verdict"
        return Effect.of(settings, "conversation_message", outcome, looked_at, differs)


def _later(changed: set[str]) -> list[Effect]:
    """The effects of settings that change nothing that is kept, those alike as one."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name in sorted(changed & LATER.keys()):
        alike.setdefault(LATER[name], []).append(name)
    return [Effect.of(tuple(names), *told, 0, []) for told, names in alike.items()]


def _following(scopes: Mapping[str, Values], *names: str) -> list[str]:
    """Return the scopes that take one of some settings at least from where it changes."""
    return [scope for scope, own in scopes.items() if not set(names) <= own.keys()]


@dataclass(frozen=True, slots=True)
class _Change:
    """What changes, and by scope the values that do not follow it."""

    scopes: Mapping[str, Values]
    before: Values
    after: Values
    names: set[str]

    def limits(self, scope: str, installed: ShortLimits) -> tuple[ShortLimits, ShortLimits]:
        """Return what holds in a scope, and what would hold."""
        own = self.scopes[scope]
        held, coming = (overlaid(installed, {**v, **own}) for v in (self.before, self.after))
        return held, coming


@dataclass(frozen=True, slots=True)
class _Entries:
    """Entries of short-term memory, of which those of one agent may be named, with what holds in
    their scopes and what would hold."""

    rows: Sequence[Row]
    agent: str
    change: _Change
    limits: Mapping[str, tuple[ShortLimits, ShortLimits]]

    def effect(
        self,
        settings: tuple[str, ...],
        outcome: str,
        changes: Callable[[Row, ShortLimits, ShortLimits], bool],
    ) -> Effect:
        """Return the effect on those that some settings change."""
        follow = set(_following(self.change.scopes, *settings))
        rows = [row for row in self.rows if row["scope"] in follow]
        changed = [row for row in rows if changes(row, *self.limits[row["scope"]])]
        own = [row["id"] for row in changed if row["author"] == self.agent]
        others = len(changed) - len(own)
        return Effect.of(settings, "short_memory", outcome, len(rows), own, others)


def _short_term(entries: _Entries, change: _Change) -> list[Effect]:
    found = []
    if fading := tuple(name for name in FADING if name in change.names):
        outcome = "would run out at another moment, given its time anew"
        found.append(entries.effect(fading, outcome, lambda e, a, b: _end(e, a) != _end(e, b)))
    if "short_term.ttl_most" in change.names:
        outcome = "has a longer time than would be taken"
        found.append(
            entries.effect(
                ("short_term.ttl_most",), outcome, lambda e, _, b: (e.get("ttl") or 0) > b.ttl_most
            )
        )
    if "tiers.reads" in change.names:
        fewer = change.after["tiers.reads"] < change.before["tiers.reads"]
        outcome = "would be promoted" if fewer else "would not be promoted"
        found.append(
            entries.effect(("tiers.reads",), outcome, lambda e, a, b: _ready(e, a) != _ready(e, b))
        )
    return found


def _end(entry: Row, limits: ShortLimits) -> Any:
    written = entry["updated_at"]
    return end_of(entry.get("ttl"), written, written, limits)


def _ready(entry: Row, limits: ShortLimits) -> bool:
    return bool(entry["count"] >= limits.often)
