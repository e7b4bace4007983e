"""The Model Context Protocol over HTTP: each message a POST, each answer its response."""

from __future__ import annotations

from litestar import post
from litestar.di import NamedDependency
from litestar.types import ASGIApp

from app.kernel.caller import Role
from app.kernel.departures import READS as ONLY_READS
from app.mcp.calls import ROUTE
from app.mcp.service import McpService


@post(ROUTE, opt={"requires": Role.READER, ONLY_READS: True}, include_in_schema=False)
async def exchange(speaking: NamedDependency[McpService]) -> ASGIApp:
    """Answer one message; a tool needs the role of the route that does the same."""
    return speaking.exchange
