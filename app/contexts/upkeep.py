"""Upkeep of contexts: entries fade day by day and go to the archive, experiences that say the same
are merged, and stale entries are told of or archived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.contexts.drafting import merged
from app.contexts.entries import Entry, MemoryType, Reason
from app.contexts.finding import FindingService
from app.contexts.formulas import is_spent, is_stale_experience
from app.contexts.kind import CONTEXT_ENTRY
from app.contexts.model import Context
from app.contexts.service import ContextService, event_of
from app.contexts.staleness import LEAST_AGE, Staleness, Verdict, staleness
from app.contexts.writing import EntryService, weights
from app.errors import EmbedderUnavailable
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import new_id

PAGE = 100
NOBODY = "system"  # who does what the schedule asks for
NAMED = 1000  # entries that a receipt names; the counts are of all


@dataclass(slots=True)
class Receipt:
    """What an upkeep did, or would do: how many entries faded, merged, and were archived why."""

    id: str
    dry_run: bool
    at: datetime
    contexts: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    archived: list[Row] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Count an entry that goes to the archive."""
        reason = str(entry.reason)
        self.counts[reason] += 1
        if len(self.archived) < NAMED:
            self.archived.append({"entry": entry.id, "context": entry.context_id, "reason": reason})


@dataclass(frozen=True, slots=True)
class Stale:
    """An entry with the three factors of its staleness."""

    entry: Entry
    staleness: Staleness


@dataclass(slots=True)
class RotReport:
    """How stale the entries of some contexts are, the stalest first."""

    dry_run: bool
    at: datetime
    total: int = 0
    stale: list[Stale] = field(default_factory=list)

    def of(self, verdict: Verdict) -> list[Stale]:
        """Return the entries of one verdict."""
        return [each for each in self.stale if each.staleness.verdict is verdict]


