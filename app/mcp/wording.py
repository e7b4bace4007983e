"""What the library of the protocol says of a body, in words of ours: its own name its types."""

from __future__ import annotations

from typing import Any

import orjson
from litestar.types import Message, Send

REFUSED = 400
ITS_WORDS = "Validation error"
OURS = "the body is no message of JSON-RPC 2.0"


class Worded:
    """Passes a response on; one by which the library refuses a body says so in a sentence."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Any = None

    async def __call__(self, message: Message) -> None:
        """Send a part of the response, its start with its body where it may be reworded."""
        if message["type"] == "http.response.start" and message["status"] == REFUSED:
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            start, self._start = self._start, None
            body = worded(message.get("body", b""))
            kept = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            length = [] if message.get("more_body") else [(b"content-length", b"%d" % len(body))]
            parts: tuple[Any, Any] = (
                start | {"headers": [*kept, *length]},
                message | {"body": body},
            )
            for part in parts:
                await self._send(part)


def worded(body: bytes) -> bytes:
    """Return a body with a sentence of ours in the place of the library's."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    error = told.get("error") if isinstance(told, dict) else None
    if not isinstance(error, dict) or not str(error.get("message")).startswith(ITS_WORDS):
        return body
    return orjson.dumps({**told, "error": {**error, "message": OURS}})
