"""The tools that change nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from app.entities.schemas import EntityOut
from app.entities.service import Sought as SoughtEntity
from app.errors import NotFound
from app.facts.listing import subjects_of
from app.facts.schemas import FactOut, FactsOut, TimelineEntryOut
from app.facts.sentences import ProfileOut, sentences_of
from app.facts.service import Moments
from app.kernel import paging
from app.kernel.caller import Caller
from app.kernel.clock import START
from app.kernel.graph import Row
from app.mcp import telling
from app.mcp.schemas import (
    EntityKnownOut,
    FactsIn,
    NamedIn,
    ReadIn,
    RecallIn,
    SkillsIn,
    StandingOut,
    StatusIn,
    WhoOut,
)
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.rag.schemas import AnswerOut, AskIn, ContextIn, ContextOut
from app.rag.telling import answered, contexted
from app.search.schemas import FoundOut
from app.search.telling import recorded
from app.search.whole import VERBOSE, MemoryOut, memory_of
from app.skills.discovery import Sought as SoughtSkill
from app.skills.schemas import DiscoveryOut
from app.skills.vocabulary import Category, word

NAMED, TIMELINE = 25, 100  # most entities of one name; most facts of a timeline


async def search(services: Services, caller: Caller, asked: RecallIn) -> Told:
    """Memories for a question; the text is the bundle that the route renders, and says so where
    nothing is relevant enough."""
    data = asked.to_search()
    found = await recorded(services.searches, services.questions, caller, data.to_request(caller))
    shown = await FoundOut.made(found, data)
    bundle = (shown.bundle or "") if shown.hits or shown.core_blocks else ""
    says = [bundle, *([] if shown.hits else [telling.unknown(shown)])]
    return Told(msgspec.structs.replace(shown, bundle=None), "\n\n".join(filter(None, says)))


async def context(services: Services, caller: Caller, asked: ContextIn) -> Told:
    """A context for a prompt under a budget of tokens."""
    found, built = await contexted(
        services.graph_rag, services.questions, caller, asked.to_ask(caller), asked.token_budget
    )
    shown = ContextOut.of(found, built)
    return Told(shown, shown.context or "The budget is too small for any context.")


async def ask(services: Services, caller: Caller, asked: AskIn) -> Told:
    """An answer that cites, after up to three rounds of search."""
    told = await answered(
        services.agentic, services.questions, caller, asked.to_ask(caller), asked.max_rounds
    )
    shown = AnswerOut.of(told)
    return Told(shown, telling.answer(shown))


async def facts(services: Services, caller: Caller, asked: FactsIn) -> Told:
    """What is held of somebody or something, or of whole scopes."""
    scopes = caller.among(asked.scopes)
    moments = Moments.of(asked.as_of, asked.known_at)
    rows = await services.facts.repository.list_held(
        subjects=await subjects_of(
            caller, (services.facts, services.entities), asked.about, scopes
        ),
        scopes=scopes,
        predicates=list(asked.predicates) if asked.predicates else None,
        as_of=moments.as_of,
        known_at=moments.known_at,
        after=paging.decode(asked.cursor)[1] if asked.cursor else "",
        limit=asked.limit + 1,
    )
    shown = [FactOut.of(row) for row in rows[: asked.limit]]
    after = paging.encode(START, shown[-1].id) if len(rows) > asked.limit else None
    says = f"{telling.counted(len(shown), 'fact is', 'facts are')} held."
    if after:
        says += f" There are more: give `cursor` as {after}."
    return Told(FactsOut(shown, after), telling.facts(says, shown))


async def entity(services: Services, caller: Caller, asked: NamedIn) -> Told:
    """An entity with what is said of it, and its facts in the order of the world."""
    moments, reader = Moments.of(None, asked.known_at), caller.within(asked.scopes)
    found, others = await _found(services, reader, asked, moments)
    graph = services.entities.repository.graph
    said = await sentences_of(graph, found.id, reader.visible, moments)
    rows = await services.facts.repository.timeline(
        subjects=await services.facts.cluster(reader, found.id),
        scopes=reader.visible,
        known_at=moments.known_at,
        limit=TIMELINE,
    )
    shown = EntityKnownOut(
        entity=ProfileOut.with_sentences(found, said),
        timeline=[TimelineEntryOut.of(row) for row in rows],
        others=others,
    )
    return Told(shown, telling.data(f"What is known of entity {found.id}.", shown))


async def _found(
    services: Services, caller: Caller, asked: NamedIn, moments: Moments
) -> tuple[EntityOut, list[EntityOut]]:
    """The entity that is meant, the most mentioned of a name, and the others of that name."""
    if asked.id is not None:
        row = await services.entities.get(caller, asked.id, moments.known_at)
        return EntityOut.of(row), []
    sought = SoughtEntity(
        scopes=caller.visible, known_at=moments.known_at, name=asked.name, limit=NAMED
    )
    rows: list[Row] = await services.entities.page(sought)
    if not rows:
        raise NotFound(
            f"nothing is known by the name {asked.name}: `search` finds texts that say it",
            field="name",
        )
    first, *others = sorted(map(EntityOut.of, rows), key=lambda one: (-one.mentions, one.id))
    whole = await services.entities.get(caller, first.id, moments.known_at)
    return EntityOut.of(whole), others


async def read(services: Services, caller: Caller, asked: ReadIn) -> Told:
    """One memory or page, whole or its beginning."""
    identifier = asked.id or await _page(services, caller, asked.page or "")
    size = None if asked.full else VERBOSE
    shown = await memory_of(services.episode_rows, services.searches, caller, identifier, size)
    says = f"{shown.kind.capitalize()} {shown.id}, {shown.characters} characters."
    return Told(shown, telling.data(says, shown))


async def _page(services: Services, caller: Caller, name: str) -> str:
    """The id of the page that goes by a name; an article goes before other pages."""
    rows = await services.pages.named(caller.visible, caller.tenant, name)
    live = sorted(rows, key=lambda row: (row["kind"] != "article", row["id"]))
    if not live:
        raise NotFound(f"no page goes by the name {name}: `search` finds pages too", field="page")
    identifier: str = live[0]["id"]
    return identifier


async def skills(services: Services, caller: Caller, asked: SkillsIn) -> Told:
    """Active skills that fit a task."""
    named = asked.category and word(Category, asked.category, "category")
    sought = SoughtSkill(asked.description, caller.among(asked.scopes), named, asked.limit)
    shown = DiscoveryOut.of(await services.skills.discovery.discover(sought))
    return Told(shown, telling.skills(shown))


async def status(services: Services, caller: Caller, _: StatusIn) -> Told:
    """Who asks, what the key sees and may, and how far its scopes have been read."""
    rows = await services.consolidation.status(caller.visible)
    shown = WhoOut(
        principal=caller.principal,
        home=caller.home,
        scopes=[_standing(caller, row) for row in rows],
    )
    lines = [
        f"- {one.scope}: {one.role}, {telling.counted(one.facts, 'fact', 'facts')}, "
        f"{one.waiting} waiting, {one.failed} failed"
        for one in shown.scopes
    ]
    head = f"You are {shown.principal}; what names no scope goes to {shown.home}. You see:"
    return Told(shown, "\n".join([head, *lines]))


def _standing(caller: Caller, row: Row) -> StandingOut:
    counts: dict[str, Any] = {name: row[name] for name in ("failed", "consolidated", "facts")}
    role = caller.roles[row["scope"]].label
    return StandingOut(
        scope=row["scope"], role=role, waiting=row["raw"] + row["in_progress"], **counts
    )


READING = (
    Tool(
        name="search",
        title="Search memory",
        description="Find what was said, written or learnt, by words and by meaning. Ask it before "
        "answering about people, projects, decisions or anything from before.",
        takes=RecallIn,
        gives=FoundOut,
        run=search,
    ),
    Tool(
        name="context",
        title="Build a context",
        description="One text for a prompt about a question: passages, facts and summaries of what "
        "hangs together, under a budget of tokens.",
        takes=ContextIn,
        gives=ContextOut,
        run=context,
    ),
    Tool(
        name="ask",
        title="Ask memory",
        description="An answer to a question, put together from memory, each sentence with its "
        "sources. It says so where it found nothing.",
        takes=AskIn,
        gives=AnswerOut,
        run=ask,
    ),
    Tool(
        name="facts",
        title="List facts",
        description="What is held to be so, since when and how surely: about somebody or something "
        "by name, now or at an earlier moment.",
        takes=FactsIn,
        gives=FactsOut,
        run=facts,
    ),
    Tool(
        name="entity",
        title="Look at a person or thing",
        description="One person, project or thing by name or id: names, newest sentences about it, "
        "and its facts as a timeline.",
        takes=NamedIn,
        gives=EntityKnownOut,
        run=entity,
    ),
    Tool(
        name="read",
        title="Read a memory or page",
        description="One memory by id, whole, or a page by its title.",
        takes=ReadIn,
        gives=MemoryOut,
        run=read,
    ),
    Tool(
        name="skills",
        title="Find skills",
        description="Skills that fit a task, with how well they worked.",
        takes=SkillsIn,
        gives=DiscoveryOut,
        run=skills,
    ),
    Tool(
        name="status",
        title="Who am I, what may I see",
        description="Whose key this is, the scopes it sees with its role in each, and how much "
        "there still waits to be read.",
        takes=StatusIn,
        gives=WhoOut,
        run=status,
    ),
)