class ContextUpkeep:
    """Runs by night and by hand; run again on the same day, it changes nothing more."""

    def __init__(
        self, contexts: ContextService, entries: EntryService, finding: FindingService
    ) -> None:
        self._contexts = contexts
        self._entries = entries
        self._finding = finding
        self._graph = contexts.graph

    async def run(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """Let the entries of some scopes, or of all, fade as far as they have by then."""
        receipt = Receipt(new_id(), dry_run, moment or now())
        for context in await self._every(scopes):
            receipt.contexts += 1
            fading = await self._entries.upkept(context, receipt.at, facts=False)
            await self._each(context, receipt, fading, lambda entry: _settled(entry, receipt.at))
            await self._thin_out(context, receipt)
        return receipt

    async def rot(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> RotReport:
        """Tell what is stale, from .7 on; what has .9 goes to the archive unless this is dry."""
        report = RotReport(dry_run, moment or now())
        for context in await self._every(scopes):
            report.total += await self._entries.counted(context)
            old = await self._entries.upkept(context, report.at - LEAST_AGE, facts=True)
            found = [Stale(each, _staleness(each, report.at)) for each in old]
            report.stale += [s for s in found if s.staleness.verdict is not Verdict.KEEP]
            if not dry_run:
                receipt = Receipt(new_id(), dry_run, report.at)
                await self._each(
                    context, receipt, old, lambda entry: _unless_rotten(entry, report.at)
                )
        report.stale.sort(key=lambda each: (-each.staleness.score, each.entry.id))
        return report

    async def merge(self, caller: Caller, context_id: str, *, dry_run: bool) -> list[list[str]]:
        """Merge experiences of a context that say the same, by hand from .9 on; the ids of each
        group, the kept one first."""
        context = await self._contexts.writable(caller, context_id)
        least = (await self._contexts.bounds(context.scope)).merged_by_hand
        groups = await self._groups(context, least)
        if not dry_run:
            for group in groups:
                await self._join(context, group, now(), caller)
        return [[each.id for each in group] for group in groups]

    # --- within -------------------------------------------------------------------------------

    async def _every(self, scopes: Sequence[str] | None) -> list[Context]:
        found: list[Context] = []
        asked = None if scopes is None else list(scopes)
        after = ""
        while page := await self._graph.many(
            Q.contexts.every, Context, scopes=asked, after=after, limit=PAGE
        ):
            found += page
            after = page[-1].id
        return found

    async def _each(
        self,
        context: Context,
        receipt: Receipt,
        entries: Sequence[Entry],
        settle: Callable[[Entry], Entry],
    ) -> None:
        """Settle entries of a context, some in each transaction; count what changes."""
        moving = [each for each in entries if settle(each) != each]
        if receipt.dry_run:
            _count(receipt, [(each, settle(each)) for each in moving])
            return
        for start in range(0, len(moving), PAGE):
            ids = [each.id for each in moving[start : start + PAGE]]
            _count(receipt, await self._settle(context, receipt, ids, settle))

    async def _settle(
        self, context: Context, receipt: Receipt, ids: list[str], settle: Callable[[Entry], Entry]
    ) -> list[tuple[Entry, Entry]]:
        """Settle some entries, with their locks; pairs of before and after."""
        place = {"context": context.id, "scope": context.scope}

        async def work(tx: Tx) -> list[tuple[Entry, Entry]]:
            await tx.rows(Q.contexts.lock, id=context.id, scopes=[context.scope], at=now())
            held = await tx.many(Q.contexts.lock_entries, Entry, ids=ids, **place, at=now())
            pairs = [(each, settle(each)) for each in held if each.active]
            faded = [new for old, new in pairs if new != old and new.active]
            gone = [new for _, new in pairs if not new.active]
            await tx.rows(
                Q.contexts.weigh, rows=[weights(each) for each in faded], scope=context.scope
            )
            await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(each) for each in gone])
            if faded or gone:
                counts = {"faded": len(faded), "archived": len(gone)}
                await tx.rows(Q.contexts.tell, events=[_event(context, receipt, counts)])
            return pairs

        return await self._graph.write("contexts.upkeep", work)

    async def _thin_out(self, context: Context, receipt: Receipt) -> None:
        """Beyond so many experiences, merge those that say the same; then the least important
        ones go."""
        bounds = await self._contexts.bounds(context.scope)
        most = bounds.experiences
        if len(await self._experiences(context)) <= most:
            return
        try:
            groups = await self._groups(context, bounds.merged_by_job)
        except EmbedderUnavailable:
            return  # nothing is compared this night, so nothing goes for want of room
        for group in groups:
            receipt.counts["merged"] += len(group) - 1
            if not receipt.dry_run:
                await self._join(context, group, receipt.at, None)
        gone = {each.id for group in groups for each in group[1:]}
        left = [each for each in await self._experiences(context) if each.id not in gone]
        left.sort(key=lambda each: (-(each.importance or 0.0), -each.created_at.timestamp()))
        surplus = {each.id for each in left[most:]}
        await self._each(
            context,
            receipt,
            left[most:],
            lambda e: e.archived(Reason.SURPLUS, receipt.at) if e.id in surplus else e,
        )

    async def _experiences(self, context: Context) -> list[Entry]:
        entries = await self._entries.active(context)
        return [each for each in entries if each.memory_type is MemoryType.EXPERIENTIAL]

    async def _groups(self, context: Context, least: float) -> list[list[Entry]]:
        return await self._finding.alike(context, await self._experiences(context), least)

    async def _join(
        self, context: Context, group: Sequence[Entry], at: datetime, caller: Caller | None
    ) -> None:
        """Merge a group in one transaction, as far as its entries are still in use and as they
        were when they were compared."""
        place = {"context": context.id, "scope": context.scope}
        seen = {each.id: each.version for each in group}

        async def work(tx: Tx) -> None:
            await tx.rows(Q.contexts.lock, id=context.id, scopes=[context.scope], at=now())
            ids = sorted(seen)
            held = await tx.many(Q.contexts.lock_entries, Entry, ids=ids, **place, at=now())
            same = [each for each in held if each.active and each.version == seen[each.id]]
            if len(same) < 2:
                return
            kept, gone = merged(same, at)
            await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(each) for each in (*gone, kept)])
            receipt = Receipt(new_id(), False, at)
            counts = {"merged": len(gone)}
            event = _event(context, receipt, counts)
            if caller is not None:
                event = event_of(caller, "context.merge", context, **counts)
            await tx.rows(Q.contexts.tell, events=[event])

        await self._graph.write("contexts.merge", work)


def _settled(entry: Entry, at: datetime) -> Entry:
    """An entry as time has left it by a moment: faded, or in the archive."""
    faded = entry.faded(at)
    age = at - faded.created_at
    if faded.memory_type is MemoryType.FACTUAL:
        return faded
    if is_spent(faded.importance, age):
        return faded.archived(Reason.DECAYED, at)
    experience = faded.memory_type is MemoryType.EXPERIENTIAL
    if experience and is_stale_experience(faded.importance, age):
        return faded.archived(Reason.STALE, at)
    return faded


def _staleness(entry: Entry, at: datetime) -> Staleness:
    idle = None if entry.last_accessed_at is None else at - entry.last_accessed_at
    return staleness(at - entry.created_at, idle, entry.importance)


def _unless_rotten(entry: Entry, at: datetime) -> Entry:
    rotten = _staleness(entry, at).verdict is Verdict.ARCHIVE
    return entry.archived(Reason.ROTTEN, at) if rotten else entry


def _count(receipt: Receipt, pairs: Sequence[tuple[Entry, Entry]]) -> None:
    for before, after in pairs:
        if not after.active:
            receipt.add(after)
        elif after != before:
            receipt.counts["faded"] += 1


def _event(context: Context, receipt: Receipt, counts: dict[str, int]) -> Row:
    event = audit.record(
        "context.upkeep",
        tenant=context.scope.partition("/")[0],
        scope=context.scope,
        actor=NOBODY,
        request=receipt.id,
        payload={"receipt": receipt.id, "context": context.id, **counts},
    )
    return {**event, "target": context.id}
