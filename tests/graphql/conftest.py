"""One small world of every kind, told once, and a client that asks for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest_asyncio
from litestar import Litestar

from app.cli.keys import mint
from app.kernel.caller import Caller, Role
from app.wiring import Parts
from tests.conftest import COUNTER, RUN

BREMEN = (
    "Ada Berger works for Acme GmbH. Pia Kranich works for Acme GmbH. "
    "Ada Berger knows Pia Kranich. Ada Berger lives in Bremen."
)
OILED = "A pump that is oiled on Mondays runs for the rest of the week without a noise."
HANDBOOK = "# Pumps\n\nThe pump stands in the cellar.\n\n# Valves\n\nThe valve is red.\n" * 30


@dataclass
class Client:
    """A principal's door."""

    http: httpx.AsyncClient
    caller: Caller

    async def send(self, query: str, /, **variables: Any) -> httpx.Response:
        """One operation, answered under its own status."""
        body = {"query": query, "variables": variables}
        accept = {"accept": "application/graphql-response+json"}
        return await self.http.post("/graphql", json=body, headers=accept)

    async def ask(self, query: str, /, **variables: Any) -> dict[str, Any]:
        """The data of an operation that goes well."""
        answer = (await self.send(query, **variables)).json()
        assert "errors" not in answer, answer["errors"]
        data: dict[str, Any] = answer["data"]
        return data

    async def wrong(self, query: str, /, **variables: Any) -> tuple[int, dict[str, Any]]:
        """The status and the first error of one that does not."""
        answer = await self.send(query, **variables)
        return answer.status_code, answer.json()["errors"][0]

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """The answer of an HTTP route."""
        answer = await self.http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def put(self, path: str, **body: Any) -> None:
        """What an HTTP route is told to set."""
        answer = await self.http.put(path, json=body)
        assert answer.status_code < 300, answer.text

    async def get(self, path: str, **params: Any) -> dict[str, Any]:
        """What an HTTP route shows."""
        answer = await self.http.get(path, params=params)
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown


@dataclass
class World:
    """Ids by kind, and who may see them."""

    opened: Parts
    curator: Client
    agent: Client
    stranger: Client
    admin: Client
    scope: str
    ids: dict[str, str] = field(default_factory=dict)


def client_of(app: Litestar, key: str, caller: Caller) -> Client:
    transport, headers = httpx.ASGITransport(app), {"Authorization": f"Bearer {key}"}
    return Client(
        httpx.AsyncClient(transport=transport, base_url="http://l", headers=headers), caller
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(opened: Parts, app: Litestar) -> AsyncIterator[World]:
    """Two principals of one scope, what they said, wrote and handed in, and a stranger."""

    async def made(scope: str, role: Role, name: str, kind: str) -> Client:
        minted = await mint(opened, scope, kind=kind, name=name, role=role, subtree=None)
        caller = replace(await opened.keys.resolve(minted.text), request="test")
        return client_of(app, minted.text, caller)

    tenant = f"gql{RUN}-{next(COUNTER)}"
    scope = f"{tenant}/dev"
    one = World(
        opened,
        curator=await made(scope, Role.CURATOR, "ada", "user"),
        agent=await made(scope, Role.WRITER, "scout", "agent"),
        stranger=await made(f"{tenant}x/dev", Role.CURATOR, "eve", "user"),
        admin=await made(scope, Role.ADMIN, "root", "user"),
        scope=scope,
    )
    await told(one)
    yield one
    for each in (one.curator, one.agent, one.stranger, one.admin):
        await each.http.aclose()


async def told(world: World) -> None:
    """Fill a world through the HTTP routes."""
    who, ids = world.curator, world.ids
    said = await who.post("/v1/facts:remember", text=BREMEN, speaker="Otto Lindner")
    ids["episode"] = said["episode"]
    lives = next(f for f in said["facts"] if f["predicate"] == "lives_in")
    ids["fact"], ids["entity"] = lives["id"], lives["subject"]
    other = next(f["subject"] for f in said["facts"] if f["subject"] != ids["entity"])
    ids["merge"] = (await who.post("/v1/merges", left=ids["entity"], right=other))["id"]
    waits = await world.agent.post("/v1/facts:remember", text="Ada Berger lives in Ulm.")
    ids["waiting"] = waits["quarantined"][0]
    for title, text in (
        ("Plan", "The plan, see [[Valve]]."),
        ("Valve", "Of [[entity:Ada Berger]], see [[Plan]] and [[Nowhere]]."),
    ):
        ids["page"] = (await who.post("/v1/pages", title=title, content=text))["id"]
    for name, text in (("Deploy", "Ship the service."), ("Test", "Try the service.")):
        body = {"name": name, "description": text, "body": text, "params": {"level": [1, {"a": 2}]}}
        other, ids["skill"] = ids.get("skill", ""), (await who.post("/v1/skills", **body))["id"]
    await who.post(f"/v1/skills/{ids['skill']}/links", target=other)
    note = await who.post("/v1/notes", content="The gate closes at six.", tags=["gate"])
    ids["note"] = note["id"]
    learnt = await who.post("/v1/notes", content=OILED, namespace="learnings", importance=0.8)
    ids["learning"] = learnt["id"]
    for name in ("Oil the pump", "Sweep the cellar", "Check the valve"):
        body = {"name": name, "category": "automation", "body": f"{name} on Mondays."}
        ids["skillProposal"] = (await who.post("/v1/skill-proposals", **body))["id"]
    await filed(world)
    await beside(world)
    await world.opened.communities.refresh(world.scope, whole=True)
    found = await who.get("/v1/communities")
    ids["community"] = found["items"][0]["id"]


async def beside(world: World) -> None:
    """What a scope has besides memories, and what was done with some of them."""
    who, ids = world.curator, world.ids
    ids["session"] = (await who.get(f"/v1/episodes/{ids['episode']}"))["session_id"]
    await who.put("/v1/core-blocks/persona", content="Speaks in short sentences.")
    pattern = {"content": "Painted in the frost.", "reason": "It peels."}
    ids["pattern"] = (await who.post("/v1/bad-patterns", **pattern))["id"]
    skill, agent = f"/v1/skills/{ids['skill']}", world.agent.caller.principal
    await who.put(f"{skill}/agents/{agent}", place=2)
    await who.put(f"{skill}/entities/{ids['entity']}")
    await who.post(f"{skill}/outcomes", success=True, duration_ms=40)
    await world.agent.post("/v1/feedback", memory=ids["learning"], verdict="wrong")
    await who.post("/v1/pages", title="Tap", content="Turn the Valve slowly, it sticks.")
    await world.opened.indexing.drain()


async def filed(world: World) -> None:
    """A knowledge base with one document of several chunks, read as a worker does."""
    who, ids = world.curator, world.ids
    ids["base"] = (await who.post("/v1/knowledge-bases", name="Handbook", chunk_size=400))["id"]
    body = {"knowledge_base": ids["base"], "name": "pumps", "media": "text/markdown"}
    receipt = await who.post("/v1/documents", text=HANDBOOK, **body)
    ids["document"] = receipt["document"]["id"]
    ids["job"] = receipt["job"]["id"]
    await world.opened.runner.run(world.opened, ids["job"])
