"""The tools of the knowledge graph and of shared knowledge: profiles `graph` and `knowledge`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from app.kernel.caller import Caller
from app.kernel.wire import ShortText, WireModel, model_of
from app.mcp import telling
from app.mcp.remembering import MEMORY
from app.mcp.schemas import Question, Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.search.schemas import FoundOut, SearchIn
from app.search.telling import recorded
from app.skills.graph_schemas import GraphStatisticsOut, SubgraphOut
from app.skills.knowledge import DEEPEST, folded

Relation = Annotated[
    ShortText | None,
    Field(description="A type of edge, such as references, or the predicate of a fact."),
]


class NeighborsIn(WireModel):
    """What lies around which node."""

    node_id: ShortText = Field(description="Id of an entity, skill, page or agent.")
    relation_type: Relation = None
    depth: Annotated[int, Field(ge=1, le=DEEPEST)] = Field(1, description="Edges from the node.")
    limit: Annotated[int, Field(ge=1, le=100)] = Field(50, description="Most nodes.")


class GraphStatisticsIn(WireModel):
    """What of the graph is counted."""

    relation_type: Relation = None
    scopes: Scopes = None


class KnowledgeIn(WireModel):
    """What is sought in shared knowledge."""

    query: Question = Field(description="The question, as plain text.")
    limit: Annotated[int, Field(ge=1, le=50)] = Field(10, description="Most items.")
    scopes: Scopes = None

    def to_search(self) -> SearchIn:
        """Return the search of the route that this asks for."""
        given = self.model_dump(exclude_none=True)
        return model_of(SearchIn, {**given, "kinds": ["note", "chunk"], "form": "both"})


async def neighbors(services: Services, caller: Caller, given: NeighborsIn) -> Told:
    """Tell what lies around a node."""
    relation = folded(given.relation_type)
    found = await services.skills.knowledge.neighbours(
        caller, given.node_id, relation, given.depth, given.limit
    )
    shown = SubgraphOut.of(found)
    nodes = telling.counted(len(shown.nodes), "node", "nodes")
    return Told(shown, telling.data(f"{nodes} with what joins them.", shown))


async def statistics(services: Services, caller: Caller, given: GraphStatisticsIn) -> Told:
    """Count what the graph is made of."""
    relation = folded(given.relation_type)
    counted = await services.skills.knowledge.statistics(caller.among(given.scopes), relation)
    shown = GraphStatisticsOut.of(counted)
    return Told(shown, telling.data("What the graph is made of.", shown))


async def search(services: Services, caller: Caller, given: KnowledgeIn) -> Told:
    """Find notes, and passages of pages and documents."""
    data = given.to_search()
    found = await recorded(services.searches, services.questions, caller, data.to_request(caller))
    shown = await FoundOut.made(found, data)
    return Told(shown, shown.bundle or "Nothing is known of that.")


GRAPH = (
    Tool(
        name="get_graph_neighbors",
        title="Look around a node",
        description="What lies around an entity, skill, page or agent in either direction, also by "
        "one type of relation alone.",
        takes=NeighborsIn,
        gives=SubgraphOut,
        run=neighbors,
    ),
    Tool(
        name="get_graph_statistics",
        title="Count the graph",
        description="How many nodes of each kind and edges of each relation there are, density and "
        "mean degree.",
        takes=GraphStatisticsIn,
        gives=GraphStatisticsOut,
        run=statistics,
    ),
)
(_store,) = (tool for tool in MEMORY if tool.name == "memory_store")
KNOWLEDGE = (
    Tool(
        name="search_knowledge",
        title="Search shared knowledge",
        description="Find what is written down to be shared: notes, and passages of pages and "
        "documents, by words and by meaning.",
        takes=KnowledgeIn,
        gives=FoundOut,
        run=search,
    ),
    replace(
        _store,
        name="create_knowledge",
        title="Share knowledge",
        description="Write down what others are to know, in a scope that they read; what is known "
        "already is confirmed, with its id.",
    ),
)
