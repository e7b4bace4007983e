"""The services of the protocol, made of the services that everyone uses."""

from __future__ import annotations

from dataclasses import dataclass

from app.agentmemory import knowing, reasoning
from app.agentmemory.clearing import ClearService
from app.agentmemory.knowing import KnowledgeService
from app.agentmemory.preferring import PreferenceService
from app.agentmemory.reasoning import ReasoningService
from app.agentmemory.talking import TalkService
from app.consolidation.fast import FastPath
from app.entities.merges import MergeService
from app.entities.service import EntityService
from app.episodes.service import EpisodeService
from app.facts.service import FactService
from app.kernel.graph import Graph
from app.lifecycle.forgetting import ForgettingService
from app.notes.service import NoteService
from app.scopes.service import ScopeService
from app.search.service import SearchService
from app.settings import AgentMemorySettings
from app.traces.service import TraceService
from app.traces.similar import SimilarTraces
from app.traces.statistics import ToolStatistics
from app.transcripts.service import TranscriptService


@dataclass(frozen=True, slots=True)
class AgentMemoryParts:
    """What the protocol is served with; tool statistics look back `days`."""

    settings: AgentMemorySettings
    days: int
    graph: Graph
    scopes: ScopeService
    episodes: EpisodeService
    searches: SearchService
    forgetting: ForgettingService
    fast: FastPath
    entities: EntityService
    merges: MergeService
    facts: FactService
    notes: NoteService
    traces: TraceService
    alike: SimilarTraces
    figures: ToolStatistics


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """Everything that both doors of the protocol call."""

    settings: AgentMemorySettings
    talks: TalkService
    knowledge: KnowledgeService
    preferences: PreferenceService
    reasoning: ReasoningService
    clearing: ClearService

    @classmethod
    def of(cls, made: AgentMemoryParts) -> AgentMemory:
        """Return the services over these parts."""
        transcripts = TranscriptService(
            made.graph, made.scopes, made.episodes, made.settings.metadata_bytes
        )
        return cls(
            settings=made.settings,
            talks=TalkService(transcripts, made.searches, made.forgetting),
            knowledge=KnowledgeService(
                knowing.Parts(
                    made.fast,
                    made.entities,
                    made.merges,
                    made.facts,
                    made.searches,
                    made.forgetting,
                    transcripts,
                    made.scopes,
                    made.settings.graph_nodes,
                )
            ),
            preferences=PreferenceService(made.notes, made.searches, transcripts, made.scopes),
            reasoning=ReasoningService(
                reasoning.Parts(made.traces, made.alike, made.figures, made.days)
            ),
            clearing=ClearService(made.graph),
        )
