"""Voyage AI's embeddings API, which names the role of a text in the request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx

from app.embeddings.model import EmbeddingConfig, ModelInfo, Role, unit_rows
from app.embeddings.tokens import token_spans
from app.embeddings.windows import Span, split_windows
from app.errors import EmbedderUnavailable, InvalidInput

_HOSTED = "https://api.voyageai.com/v1"
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 20.0


class VoyageEmbedder:
    """Batches, retries (429 and 5xx, honouring Retry-After) and time-outs."""

    def __init__(self, config: EmbeddingConfig) -> None:
        self.info = ModelInfo(config.model, "voyage", config.dimension, config.max_tokens)
        self._config = config
        self._client = httpx.AsyncClient(
            base_url=(config.base_url or _HOSTED).rstrip("/") + "/",
            headers={"Authorization": f"Bearer {config.api_key}"},
            timeout=config.timeout_s,
        )

    @classmethod
    def build(cls, config: EmbeddingConfig) -> VoyageEmbedder:
        """Raises InvalidInput on a missing model or key."""
        if not config.model:
            raise InvalidInput("the Voyage embedder needs a model", field="model")
        if not config.api_key:
            raise InvalidInput("the Voyage embedder needs an API key", field="api_key")
        return cls(config)

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See `Embedder.embed`."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self._config.batch_size):
            batch = texts[start : start + self._config.batch_size]
            answer = await self._send(self._payload(batch, role))
            vectors += unit_rows(_rows(answer), (len(batch), self._config.dimension))
        return vectors

    def windows(self, text: str) -> list[Span]:
        """See `Embedder.windows`; tokens as o200k_base counts them."""
        if len(text) <= self.info.max_tokens:
            return [Span(0, len(text))]
        return split_windows(text, token_spans(text), self.info.max_tokens)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    def _payload(self, texts: Sequence[str], role: Role) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self._config.model,
            "input": list(texts),
            "input_type": role.value,
            "truncation": False,
        }
        if self._config.request_dimension:
            payload["output_dimension"] = self._config.dimension
        return payload

    async def _send(self, payload: dict[str, Any]) -> httpx.Response:
        for attempt in range(self._config.max_retries + 1):
            last = attempt == self._config.max_retries
            try:
                answer = await self._client.post("embeddings", json=payload)
            except httpx.TransportError as error:
                if last:
                    raise EmbedderUnavailable(f"Voyage {_reason(error)}") from error
                await asyncio.sleep(_pause(None, attempt))
                continue
            if answer.is_success:
                return answer
            if last or not _passing(answer.status_code):
                raise EmbedderUnavailable(f"Voyage answered {answer.status_code}")
            await asyncio.sleep(_pause(answer.headers.get("Retry-After"), attempt))
        raise AssertionError("unreachable: the last attempt returns or raises")


def _reason(error: httpx.TransportError) -> str:
    late = isinstance(error, httpx.TimeoutException)
    return "did not answer in time" if late else "cannot be reached"


def _passing(status: int) -> bool:
    return status == 429 or status >= 500


def _pause(asked: str | None, attempt: int) -> float:
    """Seconds: what the server asked for if it is a number, else doubling from half a second."""
    try:
        wanted = float(asked) if asked is not None else _FIRST_WAIT_S * 2**attempt
    except ValueError:
        wanted = _FIRST_WAIT_S * 2**attempt
    return min(max(wanted, 0.0), _LONGEST_WAIT_S)


def _rows(answer: httpx.Response) -> list[list[float]]:
    try:
        items = sorted(answer.json()["data"], key=lambda item: item["index"])
        return [item["embedding"] for item in items]
    except (ValueError, KeyError, TypeError) as error:
        raise EmbedderUnavailable(
            "Voyage answered something that is no list of embeddings"
        ) from error
