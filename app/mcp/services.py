"""The services that tools call, by what they do; nothing of the protocol is imported for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.access.service import AccessService
from app.consolidation.asking import Consolidating
from app.consolidation.fast import FastPath
from app.consolidation.repository import ConsolidationRepository
from app.contexts.finding import FindingService
from app.contexts.own import OwnMemory
from app.contexts.service import ContextService
from app.contexts.writing import EntryService
from app.conversations.service import ConversationService
from app.documents.bases import BaseService
from app.documents.intake import Intake
from app.entities.service import EntityService
from app.episodes.repository import EpisodeRepository
from app.episodes.service import EpisodeService
from app.escalations.service import EscalationService
from app.facts.service import FactService
from app.goals.service import GoalService
from app.kernel.caller import Caller
from app.learning.log import LearnedLog
from app.lifecycle.forgetting import ForgettingService
from app.notes.entries import NoteEntries
from app.notes.service import NoteService
from app.observations.service import ObservationService
from app.pages.reading import PageReader
from app.pools.service import PoolService
from app.questions.log import QuestionLog
from app.rag.answering import AgenticService
from app.rag.service import GraphRagService
from app.search.service import SearchService
from app.skills.door import SkillGraph
from app.tables.service import TableService
from app.telemetry.standing import StatusOut
from app.tiers.injection import ContextInjector
from app.tiers.loading import SlotService
from app.tiers.service import TierService
from app.traces.service import TraceService
from app.traces.similar import SimilarTraces
from app.traces.statistics import ToolStatistics
from app.working.service import WorkingService
from app.workitems.service import WorkService


@dataclass(frozen=True, slots=True)
class Services:
    """Each service by what it does; the HTTP routes call the same ones."""

    episodes: EpisodeService
    episode_rows: EpisodeRepository
    fast: FastPath
    facts: FactService
    entities: EntityService
    notes: NoteService
    skills: SkillGraph
    pages: PageReader
    searches: SearchService
    questions: QuestionLog
    graph_rag: GraphRagService
    agentic: AgenticService
    forgetting: ForgettingService
    consolidation: ConsolidationRepository
    data_tables: TableService
    work: WorkService
    pools: PoolService
    traces: TraceService
    alike: SimilarTraces
    figures: ToolStatistics
    entries: NoteEntries
    contexts: ContextService
    context_entries: EntryService
    context_finding: FindingService
    own_memory: OwnMemory
    conversations: ConversationService
    access: AccessService
    working: WorkingService
    goals: GoalService
    escalations: EscalationService
    observing: ObservationService
    intake: Intake
    learned_log: LearnedLog
    tiered: TierService
    slotted: SlotService
    context_injector: ContextInjector
    bases: BaseService
    consolidating: Consolidating
    standing: Callable[[Caller], Awaitable[StatusOut]]
