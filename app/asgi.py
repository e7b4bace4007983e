"""The HTTP entry point: `uvicorn --factory app.asgi:create_app`.

Routes, middleware and dependencies are listed here by hand; nothing registers itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import structlog
from litestar import Litestar, Router
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.plugins.pydantic import PydanticPlugin
from litestar.types import Scope

from app import __version__
from app.access import routes as access_routes
from app.access import settings_routes
from app.access.guard import Door, guard, provide_caller
from app.access.idempotency import IdempotencyMiddleware
from app.access.parameters import declared, refuse_unknown
from app.agentmemory.bridge import BridgeController
from app.agentmemory.hosted import HostedBridgeController
from app.agentmemory.rest_entities import MemoryEntityController
from app.agentmemory.rest_reasoning import (
    MemoryKeyController,
    MemoryReasoningController,
    query_memory,
)
from app.agentmemory.rest_talks import TalkController
from app.communities import routes as community_routes
from app.consolidation import routes as consolidation_routes
from app.contexts import entry_routes as context_entry_routes
from app.contexts import routes as context_routes
from app.conversations import routes as conversation_routes
from app.documents import rag as rag_routes
from app.documents import routes as document_routes
from app.embeddings.tokens import load_tokens
from app.entities import routes as entity_routes
from app.episodes import routes as episode_routes
from app.escalations import routes as escalation_routes
from app.events import routes as event_routes
from app.facts import routes as fact_routes
from app.goals import routes as goal_routes
from app.graphql import routes as graphql_routes
from app.graphql.limits import Limits as QueryLimits
from app.graphql.service import GraphqlService
from app.interventions import routes as intervention_routes
from app.jobs import routes as job_routes
from app.kernel.body import TextRequest
from app.kernel.caller import PUBLIC, Caller
from app.kernel.departures import DepartureMiddleware
from app.kernel.pauses import keep_for_good
from app.kernel.problems import HANDLERS, describe
from app.kernel.shapes import BoundedShapes
from app.kernel.swagger import SwaggerPage, swagger_asset
from app.learning import routes as learning_routes
from app.lifecycle import doors as lifecycle_doors
from app.lifecycle import routes as lifecycle_routes
from app.mcp import routes as mcp_routes
from app.mcp.listening import Listening
from app.mcp.service import McpService
from app.mcp.subscribing import Subscriptions
from app.notes import attested_routes, drift_routes, rating_routes
from app.notes import routes as note_routes
from app.observations import routes as observation_routes
from app.pages import admin as page_admin
from app.pages import beside as page_beside
from app.pages import routes as page_routes
from app.pools import routes as pool_routes
from app.portability import routes as portability_routes
from app.questions import routes as question_routes
from app.rag import routes as graph_rag_routes
from app.rag import seed_routes as rag_seed_routes
from app.reembedding import routes as reembedding_routes
from app.sanitize.proof import stop_unless_proved
from app.search import routes as search_routes
from app.settings import Settings, read_settings
from app.shortterm import routes as short_routes
from app.skills import doors as skill_doors
from app.skills import routes as skill_routes
from app.snapshots import routes as snapshot_routes
from app.tables import routes as table_routes
from app.tasks import schedules
from app.telemetry import routes as telemetry_routes
from app.telemetry.logging import configure_logging
from app.telemetry.requests import RequestMiddleware
from app.telemetry.tracing import configure_tracing
from app.tiers import routes as tier_routes
from app.tiers import slot_routes
from app.traces import routes as trace_routes
from app.turns import routes as turn_routes
from app.webhooks import routes as webhook_routes
from app.wiring import Parts, parts
from app.working import routes as working_routes
from app.workitems import routes as work_routes

log = structlog.get_logger()

ROUTES: list[Any] = [
    telemetry_routes.live,
    telemetry_routes.ready,
    telemetry_routes.status,
    telemetry_routes.prometheus,
    episode_routes.EpisodeController,
    episode_routes.capture_batch,
    episode_routes.read_session,
    event_routes.follow_events,
    webhook_routes.WebhookController,
    search_routes.search,
    search_routes.read_memory,
    search_routes.read_memories,
    turn_routes.take_turn,
    turn_routes.recall,
    conversation_routes.ConversationController,
    conversation_routes.MidTermController,
    working_routes.WorkingController,
    working_routes.WorkingShareController,
    working_routes.limits,
    short_routes.ShortTermController,
    tier_routes.TierController,
    slot_routes.SlotController,
    access_routes.ScopeController,
    settings_routes.SettingsController,
    access_routes.PrincipalController,
    access_routes.KeyController,
    access_routes.AuditController,
    entity_routes.EntityController,
    entity_routes.MergeController,
    job_routes.JobController,
    job_routes.ScheduleController,
    portability_routes.ImportController,
    portability_routes.ExportController,
    fact_routes.FactController,
    fact_routes.QuarantineController,
    fact_routes.PredicateController,
    fact_routes.profile,
    fact_routes.entity_sentences,
    fact_routes.timeline,
    note_routes.NoteController,
    rating_routes.RatingController,
    note_routes.CoreBlockController,
    attested_routes.ProtectionController,
    attested_routes.BlockEditController,
    drift_routes.DriftController,
    note_routes.BadPatternController,
    pool_routes.PoolController,
    work_routes.WorkController,
    goal_routes.GoalController,
    escalation_routes.EscalationController,
    observation_routes.ObservationController,
    intervention_routes.InterventionController,
    snapshot_routes.SnapshotController,
    snapshot_routes.DayController,
    trace_routes.TraceController,
    learning_routes.SegmentController,
    learning_routes.IntentController,
    learning_routes.LearnedLogController,
    table_routes.TableController,
    context_routes.ContextController,
    context_routes.OwnMemoryController,
    context_entry_routes.ContextEntryController,
    page_routes.PageController,
    page_admin.AdminPageController,
    page_beside.EntityPageController,
    page_beside.SkillPageController,
    community_routes.CommunityController,
    graph_rag_routes.RagController,
    question_routes.rag_analytics,
    question_routes.list_queries,
    question_routes.read_query,
    rag_seed_routes.RagQueryController,
    document_routes.KnowledgeBaseController,
    document_routes.DocumentController,
    document_routes.upload,
    rag_routes.RagController,
    consolidation_routes.status,
    consolidation_routes.consolidate,
    consolidation_routes.remember,
    consolidation_routes.supersede,
    lifecycle_routes.ErasureController,
    lifecycle_routes.delete_scope,
    lifecycle_routes.KeepingController,
    lifecycle_routes.forget_facts,
    lifecycle_routes.sweep,
    lifecycle_routes.rot,
    lifecycle_routes.duplicates,
    lifecycle_doors.give_feedback,
    lifecycle_doors.list_feedback,
    lifecycle_doors.attest,
    lifecycle_doors.revoke,
    lifecycle_doors.consider,
    lifecycle_doors.list_promotions,
    lifecycle_doors.learning_log,
    skill_routes.SkillController,
    skill_doors.ConflictController,
    skill_doors.ProposalController,
    skill_doors.LearningController,
    skill_doors.GraphController,
    skill_doors.repair,
    skill_doors.run_chore,
    skill_doors.list_agents,
    skill_doors.list_teams,
    skill_doors.team_coverage,
    reembedding_routes.EmbeddingController,
    graphql_routes.run,
    graphql_routes.page,
    graphql_routes.asset,
    mcp_routes.exchange,
    mcp_routes.stream,
    mcp_routes.end,
    TalkController,
    MemoryEntityController,
    MemoryReasoningController,
    MemoryKeyController,
    query_memory,
    BridgeController,
    HostedBridgeController,
]

# What handlers may ask for by name, out of the parts of this process. A field of a
# body may have the same name (contract test).
INJECTED = (
    "intake",
    "blocks",
    "communities",
    "graph_rag",
    "agentic",
    "analytics",
    "question_log",
    "episode_rows",
    "searches",
    "turns",
    "scope_rows",
    "access",
    "access_rows",
    "jobs",
    "runner",
    "consolidation_rows",
    "model_reader",
    "erasure",
    "erasing",
    "deletion",
    "forgetting",
    "sweeping",
    "upkeep",
    "doubling",
    "feedback",
    "promoting",
    "skilled",
    "page_reads",
    "page_neighbours",
    "pools",
    "events",
    "webhooks",
    "pool_upkeep",
    "work",
    "goals",
    "escalations",
    "observing",
    "collecting",
    "intervening",
    "snapshots",
    "diary",
    "ratings",
    "traces",
    "segments",
    "following",
    "attesting",
    "drifting",
    "intents",
    "learned_log",
    "alike",
    "figures",
    "data_tables",
    "conversations",
    "judging",
    "recalling",
    "contexts",
    "context_entries",
    "context_finding",
    "context_snapshots",
    "context_upkeep",
    "own_memory",
    "agent_memory",
    "reembedding",
    "working",
    "shortterm",
    "tiered",
    "slotted",
    "foreseeing",
    "tier_promotion",
    "context_injector",
    "context_blocks",
)


def create_app(settings: Settings | None = None) -> Litestar:
    """The application; opens graph, queue and model when it starts, closes them at its end."""
    chosen = settings or read_settings()
    stop_unless_proved()
    configure_logging(chosen.telemetry)

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        spans = configure_tracing(chosen.telemetry, "loci-api")
        await load_tokens()
        async with parts(chosen, wakeups=True) as opened:
            fill_state(app, opened)
            log.info("api.started", version=__version__, kept=keep_for_good())
            yield
        if spans is not None:
            await asyncio.to_thread(spans.shutdown)

    app = Litestar(
        route_handlers=ROUTES,
        lifespan=[lifespan],
        guards=[guard, refuse_unknown],
        middleware=[RequestMiddleware(), DepartureMiddleware(), IdempotencyMiddleware()],
        exception_handlers=HANDLERS,
        request_class=TextRequest,
        after_exception=[audit_refusal],
        dependencies=dependencies(),
        request_max_body_size=chosen.api.max_body,
        openapi_config=openapi(),
        plugins=[BoundedShapes(), PydanticPlugin()],
        debug=False,
    )
    describe(app.openapi_schema)
    app.state.parameters = declared(app)
    return app


# Parts that routes are given under another name: theirs would be that of a parameter or field.
CALLED = {
    "capturing": "episodes",
    "basing": "bases",
    "documenting": "documents",
    "scoping": "scopes",
    "believing": "facts",
    "knowing": "entities",
    "merging": "merges",
    "remembering": "fast",
    "note_service": "notes",
    "paging": "pages",
    "registries": "predicates",
}


def fill_state(app: Litestar, opened: Parts) -> None:
    """Put the parts where guards, middleware and handlers find them."""
    app.state.parts = opened
    app.state.settings = opened.settings
    app.state.graph = opened.graph
    opened.graph.share(opened.settings.api.transactions)
    app.state.door = Door(opened.keys, opened.limiter, opened.foreground)
    app.state.idempotency = opened.idempotency
    app.state.schedules = schedules(opened.settings)
    app.state.asking = graphql_service(opened)
    app.state.speaking = mcp_service(opened)


def graphql_service(opened: Parts) -> GraphqlService:
    """What answers GraphQL; a worker or a command has no need of its library."""
    bounds = QueryLimits(opened.settings.api.graphql_depth, opened.settings.api.graphql_cost)
    handed = partial(handed_by, opened)
    return GraphqlService(opened.doors, handed, opened.limiter, opened.refusals, bounds)


def mcp_service(opened: Parts) -> McpService:
    """What speaks the Model Context Protocol; a worker or a command has no need of its library."""
    listening = Listening(opened.events, Subscriptions(opened.queue))
    return McpService(opened.services, opened.refusals, listening, opened.settings.api.max_body)


def handed_by(opened: Parts, name: str) -> Any:
    """The part that routes are given under a name."""
    return getattr(opened, CALLED.get(name, name))


def dependencies() -> dict[str, Provide]:
    """Plain values out of the state: nothing here opens or closes anything."""

    def of(name: str) -> Provide:
        def provide(scope: Scope) -> Any:
            return getattr(scope["litestar_app"].state.parts, name)

        return Provide(provide, sync_to_thread=False)

    def ready(name: str) -> Provide:
        def provide(scope: Scope) -> Any:
            return getattr(scope["litestar_app"].state, name)

        return Provide(provide, sync_to_thread=False)

    named = {name: of(name) for name in INJECTED}
    named |= {name: of(part) for name, part in CALLED.items()}
    named |= {name: ready(name) for name in ("asking", "speaking")}
    return {"caller": Provide(provide_caller, sync_to_thread=False), **named}


async def audit_refusal(error: Exception, scope: Scope) -> None:
    """Record that a known caller was refused; capture records its own refusals."""
    caller: Caller | None = scope["state"].get("caller")
    if caller is not None:
        opened: Parts = scope["litestar_app"].state.parts
        await opened.refusals.record(error, caller, str(scope.get("path_template", "")))


def openapi() -> OpenAPIConfig:
    """The schema at /schema/openapi.json, with Swagger UI to look at it."""
    return OpenAPIConfig(
        title="Loci",
        version=__version__,
        description="A knowledge and memory service for AI agents, in one graph.",
        components=Components(
            security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}
        ),
        security=[{"key": []}],
        use_handler_docstrings=True,
        # The schema says what there is, not what is stored: no key is needed to read it.
        openapi_router=Router(
            "/schema",
            route_handlers=[swagger_asset],
            opt={"requires": PUBLIC},
            include_in_schema=False,
        ),
        # Scalar stood at its own address; whoever kept that finds the reference there still.
        render_plugins=[SwaggerPage(path=["/swagger", "/scalar"])],
    )
