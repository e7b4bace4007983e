"""The one door: a key becomes a Caller before any handler runs, and every handler says who may.

A handler declares ``opt={"requires": Role.WRITER}`` or ``opt={"requires": PUBLIC}``; a contract
test fails on one that declares nothing. The role asked for here is held *somewhere*: in which
scope it is needed, the service checks.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import Scope

from app.access.keys import KeyRing
from app.access.limits import RateLimiter
from app.errors import Forbidden, Unauthenticated
from app.jobs.foreground import PROMPT, Foreground
from app.kernel.caller import PUBLIC, Caller, Role
from app.kernel.departures import READS
from app.kernel.graph import asking_for


@dataclass(frozen=True, slots=True)
class Door:
    """What turns a request into a caller."""

    keys: KeyRing
    limiter: RateLimiter
    foreground: Foreground


async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Resolve the key, count the request, check the role; the Caller goes into the state."""
    requires = handler.opt.get("requires")
    if requires == PUBLIC:
        return
    if not isinstance(requires, Role):
        raise Forbidden("this route declares no role")  # a contract test keeps this from happening
    if "caller" in connection.scope["state"]:
        return  # a request with `Idempotency-Key` has passed this door before it was looked up
    door: Door = connection.app.state.door
    caller = await door.keys.resolve(presented_key(connection))
    request = str(connection.scope["state"].get("request_id", ""))
    caller = replace(caller, request=request, shown=set())
    connection.scope["state"]["caller"] = caller
    asking_for.set(caller.tenant)
    if handler.opt.get(READS) or handler.opt.get(PROMPT):
        door.foreground.seen()
    await door.limiter.count(caller, time.time())
    if not caller.holds(requires):
        raise Forbidden(f"this key needs the role {requires.label}")


def presented_key(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """The key of `Authorization: Bearer …` or `X-API-Key`."""
    scheme, _, value = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value:
        return value.strip()
    key = connection.headers.get("x-api-key")
    if not key:
        raise Unauthenticated("send the API key as `Authorization: Bearer …`")
    return key.strip()


def provide_caller(scope: Scope) -> Caller:
    """The caller that the guard has put there."""
    caller: Caller = scope["state"]["caller"]
    return caller
