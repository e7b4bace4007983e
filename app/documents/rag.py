"""Seed 000's own routes over knowledge bases and documents: `/api/v1/ai/rag/...`."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Controller, Request, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_201_CREATED, HTTP_202_ACCEPTED

from app.documents.bases import BaseService
from app.documents.intake import Intake
from app.documents.schemas import DocumentReceiptOut, KnowledgeBaseIn, KnowledgeBaseOut
from app.documents.service import DocumentService
from app.kernel.caller import Caller, Role


class RagBaseOut(msgspec.Struct, frozen=True):
    """The seed's envelope around a knowledge base."""

    success: bool
    data: KnowledgeBaseOut


class RagDocumentOut(msgspec.Struct, frozen=True):
    """The seed's envelope around a document that was handed in."""

    success: bool
    data: DocumentReceiptOut


class RagController(Controller):
    """The routes of the seed that write; those that ask are search's."""

    path = "/api/v1/ai/rag"
    tags = ("Documents",)

    @post(
        "/knowledge_bases",
        operation_id="ragCreateKnowledgeBase",
        opt={"requires": Role.WRITER},
        status_code=HTTP_201_CREATED,
    )
    async def create_base(
        self,
        data: JSONBody[KnowledgeBaseIn],
        caller: NamedDependency[Caller],
        basing: NamedDependency[BaseService],
    ) -> RagBaseOut:
        """Make a knowledge base."""
        base = await basing.create(caller, data.to_wish())
        return RagBaseOut(True, KnowledgeBaseOut.of(base, []))

    @post(
        "/documents",
        operation_id="ragUploadDocument",
        opt={"requires": Role.WRITER, "streams": True},
        status_code=HTTP_202_ACCEPTED,
        request_max_body_size=None,
    )
    async def upload(
        self,
        request: Request[Any, Any, Any],
        caller: NamedDependency[Caller],
        intake: NamedDependency[Intake],
    ) -> RagDocumentOut:
        """Hand in a document: a form with a file, or the JSON of `POST /v1/documents`."""
        content_type = request.headers.get("content-type", "")
        taken = await intake.either(caller, request.stream(), content_type)
        return RagDocumentOut(True, DocumentReceiptOut.of(taken))

    @post(
        "/documents/{document_id:str}/process",
        operation_id="ragProcessDocument",
        opt={"requires": Role.WRITER},
        status_code=HTTP_202_ACCEPTED,
    )
    async def process(
        self,
        document_id: FromPath[str],
        caller: NamedDependency[Caller],
        documenting: NamedDependency[DocumentService],
    ) -> RagDocumentOut:
        """Read a document again."""
        taken = await documenting.again(caller, document_id)
        return RagDocumentOut(True, DocumentReceiptOut.of(taken))
