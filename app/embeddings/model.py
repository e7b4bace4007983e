"""What every embedding model offers, whichever one runs, and how one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import platformdirs

from app.embeddings.windows import Span
from app.errors import EmbedderUnavailable, ModelMismatch


class Role(StrEnum):
    """What a text is: models treat a question and a stored text differently."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Identity of a model; vectors of two models compare only if name and version are equal."""

    name: str
    version: str
    dimension: int
    max_tokens: int


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def info(self) -> ModelInfo:
        """Which model this is."""
        ...

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """One vector of length 1 and `info.dimension` floats for each text, in order.

        Raises EmbedderUnavailable if the model does not answer, ModelMismatch on a wrong
        dimension, InvalidInput (field `texts`) on a document that `windows` would have cut.
        """
        ...

    def windows(self, text: str) -> list[Span]:
        """Overlapping ranges of `text` that each fit the model; one range if all of it fits."""
        ...

    async def aclose(self) -> None:
        """Frees threads and connections."""
        ...


def _model_cache() -> Path:
    return Path(platformdirs.user_cache_dir("loci")) / "models"


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """Which model to build. `threads`, `cache_dir` and `late` concern the local one, the rest
    remote ones; a model that is `late` is loaded with the first text.

    `query_model` and the prefixes serve models that tell the two roles apart by name or by text.
    """

    provider: str = "e5"
    threads: int = 2
    cache_dir: Path = field(default_factory=_model_cache)
    base_url: str = ""
    api_key: str = ""
    model: str = ""
    query_model: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    dimension: int = 384
    request_dimension: bool = False  # also ask the endpoint for `dimension`
    max_tokens: int = 8000
    batch_size: int = 64
    timeout_s: float = 30.0
    max_retries: int = 4
    allow_test: bool = False
    late: bool = False


def unit_rows(rows: Sequence[Sequence[float]], expected: tuple[int, int]) -> list[list[float]]:
    """Vectors scaled to length 1 and rounded to 32 bits; `expected` is (count, dimension).

    Raises EmbedderUnavailable on a wrong count or values that are no finite numbers, ModelMismatch
    on a wrong dimension.
    """
    count, dimension = expected
    if len(rows) != count:
        raise EmbedderUnavailable(f"the embedding model sent {len(rows)} vectors for {count} texts")
    for row in rows:
        if not isinstance(row, Sequence):
            raise EmbedderUnavailable("the embedding model sent an item without a vector")
        if len(row) != dimension:
            raise ModelMismatch(
                f"the embedding model sent {len(row)} dimensions where {dimension} are configured"
            )
    return _normalised(rows) if count else []


def _normalised(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    try:
        matrix: npt.NDArray[np.float64] = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbedderUnavailable("the embedding model sent values that are no numbers") from error
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderUnavailable("the embedding model sent a vector without a direction")
    unit: list[list[float]] = (matrix / lengths).astype(np.float32).tolist()
    return unit
