"""Wire types of knowledge bases and documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, ValidationError

from app.documents.model import SIZE_LEAST, SIZE_MOST
from app.documents.orders import BaseWish, DocumentWish, Taken
from app.embeddings.provider import provider_of
from app.errors import InvalidInput
from app.jobs.schemas import JobOut
from app.kernel.graph import Row
from app.kernel.sentences import of_value
from app.kernel.wire import Moment, ShortText, TagName, WireModel

Name = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
Title = Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)]
Size = Annotated[int, Field(ge=SIZE_LEAST, le=SIZE_MOST)]
Overlap = Annotated[int, Field(ge=0, le=SIZE_MOST // 2)]
Speaker = Literal["user", "assistant", "tool"]


class KnowledgeBaseIn(WireModel):
    """A knowledge base to be made."""

    name: ShortText = Field(description="Its name, once in its scope.")
    scope: str | None = Field(None, description="Scope path; the key's home if unset.")
    description: Title = Field("", description="What it holds.")
    chunking_strategy: Literal["recursive", "semantic"] | None = Field(
        None, description="`recursive` (default) or `semantic`, by what the sentences mean."
    )
    chunk_size: Size | None = Field(None, description="Most characters of a chunk; 1000 if unset.")
    chunk_overlap: Overlap | None = Field(
        None, description="Most characters that a chunk repeats; 200 if unset."
    )
    embedding_model: ShortText | None = Field(
        None, description="That of its scope, which it goes by; another one is refused."
    )
    embedding_provider: ShortText | None = Field(
        None, description="The provider of that model; another one is refused."
    )

    def to_wish(self) -> BaseWish:
        """What this asks for."""
        return BaseWish(
            self.name,
            self.scope,
            self.description,
            self.chunking_strategy,
            self.chunk_size,
            self.chunk_overlap,
            self.embedding_model,
            self.embedding_provider,
        )


class KnowledgeBaseChangeIn(WireModel):
    """What of a base is set; what is left out stays."""

    name: ShortText | None = Field(None, description="A new name.")
    description: Title | None = Field(None, description="What it holds.")
    chunking_strategy: Literal["recursive", "semantic"] | None = Field(None)
    chunk_size: Size | None = Field(
        None, description="Most characters of a chunk; alone, it brings the overlap to a fifth."
    )
    chunk_overlap: Overlap | None = Field(None)

    def to_change(self) -> dict[str, Any]:
        """The fields that are set, by the names of the service."""
        names = {"chunking_strategy": "strategy", "chunk_size": "size", "chunk_overlap": "overlap"}
        return {names.get(n, n): v for n, v in self.model_dump(exclude_none=True).items()}


class AboutDocument(WireModel):
    """What a client says of a document, however its words come."""

    knowledge_base: Name = Field(description="Id or name of the knowledge base.")
    scope: str | None = Field(None, description="Scope in which a base is looked for by name.")
    name: Name | None = Field(
        None,
        description="Your own name of it, once in the base; the address or file name if unset.",
    )
    title: Title = Field("", description="Its title; what the file itself says if unset.")
    tags: tuple[TagName, ...] = Field((), max_length=32, description="Labels to filter by.")
    captured_at: Moment | None = Field(
        None, description="Of when its words are; when it was handed in if unset."
    )
    role: Speaker | None = Field(
        None, description="Whose words: `user` where a user uploads, else `tool`, if unset."
    )
    speaker: Title = Field("", description="Who says I in it.")

    def to_wish(self, name: str) -> DocumentWish:
        """What this asks for, of a document that goes by `name` unless it is named here."""
        return DocumentWish(
            base=self.knowledge_base,
            name=self.name or name,
            scope=self.scope,
            title=self.title,
            tags=tuple(dict.fromkeys(self.tags)),
            captured_at=self.captured_at,
            role=self.role,
            speaker=self.speaker,
        )


class DocumentIn(AboutDocument):
    """A document as text, or by its address."""

    text: Annotated[str, StringConstraints(min_length=1)] | None = Field(
        None, description="The text itself; either this or `url`."
    )
    media: Literal["text/plain", "text/markdown", "text/html"] = Field(
        "text/plain", description="What kind of text it is."
    )
    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)] | None = Field(
        None, description="An address on the public internet that the worker fetches."
    )


def about_of(fields: Mapping[str, str]) -> AboutDocument:
    """The same out of the fields of a form; InvalidInput naming the field.

    `tags` are divided by commas.
    """
    given: dict[str, Any] = {name: value for name, value in fields.items() if value}
    if "tags" in given:
        given["tags"] = [tag.strip() for tag in given["tags"].split(",") if tag.strip()]
    try:
        return AboutDocument.model_validate(given)
    except ValidationError as error:
        raise _named(error) from None


def described_by(body: bytes) -> DocumentIn:
    """The same out of a JSON body; InvalidInput naming the field."""
    try:
        return DocumentIn.model_validate_json(body)
    except ValidationError as error:
        raise _named(error) from None


def _named(error: ValidationError) -> InvalidInput:
    wrong = of_value(error.errors()[0])
    return InvalidInput(wrong.detail, field=wrong.field.partition(".")[0] or "body")


class StatisticsOut(msgspec.Struct, frozen=True):
    """What a base holds; `documents` counts by state."""

    documents: dict[str, int]
    chunks: int
    characters: int
    tokens: int

    @classmethod
    def of(cls, rows: Iterable[Row]) -> StatisticsOut:
        """The wire form of rows of `statistics`, or of single documents in that form."""
        found: dict[str, int] = {}
        sums = [0, 0, 0]
        for row in rows:
            found[row["status"]] = found.get(row["status"], 0) + row.get("documents", 1)
            for place, name in enumerate(("chunks", "characters", "tokens")):
                sums[place] += row[name] or 0
        return cls(dict(sorted(found.items())), *sums)


class KnowledgeBaseOut(msgspec.Struct, frozen=True):
    """A knowledge base with its statistics."""

    id: str
    scope: str
    status: str
    error: str | None
    embedding_model: str
    embedding_provider: str
    chunking_strategy: str
    chunk_size: int
    chunk_overlap: int
    created_by: str
    created_at: datetime
    updated_at: datetime
    statistics: StatisticsOut
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, base: Row, documents: Iterable[Row]) -> KnowledgeBaseOut:
        """The wire form of a base."""
        named = {name: base[name] for name in PLAIN_BASE}
        return cls(
            **named,
            embedding_model=base["embedding"]["model"],
            embedding_provider=provider_of(**base["embedding"]),
            error=base.get("error"),
            statistics=StatisticsOut.of(documents),
            untrusted={"name": base["name"], "description": base["description"]},
        )


PLAIN_BASE = (
    "id", "scope", "status", "chunking_strategy", "chunk_size", "chunk_overlap", "created_by",
    "created_at", "updated_at",
)  # fmt: skip


class KnowledgeBasesOut(msgspec.Struct, frozen=True):
    """A page of knowledge bases; `next` is the id to continue after."""

    items: list[KnowledgeBaseOut]
    next: str | None

    @classmethod
    def of(cls, found: Sequence[Row], limit: int) -> KnowledgeBasesOut:
        """The wire form of a page of rows, which may hold one more than the limit."""
        names = ("status", "chunks", "characters", "tokens")
        shown = [
            KnowledgeBaseOut.of(
                row["base"], [dict(zip(names, one, strict=True)) for one in row["documents"]]
            )
            for row in found[:limit]
        ]
        return cls(shown, shown[-1].id if len(found) > limit else None)


class DocumentOut(msgspec.Struct, frozen=True):
    """A document; `vectors_pending` and `unread` count chunks that the worker has yet to do.

    `pages_without_text` of a PDF's pages gave no text and are found by nothing: pictures, blanks.
    """

    id: str
    scope: str
    knowledge_base: str
    status: str
    error: str | None
    version: int
    media: str | None
    size: int | None
    pages: int | None
    checksum: str | None
    job: str | None
    characters: int
    tokens: int
    chunks: int
    author: str
    role: str
    captured_at: datetime
    ingested_at: datetime
    updated_at: datetime
    pii: list[str]
    markers: list[str]
    untrusted: dict[str, Any]
    pages_without_text: int | None = None
    vectors_pending: int | None = None
    unread: int | None = None

    @classmethod
    def of(cls, row: Row) -> DocumentOut:
        """The wire form of a row of `get_document`, or of a document alone."""
        document = row.get("document", row)
        plain = {name: document[name] for name in PLAIN_DOCUMENT}
        maybe = {name: document.get(name) for name in ("error", *MAYBE_DOCUMENT)}
        said = {n: document.get(n) for n in ("name", "title", "tags", "speaker", "source_url")}
        return cls(
            **plain,
            **maybe,
            knowledge_base=document["base"],
            pii=document.get("pii") or [],
            markers=document.get("marker_ids") or [],
            untrusted={**said, "knowledge_base": (row.get("base") or {}).get("name")}
            if "document" in row
            else said,
            vectors_pending=row.get("unindexed"),
            unread=row.get("unread"),
        )


PLAIN_DOCUMENT = (
    "id", "scope", "status", "version", "characters", "tokens", "chunks", "author", "role",
    "captured_at", "ingested_at", "updated_at",
)  # fmt: skip
MAYBE_DOCUMENT = ("media", "size", "pages", "pages_without_text", "checksum", "job")


class DocumentsOut(msgspec.Struct, frozen=True):
    """A page of documents; `next` is the id to continue after."""

    items: list[DocumentOut]
    next: str | None


class DocumentReceiptOut(msgspec.Struct, frozen=True):
    """What became of a document that was handed in; no job where it was there just so."""

    document: DocumentOut
    created: bool
    unchanged: bool
    job: JobOut | None

    @classmethod
    def of(cls, taken: Taken) -> DocumentReceiptOut:
        """The wire form of a receipt."""
        job = JobOut.of(taken.job) if taken.job is not None else None
        return cls(DocumentOut.of(taken.document), taken.created, taken.unchanged, job)


class DocumentReceiptsOut(msgspec.Struct, frozen=True):
    """Receipts in the order of the files."""

    receipts: list[DocumentReceiptOut]


class DocumentTextOut(msgspec.Struct, frozen=True):
    """A range of a document's stored text, in characters."""

    id: str
    start: int
    end: int
    characters: int
    untrusted: dict[str, str]


class ChunkOut(msgspec.Struct, frozen=True):
    """A chunk; from `own` on its range of the stored text does not repeat the chunk before."""

    id: str
    number: int
    start: int
    own: int
    end: int
    tokens: int
    content_hash: str
    index_state: str
    consolidation_state: str
    captured_at: datetime
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> ChunkOut:
        """The wire form of a chunk."""
        plain = {name: row[name] for name in cls.__struct_fields__ if name != "untrusted"}
        untrusted = {"text": row["content"], "heading_path": row["heading_path"]}
        return cls(**plain, untrusted=untrusted)


class ChunksOut(msgspec.Struct, frozen=True):
    """Chunks in the order of the text; `next` is the number to continue after."""

    items: list[ChunkOut]
    next: int | None
