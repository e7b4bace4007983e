"""The tools of documents and knowledge bases, which only the profile `documents` lists."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import Field

from app.documents.model import DocumentState
from app.documents.schemas import (
    DocumentIn,
    DocumentOut,
    DocumentReceiptOut,
    DocumentsOut,
    KnowledgeBaseIn,
    KnowledgeBaseOut,
    KnowledgeBasesOut,
)
from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel, model_of
from app.mcp import telling
from app.mcp.schemas import Question, Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.rag.schemas import AnswerOut, AskIn, RetrievedOut, RetrieveIn
from app.rag.telling import answered, retrieved
from app.search.schemas import FoundOut, SearchIn
from app.search.telling import recorded
from app.skills.graph_schemas import SubgraphOut
from app.skills.knowledge import folded

RELATED = 10  # nodes from which a relation is followed
Base = Annotated[ShortText, Field(description="Id or name of a knowledge base.")]
Document = Annotated[ShortText, Field(description="Id of the document.")]


class BaseListIn(WireModel):
    """Which knowledge bases are wanted."""

    scopes: Scopes = None
    cursor: str | None = Field(None, description="`next` of the page before.")
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class DocumentListIn(WireModel):
    """Which documents are wanted."""

    knowledge_base: Base | None = None
    status: DocumentState | None = None
    scopes: Scopes = None
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class DocumentNamedIn(WireModel):
    """Which document is meant."""

    document: Document


class DocumentSearchIn(WireModel):
    """What is sought in documents."""

    query: Question = Field(description="The question, as plain text.")
    knowledge_base_ids: tuple[ShortText, ...] | None = Field(
        None, min_length=1, max_length=50, description="Only documents of the bases of these ids."
    )
    limit: Annotated[int, Field(ge=1, le=50)] = Field(10, description="Most passages.")
    scopes: Scopes = None

    def to_search(self) -> SearchIn:
        """Return the search of the route that this asks for."""
        given = self.model_dump(exclude_none=True)
        return model_of(SearchIn, {**given, "kinds": ["chunk"], "form": "both"})


class BaseAskIn(AskIn):
    """A question to knowledge bases."""

    knowledge_base_ids: tuple[ShortText, ...] = Field(
        min_length=1, max_length=50, description="Ids of the knowledge bases."
    )


class GraphSearchIn(RetrieveIn):
    """A question to the graph, and the type of relation that is looked at besides."""

    relation_type: Annotated[
        ShortText | None,
        Field(
            description="Also tell what one type of relation joins, such as references, or the "
            "predicate of a fact; not with `knowledge_base_ids`."
        ),
    ] = None


class GraphFoundOut(RetrievedOut, frozen=True, kw_only=True):
    """What was found; `relations` has what one type of relation joins, where it was asked for."""

    relations: SubgraphOut | None = None


async def list_bases(services: Services, caller: Caller, given: BaseListIn) -> Told:
    """List knowledge bases."""
    rows, scopes = services.bases.rows, caller.among(given.scopes)
    found = await rows.bases(scopes, given.cursor or "", given.limit + 1)
    shown = KnowledgeBasesOut.of(found, given.limit)
    counted = telling.counted(len(shown.items), "knowledge base.", "knowledge bases.")
    return Told(shown, telling.data(counted, shown))


async def create_base(services: Services, caller: Caller, given: KnowledgeBaseIn) -> Told:
    """Make a knowledge base."""
    shown = KnowledgeBaseOut.of(await services.bases.create(caller, given.to_wish()), [])
    return Told(shown, f"Knowledge base {shown.id} is made in {shown.scope}.")


async def add(services: Services, caller: Caller, given: DocumentIn) -> Told:
    """Hand in a text or an address."""
    shown = DocumentReceiptOut.of(await services.intake.described(caller, given))
    state = "is there already" if shown.unchanged else "is taken in"
    return Told(shown, f"Document {shown.document.id} {state}.")


async def listed(services: Services, caller: Caller, given: DocumentListIn) -> Told:
    """List documents."""
    scopes, rows, base = caller.among(given.scopes), services.intake.documents.rows, None
    if given.knowledge_base:
        base = (await rows.find_base(given.knowledge_base, scopes))["id"]
    page = (given.cursor or "", given.limit + 1)
    found = await rows.documents(base, scopes, given.status, page)
    items = [DocumentOut.of(row) for row in found[: given.limit]]
    shown = DocumentsOut(items, items[-1].id if len(found) > given.limit else None)
    counted = telling.counted(len(items), "document", "documents")
    return Told(shown, telling.data(f"{counted}.", shown))


async def look(services: Services, caller: Caller, given: DocumentNamedIn) -> Told:
    """Look at one document."""
    rows = services.intake.documents.rows
    shown = DocumentOut.of(await rows.document(given.document, caller.visible))
    return Told(shown, telling.data(f"Document {shown.id} is {shown.status}.", shown))


async def process(services: Services, caller: Caller, given: DocumentNamedIn) -> Told:
    """Fetch or cut a document anew."""
    done = await services.intake.documents.again(caller, given.document)
    shown = DocumentReceiptOut.of(done)
    return Told(shown, f"Document {shown.document.id} is read again.")


async def search(services: Services, caller: Caller, given: DocumentSearchIn) -> Told:
    """Find passages of documents."""
    data = given.to_search()
    found = await recorded(services.searches, services.questions, caller, data.to_request(caller))
    shown = await FoundOut.made(found, data)
    return Told(shown, shown.bundle or "No document has anything on this.")


async def ask(services: Services, caller: Caller, given: BaseAskIn) -> Told:
    """Answer a question from knowledge bases."""
    question, rounds = given.to_ask(caller), given.max_rounds
    told = await answered(services.agentic, services.questions, caller, question, rounds)
    shown = AnswerOut.of(told)
    return Told(shown, telling.answer(shown))


async def graph(services: Services, caller: Caller, given: GraphSearchIn) -> Told:
    """Tell what the graph has on a question."""
    question, relation = given.to_ask(caller), folded(given.relation_type)
    if relation and question.bases is not None:
        # A relation joins nodes of whole scopes: which of them a base names, it does not tell.
        raise InvalidInput(
            "relation_type has no place with knowledge_base_ids: leave one out",
            field="relation_type",
        )
    found = RetrievedOut.of(
        await retrieved(services.graph_rag, services.questions, caller, question)
    )
    joined = relation and await services.skills.knowledge.search(
        caller.within(given.scopes), given.query, relation, 1, RELATED
    )
    shown = GraphFoundOut(
        **msgspec.structs.asdict(found), relations=SubgraphOut.of(joined) if joined else None
    )
    return Told(shown, telling.data("What the graph has on this.", shown))


DOCUMENTS = (
    Tool(
        name="list_knowledge_bases",
        title="List knowledge bases",
        description="List the knowledge bases that you see, with their ids and what they hold.",
        takes=BaseListIn,
        gives=KnowledgeBasesOut,
        run=list_bases,
    ),
    Tool(
        name="create_knowledge_base",
        title="Make a knowledge base",
        description="Make a knowledge base for documents that are kept, cut and asked together.",
        takes=KnowledgeBaseIn,
        gives=KnowledgeBaseOut,
        run=create_base,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="add_document",
        title="Hand in a document",
        description="Hand in a text, or an address that is fetched; the same name is replaced.",
        takes=DocumentIn,
        gives=DocumentReceiptOut,
        run=add,
        requires=Role.WRITER,
        destructive=True,
        open_world=True,
    ),
    Tool(
        name="list_documents",
        title="List documents",
        description="List documents, of one knowledge base or of all that you see.",
        takes=DocumentListIn,
        gives=DocumentsOut,
        run=listed,
    ),
    Tool(
        name="get_document",
        title="Look at a document",
        description="Tell where a document comes from, and how far its reading is.",
        takes=DocumentNamedIn,
        gives=DocumentOut,
        run=look,
    ),
    Tool(
        name="process_document",
        title="Read a document again",
        description="Fetch a document's address again, or cut its stored text anew.",
        takes=DocumentNamedIn,
        gives=DocumentReceiptOut,
        run=process,
        requires=Role.WRITER,
        destructive=True,
        open_world=True,
    ),
    Tool(
        name="search_documents",
        title="Search documents",
        description="Find passages of documents and pages by words and by meaning.",
        takes=DocumentSearchIn,
        gives=FoundOut,
        run=search,
    ),
    Tool(
        name="query_knowledge_base",
        title="Ask a knowledge base",
        description="An answer from knowledge bases alone, each sentence with its sources.",
        takes=BaseAskIn,
        gives=AnswerOut,
        run=ask,
    ),
    Tool(
        name="search_knowledge_graph",
        title="Search the graph",
        description="Find entities, communities and passages on a question, with the paths that "
        "led to them.",
        takes=GraphSearchIn,
        gives=GraphFoundOut,
        run=graph,
    ),
)
