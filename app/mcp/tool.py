"""What a tool is: its types, the role it asks for, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from mcp.types import Tool as Listed
from mcp.types import ToolAnnotations

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
from app.kernel.caller import Caller, Role
from app.kernel.wire import WireModel
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

PROBLEM = {"type": "object", "required": ["code", "detail"]}  # of every problem document


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


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool answers: the value of its route, and the same as a text for a prompt."""

    value: msgspec.Struct
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` is handed a value of `takes`; `destructive` tells that it may take something
    out of sight or write over it, `again` that the same call a second time changes nothing more,
    `open_world` that it reaches beyond Loci, and `looks` that it only reads, whatever the role."""

    name: str
    title: str
    description: str
    takes: type[WireModel]
    gives: type[msgspec.Struct]
    run: Callable[[Services, Caller, Any], Awaitable[Told]]
    requires: Role = Role.READER
    destructive: bool = False
    again: bool = True
    open_world: bool = False
    looks: bool = False

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.looks or self.requires is Role.READER

    def listed(self) -> Listed:
        """How the tool is told to a client."""
        return Listed(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_in(self.takes),
            output_schema=schema_out(self.gives),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destructive,
                idempotent_hint=self.again,
                open_world_hint=self.open_world,
            ),
        )


def schema_in(model: type[WireModel]) -> dict[str, Any]:
    """The JSON schema of what a tool takes, without the titles that only repeat names."""
    plain: dict[str, Any] = _untitled(model.model_json_schema())
    return plain


def schema_out(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of what a tool gives, an object at its root as clients ask for: its value, or
    the problem that it has met, since some clients hold what goes wrong against the schema too."""
    (_,), defs = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    made = {"type": "object", "anyOf": [defs.pop(struct.__name__), PROBLEM]}
    return {**made, "$defs": defs} if defs else made


def _untitled(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k != "title" or not isinstance(v, str)}
        return {name: _untitled(each) for name, each in kept.items()}
    return [_untitled(each) for each in value] if isinstance(value, list) else value
