"""A model that Ollama serves, such as all-minilm or bge-m3: no key, and no role of a text.

Whether a text that is too long is refused or cut differs between its versions; it is asked to
refuse, so that nothing is lost without a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from app.embeddings.hosted import Form, bearer
from app.embeddings.model import EmbeddingConfig, Role


def _payload(config: EmbeddingConfig, texts: Sequence[str], role: Role) -> dict[str, Any]:
    prefix = config.query_prefix if role is Role.QUERY else config.document_prefix
    payload: dict[str, Any] = {
        "model": config.model,
        "input": [prefix + text for text in texts],
        "truncate": False,
    }
    if config.request_dimension:
        payload["dimensions"] = config.dimension
    return payload


def _rows(body: Any) -> list[list[float]]:
    rows = body["embeddings"]
    if not isinstance(rows, list):
        raise TypeError("no list of vectors")
    return rows


def _too_long(answer: httpx.Response) -> bool:
    return answer.status_code in (400, 500) and "context length" in answer.text


OLLAMA = Form(
    provider="ollama",
    says="Ollama",
    hosted="http://127.0.0.1:11434",
    path=lambda config: "api/embed",
    headers=bearer,
    payload=_payload,
    rows=_rows,
    too_long=_too_long,
    needs_key=False,
    refusals={404: "the model is not there; `ollama pull {model}` fetches it"},
)
