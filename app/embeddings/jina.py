"""Jina AI's embeddings API, which names the role of a text as a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.embeddings.hosted import Form, bearer, indexed_rows, too_long_by
from app.embeddings.model import EmbeddingConfig, Role

_TASKS = {Role.QUERY: "retrieval.query", Role.DOCUMENT: "retrieval.passage"}
_LENGTH = (
    "too long",
    "too many tokens",
    "token limit",
    "maximum token",
    "maximum length",
    "context length",
)


def _payload(config: EmbeddingConfig, texts: Sequence[str], role: Role) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "model": config.model,
        "input": list(texts),
        "task": _TASKS[role],
        "embedding_type": "float",
        "truncate": False,
    }
    if config.request_dimension:
        payload["dimensions"] = config.dimension
    return payload


JINA = Form(
    provider="jina",
    says="Jina",
    hosted="https://api.jina.ai/v1",
    path=lambda config: "embeddings",
    headers=bearer,
    payload=_payload,
    rows=indexed_rows,
    too_long=too_long_by(*_LENGTH),
    most=512,
    refusals={401: "the API key is not accepted", 402: "the account has no tokens left"},
)
