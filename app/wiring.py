"""The parts of one process, built once from the settings and passed on.

API, worker and command line all start here; nothing below holds a global client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from app.access.idempotency import IdempotencyRecords
from app.access.keys import KeyRing
from app.access.limits import RateLimiter
from app.access.refusals import Refusals
from app.access.repository import AccessRepository
from app.access.service import AccessService
from app.agentmemory.wired import AgentMemory, AgentMemoryParts
from app.communities.service import CommunityService
from app.communities.summaries import SummaryService
from app.consolidation.asking import Consolidating
from app.consolidation.fast import FastPath
from app.consolidation.fast import Parts as FastParts
from app.consolidation.reader import Limits as ModelLimits
from app.consolidation.reader import ModelReader
from app.consolidation.reader import Parts as ReaderParts
from app.consolidation.repository import ConsolidationRepository
from app.consolidation.service import ConsolidationService
from app.consolidation.service import Parts as ConsolidationParts
from app.contexts.finding import FindingService as ContextFinding
from app.contexts.own import OwnMemory
from app.contexts.restoring import ContextSnapshots
from app.contexts.service import ContextLimits, ContextService
from app.contexts.upkeep import ContextUpkeep
from app.contexts.writing import EntryService
from app.conversations.buffer import Bounds as BufferBounds
from app.conversations.judging import JudgingService
from app.conversations.judging import Limits as JudgingLimits
from app.conversations.service import ConversationService
from app.conversations.sorting import AnswerSorter
from app.documents.bases import BaseService
from app.documents.fetch import Fetcher, FetchLimits
from app.documents.intake import Intake
from app.documents.parsing import MIB, Limits
from app.documents.reading import DocumentReader
from app.documents.reading import Parts as DocumentReaderParts
from app.documents.removal import DocumentRemover
from app.documents.service import DocumentService
from app.documents.service import Parts as DocumentParts
from app.documents.writing import ChunkWriter
from app.embeddings.known import completed
from app.embeddings.measured import Measured
from app.embeddings.model import Embedder, EmbeddingConfig
from app.embeddings.provider import build_embedder
from app.entities.merges import MergeService
from app.entities.repository import EntityRepository
from app.entities.service import EntityService
from app.episodes.repository import EpisodeRepository
from app.episodes.service import EpisodeService
from app.episodes.service import Parts as EpisodeParts
from app.errors import InvalidInput
from app.escalations.service import EscalationLimits, EscalationService
from app.events.repository import EventRepository
from app.events.service import EventService
from app.facts.merging import beliefs_follow
from app.facts.predicates import PredicateService
from app.facts.repository import FactRepository
from app.facts.service import FactService
from app.facts.view import FactView
from app.goals.service import GoalService
from app.goals.service import Rule as GoalRule
from app.graphql.doors import Doors
from app.indexing.repository import IndexRepository, ensure_space, index_options
from app.indexing.service import IndexService
from app.indexing.spaces import Build, Spaces
from app.interventions.reckoning import Rule
from app.interventions.service import InterventionService, Pattern
from app.jobs.foreground import Foreground
from app.jobs.queue import Queue, Wakeup
from app.jobs.repository import JobRepository
from app.jobs.runner import Runner
from app.jobs.spool import spool_of
from app.kernel.graph import Graph, Login, connect
from app.kernel.migrate import migrate
from app.kernel.reach import Network, networks
from app.kernel.turns import Shares
from app.kinds import TOLD_TO_FEW
from app.learning.intents import IntentRule, IntentService
from app.learning.log import LearnedLog
from app.learning.segments import SegmentLimits, SegmentService
from app.learning.turns import TurnFollower
from app.lifecycle.condensing import CondensingService
from app.lifecycle.duplicates import DuplicateService
from app.lifecycle.erasure import ErasureService
from app.lifecycle.erasure import Parts as ErasureParts
from app.lifecycle.fading import FadingService
from app.lifecycle.feedback import FeedbackService, UseCounter
from app.lifecycle.forgetting import ForgettingService
from app.lifecycle.keeper import CacheKeeper
from app.lifecycle.learning import LearningService
from app.lifecycle.promotion import Parts as PromotionParts
from app.lifecycle.promotion import PromotionService
from app.lifecycle.requests import ErasureRequests
from app.lifecycle.residue import Residue
from app.lifecycle.rewording import RewordingService
from app.lifecycle.scope_deletion import Parts as DeletionParts
from app.lifecycle.scope_deletion import ScopeDeletion
from app.lifecycle.sweep import SweepService
from app.lifecycle.upkeep import UpkeepService
from app.llm.metered import MeteredModel
from app.llm.model import LlmConfig
from app.llm.repository import ReadingRepository
from app.mcp.services import Services
from app.notes.attesting import AttestingService
from app.notes.blocks import BlockService
from app.notes.cooling import CoolingService
from app.notes.drifting import DriftService
from app.notes.entries import NoteEntries
from app.notes.joining import JoinService
from app.notes.ratings import RatingService
from app.notes.repository import BlockRepository, NoteRepository
from app.notes.reviewing import NoteReviewer
from app.notes.service import NoteDependencies, NoteService
from app.observations.sensors import Collector
from app.observations.service import Limits as ObservationLimits
from app.observations.service import ObservationService
from app.pages.due import DuePages
from app.pages.neighbours import Neighbours
from app.pages.passages import PassageService
from app.pages.reading import PageReader
from app.pages.service import PageService
from app.pages.service import Parts as PageParts
from app.pages.vault import VaultService
from app.pools.finding import PoolTexts
from app.pools.retention import PoolUpkeep
from app.pools.service import PoolLimits, PoolService
from app.portability.deferral import text_index
from app.portability.jobs import EXPORT, IMPORT
from app.questions.analytics import AnalyticsService
from app.questions.log import QuestionLog
from app.questions.writing import QuestionWriter
from app.rag.answering import AgenticService
from app.rag.service import GraphRagService
from app.reembedding.service import ReembeddingService, ensure_further_indexes
from app.retrieval.graphs import GraphCache
from app.retrieval.linking import LinkService
from app.retrieval.repository import RetrievalRepository
from app.retrieval.service import WalkService
from app.retrieval.synonyms import COSINES, SynonymService
from app.sanitize.proof import prove_detectors
from app.scopes.repository import ScopeRepository
from app.scopes.service import ScopeService
from app.search.at_hand import AtHand
from app.search.blend import BlockDefaults
from app.search.block import ContextBlocks
from app.search.imagining import Imagination
from app.search.judging import RerankStep
from app.search.repository import SearchRepository
from app.search.reranker import Reranker, RerankerConfig, Shape
from app.search.service import Parts as SearchParts
from app.search.service import SearchService
from app.settings import ModelSettings, Settings
from app.shortterm.erasing import ShortTermErasure
from app.shortterm.model import Limits as ShortLimits
from app.shortterm.service import ShortTermService
from app.skills.door import SkillGraph
from app.skills.falling_back import fall_back
from app.skills.service import Parts as SkillParts
from app.snapshots.diary import DiaryService
from app.snapshots.service import SnapshotService
from app.snapshots.telling import DayTeller
from app.tables.linking import Linker
from app.tables.service import TableLimits, TableService
from app.tasks import HEAVY, TASKS
from app.telemetry.standing import Counted, standing
from app.tiers.foreseeing import ForeseeingParts, ForeseeingService
from app.tiers.injection import ContextInjector, InjectionLimits, InjectorParts
from app.tiers.loading import SlotParts, SlotService
from app.tiers.model import Tier
from app.tiers.promoting import Rule as PromotionRule
from app.tiers.promotion import TierPromotion
from app.tiers.service import TierParts, TierService
from app.tiers.shelves import LongShelf, SharedShelf, ShortShelf, WorkingShelf
from app.traces.bounds import Bounds as JsonBounds
from app.traces.service import TraceLimits, TraceService
from app.traces.similar import SimilarTraces
from app.traces.statistics import ToolStatistics
from app.turns.recalling import Recalling, RecallLimits
from app.turns.rewriting import Rewriting
from app.turns.service import TurnService
from app.webhooks.backoff import Backoff
from app.webhooks.posting import Postman
from app.webhooks.repository import WebhookRepository
from app.webhooks.sending import Limits as SendingLimits
from app.webhooks.sending import Parts as SenderParts
from app.webhooks.sending import Sender
from app.webhooks.service import WebhookService
from app.working.copies import CopyRepository
from app.working.erasing import WorkingErasure
from app.working.model import Eviction
from app.working.model import Limits as WorkingLimits
from app.working.service import Parts as WorkingParts
from app.working.service import WorkingService
from app.working.store import WorkingStore
from app.workitems.service import WorkService

if TYPE_CHECKING:  # its library takes half a second to import, for those alone who have a model
    from app.llm.client import LanguageModel

INDEX_TASK = "indexing.drain"
CONSOLIDATION_TASK = "consolidation.drain"
MODEL_TASK = "consolidation.model"
CONDENSING_TASK = "condensing.drain"
LINK_TASK = "retrieval.link"
COMPARE_TASK = "retrieval.compare"
PAGES_TASK = "pages.due"
WEBHOOK_TASK = "webhooks.send"


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a door may hand to a handler, a job or a command."""

    settings: Settings
    graph: Graph
    queue: Queue
    wakeup: Wakeup
    embedder: Embedder
    spaces: Spaces
    reembedding: ReembeddingService
    access_rows: AccessRepository
    refusals: Refusals
    keys: KeyRing
    access: AccessService
    limiter: RateLimiter
    foreground: Foreground
    idempotency: IdempotencyRecords
    scope_rows: ScopeRepository
    scopes: ScopeService
    episode_rows: EpisodeRepository
    episodes: EpisodeService
    index_rows: IndexRepository
    indexing: IndexService
    searches: SearchService
    turns: TurnService
    linking: LinkService
    synonyms: SynonymService
    walks: WalkService
    jobs: JobRepository
    runner: Runner
    entities: EntityService
    merges: MergeService
    entity_rows: EntityRepository
    fact_rows: FactRepository
    facts: FactService
    predicates: PredicateService
    views: FactView
    consolidation_rows: ConsolidationRepository
    consolidation: ConsolidationService
    model_reader: ModelReader
    fast: FastPath
    notes: NoteService
    condensing: CondensingService
    communities: CommunityService
    summaries: SummaryService
    graph_rag: GraphRagService
    agentic: AgenticService
    analytics: AnalyticsService
    question_log: QuestionLog
    blocks: BlockService
    attesting: AttestingService
    drifting: DriftService
    erasure: ErasureService
    erasing: ErasureRequests
    deletion: ScopeDeletion
    chunks: ChunkWriter
    bases: BaseService
    documents: DocumentService
    intake: Intake
    document_reader: DocumentReader
    document_remover: DocumentRemover
    forgetting: ForgettingService
    sweeping: SweepService
    upkeep: UpkeepService
    doubling: DuplicateService
    feedback: FeedbackService
    uses: UseCounter
    learning: LearningService
    rewording: RewordingService
    promoting: PromotionService
    skilled: SkillGraph
    pages: PageService
    page_reads: PageReader
    page_neighbours: Neighbours
    page_passages: PassageService
    due_pages: DuePages
    vaults: VaultService
    pools: PoolService
    events: EventService
    webhooks: WebhookService
    sender: Sender
    pool_upkeep: PoolUpkeep
    pool_texts: PoolTexts
    work: WorkService
    goals: GoalService
    escalations: EscalationService
    observing: ObservationService
    collecting: Collector
    intervening: InterventionService
    snapshots: SnapshotService
    diary: DiaryService
    ratings: RatingService
    traces: TraceService
    segments: SegmentService
    following: TurnFollower
    intents: IntentService
    learned_log: LearnedLog
    alike: SimilarTraces
    figures: ToolStatistics
    data_tables: TableService
    table_links: Linker
    conversations: ConversationService
    judging: JudgingService
    sorting: AnswerSorter
    joining: JoinService
    recalling: Recalling
    contexts: ContextService
    context_entries: EntryService
    context_finding: ContextFinding
    context_snapshots: ContextSnapshots
    context_upkeep: ContextUpkeep
    own_memory: OwnMemory
    tiered: TierService
    slotted: SlotService
    foreseeing: ForeseeingService
    tier_promotion: TierPromotion
    context_blocks: ContextBlocks
    context_injector: ContextInjector
    agent_memory: AgentMemory
    doors: Doors
    services: Services
    working: WorkingService
    shortterm: ShortTermService


