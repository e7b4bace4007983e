"""Embedding models that can be named without their figures.

`max_tokens` is counted by o200k_base, which is not their tokeniser: it leaves a fifth of what the
model reads, and half where the model's own pieces are English words only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.embeddings.model import EmbeddingConfig
from app.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Known:
    """How long the vectors of a model are, which other lengths it may be asked for, and how many
    tokens it is sent."""

    dimension: int
    max_tokens: int
    lengths: frozenset[int] | range = frozenset()


_COHERE_4 = frozenset([256, 512, 1024, 1536])
_VOYAGE = frozenset([256, 512, 1024, 2048])
_GEMINI = range(128, 3073)
_JINA_3 = frozenset([32, 64, 128, 256, 512, 768, 1024])
_MINILM = Known(384, 128)
_BGE_M3 = Known(1024, 6500)

KNOWN: Mapping[str, Mapping[str, Known]] = {
    "cohere": {
        "embed-v4.0": Known(1536, 8000, _COHERE_4),
        "embed-multilingual-v3.0": Known(1024, 400),
        "embed-english-v3.0": Known(1024, 400),
        "embed-multilingual-light-v3.0": Known(384, 400),
        "embed-english-light-v3.0": Known(384, 400),
    },
    "gemini": {
        "gemini-embedding-001": Known(3072, 1600, _GEMINI),
        "gemini-embedding-2": Known(3072, 6500, _GEMINI),
    },
    "jina": {
        "jina-embeddings-v3": Known(1024, 6500, _JINA_3),
        "jina-embeddings-v4": Known(2048, 8000, frozenset([128, 256, 512, 1024, 2048])),
    },
    "ollama": {"all-minilm": _MINILM, "bge-m3": _BGE_M3},
    "openai": {
        "text-embedding-3-small": Known(1536, 8000, range(1, 1537)),
        "text-embedding-3-large": Known(3072, 8000, range(1, 3073)),
    },
    "voyage": {
        "voyage-3.5": Known(1024, 8000, _VOYAGE),
        "voyage-3.5-lite": Known(1024, 8000, _VOYAGE),
        "voyage-3-large": Known(1024, 8000, _VOYAGE),
    },
}
# Which model a provider is asked for where settings name none.
USUAL = {
    "cohere": "embed-v4.0",
    "gemini": "gemini-embedding-001",
    "jina": "jina-embeddings-v3",
    "ollama": "bge-m3",
}


def completed(config: EmbeddingConfig, *, dimension: int | None) -> EmbeddingConfig:
    """The configuration with the figures of its model, where that is known; `dimension` is what
    settings ask for. A length that is not the model's own is asked of the endpoint.

    Raises InvalidInput (`dimension`) on one that the model does not offer.
    """
    model = config.model or USUAL.get(config.provider, "")
    known = KNOWN.get(config.provider, {}).get(_untagged(config.provider, model))
    if known is None:
        return replace(config, model=model, dimension=dimension or config.dimension)
    if dimension not in (None, known.dimension) and dimension not in known.lengths:
        offered = _listed(known)
        raise InvalidInput(f"{model} has vectors of length {offered}", field="dimension")
    return replace(
        config,
        model=model,
        dimension=dimension or known.dimension,
        request_dimension=dimension not in (None, known.dimension),
        max_tokens=known.max_tokens,
    )


def _untagged(provider: str, model: str) -> str:
    """The name without Ollama's tag, which says a size or a quantisation of the same model."""
    return model.partition(":")[0] if provider == "ollama" else model


def _listed(known: Known) -> str:
    if isinstance(known.lengths, range):
        return f"{known.lengths.start} to {known.lengths.stop - 1}"
    return ", ".join(map(str, sorted(known.lengths | {known.dimension})))
