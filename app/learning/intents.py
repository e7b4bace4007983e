"""Intents: found where tasks are alike, confirmed by a curator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.autonomy.ledger import of_loci
from app.autonomy.receipt import Receipt
from app.embeddings.calibration import Kinds
from app.errors import NotFound, StateRefused
from app.indexing.spaces import Part, Spaces
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.learning.folding import Group, grouped
from app.learning.kind import INTENT, SEGMENT
from app.learning.model import Figures, Intent, IntentState, LearningType, Segment, SegmentState
from app.learning.pen import Pen
from app.scopes.every import paths
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned

NEAREST = 64  # tasks that are looked at around one
DIGITS = 4


@dataclass(frozen=True, slots=True)
class IntentRule:
    """How alike tasks of one intent are, how many of them make a new one, and how many tasks of a
    scope one run looks at."""

    floor: float = tuned("learning.intent_floor")
    least: int = tuned("learning.intent_least")
    batch: int = tuned("learning.intent_batch")


@dataclass(frozen=True, slots=True)
class Counted:
    """An intent, how many tasks are of it, and how many of these were resolved."""

    intent: Intent
    segments: int
    resolved: int


class IntentService:
    """Every operation on intents; those of a scope that is not seen are not there."""

    def __init__(
        self, graph: Graph, scopes: ScopeService, spaces: Spaces, rule: IntentRule
    ) -> None:
        self.graph = graph
        self._scopes = scopes
        self.rule = rule
        self._spaces = spaces

    async def find_new(self, scopes: Sequence[str] | None, *, dry_run: bool) -> Receipt:
        """Look at tasks that have ended and are of no intent, in some scopes or in all; a second
        run finds nothing more. Raises EmbedderUnavailable."""
        receipt = Receipt(dry_run)
        async for scope in paths(self.graph, scopes):
            if waiting := await self._waiting(scope, now()):
                await self._scope(scope, waiting, receipt)
        return receipt

    async def confirm(self, caller: Caller, identifier: str) -> Intent:
        """Confirm an intent; one that is confirmed stays so, StateRefused for a withdrawn one."""
        seen = await self.find(caller, identifier)
        caller.require(seen.scope, Role.CURATOR)

        async def work(tx: Tx) -> Intent:
            pen = await Pen.take(tx, caller, seen.scope, new_id())
            held = (await pen.locked(INTENT, [seen.id])).get(seen.id)
            if held is None:
                raise _missing(seen.id)
            if held.state is IntentState.CONFIRMED:
                return held
            if held.state is IntentState.WITHDRAWN:
                raise StateRefused("the intent is withdrawn", field="intent")
            pen.learn(LearningType.INTENT_CONFIRMED, held.id, INTENT.name, Figures())
            update = {"state": IntentState.CONFIRMED, "changed_at": pen.at}
            made = pen.change(INTENT, held.model_copy(update=update))
            await pen.write("intent.confirm", intent=made.id)
            return made

        return await self.graph.write("learning.confirm", work)

    async def find(self, caller: Caller, identifier: str) -> Intent:
        """Return an intent that the caller sees; NotFound."""
        found = await self.graph.many(
            Q.autonomy.find, Intent, ids=[identifier], kind=INTENT.name, scopes=caller.visible
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def page(
        self,
        caller: Caller,
        within: list[str] | None,
        state: IntentState | None,
        after: str,
        limit: int,
    ) -> list[Counted]:
        """Return intents by id, which is the order of their making, with their tasks counted."""
        rows = await self.graph.rows(
            Q.learning.intents, scopes=caller.among(within), state=state, after=after, limit=limit
        )
        return [Counted(Intent.of(row["intent"]), row["segments"], row["resolved"]) for row in rows]

    # --- within -------------------------------------------------------------------------------

    async def _waiting(self, scope: str, at: datetime) -> list[Segment]:
        """The tasks of no intent that a run looks at. Where they are too many, half are the newest,
        and half those whose day it is: what nothing is like would keep all others from their turn.
        """
        batch = (await self._scopes.limits(self.rule, scope)).batch
        found = await self.graph.many(
            Q.learning.unclassified, Segment, scope=scope, after="", limit=batch + 1
        )
        if len(found) <= batch:
            return found
        row = await self.graph.one(Q.learning.count_unclassified, scope=scope)
        rest = max(batch // 2, 1)
        skip = at.toordinal() * rest % row["segments"]
        return await self.graph.many(
            Q.learning.some_unclassified,
            Segment,
            scope=scope,
            newest=batch - rest,
            skip=skip,
            limit=rest,
        )

    async def _scope(self, scope: str, waiting: list[Segment], receipt: Receipt) -> None:
        near = {one.id: await self._near(one) for one in waiting}
        ids = sorted({*near, *(other for alike in near.values() for other in alike)})
        by_id = {one.id: one for one in waiting} | await self._others(scope, set(ids) - set(near))
        if receipt.dry_run:
            for group in await self._groups(self.graph, scope, by_id, near, ids):
                for member in group.members:
                    receipt.add(by_id[member])
            return

        async def work(tx: Tx) -> list[Segment]:
            try:
                pen = await Pen.take(tx, of_loci(scope, receipt.id), scope, receipt.id)
            except NotFound:
                return []
            held = await pen.locked(SEGMENT, list(by_id))
            free = {one: found for one, found in held.items() if found.intent is None}
            groups = await self._groups(tx, scope, free, near, ids)
            made = [await _joined(pen, group, free) for group in groups]
            if groups:
                await pen.write("intent.find", groups=len(groups))
            return [one for group in made for one in group]

        for segment in await self.graph.write("learning.intents", work):
            receipt.add(segment)

    async def _groups(
        self,
        source: Graph | Tx,
        scope: str,
        waiting: dict[str, Segment],
        near: dict[str, dict[str, float]],
        ids: list[str],
    ) -> list[Group]:
        rows = await source.rows(Q.learning.intents_of, ids=ids, scope=scope)
        known = {row["id"]: row["intent"] for row in rows if row["intent"]}
        least = (await self._scopes.limits(self.rule, scope)).least
        order = dict.fromkeys([*near, *waiting])
        return grouped([one for one in order if one in waiting], near, known, least)

    async def _others(self, scope: str, ids: Collection[str]) -> dict[str, Segment]:
        """Those of some tasks that have ended and are of no intent, though it is not their turn."""
        if not ids:
            return {}
        found = await self.graph.many(
            Q.autonomy.find, Segment, ids=sorted(ids), kind=SEGMENT.name, scopes=[scope]
        )
        wait = (one for one in found if one.state is SegmentState.ENDED and one.intent is None)
        return {one.id: one for one in wait}

    async def _near(self, segment: Segment) -> dict[str, float]:
        """The segments of the scope whose tasks are like one, with their similarity."""
        found: dict[str, float] = {}
        for part in await self._spaces.asked(segment.task, [segment.scope]):
            rows = await self.graph.rows(
                part.space.over(query=Q.learning.near),
                v=part.vector,
                scopes=part.scopes,
                limit=NEAREST,
            )
            found |= {row["id"]: _similarity(part, row) for row in rows}
        floor = (await self._scopes.limits(self.rule, segment.scope)).floor
        return {i: share for i, share in found.items() if share >= floor}


async def _joined(pen: Pen, group: Group, held: dict[str, Segment]) -> list[Segment]:
    """Classify the members of a group whose locks are held; the intent is made where it is new."""
    intent = group.intent or _discovered(pen, held[group.example], len(group.members)).id
    made = []
    for member, share in group.members.items():
        figures = Figures(intent=intent, similarity=share)
        pen.learn(LearningType.INTENT_CLASSIFIED, member, SEGMENT.name, figures)
        made.append(pen.change(SEGMENT, held[member].model_copy(update={"intent": intent})))
    return made


def _discovered(pen: Pen, example: Segment, segments: int) -> Intent:
    intent = Intent(
        id=new_id(),
        scope=example.scope,
        name=example.task,
        example=example.id,
        author=example.agent,
        found_at=pen.at,
        changed_at=pen.at,
    )
    pen.make(INTENT, intent)
    figures = Figures(segments=segments)
    pen.learn(LearningType.INTENT_DISCOVERED, intent.id, INTENT.name, figures)
    return intent


def _similarity(part: Part, row: Row) -> float:
    similarity = part.similarity(row["cosine"], Kinds.TASKS, row["language"])
    return min(max(round(similarity, DIGITS), 0.0), 1.0)


def _missing(identifier: str) -> NotFound:
    return NotFound(f"there is no intent {identifier}", field="intent")