def embedding_config(settings: Settings, named: ModelSettings | None = None) -> EmbeddingConfig:
    """A model's own configuration, by default that of the settings' first model.

    What is unset keeps its default, which is the model's own where the model is known.
    """
    chosen, shared = named or settings.embedding, settings.embedding
    config = EmbeddingConfig(
        provider=chosen.provider,
        threads=chosen.threads,
        allow_test=shared.allow_test,
        cache_dir=shared.cache or settings.runtime.cache / "models",
    )
    given: dict[str, Any] = {
        "model": chosen.model,
        "base_url": chosen.base_url,
        "api_key": chosen.api_key,
    }
    config = replace(config, **{k: v for k, v in given.items() if v is not None})
    return completed(config, dimension=chosen.dimension)


def further_models(settings: Settings) -> dict[str, Build]:
    """How each further model of the settings is built, by name."""
    further = settings.embedding.further
    return {
        name: partial(build_embedder, embedding_config(settings, named))
        for name, named in further.items()
    }


def language_model(settings: Settings) -> LanguageModel | None:
    """The model that reads after the rules; None where none is configured."""
    given = settings.llm
    if not given.model:
        return None
    client = import_module("app.llm.client")
    model: LanguageModel = client.LanguageModel.build(
        LlmConfig(
            model=given.model,
            base_url=given.base_url or "",
            api_key=given.api_key or "",
            timeout_s=given.timeout_seconds,
            deadline_s=given.deadline_seconds,
            retries=given.retries,
            answer_tokens=given.answer_tokens,
            temperature=given.temperature,
            stream=given.stream,
        )
    )
    return model


