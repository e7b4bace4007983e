"""The Model Context Protocol over HTTP: each message a POST, each answer its response."""

from __future__ import annotations

from typing import Any

from litestar import Request, delete, get, post
from litestar.di import NamedDependency
from litestar.exceptions import MethodNotAllowedException
from litestar.response import Stream
from litestar.status_codes import HTTP_200_OK
from litestar.types import ASGIApp

from app.access.guard import presented_key
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.mcp.calls import ROUTE
from app.mcp.service import McpService, notifies
from app.mcp.stream import SESSION

Asked = Request[Any, Any, Any]
Speaking = NamedDependency[McpService]
READS: dict[str, Any] = {"requires": Role.READER, ONLY_READS: True}


@post(ROUTE, opt=READS, include_in_schema=False)
async def exchange(speaking: Speaking) -> ASGIApp:
    """Answer one message; a tool needs the role of the route that does the same."""
    return speaking.exchange


@get(ROUTE, opt=READS, include_in_schema=False, media_type="text/event-stream")
async def stream(request: Asked, caller: NamedDependency[Caller], speaking: Speaking) -> Stream:
    """Send what a session of the older revision has subscribed to."""
    return Stream(
        speaking.stream(presented_key(request), caller, session_of(request)),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@delete(ROUTE, opt=READS, include_in_schema=False, status_code=HTTP_200_OK)
async def end(request: Asked, caller: NamedDependency[Caller], speaking: Speaking) -> None:
    """End a session of the older revision."""
    await speaking.end(caller, session_of(request))


def session_of(request: Asked) -> str:
    """The session that a request names; MethodNotAllowedException where there are none."""
    session = request.headers.get(SESSION)
    if not (session and notifies(request.scope)):
        raise MethodNotAllowedException("there are sessions at `/mcp?notifications=true` alone")
    return session
