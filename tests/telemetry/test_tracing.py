"""Spans reach a real collector over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from app.errors import RuntimeFailure
from app.settings import TelemetrySettings
from app.telemetry import tracing

# In a process of its own: a provider can be set once, and batches in a thread.
PROGRAM = """
from app.settings import TelemetrySettings
from app.telemetry.tracing import configure_tracing
from opentelemetry import trace
import sys
provider = configure_tracing(TelemetrySettings(otlp_endpoint=sys.argv[1]), "loci-test")
with trace.get_tracer("loci").start_as_current_span("search.keyword"):
    pass
provider.shutdown()
"""


def test_spans_are_sent_to_the_collector() -> None:
    got: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        subprocess.run(
            [sys.executable, "-c", PROGRAM, address], check=True, env=dict(os.environ), timeout=60
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    path, body = got[0]
    assert path == "/v1/traces"
    assert b"search.keyword" in body
    assert b"loci-test" in body


def test_without_a_collector_nothing_is_set_up() -> None:
    assert tracing.configure_tracing(TelemetrySettings(), "loci-test") is None


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "SDK", "opentelemetry.missing")
    with pytest.raises(RuntimeFailure, match="otel"):
        tracing.configure_tracing(TelemetrySettings(otlp_endpoint="http://127.0.0.1:1"), "x")