def metered_model(graph: Graph, settings: Settings) -> MeteredModel | None:
    """The same model for questions that cost the budget of the scope that asks."""
    model = language_model(settings)
    return None if model is None else MeteredModel(graph, model, settings.llm.budget_tokens)


def rerank_step(settings: Settings, scopes: ScopeService) -> RerankStep | None:
    """The reranker of the settings, asked about what the scopes' rules let be sent."""
    given = settings.reranker
    if not given.url:
        return None
    config = RerankerConfig(
        url=given.url,
        model=given.model or "",
        api_key=given.api_key or "",
        shape=Shape(given.shape),
        timeout_s=given.timeout_seconds,
    )
    return RerankStep(Reranker.build(config), scopes)


def imagination(graph: Graph, settings: Settings, scopes: ScopeService) -> Imagination | None:
    """HyDE, where the settings switch it on and name a language model."""
    model = metered_model(graph, settings) if settings.search.hyde else None
    return None if model is None else Imagination(model, scopes, settings.search.hyde_seconds)


def connect_graph(settings: Settings) -> Graph:
    """The graph of the settings; nothing is sent yet."""
    given = settings.graph
    login = Login(given.uri, given.user, given.password, given.database)
    return connect(login, pool=given.pool)


async def prepare_graph(graph: Graph, embedder: Embedder, settings: Settings) -> None:
    """Migrate the schema and check that the stored vectors come from the embedder in use."""
    await migrate(graph)
    # An import that deferred the search indexes and was killed leaves them missing.
    await graph.raw(text_index())
    await ensure_space(graph, embedder.info, vector_options(embedder, settings))
    await ensure_further_indexes(graph, partial(space_options, settings))


