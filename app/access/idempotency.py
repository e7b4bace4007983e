"""`Idempotency-Key`: the same request sent again gets the first answer, and is not done again.

The record is claimed before the work and completed after it. A process that dies in between
leaves a claim that runs out; the request then runs again. What it makes has the ids that it had the
first time, so that running it again names what is there (decision 0128).
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import orjson
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Headers
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from app.access.guard import guard
from app.errors import Conflict, IdempotencyMismatch, InvalidInput, LociError, TooLarge
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import digest, repeatable
from app.kernel.problems import loci_error

KEEP = timedelta(hours=24)
LEASE = timedelta(seconds=60)
RENEWALS = 4  # of a claim within its lease
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
NOT_DONE = "not_done"  # set in a request's state where an answer of 200 says that it failed
SECRET_FIELDS = ("key", "secret")  # never kept: a replay answers with null


@dataclass(slots=True)
class Answer:
    """A response as it passes by."""

    status: int = 0
    body: bytes = b""
    content_type: str = "application/json"


class IdempotencyRecords:
    """Records in the graph, one a caller, route and key."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def claim(self, record_id: str, fingerprint: str, tenant: str) -> Row:
        """The record; `mine` tells whether the work is this request's to do."""
        moment = now()
        return await self._graph.one(
            Q.idempotency.claim,
            id=record_id,
            fingerprint=fingerprint,
            tenant=tenant,
            at=moment,
            lease=moment + LEASE,
            expires_at=moment + KEEP,
        )

    async def complete(self, record_id: str, answer: Answer, caller: Caller) -> None:
        """Keep an answer, and the rights that its request had to show."""
        await self._graph.rows(
            Q.idempotency.complete,
            id=record_id,
            status=answer.status,
            body=without_secrets(answer.body).decode(),
            content_type=answer.content_type,
            needs=[f"{role.label} {scope}" for scope, role in sorted(caller.shown)],
        )

    async def release(self, record_id: str) -> None:
        """Forget a request that has changed nothing."""
        await self._graph.rows(Q.idempotency.release, id=record_id)

    async def leave(self, record_id: str) -> None:
        """Let whoever sends a request again go on with it, which may have been done in part."""
        with suppress(LociError):  # then the lease runs out by itself
            await self._graph.rows(Q.idempotency.renew, id=record_id, lease=now())

    async def keep(self, record_id: str, every: float = LEASE.total_seconds() / RENEWALS) -> None:
        """Hold the claim for as long as this is awaited, renewed each so many seconds, however long
        the request takes."""
        while True:
            await asyncio.sleep(every)
            with suppress(LociError):
                await self._graph.rows(Q.idempotency.renew, id=record_id, lease=now() + LEASE)


class IdempotencyMiddleware(ASGIMiddleware):
    """Runs for every writing method that carries the header."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        key = Headers.from_scope(scope).get("idempotency-key")
        # A route that streams keeps no body to compare: it tells repeats by itself.
        streams = scope["route_handler"].opt.get("streams", False)
        if key is None or _method(scope) not in WRITES or streams:
            await next_app(scope, receive, send)
            return
        try:
            await self._once(key, (scope, receive, send, next_app))
        except LociError as error:
            # Answered here, inside of what logs and counts requests.
            for hook in scope["litestar_app"].after_exception:
                await hook(error, scope)
            request: Request[Any, Any, Any] = Request(scope, receive, send)
            response = loci_error(request, error).to_asgi_response(app=None, request=request)
            await response(scope, receive, send)

    async def _once(self, key: str, call: tuple[Scope, Receive, Send, ASGIApp]) -> None:
        scope, receive, send, next_app = call
        headers = Headers.from_scope(scope)
        # Who asks, whether he may, and whether it is too often: a replay passes the same door.
        await guard(ASGIConnection(scope), scope["route_handler"])
        caller: Caller = scope["state"]["caller"]
        if not 1 <= len(key) <= 200:
            raise InvalidInput("Idempotency-Key takes 1 to 200 characters", field="Idempotency-Key")
        state = scope["litestar_app"].state
        body = await _read(receive, headers, state.settings.api.max_body)
        record_id = digest("idempotency", caller.principal, _method(scope), scope["path"], key)
        fingerprint = hashlib.sha256(scope["query_string"] + b"\0" + body).hexdigest()
        records: IdempotencyRecords = state.idempotency
        claim = await records.claim(record_id, fingerprint, caller.tenant)
        if claim["fingerprint"] != fingerprint:
            raise IdempotencyMismatch(field="Idempotency-Key")
        if claim["status"] is not None:
            for role, _, place in (need.partition(" ") for need in claim["needs"]):
                caller.require(place, Role.named(role))
            await _replay(send, claim)
            return
        if not claim["mine"]:
            raise Conflict("the same request is being worked on", field="Idempotency-Key")
        work = _perform((scope, _again(body, receive), send, next_app), records, record_id)
        keeper = asyncio.create_task(records.keep(record_id), name=f"claim {record_id}")
        try:
            with repeatable(record_id, claim["came"]):
                await work
        finally:
            keeper.cancel()


async def _perform(
    call: tuple[Scope, Receive, Send, ASGIApp], records: IdempotencyRecords, record_id: str
) -> None:
    scope, receive, send, next_app = call
    answer, held = Answer(), []

    async def record(message: Message) -> None:
        held.append(message)
        if message["type"] == "http.response.start":
            answer.status = message["status"]
        elif message["type"] == "http.response.body":
            answer.body += message.get("body", b"")

    try:
        await next_app(scope, receive, record)
    except BaseException:
        await records.leave(record_id)
        raise
    # Kept before it is sent: an answer that somebody has seen can always be replayed.
    if answer.status >= 500:
        await records.leave(record_id)
    elif answer.status >= 400 or scope["state"].get(NOT_DONE):
        await records.release(record_id)
    else:
        await records.complete(record_id, answer, scope["state"]["caller"])
    for message in held:
        await send(message)


def _method(scope: Scope) -> str:
    return str(cast(HTTPScope, scope)["method"])


async def _read(receive: Receive, headers: Headers, limit: int) -> bytes:
    announced = headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > limit:
        raise TooLarge(f"a request body holds at most {limit} bytes")
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message.get("body", b"")
        if len(body) > limit:
            raise TooLarge(f"a request body holds at most {limit} bytes")
        if not message.get("more_body"):
            return body


def _again(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Any:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _replay(send: Send, claim: Row) -> None:
    headers = [
        (b"content-type", claim["content_type"].encode()),
        (b"idempotency-replayed", b"true"),
    ]
    await send({"type": "http.response.start", "status": claim["status"], "headers": headers})
    await send({"type": "http.response.body", "body": claim["body"].encode(), "more_body": False})


def without_secrets(body: bytes) -> bytes:
    """The body as it is kept: a secret shown once is not stored."""
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    if isinstance(parsed, dict) and any(name in parsed for name in SECRET_FIELDS):
        return orjson.dumps({k: None if k in SECRET_FIELDS else v for k, v in parsed.items()})
    return body
