"""Answers in the form of OpenAI's chat completions, for a real server that tests script."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


def streamed(
    *texts: str, tokens: int = 100, finish: str | None = "stop", gap: float = 0.0
) -> Reply:
    """The same word by word; without `finish` the connection ends in the middle."""
    deltas: list[dict[str, Any]] = [{"delta": {"content": text}} for text in texts]
    deltas += [{"delta": {}, "finish_reason": finish}] if finish else []
    chunks = [{"choices": [{"index": 0, "finish_reason": None, **delta}]} for delta in deltas]
    if finish:
        usage = {"prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens}
        chunks.append({"choices": [], "usage": usage})
    told = [
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1_790_000_000,
            "model": "scripted",
            **chunk,
        }
        for chunk in chunks
    ]
    parts = tuple(f"data: {json.dumps(chunk)}\n\n" for chunk in told)
    end = ("data: [DONE]\n\n",) if finish else ()
    return Reply(headers={"Content-Type": "text/event-stream"}, delay=gap, parts=parts + end)


def statement(subject: str, predicate: str, value: str, quote: str, **more: Any) -> dict[str, Any]:
    """One claim about the first new turn, unless `turn` names another."""
    rest = {"turn": "t1", "mode": "assert", "since": None, "until": None}
    rest |= {"relation": "new", "of": None, **more}
    return {"subject": subject, "predicate": predicate, "object": value, "quote": quote, **rest}


def memory(text: str, *turns: str, **more: Any) -> dict[str, Any]:
    """One memory that rests on these turns, on the first new one unless named."""
    rest = {"kind": "fact", "relation": "new", "of": None, **more}
    return {"text": text, "turns": list(turns) or ["t1"], **rest}


def proposals(*statements: dict[str, Any], tokens: int = 100) -> Reply:
    """A completion that proposes these claims."""
    return answers((), statements, tokens=tokens)


def answers(
    memories: Sequence[dict[str, Any]], claims: Sequence[dict[str, Any]] = (), tokens: int = 100
) -> Reply:
    """A completion with these memories and claims."""
    answer = {"memories": list(memories), "claims": list(claims)}
    return completion(json.dumps(answer), tokens=tokens)
