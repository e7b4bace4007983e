"""One client for every embeddings API that speaks JSON over HTTP; each provider says how it words
a request and where its answer has the vectors.

Batches, retries (429, 5xx and lost connections, honouring Retry-After), time-outs, and texts that
hold more tokens than were counted: those are embedded by halves, whose mean stands for the whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np

from app.embeddings.model import EmbeddingConfig, ModelInfo, Role, unit_rows
from app.embeddings.tokens import token_spans
from app.embeddings.windows import Span, split_windows
from app.errors import EmbedderUnavailable, InvalidInput

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 20.0
SHORTEST = 32  # characters below which no text is halved any more
HALVINGS = 4  # of one text: what is refused then is refused for something else than its length


def _never(answer: httpx.Response) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Form:
    """How one provider's API is spoken.

    `rows` raises ValueError, KeyError or TypeError on an answer that is no list of vectors;
    `too_long` tells a refusal of a text for its length from others.
    """

    provider: str  # as settings name it, and the version that its vectors get
    says: str  # how messages call it
    hosted: str  # the address that is asked where none is set
    path: Callable[[EmbeddingConfig], str]
    headers: Callable[[str], Mapping[str, str]]
    payload: Callable[[EmbeddingConfig, Sequence[str], Role], dict[str, Any]]
    rows: Callable[[Any], list[list[float]]]
    too_long: Callable[[httpx.Response], bool] = _never
    needs_key: bool = True
    most: int = 2048  # texts of one request
    refusals: Mapping[int, str] = field(default_factory=dict)  # what a status means there


class HostedEmbedder:
    """An embedder behind an API in the form that it is given."""

    def __init__(self, config: EmbeddingConfig, form: Form) -> None:
        self.info = ModelInfo(config.model, form.provider, config.dimension, config.max_tokens)
        self._config = config
        self._form = form
        self._client = httpx.AsyncClient(
            base_url=(config.base_url or form.hosted).rstrip("/") + "/",
            headers=dict(form.headers(config.api_key)) if config.api_key else {},
            timeout=config.timeout_s,
        )

    @classmethod
    def build(cls, config: EmbeddingConfig, form: Form) -> HostedEmbedder:
        """Raises InvalidInput on a missing model or key."""
        if not config.model:
            raise InvalidInput(f"the {form.says} embedder needs a model", field="model")
        if form.needs_key and not config.api_key:
            raise InvalidInput(f"the {form.says} embedder needs an API key", field="api_key")
        return cls(config, form)

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See `Embedder.embed`."""
        size = min(self._config.batch_size, self._form.most)
        vectors: list[list[float]] = []
        for start in range(0, len(texts), size):
            vectors += await self._batch(texts[start : start + size], role)
        return vectors

    def windows(self, text: str) -> list[Span]:
        """See `Embedder.windows`; tokens as o200k_base counts them."""
        if len(text) <= self.info.max_tokens:
            return [Span(0, len(text))]
        return split_windows(text, token_spans(text), self.info.max_tokens)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def _batch(self, texts: Sequence[str], role: Role, halved: int = 0) -> list[list[float]]:
        answer = await self._send(self._form.payload(self._config, texts, role))
        if not answer.is_success:
            return await self._by_halves(texts, role, answer, halved)
        return unit_rows(self._rows(answer), (len(texts), self._config.dimension))

    async def _by_halves(
        self, texts: Sequence[str], role: Role, refused: httpx.Response, halved: int
    ) -> list[list[float]]:
        """The vectors of a batch with a text that was too long; that of one text is the mean of
        its halves', which was halved `halved` times before."""
        if len(texts) > 1:
            middle = len(texts) // 2
            first = await self._batch(texts[:middle], role)
            return first + await self._batch(texts[middle:], role)
        (text,) = texts
        if len(text) <= SHORTEST or halved == HALVINGS:
            raise self._refusal(refused)
        parts = [(await self._batch([half], role, halved + 1))[0] for half in _halves(text)]
        return unit_rows([np.mean(parts, axis=0).tolist()], (1, self._config.dimension))

    async def _send(self, payload: dict[str, Any]) -> httpx.Response:
        """The answer: a success, or a refusal of a text for its length."""
        path = self._form.path(self._config)
        for attempt in range(self._config.max_retries + 1):
            last = attempt == self._config.max_retries
            try:
                answer = await self._client.post(path, json=payload)
            except httpx.TransportError as error:
                if last:
                    raise EmbedderUnavailable(f"{self._form.says} {_reason(error)}") from error
                await asyncio.sleep(pause(None, attempt))
                continue
            if answer.is_success or self._form.too_long(answer):
                return answer
            if last or not _passing(answer.status_code):
                raise self._refusal(answer)
            await asyncio.sleep(pause(answer.headers.get("Retry-After"), attempt))
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _refusal(self, answer: httpx.Response) -> EmbedderUnavailable:
        meaning = self._form.refusals.get(answer.status_code)
        tail = f": {meaning.format(model=self._config.model)}" if meaning else ""
        return EmbedderUnavailable(f"{self._form.says} answered {answer.status_code}{tail}")

    def _rows(self, answer: httpx.Response) -> list[list[float]]:
        try:
            return self._form.rows(answer.json())
        except (ValueError, KeyError, TypeError) as error:
            raise EmbedderUnavailable(
                f"{self._form.says} answered something that is no list of embeddings"
            ) from error


def bearer(key: str) -> dict[str, str]:
    """The header of a key as most APIs take it."""
    return {"Authorization": f"Bearer {key}"}


def indexed_rows(body: Any) -> list[list[float]]:
    """The vectors of an answer in OpenAI's shape, in the order of the texts."""
    items = sorted(body["data"], key=lambda item: item["index"])
    return [item["embedding"] for item in items]


def too_long_by(*words: str) -> Callable[[httpx.Response], bool]:
    """Return what tells a refusal for a text's length by words of the answer, in lower case."""

    def tells(answer: httpx.Response) -> bool:
        told = answer.text.lower() if answer.status_code in (400, 422) else ""
        return any(each in told for each in words)

    return tells


def pause(asked: str | None, attempt: int) -> float:
    """Seconds: what the server asked for if it is a number, else doubling from half a second."""
    try:
        wanted = float(asked) if asked is not None else _FIRST_WAIT_S * 2**attempt
    except ValueError:
        wanted = _FIRST_WAIT_S * 2**attempt
    return min(max(wanted, 0.0), _LONGEST_WAIT_S)


def _halves(text: str) -> tuple[str, str]:
    """A text in two, between words where one ends in its second quarter."""
    middle = len(text) // 2
    space = text.rfind(" ", middle // 2, middle)
    at = space if space > 0 else middle
    return text[:at], text[at:]


def _reason(error: httpx.TransportError) -> str:
    late = isinstance(error, httpx.TimeoutException)
    return "did not answer in time" if late else "cannot be reached"


def _passing(status: int) -> bool:
    return status == 429 or status >= 500
