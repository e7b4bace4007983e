"""The services behind the schema, and what a request carries through its resolvers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from app.consolidation.fast import FastPath
from app.documents.bases import BaseService
from app.documents.service import DocumentService
from app.entities.merges import MergeService
from app.entities.service import EntityService
from app.episodes.repository import EpisodeRepository
from app.episodes.service import EpisodeService
from app.facts.predicates import PredicateService
from app.facts.service import FactService, Moments
from app.graphql.loading import Asked, Loading
from app.jobs.runner import Runner
from app.kernel.caller import Caller
from app.kernel.graph import Graph
from app.lifecycle.feedback import FeedbackService
from app.lifecycle.forgetting import ForgettingService
from app.lifecycle.requests import ErasureRequests
from app.notes.service import NoteService
from app.pages.neighbours import Neighbours
from app.pages.reading import PageReader
from app.pages.service import PageService
from app.questions.log import QuestionLog
from app.rag.answering import AgenticService
from app.rag.service import GraphRagService
from app.search.service import SearchService
from app.skills.door import SkillGraph
from app.tiers.loading import SlotService


@dataclass(frozen=True, slots=True)
class Doors:
    """Each service by what it does; the HTTP routes call the same ones."""

    graph: Graph
    episodes: EpisodeService
    episode_rows: EpisodeRepository
    fast: FastPath
    facts: FactService
    entities: EntityService
    pages: PageService
    notes: NoteService
    skills: SkillGraph
    bases: BaseService
    documents: DocumentService
    searches: SearchService
    questions: QuestionLog
    feedback: FeedbackService
    forgetting: ForgettingService
    erasing: ErasureRequests
    merges: MergeService
    page_reads: PageReader
    page_neighbours: Neighbours
    agentic: AgenticService
    graph_rag: GraphRagService
    predicates: PredicateService
    runner: Runner
    slotted: SlotService


# A service by the name under which routes are given it.
Handed = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks, what answers, what has been read for it, and the moment of the request."""

    caller: Caller
    doors: Doors
    handed: Handed
    loading: Loading
    moments: Moments


Read = Callable[[Context, Asked], Awaitable[Any]]
