"""A small Maven repository on this machine, with the faults that a real one may have."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from app.runtime.lock import Lock, read_lock


@dataclass
class Repository:
    """Serves `files` by path; the faults are looked up by path on each request."""

    files: dict[str, bytes]
    url: str = ""
    ranges: bool = True
    delay: float = 0.0
    refuse: dict[str, list[int]] = field(default_factory=dict)
    cut_once: dict[str, int] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    busy: int = 0
    most_busy: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def make_lock(folder: Path, count: int = 8, size: int = 50_000) -> tuple[Lock, dict[str, bytes]]:
    """A lock of `count` jars of about `size` bytes, and the files it names."""
    lines, files = [], {}
    for number in range(count):
        content = bytes([number]) * (size + number)
        digest = hashlib.sha256(content).hexdigest()
        place = "plugins" if number % 2 else "lib"
        lines.append(f"org.example:part{number}:1.{number} {digest} {len(content)} {place}")
        files[f"org/example/part{number}/1.{number}/part{number}-1.{number}.jar"] = content
    path = folder / "test.lock"
    path.write_text("\n".join(lines) + "\n")
    return read_lock(path), files


@contextmanager
def serve(repository: Repository) -> Iterator[Repository]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with repository.lock:
                repository.busy += 1
                repository.most_busy = max(repository.most_busy, repository.busy)
            try:
                time.sleep(repository.delay)
                self.answer(self.path.lstrip("/"))
            finally:
                with repository.lock:
                    repository.busy -= 1

        def answer(self, path: str) -> None:
            with repository.lock:
                repository.requests[path] += 1
            faults = repository.refuse.get(path)
            if faults:
                self.send_error(faults.pop(0))
                return
            if path not in repository.files:
                self.send_error(404)
                return
            self.send_file(path, repository.files[path])

        def send_file(self, path: str, content: bytes) -> None:
            start = 0
            wanted = self.headers.get("Range", "")
            if repository.ranges and wanted:
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            cut = repository.cut_once.pop(path, None)
            body = content[start : start + cut] if cut else content[start:]
            with repository.lock:
                repository.sent += len(body)
            self.wfile.write(body)
            if cut:
                self.close_connection = True

        def log_message(self, *parts: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    repository.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield repository
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
