"""The fields of `Query`: one thing by its id, lists, and search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from app.communities.schemas import CommunityOut
from app.documents.model import DocumentState
from app.entities.names import TYPES
from app.entities.schemas import EntityOut, MergeOut
from app.entities.service import Sought
from app.episodes.record import session_id
from app.episodes.schemas import EpisodeOut
from app.errors import InvalidInput, NotFound
from app.facts.schemas import FactOut
from app.graphql.connection import connected, joined
from app.graphql.cursors import by_fact, by_id, by_rank, by_time
from app.graphql.doors import Context
from app.graphql.identity import IdentityOut
from app.graphql.limits import FOUND
from app.graphql.loading import FIRST_MOST, Asked, Listing, Lookup
from app.graphql.relations import (
    BASE,
    COMMUNITY,
    DOCUMENT,
    ENTITY,
    EPISODE,
    FACT,
    JOB,
    LEARNING,
    LISTS,
    MERGE,
    NOTE,
    PAGE,
    PROPOSAL,
    RECEIPT,
    SKILL,
)
from app.graphql.seen import Seen
from app.jobs.runner import shown_to
from app.kernel.caller import Role
from app.kernel.clock import END, START
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.wire import model_of
from app.lifecycle.requests import administered
from app.lifecycle.schemas import ErasureIn, PreviewOut
from app.notes.model import namespace_of
from app.notes.schemas import NoteOut
from app.pages.reading import DEEPEST
from app.pages.schemas import LinkGraphOut, PageOut
from app.rag.schemas import AnswerOut, AskIn
from app.rag.telling import answered
from app.search.schemas import FoundOut, SearchIn
from app.search.telling import recorded
from app.skills.conflicts import Listed
from app.skills.graph_schemas import LearningAnswerOut
from app.skills.schemas import ConflictOut, ProposalOut, SkillOut
from app.skills.service import Wanted
from app.skills.vocabulary import Category, ConflictStatus, ProposalStatus, Status, word

Read = Callable[[Context, Asked], Awaitable[Any]]
LONGEST = 2_000  # characters of a question to learnings

EPISODES = Listing(
    query=Q.graphql.episodes,
    show=EpisodeOut.of,
    order=by_time("captured_at", "episode", newest=False),
)
SESSION = Listing(query=Q.graphql.session_episodes, show=EpisodeOut.of, order=EPISODES.order)
QUARANTINE = Listing(query=Q.facts.quarantined, show=dict, order=by_fact("id"))
ENTITIES = Listing(query=Q.entities.list_entities, show=EntityOut.of, order=by_id("entity", "id"))
PAGES = Listing(query=Q.graphql.pages, show=PageOut.of, order=by_id("page", "id"))
SKILLS = Listing(query=Q.skills.page, show=SkillOut.of, order=by_id("skill", "id"))
CONFLICTS = Listing(query=Q.skills.conflicts, show=ConflictOut.of, order=by_id("conflict", "id"))
BASES = Listing(query=Q.documents.list_bases, show=BASE.show, order=by_id("base", "id"))
COMMUNITIES = Listing(query=Q.graphql.communities, show=dict, order=by_rank(("size",), ("id",)))
NOTES = Listing(query=Q.notes.page, show=NoteOut.of, order=by_id("note", "id"))
LEARNINGS = Listing(query=Q.skills.learnings, show=LEARNING.show, order=by_id("note", "id"))
PROPOSALS = Listing(query=Q.skills.proposals, show=ProposalOut.of, order=by_id("proposal", "id"))
MERGES = Listing(query=Q.entities.list_merges, show=MergeOut.of, order=by_id("record", "id"))
JOBS = Listing(query=Q.jobs.list_jobs, show=JOB.show, order=by_id("job", "id", newest=True))
RECEIPTS = Listing(
    query=Q.lifecycle.list_receipts, show=RECEIPT.show, order=by_id("receipt", "id", newest=True)
)
DOCUMENTS = LISTS["KnowledgeBase.documents"]


def one_of(lookup: Lookup) -> Read:
    """A thing by its id; NotFound as over HTTP."""

    async def read(context: Context, asked: Asked) -> Seen:
        key = asked.args["id"]
        found = await context.loading.one(lookup, key, asked.moments)
        if found is None:
            raise NotFound(f"there is no {lookup.kind} {key}")
        return Seen(found, asked.moments)

    return read


async def _listed(context: Context, listing: Listing, asked: Asked, scopes: list[str]) -> Any:
    params = asked.values(listing.query, listing.order)
    rows = await context.doors.graph.rows(listing.query, scopes=scopes, **params)
    return connected(rows, listing, asked)


def _scopes(context: Context, asked: Asked) -> list[str]:
    return context.caller.among(asked.args.get("scopes"))


def _with(asked: Asked, **more: Any) -> Asked:
    return Asked(asked.moments, {**asked.args, **more})


async def episodes(context: Context, asked: Asked) -> Any:
    """Episodes in the order of their events, of a session or of all."""
    scopes, named = _scopes(context, asked), asked.args.get("session")
    since, until = asked.args.get("since") or START, asked.args.get("until") or END
    asked = _with(asked, since=since, until=until)
    if named is None:
        return await _listed(context, EPISODES, asked, scopes)
    ids = [named, *(session_id(scope, named) for scope in scopes)]
    row = await context.doors.episode_rows.session(ids, scopes)
    if row is None:
        raise NotFound(f"there is no session {named}")
    return await _listed(context, SESSION, _with(asked, session=row["session"]["id"]), scopes)


async def facts(context: Context, asked: Asked) -> Any:
    """The facts about an entity; NotFound where it is not visible."""
    subject, listing = asked.args["subject"], LISTS["Entity.facts"]
    await context.doors.facts.cluster(context.caller, subject)
    return connected(await context.loading.listed(listing, subject, asked), listing, asked)


async def quarantine(context: Context, asked: Asked) -> Any:
    """What waits for a review, with both sides."""
    params = asked.values(QUARANTINE.query, QUARANTINE.order)
    scopes = _scopes(context, asked)
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
        scopes=_scopes(context, asked),
        known_at=asked.moments.known_at,
        name=args.get("name"),
        prefix=args.get("prefix"),
        type=args.get("type"),
        after=args.get("after") or "",
        limit=asked.first + 1,
    )
    return connected(await context.doors.entities.page(sought), ENTITIES, asked)


async def pages(context: Context, asked: Asked) -> Any:
    """Pages by id."""
    return await _listed(context, PAGES, asked, _scopes(context, asked))


async def skills(context: Context, asked: Asked) -> Any:
    """Skills by id; InvalidInput for a category or status that there is not."""
    category, status = asked.args.get("category"), asked.args.get("status")
    wanted = Wanted(
        _scopes(context, asked),
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
    listed = Listed(_scopes(context, asked), named, is_open, after, asked.first + 1)
    return connected(await context.doors.skills.conflicts.page(listed), CONFLICTS, asked)


async def knowledge_bases(context: Context, asked: Asked) -> Any:
    """Knowledge bases by id."""
    return await _listed(context, BASES, asked, _scopes(context, asked))


async def documents(context: Context, asked: Asked) -> Any:
    """Documents by id, of one base or of all."""
    scopes, rows = _scopes(context, asked), context.doors.documents.rows
    named, status = asked.args.get("knowledge_base"), asked.args.get("status")
    base = (await rows.find_base(named, scopes))["id"] if named is not None else None
    state = DocumentState(status) if status else None
    page = (asked.args.get("after") or "", asked.first + 1)
    found = await rows.documents(base, scopes, state, page)
    return connected([{"document": row} for row in found], DOCUMENTS, asked)


async def communities(context: Context, asked: Asked) -> Any:
    """Communities, the largest first, each with its summary."""
    scopes = _scopes(context, asked)
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


async def notes(context: Context, asked: Asked) -> Any:
    """Notes by id: those that hold at a moment, or all of one standing."""
    named = asked.args.get("namespace")
    namespace = None if named is None else namespace_of(named)
    asked = _with(asked, namespace=namespace)
    return await _listed(context, NOTES, asked, _scopes(context, asked))


async def learnings(context: Context, asked: Asked) -> Any:
    """Learnings that hold, by id."""
    return await _listed(context, LEARNINGS, asked, _scopes(context, asked))


async def ask_learnings(context: Context, asked: Asked) -> Seen:
    """Learnings for a question, and how they were found; InvalidInput for an empty one."""
    question = asked.args["query"].strip()
    if not 1 <= len(question) <= LONGEST:
        raise InvalidInput(f"query has 1 to {LONGEST} characters", field="query")
    found = await context.doors.skills.learnings.ask(
        _scopes(context, asked), question, asked.args.get("first") or FOUND
    )
    return Seen(LearningAnswerOut.of(found), asked.moments)


async def proposals(context: Context, asked: Asked) -> Any:
    """Proposals of skills by id; InvalidInput for a status that there is not."""
    status = asked.args.get("status")
    named = word(ProposalStatus, status, "status") if status is not None else None
    asked = _with(asked, status=named)
    return await _listed(context, PROPOSALS, asked, _scopes(context, asked))


async def merges(context: Context, asked: Asked) -> Any:
    """Proposals to merge and decisions on them, by id."""
    rows = await context.doors.merges.page(
        _scopes(context, asked),
        status=asked.args.get("status"),
        after=asked.args.get("after") or "",
        limit=asked.first + 1,
    )
    return connected(rows, MERGES, asked)


async def jobs(context: Context, asked: Asked) -> Any:
    """Jobs of the scopes that the key sees, newest first."""
    asked = _with(asked, state=asked.args.get("status"))
    return await _listed(context, JOBS, asked, shown_to(context.caller))


async def erasures(context: Context, asked: Asked) -> Any:
    """Receipts of the scopes that the key administers, newest first."""
    scopes = administered(context.caller, asked.args.get("scopes"))
    return await _listed(context, RECEIPTS, asked, scopes)


async def erasure_preview(context: Context, asked: Asked) -> Seen:
    """What an erasure would take, without taking it."""
    target = model_of(ErasureIn, asked.args["input"]).target()
    told = await context.doors.erasing.preview(context.caller, target)
    return Seen(PreviewOut(**told), asked.moments)


async def link_graph(context: Context, asked: Asked) -> Seen:
    """Pages around a page; InvalidInput for a depth that there is not."""
    page, given = asked.args["page"], asked.args.get("depth")
    depth = 1 if given is None else given
    if not 1 <= depth <= DEEPEST:
        raise InvalidInput(f"depth is a number from 1 to {DEEPEST}", field="depth")
    most = asked.args.get("first") or FIRST_MOST
    found = await context.doors.page_reads.link_graph(context.caller.visible, page, depth, most)
    told = LinkGraphOut.of(found)
    edges = [{"source": source, "target": target} for source, target in told.edges]
    return Seen({"nodes": told.nodes, "edges": edges, "cut": told.cut}, asked.moments)


async def ask(context: Context, asked: Asked) -> Seen:
    """An answer with its sources, after up to three rounds of search."""
    data, doors = model_of(AskIn, asked.args["input"]), context.doors
    question = data.to_ask(context.caller)
    found = await answered(
        doors.agentic, doors.questions, context.caller, question, data.max_rounds
    )
    return Seen(AnswerOut.of(found), asked.moments)


async def who_am_i(context: Context, asked: Asked) -> Seen:
    """The principal behind the key."""
    return Seen(IdentityOut.of(context.caller), asked.moments)


async def search(context: Context, asked: Asked) -> Seen:
    """Memories for a question, each with why it was found."""
    given = dict(asked.args["input"])
    given["limit"] = given.pop("first", None) or 10
    data = model_of(SearchIn, given)
    doors, request = context.doors, data.to_request(context.caller)
    found = await recorded(doors.searches, doors.questions, context.caller, request)
    return Seen(FoundOut.of(found, "json"), asked.moments)


READS: dict[str, Read] = {
    "episode": one_of(EPISODE),
    "episodes": episodes,
    "fact": one_of(FACT),
    "facts": facts,
    "quarantine": quarantine,
    "entity": one_of(ENTITY),
    "entities": entities,
    "page": one_of(PAGE),
    "pages": pages,
    "skill": one_of(SKILL),
    "skills": skills,
    "skillConflicts": skill_conflicts,
    "knowledgeBase": one_of(BASE),
    "knowledgeBases": knowledge_bases,
    "document": one_of(DOCUMENT),
    "documents": documents,
    "community": one_of(COMMUNITY),
    "communities": communities,
    "note": one_of(NOTE),
    "notes": notes,
    "search": search,
    "ask": ask,
    "learning": one_of(LEARNING),
    "learnings": learnings,
    "askLearnings": ask_learnings,
    "skillProposal": one_of(PROPOSAL),
    "skillProposals": proposals,
    "merge": one_of(MERGE),
    "merges": merges,
    "linkGraph": link_graph,
    "job": one_of(JOB),
    "jobs": jobs,
    "erasure": one_of(RECEIPT),
    "erasures": erasures,
    "erasurePreview": erasure_preview,
    "whoAmI": who_am_i,
}

# What must be held somewhere for a field that asks for more than a reader, as its route does.
ROLES: dict[str, Role] = {
    "erasure": Role.ADMIN,
    "erasures": Role.ADMIN,
    "erasurePreview": Role.ADMIN,
}
