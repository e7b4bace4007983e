"""Answers in the form of OpenAI's chat completions, for a real server that tests script."""

from __future__ import annotations

import json
from typing import Any

from tests.embeddings.scripted_server import Reply


def completion(text: str, *, tokens: int = 100, finish: str = "stop", refusal: str = "") -> Reply:
    """One completion that says `text`."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal or None}
    return Reply(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens},
        }
    )


def statement(subject: str, predicate: str, value: str, quote: str, **more: Any) -> dict[str, Any]:
    """One proposal."""
    rest = {"mode": "assert", "since": None, "until": None, **more}
    return {"subject": subject, "predicate": predicate, "object": value, "quote": quote, **rest}


def proposals(*statements: dict[str, Any], tokens: int = 100) -> Reply:
    """A completion that proposes these statements."""
    return completion(json.dumps({"statements": list(statements)}), tokens=tokens)