def vector_options(embedder: Embedder, settings: Settings) -> dict[str, Any]:
    """Settings of the vector index for this embedder."""
    return space_options(settings, embedder.info.dimension)


def space_options(settings: Settings, dimension: int) -> dict[str, Any]:
    """Settings of a vector index for vectors of this length."""
    search = settings.search
    return index_options(dimension, search.quantization, search.expansion)


def walk_service(graph: Graph, settings: Settings) -> WalkService:
    """Walks over the graph's names; the matrices are this process's own."""
    rows, search = RetrievalRepository(graph), settings.search
    wait = search.graph_wait_ms / 1000
    cache = GraphCache(rows, search.graph_mb << 20, wait, alike=search.synonyms)
    return WalkService(rows, cache)


def parse_limits(settings: Settings) -> Limits:
    """How much reading one document may cost."""
    given = settings.documents
    return Limits(
        size=given.max_size,
        pages=given.max_pages,
        characters=given.max_characters,
        seconds=given.parse_seconds,
        memory=given.parse_memory_mb * MIB,
        unpacked=given.max_unpacked,
    )


def pool_limits(settings: Settings) -> PoolLimits:
    """Quotas of memory pools."""
    given = settings.pools
    return PoolLimits(given.max_bytes, given.per_scope, given.versions, given.versions_bytes)


def trace_limits(settings: Settings) -> TraceLimits:
    """How much one trace may hold."""
    given = settings.traces
    bounds = JsonBounds(given.json_bytes, given.json_depth)
    return TraceLimits(bounds, given.steps, given.tool_calls, given.links)


def context_limits(settings: Settings) -> ContextLimits:
    """Bounds of long-term contexts."""
    return ContextLimits(**settings.contexts.model_dump())


def fetch_limits(settings: Settings) -> FetchLimits:
    """How far fetching one document goes; InvalidInput names a setting that is no network."""
    given = settings.documents
    allowed = _networks(given.fetch_allow, "LOCI_DOCUMENTS__FETCH_ALLOW")
    return FetchLimits(size=given.max_size, seconds=given.fetch_seconds, allowed=allowed)


def _networks(given: str, variable: str) -> tuple[Network, ...]:
    try:
        return networks(given)
    except ValueError as error:
        raise InvalidInput(f"setting {variable}: {error}", field=variable) from None


def webhooks(
    settings: Settings, graph: Graph, keys: KeyRing, scopes: ScopeService, events: EventRepository
) -> dict[str, Any]:
    """What makes webhooks and what sends them, by their names among the parts."""
    given = settings.webhooks
    postman = Postman(given.timeout_seconds, _networks(given.allow, "LOCI_WEBHOOKS__ALLOW"))
    backoff = Backoff(given.backoff_seconds, given.backoff_most)
    limits = SendingLimits(given.batch, given.tries, given.pause_after, backoff)
    rows = WebhookRepository(graph)
    return {
        "webhooks": WebhookService(rows, scopes, events, postman, given.per_scope),
        "sender": Sender(SenderParts(graph, keys, events, postman), limits),
    }


def table_limits(settings: Settings) -> TableLimits:
    """Limits of data tables."""
    given = settings.tables
    return TableLimits(
        tables=given.per_scope,
        columns=given.columns,
        rows=given.rows,
        versions=given.versions,
        bytes=given.max_bytes,
        row_bytes=given.row_bytes,
        batch=given.batch,
    )


def working_limits(settings: Settings) -> WorkingLimits:
    """How much working memory may hold, and for how long."""
    given = settings.working
    return WorkingLimits(
        value=given.value_bytes,
        keys=given.keys,
        agent=given.agent_bytes,
        tenant=given.tenant_bytes,
        ttl=given.ttl_seconds,
        ttl_most=given.ttl_most,
        slots=given.slots,
        eviction=Eviction(given.eviction),
    )


