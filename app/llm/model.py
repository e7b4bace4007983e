"""What is asked of a language model, what comes back, and how one is configured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from app.kernel.ids import digest

T = TypeVar("T", bound=BaseModel)
CHARACTERS = 3  # of a token, at least, in the texts that we read: an estimate is on the safe side


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """Which model to ask, and how long; times in seconds, `answer_tokens` of one answer.

    `timeout_s` bounds one request, or with `stream` the wait for the next word of its answer;
    `deadline_s` a question with all its attempts.
    """

    model: str
    base_url: str = ""
    api_key: str = ""
    timeout_s: float = 60.0
    deadline_s: float = 180.0
    retries: int = 3
    answer_tokens: int = 1500
    temperature: float | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Instructions of ours, and data that is nobody's instruction; `schema` is a JSON Schema."""

    name: str
    version: str
    instructions: str
    data: str
    schema: dict[str, Any]

    @property
    def digest(self) -> str:
        """Return a hash of all that is sent."""
        return digest(self.instructions, self.data, repr(sorted(self.schema.items())))

    def key(self, scope: str, model: str, text: str) -> str:
        """What an answer is kept by: another model, wording, schema, text or scope is another."""
        told = digest(self.instructions, repr(sorted(self.schema.items())))
        return digest("reading", scope, model, self.version, told, text)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """An answer that fits its schema; `text` is what the model wrote, `tokens` what it cost."""

    value: T
    text: str
    tokens: int


def estimated(text: str) -> int:
    """Tokens of a text, rather too many than too few."""
    return len(text.encode()) // CHARACTERS + 1


def most_tokens(question: Question, config: LlmConfig) -> int:
    """The most that a question can cost: asked twice, the second time with the first answer."""
    prompt = estimated(question.instructions) + estimated(question.data)
    prompt += estimated(repr(question.schema))
    return 2 * prompt + 3 * config.answer_tokens
