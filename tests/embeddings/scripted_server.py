"""A real HTTP server on loopback that answers as a test tells it to, misbehaviour included."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer; `delay` in seconds before it, and before each of the `parts` that it comes in
    where it is streamed; the connection ends behind the last."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    parts: tuple[str, ...] = ()


class ScriptedServer:
    """Answers with `replies` in order, repeating the last; keeps the requests it saw."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.replies: list[Reply] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []  # of Google's header
        self.at: list[float] = []

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def vectors(*rows: list[float]) -> dict[str, Any]:
    """The body of a good answer, shaped as both services document it."""
    data = [{"object": "embedding", "embedding": r, "index": i} for i, r in enumerate(rows)]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return {"object": "list", "data": data, "model": "m", "usage": usage}


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    """Runs until the block ends."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    http.script = ScriptedServer(f"http://127.0.0.1:{http.server_port}/v1")  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield http.script  # type: ignore[attr-defined]
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        script: ScriptedServer = self.server.script  # type: ignore[attr-defined]
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        script.requests.append(
            {"path": self.path, "auth": self.headers["Authorization"], **json.loads(raw)}
        )
        script.keys.append(self.headers["x-goog-api-key"])
        script.at.append(time.monotonic())
        self._answer(script.next_reply())

    def _answer(self, reply: Reply) -> None:
        time.sleep(reply.delay)
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        try:
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            if not reply.parts:
                self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            for part in reply.parts or (text,):
                time.sleep(reply.delay if reply.parts else 0)
                self.wfile.write(part.encode())
        except (BrokenPipeError, ConnectionResetError):
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""