def short_limits(settings: Settings) -> ShortLimits:
    """How many entries of short-term memory an agent has, and for how long."""
    given = settings.short_term
    return ShortLimits(
        given.ttl_seconds,
        given.ttl_most,
        given.entries,
        settings.tiers.reads,
        given.fade,
        given.days,
    )


def promotion_rule(settings: Settings) -> PromotionRule:
    """When entries of short-term memory become long-term memory."""
    given = settings.tiers
    return PromotionRule(given.alike, timedelta(hours=given.again_hours))


def block_defaults(settings: Settings) -> BlockDefaults:
    """What counts how much in a block of relevant context, in the order of the settings."""
    return BlockDefaults(*settings.blocks.model_dump().values())


def observation_limits(settings: Settings) -> ObservationLimits:
    """How large observations are, how long they last and how many there are."""
    given = settings.autonomy
    return ObservationLimits(
        bytes=given.observation_bytes,
        ttl=timedelta(seconds=min(given.observation_ttl_seconds, given.observation_ttl_most)),
        ttl_most=timedelta(seconds=given.observation_ttl_most),
        processed=timedelta(days=given.observation_processed_days),
        per_scope=given.observations_per_scope,
    )


def injection_limits(settings: Settings) -> InjectionLimits:
    """How much a context for a task tells."""
    given = settings.tiers
    return InjectionLimits(
        given.context_tokens,
        given.minimal_tokens,
        given.entry_tokens,
        given.experience,
        given.relevant,
    )


def autonomy(settings: Settings, graph: Graph, scopes: ScopeService) -> dict[str, Any]:
    """Goals, escalations, observations and suggestions, by their names among the parts."""
    given = settings.autonomy
    stale, limits = timedelta(days=given.goal_stale_days), observation_limits(settings)
    pattern = Pattern(
        window=timedelta(days=given.suggestion_window_days),
        rule=Rule(given.suggestion_least, given.suggestion_rate),
        quiet=timedelta(days=given.suggestion_quiet_days),
    )
    return {
        "goals": GoalService(graph, scopes, stale, GoalRule(settings.goals.abandon_stale)),
        "escalations": EscalationService(graph, scopes, EscalationLimits(given.escalation_levels)),
        "observing": ObservationService(graph, scopes, limits),
        "collecting": Collector(graph, scopes, limits, stale / 2),
        "intervening": InterventionService(graph, scopes, pattern),
    }


def learning_parts(
    settings: Settings, graph: Graph, scopes: ScopeService, spaces: Spaces
) -> dict[str, Any]:
    """Segments of tasks, intents, and the log of what was learnt."""
    given = settings.learning
    limits = SegmentLimits(
        timedelta(minutes=given.idle_minutes), given.uses, given.samples, given.turns
    )
    rule = IntentRule(given.intent_floor, given.intent_least, given.intent_batch)
    segments = SegmentService(graph, scopes, limits)
    return {
        "segments": segments,
        "following": TurnFollower(segments),
        "intents": IntentService(graph, scopes, spaces, rule),
        "learned_log": LearnedLog(graph),
    }


def buffer_bounds(settings: Settings) -> BufferBounds:
    """How much a buffer of a conversation holds, and how long it is held back."""
    given = settings.conversations
    return BufferBounds(given.messages, timedelta(seconds=given.open_seconds), given.leaf)


def judging_limits(settings: Settings) -> JudgingLimits:
    """How much one pass over mid-term memory takes."""
    given = settings.conversations
    return JudgingLimits(given.items, given.model_least, given.price, given.prompt)


def recall_limits(settings: Settings) -> RecallLimits:
    """How much is recalled for a message."""
    given = settings.conversations
    return RecallLimits(given.query_characters, given.hits, given.hit_characters, given.relevance)


