"""What the tests of erasure and forgetting share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase

from app.cli.transfer import store_of
from app.portability.service import Order, import_attended
from app.settings import Settings
from app.wiring import Parts
from tests.conftest import Principal
from tests.portability.conftest import untold as unseen

Say = Callable[..., Awaitable[str]]
Switch = Callable[..., Awaitable[None]]


@pytest_asyncio.fixture(loop_scope="session")
async def switch(admin: Principal) -> Switch:
    """Sets the rules of a scope: `await switch("acme/dev", erasure=True)`."""

    async def call(scope: str, **rules: Any) -> None:
        answer = await admin.http.put("/v1/scopes/rules", params={"scope": scope}, json=rules)
        assert answer.status_code == 200, answer.text

    return call


@pytest_asyncio.fixture(loop_scope="session")
async def say(opened: Parts, admin: Principal) -> Say:
    """Captures a text and consolidates it: `await say("acme/dev", "Ada lives in Ulm.")`; its id."""

    async def call(scope: str, text: str, by: Principal | None = None, **more: Any) -> str:
        body = {"scope": scope, "content": text, "session": "talk", "role": "user", **more}
        answer: httpx.Response = await (by or admin).http.post("/v1/episodes", json=body)
        assert answer.status_code == 201, answer.text
        await opened.consolidation.consolidate(scope)
        episode: str = answer.json()["id"]
        return episode

    return call


async def untold(progress: dict[str, Any]) -> None:
    """Tells nobody how far a check is."""


async def checked(
    opened: Parts, who: Principal, receipt: str, text: str | None = None
) -> dict[str, Any]:
    """What the check of an erasure finds."""
    answer = await who.http.post(f"/v1/erasures/{receipt}/check", json={"text": text})
    assert answer.status_code == 202, answer.text
    job = answer.json()["job"]
    assert await opened.runner.run(opened, job) == "done"
    found: dict[str, Any] = (await who.http.get(f"/v1/jobs/{job}")).json()["result"]
    return found


async def facts_in(opened: Parts, scope: str) -> dict[str, str]:
    """Statements of a scope's facts with their status."""
    rows = await opened.graph.raw(
        "MATCH (f:Fact {scope: $scope}) RETURN f.statement AS statement, f.status AS status",
        scope=scope,
    )
    return {row["statement"]: row["status"] for row in rows}


async def strings_of(opened: Parts, word: str) -> list[str]:
    """Every node and relationship of the whole store that holds a word, whatever it is."""
    found = await opened.graph.raw(
        # All properties are read at once: one by one takes three times as long.
        "MATCH (n) WITH n, properties(n) AS p WITH n, [k IN keys(p) WHERE any(v IN "
        "CASE WHEN p[k] IS :: STRING NOT NULL THEN [p[k]] "
        "WHEN p[k] IS :: LIST<STRING NOT NULL> NOT NULL THEN p[k] ELSE [] END "
        "WHERE toLower(v) CONTAINS $word)] AS held WHERE size(held) > 0 "
        "RETURN [l IN labels(n) WHERE NOT l IN ['Memory', 'Searchable', 'Concept']][0] AS what, "
        "held "
        "UNION ALL MATCH ()-[r]->() WITH r, [k IN keys(r) WHERE any(v IN "
        "CASE WHEN r[k] IS :: STRING NOT NULL THEN [r[k]] "
        "WHEN r[k] IS :: LIST<STRING NOT NULL> NOT NULL THEN r[k] ELSE [] END "
        "WHERE toLower(v) CONTAINS $word)] AS held WHERE size(held) > 0 "
        "RETURN type(r) AS what, held",
        word=word.lower(),
    )
    return sorted(f"{row['what']}.{key}" for row in found for key in row["held"])


@pytest.fixture
def load(opened: Parts) -> Callable[..., Awaitable[dict[str, Any]]]:
    """`await load(path, target=…)` imports a package as the operator."""

    async def run(path: Path, **how: Any) -> dict[str, Any]:
        return await import_attended(store_of(opened), Order(path, **how), unseen)

    return run


@pytest_asyncio.fixture(loop_scope="session")
async def server(opened: Parts, settings: Settings) -> AsyncIterator[AsyncDriver]:
    """A driver that shows plans."""
    given = settings.graph
    async with AsyncGraphDatabase.driver(given.uri, auth=(given.user, given.password)) as driver:
        yield driver
