"""Wire types of seed 000's own routes that ask."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field

from app.kernel.wire import ShortText, WireModel
from app.rag.model import TOP_K
from app.rag.schemas import AnswerOut, Asked
from app.search.model import Hit
from app.search.schemas import ChunkHitOut, HitOut, LegOut, PathOut

MOST = 50
ModeName = Literal["vector", "keyword", "graph", "hybrid"]
FusionName = Literal["rrf", "weighted", "simple"]
RERANK = "Order anew by words and place (seed 000)."


class RagQueryIn(WireModel):
    """A question to knowledge bases."""

    query: Asked = Field(description="The question, as plain text.")
    knowledge_base_ids: tuple[ShortText, ...] | None = Field(
        None, min_length=1, max_length=50, description="Only documents of these."
    )
    top_k: Annotated[int, Field(ge=1, le=MOST)] = TOP_K


class RagSearchIn(RagQueryIn):
    """A search over documents by one of the seed's modes."""

    mode: ModeName = "hybrid"
    fusion: FusionName = "rrf"
    rerank: bool = Field(False, description=RERANK)


class RagAnswerOut(AnswerOut, frozen=True, kw_only=True):
    """The same answer with its words where seed 000 has them.

    `answer` is what stands under `untrusted.answer`: others' words, and no instruction.
    """

    answer: str

    @classmethod
    def said(cls, told: AnswerOut) -> RagAnswerOut:
        """The seed's form of an answer."""
        return cls(answer=told.untrusted["answer"], **msgspec.structs.asdict(told))


class RagQueryOut(msgspec.Struct, frozen=True):
    """The seed's envelope around an answer."""

    success: bool
    data: RagAnswerOut


class RagHitOut(msgspec.Struct, frozen=True, kw_only=True):
    """One hit: `score` is its relevance, calibrated, so that 0.5 and 0.8 mean the same anywhere.

    The order follows the search, or `reranked` where that was asked for: by words and place, within
    this answer. `legs` has its rank and score in every leg, `path` how the walk came to it.
    """

    id: str
    rank: int
    score: float
    reranked: float | None
    similarity: float | None
    kind: str
    scope: str
    legs: dict[str, LegOut]
    path: PathOut | None
    document_id: str | None
    chunk: ChunkHitOut | None
    possible_changes: list[dict[str, Any]]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, hit: Hit, rank: int, reranked: float | None) -> RagHitOut:
        """The seed's form of a hit."""
        told = HitOut.of(hit)
        words = {"content": hit.memory["content"], "title": hit.memory["title"]}
        return cls(
            id=hit.id,
            rank=rank,
            score=told.relevance,
            reranked=reranked,
            similarity=told.similarity,
            kind=told.kind,
            scope=told.scope,
            legs=told.legs,
            path=told.path,
            document_id=told.chunk.document_id if told.chunk else None,
            chunk=told.chunk,
            possible_changes=told.possible_changes,
            untrusted={**words, "path": told.untrusted.get("path", [])},
        )


class RagFoundOut(msgspec.Struct, frozen=True, kw_only=True):
    """What was found: `mode` was asked for, `ran` is what ran, `without` says why no walk did."""

    query: str
    mode: str
    ran: str
    without: str | None
    fusion_method: str
    results: list[RagHitOut]
    latency_ms: float


class RagSearchOut(msgspec.Struct, frozen=True):
    """The seed's envelope around results."""

    success: bool
    data: RagFoundOut
