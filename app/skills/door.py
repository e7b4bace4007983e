"""The services of the skill graph, put together: one value that doors are handed."""

from __future__ import annotations

from dataclasses import dataclass

from app.notes.service import NoteService
from app.skills.chores import ChoreService
from app.skills.condition import ConditionService
from app.skills.conflicts import ConflictService
from app.skills.coverage import CoverageService
from app.skills.discovery import DiscoveryService
from app.skills.enrichment import EnrichmentService
from app.skills.knowledge import KnowledgeService
from app.skills.learnings import LearningService
from app.skills.links import LinkService
from app.skills.outcomes import OutcomeService
from app.skills.proposals import ProposalService
from app.skills.ranking import RankingService
from app.skills.repair import RepairService
from app.skills.service import Parts, SkillService


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """Each service by what it does."""

    skills: SkillService
    links: LinkService
    discovery: DiscoveryService
    enrichment: EnrichmentService
    outcomes: OutcomeService
    conflicts: ConflictService
    repair: RepairService
    proposals: ProposalService
    condition: ConditionService
    coverage: CoverageService
    learnings: LearningService
    knowledge: KnowledgeService
    chores: ChoreService
    ranking: RankingService

    @classmethod
    def of(cls, parts: Parts, notes: NoteService) -> SkillGraph:
        """The services over the same parts."""
        graph = parts.graph
        skills = SkillService(parts)
        links = LinkService(graph, skills)
        discovery = DiscoveryService(parts, skills)
        outcomes = OutcomeService(parts, skills)
        conflicts = ConflictService(graph, discovery.finder, parts.scopes.policy)
        proposals = ProposalService(parts, skills, links)
        return cls(
            skills=skills,
            links=links,
            discovery=discovery,
            enrichment=EnrichmentService(graph, skills, links, discovery),
            outcomes=outcomes,
            conflicts=conflicts,
            repair=RepairService(conflicts, skills, links),
            proposals=proposals,
            condition=ConditionService(graph, skills, outcomes, proposals),
            coverage=CoverageService(graph, discovery),
            learnings=LearningService(parts, notes, proposals),
            knowledge=KnowledgeService(graph, discovery.finder),
            chores=ChoreService(parts, conflicts, proposals),
            ranking=RankingService(graph, skills),
        )
