"""A reranking model behind HTTP: hosted, or a server of one's own.

Three forms of request are in use: that of Cohere, which Jina, vLLM and llama.cpp share, that of
Voyage AI, and that of Text Embeddings Inference (TEI).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import httpx

from app.errors import InvalidInput, RerankerUnavailable


class Shape(StrEnum):
    """The form of request and answer."""

    COMMON = "common"
    VOYAGE = "voyage"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """Which endpoint is asked (`url` is the whole address), and how long, in seconds."""

    url: str
    model: str = ""
    api_key: str = ""
    shape: Shape = Shape.COMMON
    timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is worded, where its answer has the list, and how a score is called there."""

    texts: str
    most: str | None  # what the number of results is called, where it can be given
    results: str | None  # None where the answer is the list itself
    score: str


FORMS: Mapping[Shape, Form] = {
    Shape.COMMON: Form("documents", "top_n", "results", "relevance_score"),
    Shape.VOYAGE: Form("documents", "top_k", "data", "relevance_score"),
    Shape.TEI: Form("texts", None, None, "score"),
}


class Reranker:
    """Asks once: a search waits for it, and goes on without it where nothing comes."""

    def __init__(self, config: RerankerConfig) -> None:
        self.config = config
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {config.api_key}"} if config.api_key else {},
            timeout=config.timeout_s,
        )

    @classmethod
    def build(cls, config: RerankerConfig) -> Reranker:
        """Raises InvalidInput (`url`, `model`) where the endpoint cannot be asked like that."""
        if not config.url.startswith(("http://", "https://")):
            raise InvalidInput("a reranker needs the whole address of its endpoint", field="url")
        if config.shape is Shape.VOYAGE and not config.model:
            raise InvalidInput("this reranker needs the name of a model", field="model")
        return cls(config)

    async def rank(self, query: str, texts: Sequence[str]) -> dict[int, float]:
        """The score of each text by its place, as the model gives it: more is better.

        Texts that the model leaves out are missing. Raises RerankerUnavailable.
        """
        try:
            answer = await self._client.post(self.config.url, json=self._payload(query, texts))
        except httpx.TimeoutException as error:
            raise RerankerUnavailable(
                f"the reranker did not answer within {self.config.timeout_s:g} s"
            ) from error
        except httpx.HTTPError as error:
            raise RerankerUnavailable("the reranker cannot be reached") from error
        if not answer.is_success:
            raise RerankerUnavailable(f"the reranker answered {answer.status_code}")
        return scores_of(answer, FORMS[self.config.shape], len(texts))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    def _payload(self, query: str, texts: Sequence[str]) -> dict[str, Any]:
        form = FORMS[self.config.shape]
        payload: dict[str, Any] = {"query": query, form.texts: list(texts)}
        if form.most is not None:
            payload[form.most] = len(texts)
        if self.config.model:
            payload["model"] = self.config.model
        return payload


def scores_of(answer: httpx.Response, form: Form, count: int) -> dict[int, float]:
    """Scores by place; RerankerUnavailable where the answer is no ranking of `count` texts."""
    try:
        body = answer.json()
        rows = body if form.results is None else body[form.results]
        scores = {int(row["index"]): float(row[form.score]) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise RerankerUnavailable("the reranker answered something that is no ranking") from error
    sensible = all(0 <= place < count and math.isfinite(s) for place, s in scores.items())
    if not scores or len(scores) != len(rows) or not sensible:
        raise RerankerUnavailable("the reranker ranked other texts than it was sent")
    return scores
