"""The fields of `Query`: one thing by its id, lists, and all that other modules add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.communities.schemas import CommunityOut
from app.documents.model import DocumentState
from app.entities.names import TYPES
from app.entities.schemas import EntityOut, MergeOut
from app.entities.service import Sought
from app.episodes.schemas import EpisodeOut
from app.errors import InvalidInput, NotFound
from app.facts.listing import subjects_of
from app.facts.schemas import FactOut, PossibleChangeOut, TimelineEntryOut, TimelineOut
from app.graphql.connection import connected, joined
from app.graphql.cursors import by_fact, by_id, by_rank, by_time
from app.graphql.declared import ROOTS
from app.graphql.doors import Context, Read
from app.graphql.listing import given, listed, one_of, scopes_of
from app.graphql.loading import FIRST_MOST, Asked, Listing
from app.graphql.page_reads import PAGE_READS
from app.graphql.questions import QUESTIONS
from app.graphql.records import RECORDS
from app.graphql.registers import REGISTERS, session_row
from app.graphql.relations import (
    BASE,
    COMMUNITY,
    DOCUMENT,
    ENTITY,
    EPISODE,
    FACT,
    LEARNING,
    LISTS,
    MERGE,
    NOTE,
    PROPOSAL,
    SKILL,
)
from app.graphql.routed import READS as ROUTED_READS
from app.graphql.seen import Seen
from app.kernel.clock import END, START
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.notes.holding import holds
from app.notes.model import namespace_of
from app.notes.schemas import NoteOut
from app.skills.conflicts import Listed
from app.skills.schemas import ConflictOut, ProposalOut, SkillOut
from app.skills.service import Wanted
from app.skills.vocabulary import Category, ConflictStatus, ProposalStatus, Status, word

EPISODES = Listing(
    query=Q.graphql.episodes,
    show=EpisodeOut.of,
    order=by_time("captured_at", "episode", newest=False),
)
SESSION = Listing(query=Q.graphql.session_episodes, show=EpisodeOut.of, order=EPISODES.order)
HELD = Listing(query=Q.facts.held_in, show=FactOut.of, order=by_fact("fact", "id"))
HELD_ABOUT = Listing(query=Q.facts.list_held, show=FactOut.of, order=HELD.order)
CHANGES = Listing(query=Q.facts.possible_changes, show=dict, order=by_fact("id"))
QUARANTINE = Listing(query=Q.facts.quarantined, show=dict, order=by_fact("id"))
ENTITIES = Listing(query=Q.entities.list_entities, show=EntityOut.of, order=by_id("entity", "id"))
SKILLS = Listing(query=Q.skills.page, show=SkillOut.of, order=by_id("skill", "id"))
CONFLICTS = Listing(query=Q.skills.conflicts, show=ConflictOut.of, order=by_id("conflict", "id"))
BASES = Listing(query=Q.documents.list_bases, show=BASE.show, order=by_id("base", "id"))
COMMUNITIES = Listing(query=Q.graphql.communities, show=dict, order=by_rank(("size",), ("id",)))
NOTE_ROW = replace(NOTE, show=dict)  # with the moments at which it ended, which are not shown
NOTES = Listing(query=Q.notes.page, show=NoteOut.of, order=by_id("note", "id"))
LEARNINGS = Listing(query=Q.skills.learnings, show=LEARNING.show, order=by_id("note", "id"))
PROPOSALS = Listing(query=Q.skills.proposals, show=ProposalOut.of, order=by_id("proposal", "id"))
MERGES = Listing(query=Q.entities.list_merges, show=MergeOut.of, order=by_id("record", "id"))
DOCUMENTS = LISTS["KnowledgeBase.documents"]


async def episodes(context: Context, asked: Asked) -> Any:
    """Episodes in the order of their events, of a session or of all."""
    scopes, named = scopes_of(context, asked), asked.args.get("session")
    since, until = asked.args.get("since") or START, asked.args.get("until") or END
    asked = given(asked, since=since, until=until)
    if named is None:
        return await listed(context, EPISODES, asked, scopes)
    row = await session_row(context, named, scopes)
    return await listed(context, SESSION, given(asked, session=row["session"]["id"]), scopes)


async def facts(context: Context, asked: Asked) -> Any:
    """The facts of scopes, or about an entity; NotFound where it is not visible."""
    scopes, doors = scopes_of(context, asked), context.doors
    services = (doors.facts, doors.entities)
    subjects = await subjects_of(context.caller, services, asked.args.get("subject"), scopes)
    listing = HELD if subjects is None else HELD_ABOUT
    return await listed(context, listing, given(asked, subjects=subjects), scopes)


async def possible_changes(context: Context, asked: Asked) -> Any:
    """What may have ended something, with the words that nobody read."""
    params = asked.values(CHANGES.query, CHANGES.order)
    scopes = scopes_of(context, asked)
    rows = await context.doors.graph.rows(CHANGES.query, scopes=scopes, **params)
    shown = rows[: asked.first]
    found = await context.doors.facts.facts_of_changes(shown, scopes)
    held = {fact: FactOut.of(row) for fact, row in found.items()}
    write = CHANGES.order.write
    pairs = [(write(row), PossibleChangeOut.of(row, held)) for row in shown if row["id"] in held]
    return joined(pairs, asked, more=len(rows) > asked.first)


async def quarantine(context: Context, asked: Asked) -> Any:
    """What waits for a review, with both sides."""
    params = asked.values(QUARANTINE.query, QUARANTINE.order)
    scopes = scopes_of(context, asked)
    rows = await context.doors.graph.rows(QUARANTINE.query, scopes=scopes, **params)
    ids = sorted({row["id"] for row in rows} | {o for row in rows for o in row["against"]})
    at = asked.moments
    found = await context.doors.facts.repository.get(ids, scopes, at.as_of, at.known_at)
    held = {row["fact"]["id"]: FactOut.of(row) for row in found}
    shown = rows[: asked.first]
    write = QUARANTINE.order.write
    pairs = [(write(row), _waiting(row, held)) for row in shown if row["id"] in held]
    return joined(pairs, asked, more=len(rows) > asked.first)


def _waiting(row: Row, held: Mapping[str, FactOut]) -> dict[str, Any]:
    return {
        "fact": held[row["id"]],
        "reasons": sorted(set(row["reasons"])),
        "against": [held[other] for other in sorted(set(row["against"])) if other in held],
    }


async def entities(context: Context, asked: Asked) -> Any:
    """Entities by id; InvalidInput for a type that there is not."""
    args = asked.args
    if args.get("type") is not None and args["type"] not in TYPES:
        raise InvalidInput(f"type is one of {', '.join(TYPES)}", field="type")
    if args.get("name") is not None and args.get("prefix") is not None:
        raise InvalidInput("ask for a name or for a prefix", field="prefix")
    sought = Sought(
        scopes=scopes_of(context, asked),
        known_at=asked.moments.known_at,
        name=args.get("name"),
        prefix=args.get("prefix"),
        type=args.get("type"),
        after=args.get("after") or "",
        limit=asked.first + 1,
    )
    return connected(await context.doors.entities.page(sought), ENTITIES, asked)


async def skills(context: Context, asked: Asked) -> Any:
    """Skills by id; InvalidInput for a category or status that there is not."""
    category, status = asked.args.get("category"), asked.args.get("status")
    wanted = Wanted(
        scopes_of(context, asked),
        category=word(Category, category, "category") if category is not None else None,
        status=word(Status, status, "status") if status is not None else None,
        after=asked.args.get("after") or "",
        limit=asked.first + 1,
    )
    return connected(await context.doors.skills.skills.page(wanted), SKILLS, asked)


async def skill_conflicts(context: Context, asked: Asked) -> Any:
    """Conflicts among skills by id."""
    status, after = asked.args.get("status"), asked.args.get("after") or ""
    named = word(ConflictStatus, status, "status") if status is not None else None
    is_open = bool(asked.args.get("open"))
    listed = Listed(scopes_of(context, asked), named, is_open, after, asked.first + 1)
    return connected(await context.doors.skills.conflicts.page(listed), CONFLICTS, asked)


async def knowledge_bases(context: Context, asked: Asked) -> Any:
    """Knowledge bases by id."""
    return await listed(context, BASES, asked, scopes_of(context, asked))


async def documents(context: Context, asked: Asked) -> Any:
    """Documents by id, of one base or of all."""
    scopes, rows = scopes_of(context, asked), context.doors.documents.rows
    named, status = asked.args.get("knowledge_base"), asked.args.get("status")
    base = (await rows.find_base(named, scopes))["id"] if named is not None else None
    state = DocumentState(status) if status else None
    page = (asked.args.get("after") or "", asked.first + 1)
    found = await rows.documents(base, scopes, state, page)
    return connected([{"document": row} for row in found], DOCUMENTS, asked)


async def communities(context: Context, asked: Asked) -> Any:
    """Communities, the largest first, each with its summary."""
    scopes = scopes_of(context, asked)
    params = asked.values(COMMUNITIES.query, COMMUNITIES.order)
    rows = await context.doors.graph.rows(COMMUNITIES.query, scopes=scopes, **params)
    return await told(context, rows, asked)


async def told(context: Context, rows: list[Row], asked: Asked) -> dict[str, Any]:
    """A page of communities by their ids; one that nothing is left of is left out."""
    pairs: list[tuple[str, CommunityOut]] = []
    shown = rows[: asked.first]
    found = await context.loading.many(COMMUNITY, [row["id"] for row in shown], asked.moments)
    for row, one in zip(shown, found, strict=True):
        if one is not None:
            pairs.append((COMMUNITIES.order.write(row), one))
    return joined(pairs, asked, more=len(rows) > asked.first)


async def note(context: Context, asked: Asked) -> Seen:
    """A note by its id, held or former; of a moment only one that held then."""
    key = asked.args["id"]
    row = await context.loading.one(NOTE_ROW, key, asked.moments)
    if row is None:
        raise NotFound(f"there is no note {key}")
    dated = asked.args.get("as_of") or asked.args.get("known_at")
    if dated and not holds(row["note"], asked.moments.as_of, asked.moments.known_at):
        raise NotFound(f"note {key} did not hold at that moment")
    return Seen(NOTE.show(row), asked.moments)


async def notes(context: Context, asked: Asked) -> Any:
    """Notes by id: those that hold at a moment, or all of one standing."""
    named = asked.args.get("namespace")
    namespace = None if named is None else namespace_of(named)
    asked = given(asked, namespace=namespace)
    return await listed(context, NOTES, asked, scopes_of(context, asked))


async def learnings(context: Context, asked: Asked) -> Any:
    """Learnings that hold, by id."""
    return await listed(context, LEARNINGS, asked, scopes_of(context, asked))


async def proposals(context: Context, asked: Asked) -> Any:
    """Proposals of skills by id; InvalidInput for a status that there is not."""
    status = asked.args.get("status")
    named = word(ProposalStatus, status, "status") if status is not None else None
    asked = given(asked, status=named)
    return await listed(context, PROPOSALS, asked, scopes_of(context, asked))


async def merges(context: Context, asked: Asked) -> Any:
    """Proposals to merge and decisions on them, by id."""
    rows = await context.doors.merges.page(
        scopes_of(context, asked),
        status=asked.args.get("status"),
        after=asked.args.get("after") or "",
        limit=asked.first + 1,
    )
    return connected(rows, MERGES, asked)


async def skill_conflict(context: Context, asked: Asked) -> Seen:
    """One conflict among skills."""
    row = await context.doors.skills.conflicts.get(context.caller, asked.args["id"])
    return Seen(ConflictOut.of(row), asked.moments)


async def timeline(context: Context, asked: Asked) -> Seen:
    """Everything that is or was held of an entity, in the order of the world."""
    entity, facts = asked.args["entity"], context.doors.facts
    rows = await facts.repository.timeline(
        subjects=await facts.cluster(context.caller, entity),
        scopes=context.caller.visible,
        known_at=asked.moments.known_at,
        limit=asked.args.get("first") or FIRST_MOST,
    )
    return Seen(TimelineOut(entity, [TimelineEntryOut.of(row) for row in rows]), asked.moments)


READS: dict[str, Read] = {
    "episode": one_of(EPISODE),
    "episodes": episodes,
    "fact": one_of(FACT),
    "facts": facts,
    "quarantine": quarantine,
    "possibleChanges": possible_changes,
    "entity": one_of(ENTITY),
    "entities": entities,
    "timeline": timeline,
    "skill": one_of(SKILL),
    "skills": skills,
    "skillConflict": skill_conflict,
    "skillConflicts": skill_conflicts,
    "knowledgeBase": one_of(BASE),
    "knowledgeBases": knowledge_bases,
    "document": one_of(DOCUMENT),
    "documents": documents,
    "community": one_of(COMMUNITY),
    "communities": communities,
    "note": note,
    "notes": notes,
    "learning": one_of(LEARNING),
    "learnings": learnings,
    "skillProposal": one_of(PROPOSAL),
    "skillProposals": proposals,
    "merge": one_of(MERGE),
    "merges": merges,
    **PAGE_READS,
    **QUESTIONS,
    **RECORDS,
    **REGISTERS,
    **ROOTS,
    **ROUTED_READS,
}
