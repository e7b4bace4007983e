"""What knowledge bases and documents are made of, and which states follow which: pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.errors import InvalidInput, StateRefused


class BaseState(StrEnum):
    """How a knowledge base stands (seed 000)."""

    ACTIVE = "active"
    INDEXING = "indexing"
    PAUSED = "paused"
    ERROR = "error"
    ARCHIVED = "archived"


class DocumentState(StrEnum):
    """How a document stands (seed 000)."""

    PENDING = "pending"
    PROCESSING = "processing"
    INDEXED = "indexed"
    FAILED = "failed"
    ARCHIVED = "archived"


class Strategy(StrEnum):
    """How a text is cut into chunks."""

    RECURSIVE = "recursive"
    SEMANTIC = "semantic"


# From each state the ones that may follow it; staying as it is is always allowed.
BASE_MOVES: Mapping[BaseState, frozenset[BaseState]] = {
    BaseState.ACTIVE: frozenset({BaseState.INDEXING, BaseState.PAUSED, BaseState.ARCHIVED}),
    BaseState.INDEXING: frozenset(
        {BaseState.ACTIVE, BaseState.PAUSED, BaseState.ERROR, BaseState.ARCHIVED}
    ),
    BaseState.PAUSED: frozenset({BaseState.ACTIVE, BaseState.ARCHIVED}),
    BaseState.ERROR: frozenset(
        {BaseState.INDEXING, BaseState.ACTIVE, BaseState.PAUSED, BaseState.ARCHIVED}
    ),
    BaseState.ARCHIVED: frozenset({BaseState.ACTIVE}),
}
DOCUMENT_MOVES: Mapping[DocumentState, frozenset[DocumentState]] = {
    DocumentState.PENDING: frozenset({DocumentState.PROCESSING, DocumentState.FAILED}),
    DocumentState.PROCESSING: frozenset(
        {DocumentState.INDEXED, DocumentState.FAILED, DocumentState.PENDING}
    ),
    DocumentState.INDEXED: frozenset({DocumentState.PENDING, DocumentState.ARCHIVED}),
    DocumentState.FAILED: frozenset({DocumentState.PENDING, DocumentState.ARCHIVED}),
    DocumentState.ARCHIVED: frozenset(
        {DocumentState.PENDING, DocumentState.INDEXED, DocumentState.FAILED}
    ),
}
ON_ITS_WAY = (DocumentState.PENDING, DocumentState.PROCESSING)


def base_move(current: str, wanted: BaseState) -> BaseState:
    """`wanted`; StateRefused where it cannot follow the current state of a knowledge base."""
    state = BaseState(current)
    if wanted is not state and wanted not in BASE_MOVES[state]:
        raise StateRefused(f"a knowledge base that is {state} cannot become {wanted}")
    return wanted


def document_move(current: str, wanted: DocumentState) -> DocumentState:
    """`wanted`; StateRefused where it cannot follow the current state of a document."""
    state = DocumentState(current)
    if wanted is not state and wanted not in DOCUMENT_MOVES[state]:
        raise StateRefused(f"a document that is {state} cannot become {wanted}")
    return wanted


def settled(current: str, waiting: int, *, broken: bool = False) -> BaseState:
    """How a base stands once a document of it has ended and `waiting` others have yet to.

    `broken` tells of a fault of ours, not of a file. A base that was paused or archived meanwhile
    stays so.
    """
    state = BaseState(current)
    if state is not BaseState.INDEXING:
        return state
    if broken:
        return BaseState.ERROR
    return BaseState.INDEXING if waiting else BaseState.ACTIVE


def shown(base: str, document: str) -> bool:
    """Whether searches of the present find what a document says, by its state and its base's.

    One that failed, or is on its way, is found by the text that it had before.
    """
    return base != BaseState.ARCHIVED and document != DocumentState.ARCHIVED


def restored(version: int, error: str | None) -> DocumentState:
    """How a document stands that comes out of the archive: as it did when it was put there."""
    return DocumentState.INDEXED if version and not error else DocumentState.FAILED


SIZE_LEAST, SIZE_MOST = 100, 8000  # characters of a chunk
SIZE, OVERLAP = 1000, 200  # annex 2.a


@dataclass(frozen=True, slots=True)
class Chunking:
    """How texts are cut: `size` is the most characters of a chunk, `overlap` those repeated."""

    strategy: Strategy = Strategy.RECURSIVE
    size: int = SIZE
    overlap: int = OVERLAP

    def checked(self) -> Chunking:
        """Itself; InvalidInput naming the field for sizes that make no sense."""
        if not SIZE_LEAST <= self.size <= SIZE_MOST:
            raise InvalidInput(
                f"chunk_size lies between {SIZE_LEAST} and {SIZE_MOST}", field="chunk_size"
            )
        if not 0 <= self.overlap <= self.size // 2:
            raise InvalidInput(
                "chunk_overlap lies between 0 and half of chunk_size", field="chunk_overlap"
            )
        return self


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: `start` is its place in the text, in characters; `level` counts from 1, and is 0
    for the title of the whole."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """The text of a file with its headings in order, and the title that the file itself names.

    Of its `pages`, `pages_without_text` gave none: pictures of text, blank or damaged ones.
    """

    text: str
    headings: tuple[Heading, ...] = ()
    title: str = ""
    pages: int = 0
    pages_without_text: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk of a text, in characters of it.

    `[start, end)` is what the chunk holds; from `own` on it is its own, before that it repeats the
    end of the chunk before. `path` are the headings that it stands under, the outermost first.
    """

    start: int
    own: int
    end: int
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """What chunks are part of: a document, or a page.

    `group` is what both indexes filter by (a document's knowledge base); `role` says whose words
    they are, as of an episode; `aliases` are what it goes by beside its title; `pii` and
    `marker_ids` are what sanitising found in the whole.
    """

    id: str
    scope: str
    tenant: str
    author: str
    title: str
    captured_at: datetime
    group: str = ""
    role: str = "user"
    speaker: str = ""
    origin: str = "document"
    tags: tuple[str, ...] = ()
    trust: float = 0.5
    pii: tuple[str, ...] = ()
    marker_ids: tuple[str, ...] = field(default=())
    live: bool = True
    aliases: tuple[str, ...] = ()
