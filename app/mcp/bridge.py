"""From standard input and output to a running API: for clients that only start programs.

Each message is one request with one key. Nothing is kept between two, so an API that was started
anew answers the next one.
"""

from __future__ import annotations

from typing import Any

import httpx
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import BaseModel

from app import __version__
from app.mcp.instructions import INSTRUCTIONS, NAME, TITLE

SECONDS = 120.0  # for one answer: an `ask` may take three rounds of search
# The revision of the way in between, whatever the client speaks.
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
METHODS: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "tools/list": (PaginatedRequestParams, ListToolsResult),
    "tools/call": (CallToolRequestParams, CallToolResult),
    "resources/list": (PaginatedRequestParams, ListResourcesResult),
    "resources/templates/list": (PaginatedRequestParams, ListResourceTemplatesResult),
    "resources/read": (ReadResourceRequestParams, ReadResourceResult),
    "prompts/list": (PaginatedRequestParams, ListPromptsResult),
    "prompts/get": (GetPromptRequestParams, GetPromptResult),
}


async def serve(url: str, headers: dict[str, str], tools: str | None = None) -> None:
    """Speak for the API at `url`, with a key in `headers`, until standard input ends; `tools` names
    profiles of further tools."""
    async with (
        httpx.AsyncClient(
            base_url=url,
            headers={**headers, **HEADERS},
            params={"tools": tools} if tools else None,
            timeout=SECONDS,
        ) as http,
        stdio_server() as (read, write),
    ):
        server = speaking(http)
        await server.run(read, write, server.create_initialization_options())


def speaking(http: httpx.AsyncClient) -> Server[Any]:
    """A server that hands every request on."""
    server: Server[Any] = Server(NAME, version=__version__, title=TITLE, instructions=INSTRUCTIONS)
    for method, (takes, gives) in METHODS.items():
        server.add_request_handler(method, takes, _handing_on(http, method, gives))
    return server


def _handing_on(http: httpx.AsyncClient, method: str, gives: type[BaseModel]) -> Any:
    async def handle(_: ServerRequestContext[Any, Any], params: BaseModel) -> BaseModel:
        sent = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        sent.pop("_meta", None)
        return gives.model_validate(await asked(http, method, sent))

    return handle


async def asked(http: httpx.AsyncClient, method: str, params: dict[str, Any]) -> Any:
    """The result of one message; MCPError with the API's own words where it has none."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    try:
        answer = await http.post("/mcp", json=body)
        told = answer.json()
    except (httpx.TransportError, ValueError):
        raise MCPError(INTERNAL_ERROR, f"no Loci answers at {http.base_url}") from None
    if isinstance(told, dict) and "result" in told:
        return told["result"]
    raise _refused(told)


def _refused(told: Any) -> MCPError:
    """The error of the protocol, or of a problem document, that an answer holds."""
    known: dict[str, Any] = told if isinstance(told, dict) else {}
    error = known.get("error")
    if isinstance(error, dict):
        return MCPError(error["code"], str(error["message"]), error.get("data"))
    said = known.get("detail") or known.get("title") or "the API gave no answer"
    return MCPError(INTERNAL_ERROR, str(said), {"code": known.get("code")})
