"""The surface as it is now, and as it was written down."""

from __future__ import annotations

import json
from pathlib import Path

import httpx

from app.asgi import create_app
from app.settings import read_settings
from tests.contract.surface import of_graphql, of_http, of_records

ROOT = Path(__file__).resolve().parents[3]
FILES = {name: Path(__file__).with_name(f"{name}.txt") for name in ("http", "graphql", "records")}


async def now() -> dict[str, set[str]]:
    """What others may rely on, by list."""
    transport = httpx.ASGITransport(create_app(read_settings({})))
    async with httpx.AsyncClient(transport=transport, base_url="http://loci") as client:
        document = (await client.get("/schema/openapi.json")).json()
    records = json.loads((ROOT / "seed/schema/record.schema.json").read_text(encoding="utf-8"))
    printed = (ROOT / "docs/reference/schema.graphql").read_text(encoding="utf-8")
    return {
        "http": of_http(document),
        "graphql": of_graphql(printed),
        "records": of_records(records),
    }


def recorded(name: str) -> set[str]:
    """What was written down; nothing where there is no list yet."""
    path = FILES[name]
    return set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()
