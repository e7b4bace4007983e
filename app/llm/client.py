"""Any endpoint that speaks OpenAI's chat completions: hosted, or a server of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI, omit
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from openai.types.shared_params import ResponseFormatJSONSchema
from pydantic import ValidationError

from app.errors import InvalidInput, LlmAnswerUnusable, LlmUnavailable
from app.llm.model import Answer, LlmConfig, Question, T, estimated

ASKS = 2  # an answer that does not fit is sent back once, with what is wrong
SHOWN = 300  # characters of a reason


class LanguageModel:
    """Structured answers: retried on 429, 5xx and lost connections (honouring Retry-After),
    checked against the schema, and asked once more, with the error, where they do not fit."""

    def __init__(self, config: LlmConfig) -> None:
        self.config = config
        self._client = AsyncOpenAI(
            base_url=config.base_url or None,
            api_key=config.api_key or "none",
            timeout=config.timeout_s,
            max_retries=config.retries,
        )

    @classmethod
    def build(cls, config: LlmConfig) -> LanguageModel:
        """Raises InvalidInput on a missing model, or a hosted endpoint without a key."""
        if not config.model:
            raise InvalidInput("a language model needs a name", field="model")
        if not config.base_url and not config.api_key:
            raise InvalidInput("OpenAI's own endpoint needs an API key", field="api_key")
        return cls(config)

    async def ask(self, question: Question, shape: type[T]) -> Answer[T]:
        """One answer in the given shape.

        Raises LlmUnavailable where the endpoint does not answer in time, LlmAnswerUnusable where
        what it says does not fit the schema twice; both carry the tokens that were used.
        """
        spent: list[int] = []
        try:
            async with asyncio.timeout(self.config.deadline_s):
                return await self._fitting(question, shape, spent)
        except TimeoutError as error:
            reason = f"{self._where} did not answer within {self.config.deadline_s:g} s"
            late = LlmUnavailable(reason)
            late.tokens = sum(spent)
            raise late from error
        except LlmUnavailable as error:
            error.tokens = sum(spent)
            raise

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()

    @property
    def _where(self) -> str:
        return self.config.base_url or "the OpenAI endpoint"

    async def _fitting(self, question: Question, shape: type[T], spent: list[int]) -> Answer[T]:
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": question.instructions},
            {"role": "user", "content": question.data},
        ]
        reason = ""
        for _ in range(ASKS):
            completion = await self._complete(messages, question)
            text, reason = _text(completion)
            spent.append(_tokens(completion, messages, text))
            try:
                if not reason:
                    return Answer(shape.model_validate_json(text), text, sum(spent))
            except ValidationError as error:
                reason = _first(error)
            messages = [
                *messages[:2],
                {"role": "assistant", "content": text or "{}"},
                {"role": "user", "content": f"That does not fit the schema: {reason}. Once more."},
            ]
        raise LlmAnswerUnusable(f"the answer does not fit its schema: {reason}")

    async def _complete(
        self, messages: list[ChatCompletionMessageParam], question: Question
    ) -> ChatCompletion:
        config = self.config
        wanted: ResponseFormatJSONSchema = {
            "type": "json_schema",
            "json_schema": {"name": question.name, "schema": question.schema, "strict": True},
        }
        request: dict[str, Any] = {
            "model": config.model,
            "messages": messages,
            "response_format": wanted,
            "max_completion_tokens": config.answer_tokens,
            "temperature": omit if config.temperature is None else config.temperature,
        }
        try:
            if config.stream:
                return await self._streamed(request)
            whole: ChatCompletion = await self._client.chat.completions.create(**request)
            return whole
        except (APIError, httpx.HTTPError, ValueError, TypeError) as error:
            raise LlmUnavailable(f"{self._where} {_reason(error, config)}") from error

    async def _streamed(self, request: Mapping[str, Any]) -> ChatCompletion:
        """The same, word by word: the time-out then bounds each silence, not the whole answer."""
        state = ChatCompletionStreamState()
        done = False
        async with await self._client.chat.completions.create(
            **request, stream=True, stream_options={"include_usage": True}
        ) as stream:
            async for chunk in stream:
                state.handle_chunk(chunk)
                done = done or any(choice.finish_reason for choice in chunk.choices)
        if not done:
            raise LlmUnavailable(f"{self._where} broke off in the middle of its answer")
        return state.current_completion_snapshot


def _text(completion: ChatCompletion) -> tuple[str, str]:
    """What was said, and why that cannot be the answer; no reason where it may be one."""
    try:
        choice = completion.choices[0]
        text = choice.message.content or ""
    except (AttributeError, IndexError, TypeError) as error:
        raise LlmUnavailable("the endpoint sent something that is no completion") from error
    if choice.finish_reason == "length":
        return text, "it was cut off; say less"
    if choice.message.refusal:
        return text, "it was refused"
    return text, "" if text else "it is empty"


def _tokens(
    completion: ChatCompletion, messages: list[ChatCompletionMessageParam], text: str
) -> int:
    """As the endpoint counts them; estimated where it does not say."""
    if completion.usage is not None and completion.usage.total_tokens:
        return completion.usage.total_tokens
    return estimated(text) + sum(estimated(str(m.get("content"))) for m in messages)


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in found["loc"])
    return f"{where}: {found['msg']}"[:SHOWN].strip(": ")


def _reason(error: Exception, config: LlmConfig) -> str:
    match error:
        case APITimeoutError() | httpx.TimeoutException():
            return f"did not answer within {config.timeout_s:g} s"
        case APIConnectionError() | httpx.HTTPError():
            return "cannot be reached"
        case APIStatusError():
            return f"answered {error.status_code}"
        case _:
            return "answered something that is no completion"
