"""Segments, intents and the learning log over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import AsOf, KnownAt, Within, aware, one_of
from app.autonomy.receipt import CheckIn, CheckOut, Receipt
from app.autonomy.wire import Most
from app.kernel.caller import Caller, Role
from app.kernel.wire import LARGEST
from app.learning.intents import IntentService
from app.learning.log import LearnedLog
from app.learning.log import Wanted as WantedEntries
from app.learning.model import IntentState, LearningType, SegmentState
from app.learning.schemas import (
    IntentOut,
    IntentsOut,
    LearnedChangeOut,
    LearnedChangesOut,
    LearnedEntryOut,
    LearnedLogOut,
    RollBackIn,
    SegmentEvidenceIn,
    SegmentIn,
    SegmentOut,
    SegmentsOut,
    SegmentUseOut,
    WholeSegmentOut,
)
from app.learning.scoring import Resolution
from app.learning.segments import SegmentService, Wanted
from app.learning.turns import TurnFollower

READS, WRITES = {"requires": Role.READER}, {"requires": Role.WRITER}
CURATES, ADMINISTERS = {"requires": Role.CURATOR}, {"requires": Role.ADMIN}
InState = Annotated[
    str | None, QueryParameter(name="state", enum=[*SegmentState], description="Only in this one.")
]
Labelled = Annotated[
    str | None, QueryParameter(name="label", enum=[*Resolution], description="Only ended so.")
]
OfAgent = Annotated[
    str | None, QueryParameter(name="agent", description="Only of this agent: its id or name.")
]
InSession = Annotated[
    str | None, QueryParameter(name="session", description="Only of the conversation so named.")
]
OfIntent = Annotated[str | None, QueryParameter(name="intent", description="Only of this intent.")]
IntentIn = Annotated[
    str | None, QueryParameter(name="state", enum=[*IntentState], description="Only in this one.")
]
OfType = Annotated[
    str | None, QueryParameter(name="type", enum=[*LearningType], description="Only of this type.")
]
About = Annotated[str | None, QueryParameter(name="about", description="Only about this id.")]
OfBatch = Annotated[str | None, QueryParameter(name="batch", description="Only of this batch.")]
OfScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope; the key's home if unset.")
]
After = Annotated[int, QueryParameter(ge=0, le=LARGEST, description="Rows after this version.")]


class SegmentController(Controller):
    """Tasks from their beginning to their end."""

    path = "/v1/segments"
    tags = ("Learning",)

    @post("/", operation_id="beginSegment", opt=WRITES)
    async def begin(
        self,
        data: JSONBody[SegmentIn],
        caller: NamedDependency[Caller],
        segments: NamedDependency[SegmentService],
    ) -> SegmentOut:
        """Begin a task; the caller is its agent."""
        return SegmentOut.of(await segments.begin(caller, data.to_draft()))

    @get("/", operation_id="listSegments", opt=READS)
    async def list_segments(
        self,
        caller: NamedDependency[Caller],
        segments: NamedDependency[SegmentService],
        within: Within = None,
        in_state: InState = None,
        label: Labelled = None,
        agent: OfAgent = None,
        session: InSession = None,
        intent: OfIntent = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> SegmentsOut:
        """List tasks, those that began last first."""
        wanted = Wanted(
            state=one_of(SegmentState, in_state, "state"),
            label=one_of(Resolution, label, "label"),
            agent=agent,
            session=session,
            intent=intent,
        )
        found = await segments.page(caller, within, wanted, cursor or "", limit + 1)
        items = [SegmentOut.of(one) for one in found[:limit]]
        return SegmentsOut(items, items[-1].id if len(found) > limit else None)

    @post("/end-idle", operation_id="endIdleSegments", opt=ADMINISTERS, status_code=HTTP_200_OK)
    async def end_idle(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        segments: NamedDependency[SegmentService],
    ) -> CheckOut:
        """End tasks of which nothing is told any more, as the schedule does; by default a dry
        run."""
        return CheckOut.of(await segments.end_idle(data.scopes(caller), dry_run=data.dry_run))

    @post("/follow", operation_id="followTurns", opt=ADMINISTERS, status_code=HTTP_200_OK)
    async def follow(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        following: NamedDependency[TurnFollower],
    ) -> CheckOut:
        """Begin and end tasks by what was said in conversations since the last run, as the schedule
        does each minute; by default a dry run."""
        receipt = Receipt(dry_run=data.dry_run)
        return CheckOut.of(await following.run(data.scopes(caller), receipt))

    @get("/{segment:str}", operation_id="getSegment", opt=READS)
    async def read(
        self,
        segment: FromPath[str],
        caller: NamedDependency[Caller],
        segments: NamedDependency[SegmentService],
    ) -> WholeSegmentOut:
        """Read a task with what it used."""
        found = await segments.find(caller, segment)
        used = [SegmentUseOut.of(one) for one in await segments.uses(caller, found)]
        return WholeSegmentOut(SegmentOut.of(found), used)

    @post(
        "/{segment:str}/evidence",
        operation_id="addEvidence",
        opt=WRITES,
        status_code=HTTP_200_OK,
    )
    async def tell(
        self,
        segment: FromPath[str],
        data: JSONBody[SegmentEvidenceIn],
        caller: NamedDependency[Caller],
        segments: NamedDependency[SegmentService],
    ) -> SegmentOut:
        """Add evidence of how a task goes, and what it used."""
        made = await segments.tell(caller, segment, data.to_told(), data.to_uses())
        return SegmentOut.of(made)

    @post("/{segment:str}/end", operation_id="endSegment", opt=WRITES, status_code=HTTP_200_OK)
    async def end(
        self,
        segment: FromPath[str],
        data: JSONBody[SegmentEvidenceIn],
        caller: NamedDependency[Caller],
        segments: NamedDependency[SegmentService],
    ) -> SegmentOut:
        """End a task and score it; one that has ended stays as it is."""
        made = await segments.end(caller, segment, data.to_told(), data.to_uses())
        return SegmentOut.of(made)


class IntentController(Controller):
    """What tasks are after that are alike."""

    path = "/v1/intents"
    tags = ("Learning",)

    @get("/", operation_id="listIntents", opt=READS)
    async def list_intents(
        self,
        caller: NamedDependency[Caller],
        intents: NamedDependency[IntentService],
        within: Within = None,
        in_state: IntentIn = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> IntentsOut:
        """List intents, oldest first, with their tasks counted."""
        state = one_of(IntentState, in_state, "state")
        found = await intents.page(caller, within, state, cursor or "", limit + 1)
        items = [IntentOut.of(one.intent, one) for one in found[:limit]]
        return IntentsOut(items, items[-1].id if len(found) > limit else None)

    @post("/find", operation_id="findIntents", opt=ADMINISTERS, status_code=HTTP_200_OK)
    async def find(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        intents: NamedDependency[IntentService],
    ) -> CheckOut:
        """Find intents of tasks that have none, as the schedule does; by default a dry run. The ids
        are of tasks."""
        return CheckOut.of(await intents.find_new(data.scopes(caller), dry_run=data.dry_run))

    @post(
        "/{intent:str}/confirm", operation_id="confirmIntent", opt=CURATES, status_code=HTTP_200_OK
    )
    async def confirm(
        self,
        intent: FromPath[str],
        caller: NamedDependency[Caller],
        intents: NamedDependency[IntentService],
    ) -> IntentOut:
        """Confirm an intent; one that is confirmed stays so."""
        return IntentOut.of(await intents.confirm(caller, intent))


class LearnedLogController(Controller):
    """What was learnt, when it holds, and when that was known."""

    path = "/v1/learned"
    tags = ("Learning",)

    @get("/", operation_id="listLearned", opt=READS)
    async def read(
        self,
        caller: NamedDependency[Caller],
        learned_log: NamedDependency[LearnedLog],
        within: Within = None,
        of_type: OfType = None,
        about: About = None,
        batch: OfBatch = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> LearnedLogOut:
        """List entries, the last recorded first: all of them, or what held at a moment as it was
        known at another."""
        wanted = WantedEntries(
            type=one_of(LearningType, of_type, "type"),
            about=about,
            batch=batch,
            as_of=aware(as_of, "as_of"),
            known_at=aware(known_at, "known_at"),
        )
        found = await learned_log.page(caller, within, wanted, cursor or "", limit + 1)
        items = [LearnedEntryOut.of(one) for one in found[:limit]]
        return LearnedLogOut(items, items[-1].id if len(found) > limit else None)

    @get("/changes", operation_id="listLearnedChanges", opt=READS)
    async def changes(
        self,
        caller: NamedDependency[Caller],
        learned_log: NamedDependency[LearnedLog],
        place: OfScope = None,
        after: After = 0,
        limit: Most = 50,
    ) -> LearnedChangesOut:
        """List every write of the learning loop in one scope, by its version."""
        found = await learned_log.changes(caller, place, after, limit + 1)
        items = [LearnedChangeOut.of(one) for one in found[:limit]]
        return LearnedChangesOut(items, items[-1].version if len(found) > limit else None)

    @post("/collect", operation_id="collectLearned", opt=ADMINISTERS, status_code=HTTP_200_OK)
    async def collect(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        learned_log: NamedDependency[LearnedLog],
    ) -> CheckOut:
        """Tell the log of skills and consolidations, as the schedule does; by default a dry run."""
        return CheckOut.of(await learned_log.collect(data.scopes(caller), dry_run=data.dry_run))

    @post(
        "/batches/{batch:str}/roll-back",
        operation_id="rollBackLearned",
        opt=CURATES,
        status_code=HTTP_200_OK,
    )
    async def roll_back(
        self,
        batch: FromPath[str],
        data: JSONBody[RollBackIn],
        caller: NamedDependency[Caller],
        learned_log: NamedDependency[LearnedLog],
    ) -> CheckOut:
        """Close the validity of what a batch wrote; scores and intents follow from what is left. By
        default a dry run."""
        done = await learned_log.roll_back(caller, batch, data.at, dry_run=data.dry_run)
        return CheckOut.of(done)
