"""Google's Gemini embeddings API: 100 texts at once, each a request of its own within one.

The first generation takes the role of a text as a field; later ones read it from words before the
text, and refuse the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.embeddings.hosted import Form
from app.embeddings.model import EmbeddingConfig, Role

FIRST = "gemini-embedding-001"
_TASKS = {Role.QUERY: "RETRIEVAL_QUERY", Role.DOCUMENT: "RETRIEVAL_DOCUMENT"}
_PREFIXES = {Role.QUERY: "task: search result | query: ", Role.DOCUMENT: "title: none | text: "}


def _payload(config: EmbeddingConfig, texts: Sequence[str], role: Role) -> dict[str, Any]:
    return {"requests": [_request(config, text, role) for text in texts]}


def _request(config: EmbeddingConfig, text: str, role: Role) -> dict[str, Any]:
    first = config.model == FIRST
    words = text if first else _PREFIXES[role] + text
    request: dict[str, Any] = {
        "model": f"models/{config.model}",
        "content": {"parts": [{"text": words}]},
    }
    if first:
        request["taskType"] = _TASKS[role]
    if config.request_dimension:
        request["outputDimensionality"] = config.dimension
    return request


def _rows(body: Any) -> list[list[float]]:
    return [item["values"] for item in body["embeddings"]]


GEMINI = Form(
    provider="gemini",
    says="Gemini",
    hosted="https://generativelanguage.googleapis.com/v1beta",
    path=lambda config: f"models/{config.model}:batchEmbedContents",
    headers=lambda key: {"x-goog-api-key": key},
    payload=_payload,
    rows=_rows,
    most=100,
    refusals={
        400: "the API key or the request is not accepted",
        403: "the API key may not use it",
        404: "there is no model {model}",
    },
)
