"""Cohere's embeddings API (v2), which takes 96 texts at once and names the role of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.embeddings.hosted import Form, bearer, too_long_by
from app.embeddings.model import EmbeddingConfig, Role

_ROLES = {Role.QUERY: "search_query", Role.DOCUMENT: "search_document"}
_LENGTH = ("too long", "too many tokens", "token limit", "maximum token")


def _payload(config: EmbeddingConfig, texts: Sequence[str], role: Role) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "model": config.model,
        "texts": list(texts),
        "input_type": _ROLES[role],
        "embedding_types": ["float"],
        "truncate": "NONE",
    }
    if config.request_dimension:
        payload["output_dimension"] = config.dimension
    return payload


def _rows(body: Any) -> list[list[float]]:
    rows = body["embeddings"]["float"]
    if not isinstance(rows, list):
        raise TypeError("no list of vectors")
    return rows


COHERE = Form(
    provider="cohere",
    says="Cohere",
    hosted="https://api.cohere.com",
    path=lambda config: "v2/embed",
    headers=bearer,
    payload=_payload,
    rows=_rows,
    too_long=too_long_by(*_LENGTH),
    most=96,
    refusals={401: "the API key is not accepted", 404: "there is no model {model}"},
)
