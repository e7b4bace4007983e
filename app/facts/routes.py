"""Facts, timelines and the quarantine over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from litestar import Controller, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import AsOf, KnownAt, Limit, Within, aware
from app.entities.schemas import EntityOut
from app.entities.service import EntityService
from app.errors import NotFound
from app.facts.listing import subjects_of
from app.facts.predicates import PredicateService
from app.facts.repository import Settled
from app.facts.schemas import (
    ChangeIn,
    DecisionOut,
    FactOut,
    FactsOut,
    HistoryOut,
    KeepBothIn,
    PossibleChangeOut,
    PossibleChangesOut,
    PredicateOut,
    PredicatesOut,
    QuarantinedOut,
    QuarantineOut,
    ReviewIn,
    TimelineEntryOut,
    TimelineOut,
)
from app.facts.sentences import MentionsOut, ProfileOut, sentences_of
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
SentenceLimit = Annotated[int, QueryParameter(ge=1, le=100, description="Most passages of a page.")]
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

    @get("/changes", operation_id="listPossibleChanges", opt={"requires": Role.READER})
    async def list_changes(
        self,
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
        within: Within = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> PossibleChangesOut:
        """Possible changes: facts that may have ended older ones, with the words nobody read."""
        scopes = caller.among(within)
        after = paging.decode(cursor)[1] if cursor else ""
        rows = await believing.repository.possible_changes(scopes, after, limit + 1)
        shown = rows[:limit]
        facts = await believing.facts_of_changes(shown, scopes)
        known = {fact: FactOut.of(row) for fact, row in facts.items()}
        more = len(rows) > limit
        return PossibleChangesOut(
            items=[PossibleChangeOut.of(row, known) for row in shown if row["id"] in known],
            next=paging.encode(START, shown[-1]["id"]) if more else None,
        )

    @get("/texts", operation_id="listChangedByTexts", opt={"requires": Role.READER})
    async def list_texts(
        self,
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
        within: Within = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> FactsOut:
        """Held facts that later texts may have changed; a page may have none and go on."""
        scopes, at = caller.among(within), now()
        rows = await believing.repository.list_held(
            scopes=scopes,
            predicates=None,
            as_of=at,
            known_at=at,
            after=paging.decode(cursor)[1] if cursor else "",
            limit=limit + 1,
        )
        shown = [FactOut.of(row) for row in rows[:limit]]
        return FactsOut(
            items=[f for f in shown if any(one["passage"] for one in f.possible_changes)],
            next=paging.encode(START, shown[-1].id) if len(rows) > limit else None,
        )

    @post(
        "/{fact_id:str}/change",
        operation_id="decideChange",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def decide_change(
        self,
        fact_id: FromPath[str],
        data: JSONBody[ChangeIn],
        caller: NamedDependency[Caller],
        believing: NamedDependency[FactService],
    ) -> DecisionOut:
        """Decide whether a newer fact ended an older one that it may have changed."""
        decision = data.to_decision(fact_id)
        decided, settled = await believing.decide_change(caller, decision)
        return await _decided(believing, caller, decided, decision.verdict, settled)

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
    "/v1/entities/{entity_id:str}",
    operation_id="getEntity",
    tags=["Entities"],
    opt={"requires": Role.READER},
)
async def profile(
    entity_id: FromPath[str],
    caller: NamedDependency[Caller],
    knowing: NamedDependency[EntityService],
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> ProfileOut:
    """One entity with the newest sentences that speak of it; the id of a merged one gives what it
    was merged into."""
    moments = moments_of(as_of, known_at)
    entity = EntityOut.of(await knowing.get(caller, entity_id, moments.known_at))
    graph = knowing.repository.graph
    found = await sentences_of(graph, entity.id, caller.visible, moments)
    return ProfileOut.with_sentences(entity, found)


@get(
    "/v1/entities/{entity_id:str}/sentences",
    operation_id="listSentences",
    tags=["Entities"],
    opt={"requires": Role.READER},
)
async def entity_sentences(
    entity_id: FromPath[str],
    caller: NamedDependency[Caller],
    knowing: NamedDependency[EntityService],
    as_of: AsOf = None,
    known_at: KnownAt = None,
    cursor: Cursor = None,
    limit: SentenceLimit = 20,
) -> MentionsOut:
    """The sentences that speak of an entity, of the newest passages first, with what may have
    changed of what they say."""
    moments = moments_of(as_of, known_at)
    found = await knowing.get(caller, entity_id, moments.known_at)
    graph, scopes = knowing.repository.graph, caller.visible
    return await sentences_of(graph, found["entity"]["id"], scopes, moments, cursor, limit)


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
    """Everything that is or was held of an entity, in the order of the world, and the newest
    sentences that speak of it."""
    moments = moments_of(None, known_at)
    rows = await believing.repository.timeline(
        subjects=await believing.cluster(caller, entity_id),
        scopes=caller.visible,
        known_at=moments.known_at,
        limit=limit,
    )
    graph = believing.repository.graph
    said = await sentences_of(graph, entity_id, caller.visible, moments)
    return TimelineOut(entity_id, [TimelineEntryOut.of(row) for row in rows], said.items)


def moments_of(as_of: datetime | None, known_at: datetime | None) -> Moments:
    """The two moments of a read; InvalidInput for one without a time zone."""
    return Moments.of(aware(as_of, "as_of"), aware(known_at, "known_at"))


async def _decided(
    believing: FactService, caller: Caller, fact: str, verdict: str, settled: Settled
) -> DecisionOut:
    row = await believing.get(caller, fact, Moments.of(None, None))
    return DecisionOut.of(row, verdict, settled)