def assemble(settings: Settings, graph: Graph, embedder: Embedder) -> Parts:
    """Wire the parts; does no I/O."""
    spaces = Spaces(graph, embedder, further_models(settings))
    queue = Queue(settings.redis.url, settings.redis.queue)
    wakeup = Wakeup(queue, INDEX_TASK)
    access_rows = AccessRepository(graph)
    keys = KeyRing(access_rows, settings.api.key_cache_seconds)
    event_rows = EventRepository(graph, access_rows)
    scope_rows = ScopeRepository(graph)
    scopes = ScopeService(scope_rows, settings, keys.forget)
    episode_rows = EpisodeRepository(graph)
    index_rows = IndexRepository(graph)
    jobs = JobRepository(graph, timedelta(seconds=settings.worker.lease_seconds))
    episodes = EpisodeService(EpisodeParts(episode_rows, access_rows, scopes, wakeup))
    entity_rows, fact_rows = EntityRepository(graph), FactRepository(graph)
    predicates = PredicateService(fact_rows)
    consolidation_rows = ConsolidationRepository(graph)
    consolidation = ConsolidationService(
        ConsolidationParts(
            graph,
            consolidation_rows,
            entity_rows,
            fact_rows,
            scopes,
            predicates,
            asks=bool(settings.llm.model),
        )
    )
    given = settings.llm
    limits = ModelLimits(
        given.budget_tokens, given.concurrency, given.max_chars, given.patience_seconds
    )
    model_reader = ModelReader(
        ReaderParts(
            ReadingRepository(graph), consolidation, scopes, language_model(settings), limits
        )
    )
    facts = FactService(fact_rows, consolidation.terms, scopes.policy)
    forgetting, uses = ForgettingService(graph), UseCounter(graph)
    walks = walk_service(graph, settings)
    namer = Measured.of(embedder, COSINES) if settings.search.synonyms else None
    indexing = IndexService(
        index_rows, spaces, settings.embedding.batch, settings.embedding.near_duplicate
    )
    runner = Runner(jobs, queue, TASKS, settings.worker.max_tries, HEAVY, keys.still_may)
    bounds_of_work = working_limits(settings)
    store = WorkingStore(settings.redis.url, bounds_of_work)
    forgets_work = WorkingErasure(store, graph)
    residue = Residue(graph, EXPORT, IMPORT, spool_of(settings).drop)
    erasure = ErasureService(
        ErasureParts(
            graph,
            entity_rows,
            fact_rows,
            scopes,
            consolidation.terms,
            residue,
            fall_back,
            forgets_work,
            ShortTermErasure(graph),
        )
    )
    documents = DocumentService(DocumentParts(graph, scopes, runner))
    chunks = ChunkWriter(graph, erasure.withdraw, wakeup)
    passages = PassageService(graph, chunks)
    due = DuePages(graph, passages)
    pages = PageService(PageParts(graph, scopes, wakeup, passages))
    notes = NoteService(NoteDependencies(NoteRepository(graph), scopes, spaces, wakeup))
    fast = FastPath(
        FastParts(episodes, scopes, consolidation, consolidation_rows, facts, forgetting)
    )
    shortterm = ShortTermService(graph, scopes, short_limits(settings), bounds_of_work)
    working = WorkingService(
        WorkingParts(store, CopyRepository(graph, bounds_of_work), scopes, access_rows)
    )
    searches = SearchService(
        SearchParts(
            SearchRepository(graph),
            FactView(graph, consolidation.terms_of),
            spaces,
            settings.search.depth,
            uses.note,
            FadingService(graph, scopes, predicates.registry),
            CoolingService(graph, scopes, spaces),
            walks,
            rerank_step(settings, scopes),
            imagination(graph, settings, scopes),
            Shares(settings.search.at_once // 2, settings.search.at_once, rest=1.0, queued=True),
            at_hand=AtHand(working, shortterm, spaces),
        )
    )
    alike = SimilarTraces(graph, spaces, settings.traces.floor)
    graph_rag = GraphRagService(graph, searches, embedder, alike)
    conversations = ConversationService(graph, scopes, episodes, buffer_bounds(settings))
    contexts = ContextService(graph, scopes, context_limits(settings))
    context_entries = EntryService(contexts)
    context_finding = ContextFinding(contexts, spaces)
    own_memory = OwnMemory(contexts, context_entries, context_finding)
    slotted = SlotService(SlotParts(working, episode_rows, searches))
    tier_promotion = TierPromotion(
        contexts, context_entries, spaces, wakeup, promotion_rule(settings)
    )
    question_log = QuestionLog(QuestionWriter(graph, scopes))
    refusals = Refusals(access_rows)
    limiter = RateLimiter(queue, settings.api.rate_per_minute)
    beliefs = beliefs_follow(fact_rows, consolidation.terms)
    doors = Doors(
        graph=graph,
        episodes=episodes,
        episode_rows=episode_rows,
        fast=fast,
        facts=facts,
        entities=EntityService(entity_rows, scopes, beliefs),
        pages=pages,
        notes=notes,
        skills=SkillGraph.of(SkillParts(graph, scopes, spaces, wakeup), notes),
        bases=BaseService(graph, scopes),
        documents=documents,
        searches=searches,
        questions=question_log,
        feedback=FeedbackService(graph, facts),
        forgetting=forgetting,
        erasing=ErasureRequests(erasure, episode_rows, runner, spool_of(settings)),
        merges=MergeService(graph, scopes.policy, beliefs),
        page_reads=PageReader(graph),
        page_neighbours=Neighbours(graph, pages, indexing, spaces),
        graph_rag=graph_rag,
        predicates=predicates,
        runner=runner,
        slotted=slotted,
        agentic=AgenticService(graph_rag, scopes, metered_model(graph, settings)),
    )
    data_tables = TableService(graph, scopes, table_limits(settings))
    pools = PoolService(graph, scopes, pool_limits(settings))
    work = WorkService(graph, scopes)
    traces = TraceService(graph, scopes, trace_limits(settings))
    figures = ToolStatistics(
        graph, settings.traces.statistics_days, settings.traces.statistics_most_days
    )
    access = AccessService(access_rows, keys, scopes.policy)
    autonomous = autonomy(settings, graph, scopes)
    learned = learning_parts(settings, graph, scopes, spaces)
    tiered = TierService(
        TierParts(
            graph=graph,
            shelves={
                Tier.WORKING: WorkingShelf(working),
                Tier.SHORT_TERM: ShortShelf(shortterm),
                Tier.LONG_TERM: LongShelf(contexts, context_entries, own_memory),
                Tier.SHARED: SharedShelf(pools),
            },
            working=working,
            shortterm=shortterm,
            pools=pools,
            searches=searches,
            spaces=spaces,
            promotion=tier_promotion,
        )
    )
    judging = JudgingService(
        graph, scopes, metered_model(graph, settings), judging_limits(settings)
    )
    context_injector = ContextInjector(
        InjectorParts(
            graph=graph,
            scopes=scopes,
            limits=injection_limits(settings),
            working=working,
            shortterm=shortterm,
            searches=searches,
            traces=alike,
            solved=traces,
            goals=autonomous["goals"],
            observations=autonomous["observing"],
        )
    )
    intake = Intake(documents, spool_of(settings), settings.documents.max_size)
    services = Services(
        episodes=episodes,
        episode_rows=episode_rows,
        fast=fast,
        facts=facts,
        entities=doors.entities,
        notes=notes,
        skills=doors.skills,
        pages=doors.page_reads,
        searches=searches,
        questions=question_log,
        graph_rag=graph_rag,
        agentic=doors.agentic,
        forgetting=forgetting,
        consolidation=consolidation_rows,
        data_tables=data_tables,
        work=work,
        pools=pools,
        traces=traces,
        alike=alike,
        figures=figures,
        entries=NoteEntries(notes),
        contexts=contexts,
        context_entries=context_entries,
        context_finding=context_finding,
        own_memory=own_memory,
        conversations=conversations,
        access=access,
        working=working,
        goals=autonomous["goals"],
        escalations=autonomous["escalations"],
        observing=autonomous["observing"],
        intake=intake,
        learned_log=learned["learned_log"],
        tiered=tiered,
        slotted=slotted,
        context_injector=context_injector,
        bases=doors.bases,
        consolidating=Consolidating(consolidation_rows, model_reader, access_rows, runner),
        standing=partial(
            standing,
            Counted(graph, embedder, indexing, jobs, consolidation_rows, TOLD_TO_FEW),
        ),
    )
    events = EventService(event_rows, keys, settings.api.event_seconds)
    return Parts(
        settings=settings,
        graph=graph,
        queue=queue,
        wakeup=wakeup,
        embedder=embedder,
        spaces=spaces,
        reembedding=ReembeddingService(graph, spaces, partial(space_options, settings)),
        access_rows=access_rows,
        refusals=refusals,
        doors=doors,
        services=services,
        keys=keys,
        access=access,
        limiter=limiter,
        foreground=Foreground(queue),
        idempotency=IdempotencyRecords(graph),
        scope_rows=scope_rows,
        scopes=scopes,
        episode_rows=episode_rows,
        episodes=episodes,
        index_rows=index_rows,
        indexing=indexing,
        linking=LinkService(graph, compares=namer is not None),
        synonyms=SynonymService(graph, namer),
        walks=walks,
        searches=searches,
        turns=TurnService(conversations, searches, question_log),
        conversations=conversations,
        judging=judging,
        foreseeing=ForeseeingService(ForeseeingParts(graph, judging, short_limits(settings))),
        joining=JoinService(
            graph,
            timedelta(seconds=settings.conversations.open_seconds),
            NoteReviewer(scopes, metered_model(graph, settings)),
        ),
        sorting=AnswerSorter(graph, scopes, notes, metered_model(graph, settings)),
        recalling=Recalling(
            conversations,
            searches,
            question_log,
            recall_limits(settings),
            Rewriting(metered_model(graph, settings), scopes, settings.search.hyde_seconds),
        ),
        graph_rag=graph_rag,
        analytics=AnalyticsService(graph, scopes),
        question_log=question_log,
        agentic=doors.agentic,
        entities=doors.entities,
        merges=doors.merges,
        jobs=jobs,
        runner=runner,
        entity_rows=entity_rows,
        fact_rows=fact_rows,
        facts=facts,
        predicates=predicates,
        views=FactView(graph, consolidation.terms_of),
        consolidation_rows=consolidation_rows,
        consolidation=consolidation,
        model_reader=model_reader,
        fast=fast,
        notes=notes,
        skilled=doors.skills,
        condensing=CondensingService(graph, scopes),
        communities=CommunityService(graph),
        summaries=SummaryService(graph, scopes, metered_model(graph, settings)),
        blocks=BlockService(BlockRepository(graph), scopes),
        attesting=AttestingService(graph, scopes),
        drifting=DriftService(graph, spaces),
        forgetting=forgetting,
        feedback=doors.feedback,
        uses=uses,
        learning=LearningService(graph, fact_rows, consolidation.terms),
        rewording=RewordingService(graph, consolidation.terms),
        promoting=PromotionService(PromotionParts(graph, scopes, facts, fast)),
        pages=pages,
        page_reads=doors.page_reads,
        page_neighbours=doors.page_neighbours,
        page_passages=passages,
        due_pages=due,
        vaults=VaultService(pages, due),
        pools=pools,
        events=events,
        **webhooks(settings, graph, keys, scopes, event_rows),
        pool_upkeep=PoolUpkeep(graph, scopes, pool_limits(settings)),
        pool_texts=PoolTexts(graph),
        work=work,
        **autonomous,
        diary=DiaryService(graph, scopes, DayTeller(scopes, metered_model(graph, settings))),
        ratings=RatingService(graph),
        snapshots=SnapshotService(graph, settings.autonomy.snapshot_entries),
        traces=traces,
        **learned,
        alike=alike,
        figures=figures,
        data_tables=data_tables,
        table_links=Linker(graph),
        contexts=contexts,
        context_entries=context_entries,
        context_finding=context_finding,
        context_snapshots=ContextSnapshots(contexts, context_entries),
        context_upkeep=ContextUpkeep(contexts, context_entries, context_finding),
        own_memory=own_memory,
        agent_memory=AgentMemory.of(
            AgentMemoryParts(
                settings=settings.agent_memory,
                days=settings.traces.statistics_most_days,
                graph=graph,
                scopes=scopes,
                episodes=episodes,
                searches=searches,
                forgetting=forgetting,
                fast=fast,
                entities=doors.entities,
                merges=doors.merges,
                facts=facts,
                notes=notes,
                traces=traces,
                alike=alike,
                figures=figures,
            )
        ),
        upkeep=UpkeepService(graph, scopes, forgetting),
        doubling=DuplicateService(graph, embedder.info.name),
        sweeping=SweepService(graph, scopes, forgetting, predicates.registry),
        erasure=erasure,
        erasing=doors.erasing,
        deletion=ScopeDeletion(
            DeletionParts(
                graph=graph,
                erasure=erasure,
                scopes=scopes,
                access=access_rows,
                runner=runner,
                working=forgets_work,
                lag=settings.api.key_cache_seconds,
            )
        ),
        chunks=chunks,
        bases=doors.bases,
        documents=documents,
        intake=intake,
        document_reader=DocumentReader(
            DocumentReaderParts(
                graph=graph,
                scopes=scopes,
                chunks=chunks,
                embedder=embedder,
                fetcher=Fetcher(fetch_limits(settings)),
                spool=spool_of(settings),
                limits=parse_limits(settings),
                batch=settings.embedding.batch,
                tries=settings.worker.max_tries,
            )
        ),
        document_remover=DocumentRemover(graph, chunks, erasure.finish),
        shortterm=shortterm,
        working=working,
        tiered=tiered,
        slotted=slotted,
        tier_promotion=tier_promotion,
        context_blocks=ContextBlocks(graph, searches, scopes, block_defaults(settings)),
        context_injector=context_injector,
    )


@asynccontextmanager
async def parts(
    settings: Settings, *, wakeups: bool = False, late: bool = False
) -> AsyncIterator[Parts]:
    """All parts, with the graph's schema in place; closes what it opened.

    A command has the local model `late`, since most of them embed nothing.
    """
    prove_detectors()
    graph = connect_graph(settings)
    try:
        config = replace(embedding_config(settings), late=late)
        embedder = await asyncio.to_thread(build_embedder, config)
        try:
            await prepare_graph(graph, embedder, settings)
            assembled = assemble(settings, graph, embedder)
            keeper = CacheKeeper(graph)
            keeper.start()
            if wakeups:
                assembled.wakeup.start()
                assembled.foreground.saying.start()
                assembled.uses.periodic.start()
                assembled.pools.reads.periodic.start()
                assembled.question_log.periodic.start()
            try:
                yield assembled
            finally:
                assembled.events.close()
                await keeper.stop()
                await assembled.uses.periodic.stop()
                await assembled.pools.reads.periodic.stop()
                await assembled.question_log.periodic.stop()
                await assembled.foreground.saying.stop()
                await assembled.foreground.looking.stop()
                await assembled.wakeup.stop()
                assembled.consolidation.reader.stop()
                await assembled.spaces.aclose()
                await assembled.walks.aclose()
                await assembled.queue.close()
                await assembled.working.aclose()
                await assembled.model_reader.aclose()
                await assembled.agentic.aclose()
                await assembled.searches.aclose()
                await assembled.summaries.aclose()
                await assembled.diary.aclose()
                await assembled.judging.aclose()
                await assembled.joining.aclose()
                await assembled.sorting.aclose()
                await assembled.recalling.aclose()
        finally:
            await embedder.aclose()
    finally:
        await graph.close()
