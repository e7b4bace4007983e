"""`loci search`: a question to the API, from a terminal."""

from __future__ import annotations

from typing import Any

import httpx
from rich.markup import escape
from rich.table import Table

from app.errors import LociError, Unavailable

DEFAULT_URL = "http://127.0.0.1:8484"
SECONDS = 30.0


def ask(url: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of `POST /v1/search`; Unavailable without an API, LociError on a problem."""
    headers = {"Authorization": f"Bearer {key}"}
    try:
        answer = httpx.post(f"{url}/v1/search", json=body, headers=headers, timeout=SECONDS)
    except httpx.TransportError as error:
        raise Unavailable(f"nothing answers at {url}: start it with `loci up`") from error
    told: dict[str, Any] = answer.json()
    if answer.is_error:
        raise LociError(f"{told.get('title')}: {told.get('detail')}")
    return told


def table(found: dict[str, Any]) -> Table:
    """Hits as a table; recalled text is data, so its markup is shown and not followed."""
    shown = Table("#", "relevance", "score", "legs", "when", "who", "text")
    for hit in found["hits"]:
        said = hit["untrusted"]
        legs = " ".join(f"{name}:{leg['rank']}" for name, leg in hit["legs"].items())
        shown.add_row(
            str(hit["rank"]),
            f"{hit['relevance']:.2f}",
            f"{hit['score']:.3f} {hit['score_band']}",
            legs,
            hit["captured_at"][:10],
            escape(said["speaker"] or hit["role"] or ""),
            escape(said["text"][:300]),
        )
    return shown
