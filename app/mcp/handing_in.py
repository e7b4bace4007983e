"""The tools of documents and knowledge bases, which only the profile `documents` lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.documents.model import DocumentState
from app.documents.schemas import DocumentIn, DocumentOut, DocumentReceiptOut, DocumentsOut
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel, model_of
from app.mcp import telling
from app.mcp.schemas import Question, Scopes
from app.mcp.tool import Services, Told, Tool
from app.rag.schemas import AnswerOut, AskIn, RetrievedOut, RetrieveIn
from app.rag.telling import answered, retrieved
from app.search.schemas import FoundOut, SearchIn
from app.search.telling import recorded

Base = Annotated[ShortText, Field(description="Id or name of a knowledge base.")]
Document = Annotated[ShortText, Field(description="Id of the document.")]


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
    shown = FoundOut.of(found, data)
    return Told(shown, shown.bundle or "No document has anything on this.")


async def ask(services: Services, caller: Caller, given: BaseAskIn) -> Told:
    """Answer a question from knowledge bases."""
    question, rounds = given.to_ask(caller), given.max_rounds
    told = await answered(services.agentic, services.questions, caller, question, rounds)
    shown = AnswerOut.of(told)
    return Told(shown, telling.answer(shown))


async def graph(services: Services, caller: Caller, given: RetrieveIn) -> Told:
    """Tell what the graph has on a question."""
    question = given.to_ask(caller)
    found = await retrieved(services.graph_rag, services.questions, caller, question)
    shown = RetrievedOut.of(found)
    return Told(shown, telling.data("What the graph has on this.", shown))


DOCUMENTS = (
    Tool(
        name="add_document",
        title="Hand in a document",
        description="Hand in a text, or an address that is fetched; the same name is replaced.",
        takes=DocumentIn,
        gives=DocumentReceiptOut,
        run=add,
        requires=Role.WRITER,
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
        takes=RetrieveIn,
        gives=RetrievedOut,
        run=graph,
    ),
)
