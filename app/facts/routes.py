"""Facts, timelines and the quarantine over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from litestar import Controller, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import AsOf, KnownAt, Limit, Within, aware
from app.entities.service import EntityService
from app.errors import NotFound
from app.facts.listing import subjects_of
from app.facts.predicates import PredicateService
from app.facts.repository import Settled
from app.facts.schemas import (
    DecisionOut,
    FactOut,
    FactsOut,
    HistoryOut,
    KeepBothIn,
    PredicateOut,
    PredicatesOut,
    QuarantinedOut,
    QuarantineOut,
    ReviewIn,
    TimelineEntryOut,
    TimelineOut,
)
from app.facts.service import Decision, FactService, Moments
from app.facts.tasks import REKEY
from app.jobs.access import ADMINISTERED
from app.jobs.runner import Runner
from app.kernel import paging
from app.kernel.caller import Caller, Role
from app.kernel.clock import START, now

AnyScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope path; the key's home if unset.")
]
Cursor = Annotated[str | None, QueryParameter(description="`next` of the page before.")]


class FactController(Controller):
    """What is believed, since when, and why."""

    path = "/v1/facts"
    tags = ("Facts",)

    @get("/", operation_id="listFacts", opt={"requires": Role.READER})
    async def list_facts(
        self,
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
        knowing: NamedDependency[EntityService],
        subject: Annotated[
            str | None, QueryParameter(description="Whom they are about: an id, or a name.")
        ] = None,
        within: Within = None,
        predicate: Annotated[
            list[str] | None, QueryParameter(description="Predicates; all if unset.")
        ] = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        cursor: Cursor = None,
        limit: Limit = 100,
    ) -> FactsOut:
        """The facts that were held at both moments: of scopes, about an entity, of a predicate."""
        moments = moments_of(as_of, known_at)
        scopes = caller.among(within)
        rows = await believing.repository.list_held(
            subjects=await subjects_of(caller, (believing, knowing), subject, scopes),
            scopes=scopes,
            predicates=predicate,
            as_of=moments.as_of,
            known_at=moments.known_at,
            after=paging.decode(cursor)[1] if cursor else "",
            limit=limit + 1,
        )
        shown = rows[:limit]
        more = len(rows) > limit
        return FactsOut(
            items=[FactOut.of(row) for row in shown],
            next=paging.encode(START, shown[-1]["fact"]["id"]) if more else None,
        )

    @get("/{fact_id:str}", operation_id="getFact", opt={"requires": Role.READER})
    async def read(
        self,
        fact_id: FromPath[str],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> FactOut:
        """One fact with its intervals at the two moments, its support and what contradicts it."""
        row = await believing.get(caller, fact_id, moments_of(as_of, known_at))
        return FactOut.of(row)

    @get("/{fact_id:str}/history", operation_id="getFactHistory", opt={"requires": Role.READER})
    async def history(
        self,
        fact_id: FromPath[str],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
    ) -> HistoryOut:
        """Everything that was ever held of a fact, with the reason of each change."""
        row = await believing.repository.history(fact_id, caller.visible)
        if row is None:
            raise NotFound(f"there is no fact {fact_id}")
        return HistoryOut.of(row)


class QuarantineController(Controller):
    """What contradicts, and waits for a person."""

    path = "/v1/quarantine"
    tags = ("Facts",)

    @get("/", operation_id="listQuarantine", opt={"requires": Role.READER})
    async def list_waiting(
        self,
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
        within: Within = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> QuarantineOut:
        """Facts that wait for a review, with both sides, their evidence and the reason."""
        scopes = caller.among(within)
        after = paging.decode(cursor)[1] if cursor else ""
        rows = await believing.repository.quarantined(scopes, after, limit + 1)
        shown = rows[:limit]
        ids = sorted({row["id"] for row in shown} | {o for row in shown for o in row["against"]})
        at = now()
        facts = {
            row["fact"]["id"]: FactOut.of(row)
            for row in await believing.repository.get(ids, scopes, at, at)
        }
        more = len(rows) > limit
        return QuarantineOut(
            items=[
                QuarantinedOut(
                    fact=facts[row["id"]],
                    reasons=sorted(set(row["reasons"])),
                    against=[facts[o] for o in sorted(set(row["against"])) if o in facts],
                )
                for row in shown
                if row["id"] in facts
            ],
            next=paging.encode(START, shown[-1]["id"]) if more else None,
        )

    @post(
        "/{fact_id:str}/accept",
        operation_id="acceptFact",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def accept(
        self,
        fact_id: FromPath[str],
        data: JSONBody[ReviewIn],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
    ) -> DecisionOut:
        """The quarantined fact is right: it is held, and what it contradicts ends."""
        settled = await believing.decide(caller, [Decision(fact_id, "accept", note=data.note)])
        return await _decided(believing, caller, fact_id, "accept", settled)

    @post(
        "/{fact_id:str}/reject",
        operation_id="rejectFact",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def reject(
        self,
        fact_id: FromPath[str],
        data: JSONBody[ReviewIn],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
    ) -> DecisionOut:
        """The fact is wrong: it stays on record and is not believed."""
        settled = await believing.decide(caller, [Decision(fact_id, "reject", note=data.note)])
        return await _decided(believing, caller, fact_id, "reject", settled)

    @post(
        "/{fact_id:str}/keep-both",
        operation_id="keepBothFacts",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def keep_both(
        self,
        fact_id: FromPath[str],
        data: JSONBody[KeepBothIn],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
    ) -> DecisionOut:
        """Both facts are right, each in the interval that is given for it."""
        settled = await believing.decide(caller, data.to_decisions(fact_id))
        return await _decided(believing, caller, fact_id, "interval", settled)

    @post(
        "/{fact_id:str}/undo",
        operation_id="undoReview",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def undo(
        self,
        fact_id: FromPath[str],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
    ) -> DecisionOut:
        """Take back the decisions on a fact: belief follows from the claims again."""
        settled = await believing.undo(caller, fact_id)
        return await _decided(believing, caller, fact_id, "undo", settled)


class PredicateController(Controller):
    """What is known of predicates: one value at a time or many, and how they read."""

    path = "/v1/predicates"
    tags = ("Facts",)

    @get("/", operation_id="listPredicates", opt={"requires": Role.READER})
    async def list_predicates(
        self,
        caller: NamedDependency[Caller],
        registries: NamedDependency[PredicateService],
        within: AnyScope = None,
    ) -> PredicatesOut:
        """The predicates that hold in a scope, its own edits and those above it included."""
        (scope,) = caller.among([within or caller.home])
        registry = await registries.registry(scope)
        rows = sorted(registry, key=lambda predicate: predicate.name)
        return PredicatesOut(scope, [PredicateOut.of(row) for row in rows])

    @put("/{name:str}", operation_id="setPredicate", opt={"requires": Role.ADMIN})
    async def save(
        self,
        name: FromPath[str],
        data: JSONBody[dict[str, Any]],
        caller: NamedDependency[Caller],
        registries: NamedDependency[PredicateService],
        runner: NamedDependency[Runner],
        within: AnyScope = None,
    ) -> PredicateOut:
        """Change or add a predicate of a scope; what is believed is settled anew by a job."""
        scope = within or caller.home
        saved = await registries.save(caller, scope, name, data)
        below = [seen for seen in caller.visible if seen == scope or seen.startswith(f"{scope}/")]
        await runner.submit(
            REKEY,
            tenant=caller.tenant,
            scope=scope,
            args={"scopes": below, "predicate": name},
            access=ADMINISTERED,
        )
        return PredicateOut.of(saved)


@get(
    "/v1/entities/{entity_id:str}/timeline",
    operation_id="getTimeline",
    tags=["Entities"],
    opt={"requires": Role.READER},
)
async def timeline(
    entity_id: FromPath[str],
    caller: NamedDependency[Caller],
    believing: NamedDependency[FactService],
    known_at: KnownAt = None,
    limit: Limit = 200,
) -> TimelineOut:
    """Everything that is or was held of an entity, in the order of the world."""
    rows = await believing.repository.timeline(
        subjects=await believing.cluster(caller, entity_id),
        scopes=caller.visible,
        known_at=moments_of(None, known_at).known_at,
        limit=limit,
    )
    return TimelineOut(entity_id, [TimelineEntryOut.of(row) for row in rows])


def moments_of(as_of: datetime | None, known_at: datetime | None) -> Moments:
    """The two moments of a read; InvalidInput for one without a time zone."""
    return Moments.of(aware(as_of, "as_of"), aware(known_at, "known_at"))


async def _decided(
    believing: FactService, caller: Caller, fact: str, verdict: str, settled: Settled
) -> DecisionOut:
    row = await believing.get(caller, fact, Moments.of(None, None))
    return DecisionOut.of(row, verdict, settled)
