"""Voyage AI's embeddings API, which names the role of a text in the request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.embeddings.hosted import Form, bearer, indexed_rows
from app.embeddings.model import EmbeddingConfig, Role


def _payload(config: EmbeddingConfig, texts: Sequence[str], role: Role) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "model": config.model,
        "input": list(texts),
        "input_type": role.value,
        "truncation": False,
    }
    if config.request_dimension:
        payload["output_dimension"] = config.dimension
    return payload


VOYAGE = Form(
    provider="voyage",
    says="Voyage",
    hosted="https://api.voyageai.com/v1",
    path=lambda config: "embeddings",
    headers=bearer,
    payload=_payload,
    rows=indexed_rows,
)
