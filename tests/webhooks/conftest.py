"""What the tests of webhooks share: an address of this machine that takes deliveries, a worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson
import pytest
import pytest_asyncio

from app.events.repository import EventRepository
from app.kernel.reach import networks
from app.webhooks.backoff import Backoff
from app.webhooks.posting import Postman
from app.webhooks.sending import Limits, Sender
from app.webhooks.sending import Parts as SenderParts
from app.wiring import Parts
from tests.conftest import Principal

HERE = networks("127.0.0.0/8")
WAIT = 60.0  # seconds for anything to come, on a machine that has other work


@dataclass
class Receiver:
    """Takes what is posted; `answers` are the next statuses, 0 for none at all, then 204."""

    answers: list[int] = field(default_factory=list)
    got: list[dict[str, Any]] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    url: str = ""

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        named = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await reader.readexactly(int(named["content-length"]))
        status = self.answers.pop(0) if self.answers else 204
        self.heads.append(named)
        self.raw.append(body)
        if 200 <= status < 300:
            self.got.append(orjson.loads(body))
        if status:
            extra = "Location: http://127.0.0.1:1/\r\n" if status == 302 else ""
            answer = f"HTTP/1.1 {status} Said\r\n{extra}Content-Length: 0\r\nConnection: close\r\n"
            writer.write(answer.encode() + b"\r\n")
            await writer.drain()
        writer.close()

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every event that was taken."""
        return [event for body in self.got for event in body["events"]]

    @property
    def targets(self) -> list[str]:
        """What the events are about."""
        return [event["target"] for event in self.events]


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """An address of this machine."""
    made = Receiver()
    server = await asyncio.start_server(made.meet, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    yield made
    server.close()
    await server.wait_closed()


@pytest_asyncio.fixture(loop_scope="session")
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


def sender_of(opened: Parts, **how: Any) -> Sender:
    """A worker's sender that does not wait long."""
    given = {"batch": 5, "tries": 3, "pause_after": 5, "backoff": Backoff(0.01, 0.02), **how}
    events = EventRepository(opened.graph, opened.access_rows)
    parts = SenderParts(opened.graph, opened.keys, events, Postman(5.0, HERE))
    return Sender(parts, Limits(**given))


Deliver = Callable[..., Awaitable[None]]


@pytest.fixture
def deliver(opened: Parts, tenant: str) -> Deliver:
    """`await deliver()` serves this tenant's webhooks until none has anything to do."""

    async def run(sender: Sender | None = None) -> None:
        chosen = sender or sender_of(opened)
        async with asyncio.timeout(WAIT):
            while await waits(opened, tenant):
                for due in await chosen.due():
                    if due.tenant == tenant:
                        await chosen.turn(due)
                await asyncio.sleep(0.01)

    return run


async def waits(opened: Parts, tenant: str) -> bool:
    """Whether an active webhook of the tenant has something to do, now or later."""
    await EventRepository(opened.graph, opened.access_rows).settle(tenant)
    rows = await opened.graph.raw(
        "MATCH (w:Webhook {tenant: $tenant, state: 'active'}) "
        "OPTIONAL MATCH (a:AuditHead {tenant: $tenant}) "
        "OPTIONAL MATCH (h:FeedHead {tenant: $tenant}) "
        "WITH w, a, h WHERE coalesce(a.seq, 0) > w.sealed OR coalesce(h.seq, 0) > w.numbered OR "
        "EXISTS { (:WebhookDelivery {whole: w.id, state: 'waiting'}) } RETURN w.id AS id",
        tenant=tenant,
    )
    return bool(rows)


async def told(answer: httpx.Response, status: int = 200) -> Any:
    """What an answer of that status says."""
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


async def hook(who: Principal, receiver: Receiver, **more: Any) -> dict[str, Any]:
    """A webhook of somebody's."""
    body = {"url": receiver.url, **more}
    made: dict[str, Any] = await told(await who.http.post("/v1/webhooks", json=body), 201)
    return made


async def say(who: Principal, content: str, **more: Any) -> str:
    """Capture a text; its id."""
    body = {"content": content, "session": "s", **more}
    made = await told(await who.http.post("/v1/episodes", json=body), 201)
    return str(made["id"])


async def read(who: Principal, made: dict[str, Any]) -> dict[str, Any]:
    """The webhook as it is now."""
    found: dict[str, Any] = await told(await who.http.get(f"/v1/webhooks/{made['id']}"))
    return found


async def listed(who: Principal, made: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    """Its deliveries, newest first."""
    url = f"/v1/webhooks/{made['id']}/deliveries"
    items: list[dict[str, Any]] = (await told(await who.http.get(url, params=query)))["items"]
    return items


async def act(who: Principal, made: dict[str, Any], name: str, status: int = 200) -> Any:
    """Ask for one of a webhook's operations."""
    return await told(await who.http.post(f"/v1/webhooks/{made['id']}/{name}"), status)


async def audited(opened: Parts, tenant: str) -> list[dict[str, Any]]:
    """The tenant's audit events about webhooks, oldest first."""
    rows = await opened.graph.raw(
        "MATCH (a:AuditEvent {tenant: $tenant}) WHERE a.kind STARTS WITH 'webhook.' "
        "RETURN a.kind AS kind, a.payload AS payload, a.actor AS actor ORDER BY a.at, a.id",
        tenant=tenant,
    )
    return [{**row, "payload": orjson.loads(row["payload"])} for row in rows]
