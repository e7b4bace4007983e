"""Any endpoint that speaks OpenAI's embeddings API: hosted, or a server of one's own."""

from __future__ import annotations

from collections.abc import Sequence

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI, omit
from openai.types import CreateEmbeddingResponse

from app.embeddings.model import EmbeddingConfig, ModelInfo, Role, unit_rows
from app.embeddings.tokens import token_spans
from app.embeddings.windows import Span, split_windows
from app.errors import EmbedderUnavailable, InvalidInput


class OpenAIEmbedder:
    """Batches, retries (429, 5xx and lost connections, honouring Retry-After) and time-outs."""

    def __init__(self, config: EmbeddingConfig) -> None:
        self.info = ModelInfo(config.model, "openai", config.dimension, config.max_tokens)
        self._config = config
        self._client = AsyncOpenAI(
            base_url=config.base_url or None,
            api_key=config.api_key or "none",
            timeout=config.timeout_s,
            max_retries=config.max_retries,
        )

    @classmethod
    def build(cls, config: EmbeddingConfig) -> OpenAIEmbedder:
        """Raises InvalidInput on a missing model, or a hosted endpoint without a key."""
        if not config.model:
            raise InvalidInput("an OpenAI-compatible embedder needs a model", field="model")
        if not config.base_url and not config.api_key:
            raise InvalidInput("OpenAI's own endpoint needs an API key", field="api_key")
        return cls(config)

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See `Embedder.embed`."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self._config.batch_size):
            vectors += await self._batch(texts[start : start + self._config.batch_size], role)
        return vectors

    def windows(self, text: str) -> list[Span]:
        """See `Embedder.windows`; tokens as o200k_base counts them."""
        if len(text) <= self.info.max_tokens:
            return [Span(0, len(text))]
        return split_windows(text, token_spans(text), self.info.max_tokens)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def _batch(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        config = self._config
        is_query = role is Role.QUERY
        prefix = config.query_prefix if is_query else config.document_prefix
        try:
            answer = await self._client.embeddings.create(
                model=config.query_model if is_query and config.query_model else config.model,
                input=[prefix + text for text in texts],
                dimensions=config.dimension if config.request_dimension else omit,
            )
        except (APIError, ValueError, TypeError) as error:
            raise _translated(error, config) from error
        return unit_rows(_rows(answer), (len(texts), config.dimension))


def _rows(answer: CreateEmbeddingResponse) -> list[list[float]]:
    """The vectors in the order of the texts, whatever order the endpoint chose."""
    try:
        items = sorted(answer.data, key=lambda item: item.index)
        return [item.embedding for item in items]
    except (AttributeError, TypeError) as error:
        raise EmbedderUnavailable("the embedding endpoint sent something else") from error


def _translated(error: Exception, config: EmbeddingConfig) -> EmbedderUnavailable:
    where = config.base_url or "the OpenAI endpoint"
    match error:
        case APITimeoutError():
            reason = f"did not answer within {config.timeout_s:g} s"
        case APIConnectionError():
            reason = "cannot be reached"
        case APIStatusError():
            reason = f"answered {error.status_code}"
        case _:
            reason = "answered something that is no list of embeddings"
    return EmbedderUnavailable(f"{where} {reason}")
