"""The fields of `Query` that ask: by words or meaning, each told as its route tells it."""

from __future__ import annotations

from typing import Any

from app.errors import InvalidInput
from app.graphql.doors import Context, Read
from app.graphql.limits import FOUND, LISTED
from app.graphql.listing import number_of, scopes_of, text_of
from app.graphql.loading import Asked
from app.graphql.seen import Seen, shifted
from app.kernel.wire import model_of
from app.rag.schemas import AnswerOut, AskIn, ContextIn, ContextOut, RetrievedOut, RetrieveIn
from app.rag.telling import answered, contexted, retrieved
from app.search.schemas import FoundOut, SearchIn
from app.search.telling import recorded
from app.skills import knowledge
from app.skills.discovery import Sought
from app.skills.graph_schemas import GraphStatisticsOut, LearningAnswerOut, SubgraphOut
from app.skills.schemas import DiscoveryOut, ResearchOut
from app.skills.vocabulary import Category, word

RELATION = 100  # characters of a type of edge, or of a predicate


async def search(context: Context, asked: Asked) -> Seen:
    """Memories for a question, each with why it was found."""
    told = dict(asked.args["input"])
    told["limit"] = told.pop("first", None) or FOUND
    data = model_of(SearchIn, told)
    doors, request = context.doors, data.to_request(context.caller)
    found = await recorded(doors.searches, doors.questions, context.caller, request)
    moments = shifted(asked.moments, {"as_of": data.as_of, "known_at": data.known_at})
    return Seen(await FoundOut.made(found, data), moments)


async def retrieve(context: Context, asked: Asked) -> Seen:
    """Seeds, communities within some hops, and passages with their paths."""
    data, doors = model_of(RetrieveIn, asked.args["input"]), context.doors
    question = data.to_ask(context.caller)
    found = await retrieved(doors.graph_rag, doors.questions, context.caller, question)
    return Seen(RetrievedOut.of(found), asked.moments)


async def build_context(context: Context, asked: Asked) -> Seen:
    """A context for a prompt under a token budget, with its ledger."""
    data, doors = model_of(ContextIn, asked.args["input"]), context.doors
    question = data.to_ask(context.caller)
    found, built = await contexted(
        doors.graph_rag, doors.questions, context.caller, question, data.token_budget
    )
    return Seen(ContextOut.of(found, built), asked.moments)


async def ask(context: Context, asked: Asked) -> Seen:
    """An answer with its sources, after up to three rounds of search."""
    data, doors = model_of(AskIn, asked.args["input"]), context.doors
    question = data.to_ask(context.caller)
    found = await answered(
        doors.agentic, doors.questions, context.caller, question, data.max_rounds
    )
    return Seen(AnswerOut.of(found), asked.moments)


async def ask_learnings(context: Context, asked: Asked) -> Seen:
    """Learnings for a question, and how they were found; InvalidInput for an empty one."""
    found = await context.doors.skills.learnings.ask(
        scopes_of(context, asked), text_of(asked, "query"), asked.args.get("first") or FOUND
    )
    return Seen(LearningAnswerOut.of(found), asked.moments)


async def research_skill(context: Context, asked: Asked) -> Seen:
    """What the own graph holds about a topic; nothing is stored."""
    proposals, topic = context.doors.skills.proposals, text_of(asked, "topic")
    told = await proposals.research(scopes_of(context, asked), topic)
    return Seen(ResearchOut.of(told), asked.moments)


async def discover_skills(context: Context, asked: Asked) -> Seen:
    """Active skills that fit a description; InvalidInput for a category that there is not."""
    named, first = asked.args.get("category"), asked.args.get("first") or FOUND
    category = word(Category, named, "category") if named is not None else None
    sought = Sought(text_of(asked, "description"), scopes_of(context, asked), category, first)
    found = await context.doors.skills.discovery.discover(sought)
    return Seen(DiscoveryOut.of(found), asked.moments)


async def search_graph(context: Context, asked: Asked) -> Seen:
    """Nodes of the knowledge graph for a question, and what lies around them."""
    depth, first = _depth(asked), asked.args.get("first") or FOUND
    question, relation = text_of(asked, "query"), _relation(asked)
    knowing = context.doors.skills.knowledge
    found = await knowing.search(context.caller, question, relation, depth, first)
    return Seen(SubgraphOut.of(found), asked.moments)


async def graph_neighbours(context: Context, asked: Asked) -> Seen:
    """What lies around a node, in either direction."""
    depth, first = _depth(asked), asked.args.get("first") or LISTED
    node, relation, knowing = asked.args["node"], _relation(asked), context.doors.skills.knowledge
    found = await knowing.neighbours(context.caller, node, relation, depth, first)
    return Seen(SubgraphOut.of(found), asked.moments)


async def graph_statistics(context: Context, asked: Asked) -> Seen:
    """Counts by kind and relation, density and mean degree."""
    knowing = context.doors.skills.knowledge
    counted = await knowing.statistics(scopes_of(context, asked), _relation(asked))
    return Seen(GraphStatisticsOut.of(counted), asked.moments)


def _depth(asked: Asked) -> int:
    return number_of(asked, "depth", 1, knowledge.DEEPEST)


def _relation(asked: Asked) -> str | None:
    named: Any = asked.args.get("relation_type")
    if named is not None and len(named) > RELATION:
        raise InvalidInput(
            f"relation_type has at most {RELATION} characters", field="relation_type"
        )
    return knowledge.folded(named)


QUESTIONS: dict[str, Read] = {
    "search": search,
    "retrieve": retrieve,
    "context": build_context,
    "ask": ask,
    "askLearnings": ask_learnings,
    "researchSkill": research_skill,
    "discoverSkills": discover_skills,
    "searchGraph": search_graph,
    "graphNeighbours": graph_neighbours,
    "graphStatistics": graph_statistics,
}
