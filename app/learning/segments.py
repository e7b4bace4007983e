"""Segments of tasks: begun, told of, ended with a score, read and listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.access.parameters import principal_of
from app.autonomy.ledger import PAGE, of_loci
from app.autonomy.receipt import Receipt
from app.errors import Forbidden, InvalidInput, NotFound, QuotaReached, StateRefused
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.learning.evidence import Told, added, completed, resolution, spreads
from app.learning.folding import segment_of
from app.learning.kind import SEGMENT, SEGMENT_USE
from app.learning.model import (
    LearningType,
    Segment,
    SegmentState,
    SegmentUse,
)
from app.learning.pen import Pen
from app.learning.scoring import Resolution
from app.learning.using import use_skills, used
from app.sanitize.aside import sanitize_tree_aside
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned

LAST = "~"  # after every id
SHORTEST = timedelta(minutes=1)  # silence, the shortest that a scope may set


@dataclass(frozen=True, slots=True)
class SegmentLimits:
    """After which silence a task ends, most uses of one, how many earlier ones are compared, and
    whether turns begin and end tasks."""

    idle: timedelta = tuned("learning.idle_minutes", lambda minutes: timedelta(minutes=minutes))
    uses: int = tuned("learning.uses")
    samples: int = tuned("learning.samples")
    turns: bool = tuned("learning.turns", default=True)


@dataclass(frozen=True, slots=True)
class Draft:
    """A task as it begins, not yet sanitised."""

    task: str
    scope: str | None = None
    session: str | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is to hold; None for all."""

    state: SegmentState | None = None
    label: Resolution | None = None
    agent: str | None = None
    session: str | None = None
    intent: str | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A skill or memory that was used, and its rank where it was found by a search."""

    memory: str
    rank: int | None = None


class SegmentService:
    """Every operation on segments; those of a scope that is not seen are not there."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: SegmentLimits) -> None:
        self.graph = graph
        self.limits = limits
        self._scopes = scopes

    async def begin(self, caller: Caller, draft: Draft) -> Segment:
        """Begin a task, of which the caller is the agent; NotFound (`trace`)."""
        place = caller.require(str(parse_scope(draft.scope or caller.home)), Role.WRITER)
        policy = await self._scopes.policy(place)
        if draft.session is not None:
            require_plain(draft.session, "session", policy)
        task = await sanitize_tree_aside(draft.task, policy, "task")
        if not task.strip():
            raise InvalidInput("nothing is left of it once sanitised", field="task")
        at = now()
        made = Segment(
            id=new_id(),
            scope=place,
            task=task,
            session_key=draft.session and visible(draft.session),
            agent=caller.principal,
            trace=draft.trace,
            started_at=at,
            changed_at=at,
        )

        async def work(tx: Tx) -> Segment:
            pen = await Pen.take(tx, caller, place, new_id())
            if draft.trace is not None:
                await _require_trace(tx, caller, place, draft.trace)
            pen.make(SEGMENT, made)
            await pen.write("task_segment.begin", segment=made.id)
            return made

        return await self.graph.write("learning.begin", work)

    async def tell(
        self, caller: Caller, identifier: str, told: Told, uses: Sequence[Use] = ()
    ) -> Segment:
        """Add evidence and what was used; StateRefused once the task has ended."""
        seen = await self._own(caller, identifier)

        async def work(tx: Tx) -> Segment:
            pen, held = await self._locked(tx, caller, seen, new_id())
            if held.state is SegmentState.ENDED:
                raise StateRefused("the task has ended", field="segment")
            made = await self._told(pen, caller, held, told, uses)
            pen.change(SEGMENT, made)
            await pen.write("task_segment.tell", segment=made.id, uses=len(uses))
            return made

        return await self.graph.write("learning.tell", work)

    async def end(
        self, caller: Caller, identifier: str, told: Told, uses: Sequence[Use] = ()
    ) -> Segment:
        """End a task and score it; what has ended stays as it is."""
        seen = await self._own(caller, identifier)

        async def work(tx: Tx) -> Segment:
            pen, held = await self._locked(tx, caller, seen, new_id())
            if held.state is SegmentState.ENDED:
                return held
            made = await self._told(pen, caller, held, told, uses)
            return await self._settled(pen, made)

        return await self.graph.write("learning.end", work)

    async def end_idle(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """End the tasks of some scopes, or of all, of which nothing was told for half an hour by
        default; a second run ends nothing more."""
        receipt = Receipt(dry_run, moment or now())
        after = ""
        while found := await self._idle(scopes, receipt.at - SHORTEST, after):
            for one in found:
                before = receipt.at - (await self.bounds(one.scope)).idle
                if one.changed_at > before:
                    continue
                if dry_run or await self._ended(one, before, receipt.id):
                    receipt.add(one)
            after = found[-1].id
        return receipt

    async def find(self, caller: Caller, identifier: str) -> Segment:
        """Return a segment that the caller sees; NotFound."""
        found = await self.graph.many(
            Q.autonomy.find, Segment, ids=[identifier], kind=SEGMENT.name, scopes=caller.visible
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def uses(self, caller: Caller, segment: Segment) -> list[SegmentUse]:
        """Return what a task used, as far as the caller sees it."""
        return await self.graph.many(
            Q.learning.uses,
            SegmentUse,
            segment=segment.id,
            scope=segment.scope,
            scopes=caller.visible,
        )

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, before: str, limit: int
    ) -> list[Segment]:
        """Return segments that began before the one of an id, the last first."""
        return await self.graph.many(
            Q.learning.segments,
            Segment,
            scopes=caller.among(within),
            state=wanted.state,
            label=wanted.label,
            agent=principal_of(caller, wanted.agent, "agent") if wanted.agent else None,
            session=wanted.session and visible(wanted.session),
            intent=wanted.intent,
            before=before or LAST,
            limit=limit,
        )

    # --- within -------------------------------------------------------------------------------

    async def bounds(self, scope: str) -> SegmentLimits:
        """Return the limits that hold in a scope."""
        return await self._scopes.limits(self.limits, scope)

    async def _own(self, caller: Caller, identifier: str) -> Segment:
        segment = await self.find(caller, identifier)
        caller.require(segment.scope, Role.WRITER)
        if segment.agent != caller.principal:
            raise Forbidden("a segment is written by its agent alone", field="segment")
        return segment

    async def _locked(
        self, tx: Tx, caller: Caller, seen: Segment, batch: str
    ) -> tuple[Pen, Segment]:
        pen = await Pen.take(tx, caller, seen.scope, batch)
        held = (await pen.locked(SEGMENT, [seen.id])).get(seen.id)
        if held is None:
            raise _missing(seen.id)
        return pen, held

    async def _told(
        self, pen: Pen, caller: Caller, held: Segment, told: Told, uses: Sequence[Use]
    ) -> Segment:
        await self._use(pen, caller, held, uses)
        evidence = added(held.evidence, told, held.task)
        at = max(pen.at, held.started_at)
        return held.model_copy(update={"evidence": evidence, "changed_at": at})

    async def _use(self, pen: Pen, caller: Caller, held: Segment, uses: Sequence[Use]) -> None:
        if not uses:
            return
        made = [await used(pen, caller, held, use.memory, use.rank) for use in uses]
        rows = await pen.tx.rows(Q.kinds.present, ids=[one.id for one in made])
        known = {row["id"] for row in rows}
        fresh = {one.id: one for one in made if one.id not in known}
        before = await pen.tx.rows(
            Q.learning.uses, segment=held.id, scope=held.scope, scopes=caller.visible
        )
        most = (await self.bounds(held.scope)).uses
        if fresh and len(before) + len(fresh) > most:
            raise QuotaReached(f"a task has {most} uses", field="used")
        for one in fresh.values():
            pen.make(SEGMENT_USE, one)

    async def _settled(self, pen: Pen, told: Segment) -> Segment:
        """Score a segment whose lock is held, and write it as ended now."""
        made = await self.settle(pen, told, pen.at)
        await pen.write("task_segment.end", segment=made.id, label=str(made.label))
        return made

    async def settle(self, pen: Pen, told: Segment, at: datetime, *, new: bool = False) -> Segment:
        """Score a segment, new or locked, and let it be written as ended at a moment; one that
        turns began used the skills of which its agent told an outcome meanwhile."""
        ended = told.model_copy(update={"state": SegmentState.ENDED, "ended_at": at})
        evidence = await completed(pen.tx, ended)
        ended = ended.model_copy(update={"evidence": evidence})
        samples = (await self.bounds(ended.scope)).samples
        earlier = await pen.tx.one(
            Q.learning.spread, scope=ended.scope, limit=samples, other=ended.id
        )
        figures = resolution(ended, spreads(earlier))
        entry = pen.learn(LearningType.RESOLUTION_SCORED, ended.id, SEGMENT.name, figures)
        made = segment_of(ended, [entry])
        (pen.make if new else pen.change)(SEGMENT, made)
        if made.turn is not None:
            await use_skills(pen, made, (await self.bounds(made.scope)).uses)
        return made

    async def _idle(
        self, scopes: Sequence[str] | None, before: datetime, after: str
    ) -> list[Segment]:
        return await self.graph.many(
            Q.learning.idle, Segment, scopes=scopes, before=before, after=after, limit=PAGE
        )

    async def _ended(self, seen: Segment, before: datetime, receipt: str) -> bool:
        """End one that is still idle once its lock is held."""

        async def work(tx: Tx) -> bool:
            try:
                pen, held = await self._locked(tx, of_loci(seen.scope, receipt), seen, receipt)
            except NotFound:
                return False  # it was erased, or its scope deleted, meanwhile
            if held.state is SegmentState.ENDED or held.changed_at > before:
                return False
            await self._settled(pen, held)
            return True

        return await self.graph.write("learning.end_idle", work)


async def _require_trace(tx: Tx, caller: Caller, scope: str, trace: str) -> None:
    found = await tx.rows(Q.autonomy.lock, ids=[trace], kind="trace", scopes=[scope], at=now())
    if not found or found[0]["value"]["agent"] != caller.principal:
        raise NotFound(f"you have no trace {trace} in {scope}", field="trace")


def _missing(identifier: str) -> NotFound:
    return NotFound(f"there is no segment {identifier}", field="segment")
