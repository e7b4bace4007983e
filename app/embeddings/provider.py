"""The one place where an embedding model is chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from app.embeddings.cohere import COHERE
from app.embeddings.e5 import E5Embedder
from app.embeddings.gemini import GEMINI
from app.embeddings.hashing import HashEmbedder
from app.embeddings.hosted import HostedEmbedder
from app.embeddings.jina import JINA
from app.embeddings.model import Embedder, EmbeddingConfig, ModelInfo, Role
from app.embeddings.ollama import OLLAMA
from app.embeddings.voyage import VOYAGE
from app.embeddings.windows import Span
from app.errors import InvalidInput

__all__ = [
    "CONSTRUCTORS",
    "Embedder",
    "EmbeddingConfig",
    "ModelInfo",
    "Role",
    "Span",
    "build_embedder",
    "provider_of",
]


def _openai(config: EmbeddingConfig) -> Embedder:
    # Its library takes half a second to import, which no command waits for in vain.
    built: Embedder = import_module("app.embeddings.openai").OpenAIEmbedder.build(config)
    return built


CONSTRUCTORS: dict[str, Callable[[EmbeddingConfig], Embedder]] = {
    "e5": E5Embedder.build,
    "openai": _openai,
    **{
        form.provider: partial(HostedEmbedder.build, form=form)
        for form in (COHERE, GEMINI, JINA, OLLAMA, VOYAGE)
    },
    "hash": HashEmbedder.build,
}


def provider_of(model: str, version: str) -> str:
    """The provider, as settings name it, whose vectors are of that model and version.

    Remote models have their provider as version, since nobody tells of theirs.
    """
    if version in CONSTRUCTORS:
        return version
    return "hash" if model == "hash" else "e5"


def build_embedder(config: EmbeddingConfig) -> Embedder:
    """The configured model, ready to use. May convert the local model first: some seconds, once.

    Raises InvalidInput on an unknown provider or a missing setting, EmbedderUnavailable where the
    local model cannot be made.
    """
    if config.provider not in CONSTRUCTORS:
        known = ", ".join(CONSTRUCTORS)
        raise InvalidInput(
            f"unknown embedder {config.provider!r}; known: {known}", field="provider"
        )
    return CONSTRUCTORS[config.provider](config)
