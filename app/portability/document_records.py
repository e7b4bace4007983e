"""What a line says of knowledge bases, documents and their chunks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.documents.model import SIZE_LEAST, SIZE_MOST
from app.kernel.fields import MOST_CHARACTERS, Count, Id, Path
from app.kernel.wire import Moment, ShortText, TagName, WireModel
from app.portability.records import IndexRecord, StatsRecord, Triples, Vector

Line = Annotated[str, StringConstraints(max_length=2000)]


class KnowledgeBaseRecord(WireModel):
    """A knowledge base."""

    id: Id
    scope: Path
    name: ShortText
    description: Line = ""
    status: Literal["active", "paused", "error", "archived"] = "active"
    embedding_model: Line = ""
    chunking_strategy: Literal["recursive", "semantic"] = "recursive"
    chunk_size: Annotated[int, Field(ge=SIZE_LEAST, le=SIZE_MOST)] = 1000
    chunk_overlap: Annotated[int, Field(ge=0, le=SIZE_MOST // 2)] = 200
    created_by: ShortText | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None


class DocumentRecord(WireModel):
    """A document; its text is that of its chunks' own parts."""

    id: Id
    scope: Path
    base: Id
    name: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    title: Line = ""
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    status: Literal["indexed", "failed", "archived"] = "indexed"
    leaving: bool = Field(False, description="Archived to be deleted; its name is free.")
    error: Line | None = None
    media: ShortText | None = None
    size: Count = 0
    pages: Count = 0
    pages_without_text: Count = 0
    checksum: Annotated[str, StringConstraints(max_length=64)] | None = None
    source_url: Line | None = None
    version: Count = 1
    characters: Count = 0
    tokens: Count = 0
    chunks: Count = 0
    cut_by: ShortText | None = None
    content_hash: Annotated[str, StringConstraints(max_length=64)] | None = None
    author: ShortText | None = None
    role: Literal["user", "assistant", "tool"] = "user"
    speaker: Line | None = None
    captured_at: Moment
    dated: bool = False
    pii: tuple[ShortText, ...] = ()
    markers: tuple[ShortText, ...] = ()
    sanitizer: ShortText | None = None
    ingested_at: Moment | None = None
    updated_at: Moment | None = None


class PlacedHeading(WireModel):
    """A heading that begins in a chunk: its place from `own` on, in characters, and its level."""

    start: int
    level: Count
    title: Line


class ChunkRecord(WireModel):
    """A stretch of a document's text."""

    id: Id
    scope: Path
    document: Id
    base: Id
    number: Count
    start: Count
    own: Count
    end: Count
    content: Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS)]
    title: Line = ""
    heading_path: tuple[Line, ...] = ()
    headings: tuple[PlacedHeading, ...] = ()
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    role: Literal["user", "assistant", "tool"] = "user"
    speaker: Line | None = None
    author: ShortText | None = None
    captured_at: Moment
    ingested_at: Moment | None = None
    expired_at: Moment | None = None
    live: bool = True
    pii: tuple[ShortText, ...] = ()
    markers: tuple[ShortText, ...] = ()
    triples: Triples = ()
    embedding: Vector | None = None
    index: IndexRecord | None = None
    stats: StatsRecord | None = None
