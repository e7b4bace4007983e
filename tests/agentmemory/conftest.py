"""What the tests of the agent-memory protocol share: an application with its bridge switched on,
and the methods of the bridge as calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest_asyncio
from litestar import Litestar

from app.asgi import create_app, fill_state
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.support.serving import Served

BRIDGE = "/agent-memory/bridge"
REST = "/agent-memory/v1"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def bridged(opened: Parts) -> Litestar:
    """The application with the bridge switched on."""
    on = opened.settings.agent_memory.model_copy(update={"bridge": True})
    settings = opened.settings.model_copy(update={"agent_memory": on})
    made = create_app(settings)
    fill_state(made, replace(opened, settings=settings))
    return made


@dataclass(frozen=True)
class Bridge:
    """A client of the bridge: `await bridge("add_message", session_id=…)`."""

    who: Principal
    http: httpx.AsyncClient

    async def __call__(self, method: str, **given: Any) -> Any:
        answer = await self.send(method, **given)
        assert answer.status_code in (200, 204), (method, given, answer.text)
        return answer.json() if answer.content else None

    async def send(self, method: str, **given: Any) -> httpx.Response:
        """The answer, whatever it is."""
        return await self.http.post(f"{BRIDGE}/{method}", json=given)

    async def said(self, session: str, *texts: str, role: str = "user") -> list[dict[str, Any]]:
        """Messages of a session, one after the other."""
        return [
            await self("add_message", session_id=session, role=role, content=text) for text in texts
        ]

    async def texts(self, session: str, **more: Any) -> list[str]:
        """What a session holds."""
        found = await self("get_conversation", session_id=session, **more)
        return [message["content"] for message in found["messages"]]


MakeBridge = Callable[..., Awaitable[Bridge]]


@pytest_asyncio.fixture(loop_scope="session")
async def connect(bridged: Litestar, principal: MakePrincipal) -> AsyncIterator[MakeBridge]:
    """Makes clients of the bridge: `await connect("acme/dev", role=Role.WRITER, name="scout")`."""
    clients: list[httpx.AsyncClient] = []

    async def make(scope: str, role: Role = Role.ADMIN, name: str = "scout") -> Bridge:
        who = await principal(scope, role=role, name=name)
        http = httpx.AsyncClient(
            transport=Served(bridged),  # type: ignore[arg-type]
            base_url="http://loci",
            headers={"Authorization": f"Bearer {who.key}"},
        )
        clients.append(http)
        return Bridge(who, http)

    yield make
    for client in clients:
        await client.aclose()


@pytest_asyncio.fixture(loop_scope="session")
async def bridge(connect: MakeBridge, tenant: str) -> Bridge:
    """A client whose key administers a scope of its own."""
    return await connect(f"{tenant}/dev")
