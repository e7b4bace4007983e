"""What hangs on what: every list and every link of the schema, by type and field.

A list is read with one statement for all parents of a level, and so is a link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.access.schemas import KeyOut
from app.communities.schemas import CommunityOut
from app.communities.view import viewed
from app.documents.schemas import ChunkOut, DocumentOut, KnowledgeBaseOut
from app.entities.schemas import EntityOut, MergeOut
from app.episodes.schemas import EpisodeOut, SessionOut
from app.facts.later_texts import LaterTexts
from app.facts.schemas import FactOut, IntervalOut
from app.facts.sentences import MentionOut
from app.graphql.cursors import (
    BEYOND,
    by_fact,
    by_id,
    by_number,
    by_rank,
    by_time,
)
from app.graphql.declared import BELOW
from app.graphql.loading import Listing, Lookup
from app.jobs.access import shown_to
from app.jobs.model import Job
from app.jobs.schemas import JobOut
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.lifecycle.requests import administered
from app.lifecycle.schemas import ReceiptOut
from app.notes.schemas import NoteOut, NoteVersionOut
from app.pages.reading import kind_of
from app.pages.schemas import LinkedOut, PageOut, PageVersionOut
from app.search.model import NOTES
from app.skills.graph_schemas import LearningItemOut
from app.skills.learnings import learnt
from app.skills.schemas import (
    ConcernOut,
    ConflictOut,
    HolderOut,
    ProposalOut,
    SkillOut,
    SkillVersionOut,
    UsageOut,
)

IdOf = Callable[[Any], str | None]
IdsOf = Callable[[Any], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Link:
    """One thing that a value names by its id."""

    to: Lookup
    id_of: IdOf


@dataclass(frozen=True, slots=True)
class Links:
    """Things that a value names by their ids; those that are not visible are left out."""

    to: Lookup
    ids_of: IdsOf


def _version(row: Row) -> PageVersionOut:
    return PageVersionOut.of(row["version"])


def _held(row: Row) -> dict[str, Any]:
    return {"id": row["held"]["id"], "interval": IntervalOut.of(row["held"])}


def _base(row: Row) -> KnowledgeBaseOut:
    names = ("status", "chunks", "characters", "tokens")
    documents = [dict(zip(names, one, strict=True)) for one in row["documents"]]
    return KnowledgeBaseOut.of(row["base"], documents)


def _link(row: Row) -> LinkedOut:
    return LinkedOut.outgoing({**row, "kind": kind_of(row)})


def _community(row: Row) -> CommunityOut | None:
    found = viewed([row])
    return CommunityOut.of(found[0]) if found else None


def _learning(row: Row) -> LearningItemOut:
    return LearningItemOut.of(learnt(row["note"]))


def _key(row: Row) -> KeyOut:
    return KeyOut(**{name: row[name] for name in KeyOut.__struct_fields__})


def _holder(row: Row) -> HolderOut:
    return HolderOut(**{name: row[name] for name in HolderOut.__struct_fields__})


async def _later(graph: Graph, rows: list[Row], params: Mapping[str, Any]) -> list[Row]:
    """Facts with the later texts that may have changed them."""
    moments = params["as_of"], params["known_at"]
    return await LaterTexts(graph).with_later(rows, params["scopes"], *moments)


def _spoken_of(*kinds: str) -> IdOf:
    return lambda told: told.memory if told.kind in kinds else None


def _of_kind(*kinds: str) -> IdOf:
    return lambda hit: hit.id if hit.kind in kinds else None


EPISODE = Lookup("episode", query=Q.graphql.episodes_by_id, show=EpisodeOut.of)
FACT = Lookup("fact", query=Q.graphql.facts_by_id, show=FactOut.of)
CHANGED = replace(FACT, more=_later)
ENTITY = Lookup("entity", query=Q.graphql.entities_by_id, show=EntityOut.of)
PAGE = Lookup("page", query=Q.graphql.pages_by_id, show=PageOut.of)
SKILL = Lookup("skill", query=Q.graphql.skills_by_id, show=SkillOut.of)
BASE = Lookup("knowledge base", query=Q.graphql.bases_by_id, show=_base)
DOCUMENT = Lookup("document", query=Q.graphql.documents_by_id, show=DocumentOut.of)
CHUNK = Lookup("chunk", query=Q.graphql.chunks_by_id, show=lambda row: ChunkOut.of(row["chunk"]))
COMMUNITY = Lookup(
    "community",
    query=Q.communities.read,
    show=_community,
    key=lambda row: str(row["community"]["id"]),
)
NOTE = Lookup("note", query=Q.graphql.notes_by_id, show=NoteOut.of)
LEARNING = Lookup(
    "learning",
    query=Q.skills.learnings_by_id,
    show=_learning,
    key=lambda row: str(row["note"]["id"]),
)
PROPOSAL = Lookup("proposal", query=Q.graphql.proposals_by_id, show=ProposalOut.of)
MERGE = Lookup("merge", query=Q.graphql.merges_by_id, show=MergeOut.of)
JOB = Lookup(
    "job",
    query=Q.graphql.jobs_by_id,
    show=lambda row: JobOut.of(Job.of(row["job"])),
    scopes=shown_to,
)
RECEIPT = Lookup(
    "receipt",
    query=Q.graphql.receipts_by_id,
    show=lambda row: ReceiptOut.of(row["receipt"]),
    scopes=administered,
)
KEY = Lookup("key", query=Q.graphql.keys_by_id, show=_key)
SESSION = Lookup("session", query=Q.graphql.sessions_by_id, show=SessionOut.of)

LISTS: dict[str, Listing] = {
    "Episode.mentions": Listing(
        query=Q.graphql.mentions, show=EntityOut.of, order=by_id("entity", "id")
    ),
    "Episode.facts": Listing(
        query=Q.graphql.supported, show=FactOut.of, order=by_fact("fact", "id")
    ),
    "Session.episodes": Listing(
        query=Q.graphql.sessions_episodes,
        show=EpisodeOut.of,
        order=by_time("captured_at", "episode", newest=False),
    ),
    "Fact.history": Listing(query=Q.graphql.held, show=_held, order=by_time("recorded_at", "held")),
    "Entity.facts": Listing(
        query=Q.graphql.facts_about, show=FactOut.of, order=by_fact("fact", "id")
    ),
    "Entity.neighbours": Listing(
        query=Q.graphql.neighbours, show=dict, order=by_rank(("count",), ("key",))
    ),
    "Entity.episodes": Listing(
        query=Q.graphql.mentioning, show=EpisodeOut.of, order=by_time("captured_at", "episode")
    ),
    "Entity.sentences": Listing(
        query=Q.sentences.of_entities,
        show=MentionOut.of,
        order=by_time("captured_at", "passage"),
    ),
    "Entity.backlinks": Listing(
        query=Q.graphql.entity_backlinks,
        show=LinkedOut.backlink,
        order=by_time("updated_at", "page"),
    ),
    "Page.backlinks": Listing(
        query=Q.graphql.page_backlinks,
        show=LinkedOut.backlink,
        order=by_time("updated_at", "page"),
    ),
    "Page.links": Listing(query=Q.graphql.links, show=_link, order=by_id("id")),
    "Page.versions": Listing(
        query=Q.graphql.page_versions,
        show=_version,
        order=by_number("before", BEYOND, "version", "version"),
    ),
    "Skill.versions": Listing(
        query=Q.graphql.skill_versions,
        show=lambda row: SkillVersionOut.of(row["version"]),
        order=by_time("created_at", "version"),
    ),
    "Skill.conflicts": Listing(
        query=Q.graphql.skill_conflicts, show=ConflictOut.of, order=by_id("conflict", "id")
    ),
    "Skill.links": Listing(query=Q.graphql.skill_links, show=dict, order=by_id("key")),
    "Skill.holders": Listing(query=Q.graphql.skill_holders, show=_holder, order=by_id("agent")),
    "Skill.entities": Listing(
        query=Q.graphql.skill_concerns, show=ConcernOut.of, order=by_id("id")
    ),
    "Skill.outcomes": Listing(
        query=Q.graphql.skill_outcomes,
        show=lambda row: UsageOut.of(row["usage"]),
        order=by_time("at", "usage"),
    ),
    "KnowledgeBase.documents": Listing(
        query=Q.graphql.documents_in, show=DocumentOut.of, order=by_id("document", "id")
    ),
    "Document.chunks": Listing(
        query=Q.graphql.chunks_of,
        show=lambda row: ChunkOut.of(row["chunk"]),
        order=by_number("after", -1, "chunk", "number"),
    ),
    "Community.members": Listing(
        query=Q.graphql.members,
        show=EntityOut.of,
        order=by_rank(("entity", "mention_count"), ("entity", "id")),
    ),
    "Note.versions": Listing(
        query=Q.graphql.note_versions,
        show=lambda row: NoteVersionOut.of(row["version"]),
        order=by_number("before", BEYOND, "version", "version"),
    ),
    **BELOW,
}

# Communities show what they cite as it is now, which is a statement of its own.
PARTS = Listing(query=Q.graphql.parts, show=dict, order=by_rank(("size",), ("id",)))

LINKS: dict[str, Link] = {
    "Fact.subject": Link(ENTITY, lambda fact: fact.subject),
    "Fact.object": Link(ENTITY, lambda fact: fact.object_id),
    "Support.episode": Link(EPISODE, lambda support: support["episode"]),
    "Support.chunk": Link(CHUNK, lambda support: support["episode"]),
    "Neighbour.entity": Link(ENTITY, lambda row: row["other"]),
    "Neighbour.fact": Link(FACT, lambda row: row["fact"]),
    "Backlink.page": Link(PAGE, lambda link: link.id),
    "Link.page": Link(PAGE, _of_kind("page", "article")),
    "Link.entity": Link(ENTITY, _of_kind("entity")),
    "Link.skill": Link(SKILL, _of_kind("skill")),
    "SkillLink.other": Link(SKILL, lambda row: row["other"]),
    "Document.knowledgeBase": Link(BASE, lambda document: document.knowledge_base),
    "Central.entity": Link(ENTITY, lambda central: central.id),
    "Hit.episode": Link(EPISODE, _of_kind("episode")),
    "Hit.fact": Link(FACT, _of_kind("fact")),
    "Hit.note": Link(NOTE, _of_kind(*NOTES)),
    "Hit.chunk": Link(CHUNK, _of_kind("chunk")),
    "Hit.skill": Link(SKILL, _of_kind("skill")),
    "CaptureReceipt.episode": Link(EPISODE, lambda receipt: receipt.id),
    "Remembered.episode": Link(EPISODE, lambda receipt: receipt.episode),
    "PageReceipt.page": Link(PAGE, lambda receipt: receipt.id),
    "NoteReceipt.note": Link(NOTE, lambda receipt: receipt.id),
    "Decision.fact": Link(FACT, lambda decision: decision.fact),
    "Learning.note": Link(NOTE, lambda learning: learning.id),
    "SharedAs.note": Link(NOTE, lambda copy: copy.note),
    "Shared.note": Link(NOTE, lambda shared: shared.note),
    "SkillProposal.parent": Link(PROPOSAL, lambda proposal: proposal.parent),
    "SkillProposal.skill": Link(SKILL, lambda proposal: proposal.skill),
    "Merge.leftEntity": Link(ENTITY, lambda merge: merge.left.id),
    "Merge.rightEntity": Link(ENTITY, lambda merge: merge.right.id),
    "Erasure.job": Link(JOB, lambda erasure: erasure.job),
    "Identity.key": Link(KEY, lambda identity: identity.key),
    "AnswerSource.episode": Link(EPISODE, _of_kind("episode")),
    "AnswerSource.fact": Link(FACT, _of_kind("fact")),
    "AnswerSource.note": Link(NOTE, _of_kind(*NOTES)),
    "AnswerSource.chunk": Link(CHUNK, _of_kind("chunk")),
    "AnswerSource.skill": Link(SKILL, _of_kind("skill")),
    "Episode.session": Link(SESSION, lambda episode: episode.session_id),
    "Concern.entity": Link(ENTITY, lambda concern: concern.id),
    "Finding.skill": Link(SKILL, _of_kind("skill")),
    "Finding.note": Link(NOTE, _of_kind("note")),
    "Finding.fact": Link(FACT, _of_kind("fact")),
    "Finding.episode": Link(EPISODE, _of_kind("episode")),
    "Finding.chunk": Link(CHUNK, _of_kind("chunk")),
    "SkillHit.skill": Link(SKILL, lambda hit: hit.id),
    "Passage.episode": Link(EPISODE, _of_kind("episode")),
    "Passage.fact": Link(FACT, _of_kind("fact")),
    "Passage.note": Link(NOTE, _of_kind(*NOTES)),
    "Passage.chunk": Link(CHUNK, _of_kind("chunk")),
    "Passage.skill": Link(SKILL, _of_kind("skill")),
    "Passage.community": Link(COMMUNITY, lambda passage: passage.community),
    "WalkStep.entity": Link(ENTITY, lambda step: step.entity),
    "WalkStep.fact": Link(FACT, lambda step: step.fact),
    "Seed.entity": Link(ENTITY, lambda seed: seed.entity),
    "GraphNode.entity": Link(ENTITY, _of_kind("entity")),
    "GraphNode.skill": Link(SKILL, _of_kind("skill")),
    "GraphNode.page": Link(PAGE, _of_kind("page", "article")),
    "Timeline.entity": Link(ENTITY, lambda timeline: timeline.entity),
    "NewerFact.fact": Link(FACT, lambda newer: newer["fact"]),
    "MentionedIn.episode": Link(
        EPISODE, lambda said: said.passage if said.kind == "episode" else None
    ),
    "PossiblyChanged.fact": Link(FACT, lambda newer: newer["fact"]),
    "TimelineEntry.fact": Link(FACT, lambda entry: entry.fact),
    "PendingPage.page": Link(PAGE, lambda page: page.id),
    "RelatedPage.page": Link(PAGE, lambda page: page.id),
    "UnlinkedMention.page": Link(PAGE, lambda mention: mention.id),
    "FeedbackEntry.episode": Link(EPISODE, _spoken_of("episode")),
    "FeedbackEntry.fact": Link(FACT, _spoken_of("fact")),
    "FeedbackEntry.note": Link(NOTE, _spoken_of("note")),
    "FeedbackEntry.chunk": Link(CHUNK, _spoken_of("chunk")),
    "Promotion.fact": Link(FACT, lambda promotion: promotion.fact),
    "Promotion.copy": Link(FACT, lambda promotion: promotion.copy),
    "LinkNode.page": Link(PAGE, _of_kind("page", "article")),
    "LinkNode.entity": Link(ENTITY, _of_kind("entity")),
    "LinkNode.skill": Link(SKILL, _of_kind("skill")),
}

MANY: dict[str, Links] = {
    "SkillConflict.skills": Links(SKILL, lambda conflict: conflict.skills),
    "Note.sources": Links(FACT, lambda note: note.sources),
    "Agent.skills": Links(SKILL, lambda agent: [skill["id"] for skill in agent.skills]),
    "SkillProposal.parts": Links(PROPOSAL, lambda proposal: proposal.parts),
}

# What a list leaves out is read with the whole of each: type, field, and the member of the whole.
WHOLE: dict[str, Lookup] = {
    "Fact.support": FACT,
    "Fact.possibleChanges": CHANGED,
    "Document.vectorsPending": DOCUMENT,
    "Document.unread": DOCUMENT,
    "Note.supersedes": NOTE,
    "Note.supersededBy": NOTE,
    "Note.contradicts": NOTE,
    "Skill.clonedFrom": SKILL,
}

# Facts that stand beside a fact, by their ids in the whole of it.
BESIDE: dict[str, IdsOf] = {
    "Fact.contradicts": lambda fact: fact.contradicts,
    "Fact.supersededBy": lambda fact: [each["id"] for each in fact.superseded_by],
}

# Members that go by another name here, since theirs is that of a link or list.
NAMED: dict[str, str] = {
    "Fact.subjectId": "subject",
    "Support.passageId": "episode",
    "NewerFact.factId": "fact",
    "NewerFact.passageId": "passage",
    "PossiblyChanged.olderId": "older",
    "MentionedIn.passageId": "passage",
    "PossiblyChanged.factId": "fact",
    "PossiblyChanged.passageId": "passage",
    "Unread.passageId": "passage",
    "Neighbour.factId": "fact",
    "Neighbour.entityId": "other",
    "Page.backlinkCount": "backlinks",
    "Page.referenceCount": "references",
    "Backlink.pageId": "id",
    "Link.targetId": "id",
    "SkillConflict.skillIds": "skills",
    "SkillLink.otherId": "other",
    "Document.knowledgeBaseId": "knowledge_base",
    "Document.chunkCount": "chunks",
    "Remembered.episodeId": "episode",
    "Decision.factId": "fact",
    "SharedAs.noteId": "note",
    "Shared.noteId": "note",
    "SkillProposal.partIds": "parts",
    "SkillProposal.parentId": "parent",
    "SkillProposal.skillId": "skill",
    "Erasure.jobId": "job",
    "Identity.keyId": "key",
    "Concern.entityId": "id",
    "Passage.communityId": "community",
    "WalkStep.entityId": "entity",
    "WalkStep.factId": "fact",
    "Seed.entityId": "entity",
    "Timeline.entityId": "entity",
    "TimelineEntry.factId": "fact",
    "PendingPage.pageId": "id",
    "RelatedPage.pageId": "id",
    "UnlinkedMention.pageId": "id",
    "Promotion.factId": "fact",
    "Promotion.copyId": "copy",
    "Session.episodeCount": "episodes",
}
