"""Knowledge bases and documents over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller, Request, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_201_CREATED, HTTP_202_ACCEPTED

from app.access.parameters import Limit, Within
from app.documents.bases import BaseService
from app.documents.intake import Intake
from app.documents.model import BaseState, DocumentState
from app.documents.schemas import (
    ChunkOut,
    ChunksOut,
    DocumentIn,
    DocumentOut,
    DocumentReceiptOut,
    DocumentReceiptsOut,
    DocumentsOut,
    DocumentTextOut,
    KnowledgeBaseChangeIn,
    KnowledgeBaseIn,
    KnowledgeBaseOut,
    KnowledgeBasesOut,
)
from app.documents.service import DocumentService
from app.jobs.schemas import JobOut
from app.kernel.caller import Caller, Role
from app.kernel.wire import LARGEST

READS, WRITES = {"requires": Role.READER}, {"requires": Role.WRITER}
TEXT_MOST = 100_000  # characters of a stored text that one answer holds
Start = Annotated[int, QueryParameter(ge=0, le=LARGEST, description="First character.")]
End = Annotated[
    int | None,
    QueryParameter(ge=-LARGEST, le=LARGEST, description="The character behind the last one."),
]
After = Annotated[
    int, QueryParameter(ge=-1, le=LARGEST, description="The number to continue after.")
]


class KnowledgeBaseController(Controller):
    """Documents of one scope that are kept, cut and asked together."""

    path = "/v1/knowledge-bases"
    tags = ("Documents",)

    @post("/", operation_id="createKnowledgeBase", opt=WRITES, status_code=HTTP_201_CREATED)
    async def create(
        self,
        data: JSONBody[KnowledgeBaseIn],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> KnowledgeBaseOut:
        """Make a knowledge base; all who see its scope read it."""
        return KnowledgeBaseOut.of(await basing.create(caller, data.to_wish()), [])

    @get("/", operation_id="listKnowledgeBases", opt=READS)
    async def list_bases(
        self,
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
        within: Within = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> KnowledgeBasesOut:
        """Knowledge bases that this key sees, with their statistics."""
        found = await basing.rows.bases(caller.among(within), cursor or "", limit + 1)
        return KnowledgeBasesOut.of(found, limit)

    @get("/{base_id:str}", operation_id="getKnowledgeBase", opt=READS)
    async def read(
        self,
        base_id: FromPath[str],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> KnowledgeBaseOut:
        """One knowledge base with its statistics."""
        return KnowledgeBaseOut.of(*await basing.get(caller, base_id))

    @patch("/{base_id:str}", operation_id="changeKnowledgeBase", opt=WRITES)
    async def change(
        self,
        base_id: FromPath[str],
        data: JSONBody[KnowledgeBaseChangeIn],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> KnowledgeBaseOut:
        """Set name, description or chunking; `reindex` cuts what is there anew."""
        await basing.change(caller, base_id, data.to_change())
        return KnowledgeBaseOut.of(*await basing.get(caller, base_id))

    @post("/{base_id:str}/pause", operation_id="pauseKnowledgeBase", opt=WRITES, status_code=200)
    async def pause(
        self,
        base_id: FromPath[str],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> KnowledgeBaseOut:
        """Take no documents until it is resumed; what was handed in goes on."""
        return await _moved(basing, caller, base_id, BaseState.PAUSED)

    @post("/{base_id:str}/resume", operation_id="resumeKnowledgeBase", opt=WRITES, status_code=200)
    async def resume(
        self,
        base_id: FromPath[str],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> KnowledgeBaseOut:
        """Take documents again, after a pause, an error or out of the archive."""
        return await _moved(basing, caller, base_id, BaseState.ACTIVE)

    @post(
        "/{base_id:str}/archive", operation_id="archiveKnowledgeBase", opt=WRITES, status_code=200
    )
    async def archive(
        self,
        base_id: FromPath[str],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> KnowledgeBaseOut:
        """Put a base away: no search of the present finds it."""
        return await _moved(basing, caller, base_id, BaseState.ARCHIVED)

    @post(
        "/{base_id:str}/reindex",
        operation_id="reindexKnowledgeBase",
        opt=WRITES,
        status_code=HTTP_202_ACCEPTED,
    )
    async def reindex(
        self,
        base_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> DocumentReceiptsOut:
        """Cut every document of the base anew, a job each."""
        taken = await documenting.reindex(caller, base_id)
        return DocumentReceiptsOut([DocumentReceiptOut.of(one) for one in taken])

    @delete(
        "/{base_id:str}",
        operation_id="deleteKnowledgeBase",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_202_ACCEPTED,
    )
    async def drop(
        self,
        base_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> JobOut:
        """Delete a base with its documents and all that rests on them alone."""
        return JobOut.of(await documenting.drop_base(caller, base_id))


class DocumentController(Controller):
    """Files, pages of the web and texts that were handed in as a whole."""

    path = "/v1/documents"
    tags = ("Documents",)

    @post("/", operation_id="addDocument", opt=WRITES, status_code=HTTP_202_ACCEPTED)
    async def add(
        self,
        data: JSONBody[DocumentIn],
        caller: NamedDependency[Caller],
        intake: NamedDependency[Intake],
    ) -> DocumentReceiptOut:
        """Hand in a text, or an address that the worker fetches; the same name is replaced."""
        return DocumentReceiptOut.of(await intake.described(caller, data))

    @get("/", operation_id="listDocuments", opt=READS)
    async def list_documents(
        self,
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
        within: Within = None,
        knowledge_base: FromQuery[str | None] = None,
        status: FromQuery[DocumentState | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> DocumentsOut:
        """Documents, of one knowledge base (by id or name) or of all that this key sees."""
        scopes, rows = caller.among(within), documenting.rows
        base = (await rows.find_base(knowledge_base, scopes))["id"] if knowledge_base else None
        found = await rows.documents(base, scopes, status, (cursor or "", limit + 1))
        shown = [DocumentOut.of(row) for row in found[:limit]]
        return DocumentsOut(shown, shown[-1].id if len(found) > limit else None)

    @get("/{document_id:str}", operation_id="getDocument", opt=READS)
    async def read(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> DocumentOut:
        """One document, with how far the worker is."""
        return DocumentOut.of(await documenting.rows.document(document_id, caller.visible))

    @get("/{document_id:str}/text", operation_id="getDocumentText", opt=READS)
    async def text(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
        start: Start = 0,
        end: End = None,
    ) -> DocumentTextOut:
        """A range of the stored text, 100,000 characters at most; offsets of chunks refer to it."""
        whole = await documenting.text(caller, document_id)
        stop = min(len(whole), start + TEXT_MOST, len(whole) if end is None else max(end, start))
        shown = {"text": whole[start:stop]}
        return DocumentTextOut(document_id, start, max(start, stop), len(whole), shown)

    @get("/{document_id:str}/chunks", operation_id="listChunks", opt=READS)
    async def chunks(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
        after: After = -1,
        limit: Limit = 50,
    ) -> ChunksOut:
        """The chunks of a document in the order of its text."""
        await documenting.rows.document(document_id, caller.visible)
        found = await documenting.rows.chunks(document_id, caller.visible, after, limit + 1)
        shown = [ChunkOut.of(row) for row in found[:limit]]
        return ChunksOut(shown, shown[-1].number if len(found) > limit else None)

    @post(
        "/{document_id:str}/process",
        operation_id="processDocument",
        opt=WRITES,
        status_code=HTTP_202_ACCEPTED,
    )
    async def process(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> DocumentReceiptOut:
        """Fetch a document's address again, or cut its stored text anew."""
        return DocumentReceiptOut.of(await documenting.again(caller, document_id))

    @post("/{document_id:str}/archive", operation_id="archiveDocument", opt=WRITES, status_code=200)
    async def archive(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> DocumentOut:
        """Put a document away: no search of the present finds it."""
        done = await documenting.move(caller, document_id, DocumentState.ARCHIVED)
        return DocumentOut.of(done)

    @post("/{document_id:str}/restore", operation_id="restoreDocument", opt=WRITES, status_code=200)
    async def restore(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> DocumentOut:
        """Bring a document back out of the archive."""
        done = await documenting.move(caller, document_id, DocumentState.INDEXED)
        return DocumentOut.of(done)

    @delete(
        "/{document_id:str}",
        operation_id="deleteDocument",
        opt=WRITES,
        status_code=HTTP_202_ACCEPTED,
    )
    async def drop(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> JobOut:
        """Delete a document with all that rests on it alone."""
        return JobOut.of(await documenting.delete(caller, document_id))


@post(
    "/v1/documents:upload",
    operation_id="uploadDocuments",
    tags=["Documents"],
    opt={"requires": Role.WRITER, "streams": True},
    status_code=HTTP_202_ACCEPTED,
    request_max_body_size=None,
)
async def upload(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    intake: NamedDependency[Intake],
) -> DocumentReceiptsOut:
    """Hand in files (text, Markdown, HTML, PDF, DOCX) as a form with the fields of a document."""
    content_type = request.headers.get("content-type", "")
    taken = await intake.form(caller, request.stream(), content_type)
    return DocumentReceiptsOut([DocumentReceiptOut.of(one) for one in taken])


async def _moved(
    basing: BaseService, who: Caller, base: str, wanted: BaseState
) -> KnowledgeBaseOut:
    await basing.move(who, base, wanted)
    return KnowledgeBaseOut.of(*await basing.get(who, base))
