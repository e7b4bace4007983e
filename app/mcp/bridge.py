"""From standard input and output to a running API: for clients that only start programs.

Each message is one request with one key. Nothing is kept between two, so an API that was started
anew answers the next one. Notifications come back over streams, which `relaying` holds open.
"""

from __future__ import annotations

from typing import Any

import anyio
import httpx
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
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
from app.mcp.asking import asked
from app.mcp.instructions import INSTEAD, INSTRUCTIONS, NAME, TITLE
from app.mcp.relaying import Door, Listened, Subscribed

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
    params = {"tools": tools} if tools else {}
    async with (
        httpx.AsyncClient(
            base_url=url, headers={**headers, **HEADERS}, params=params, timeout=SECONDS
        ) as http,
        stdio_server() as (read, write),
        anyio.create_task_group() as tasks,
    ):
        subscribed = Subscribed(http, tasks)
        listened = Listened(Door(url, headers, params))
        server = speaking(http, listened, subscribed, INSTEAD.get(tools or "", INSTRUCTIONS))
        await server.run(read, write, server.create_initialization_options())
        await subscribed.end()
        tasks.cancel_scope.cancel()


def speaking(
    http: httpx.AsyncClient, listened: Listened, subscribed: Subscribed, instructions: str
) -> Server[Any]:
    """A server that hands every request on, and every notification back."""
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=instructions,
        on_subscribe_resource=subscribed.subscribe,
        on_unsubscribe_resource=subscribed.unsubscribe,
        on_subscriptions_listen=listened.listen,
    )
    for method, (takes, gives) in METHODS.items():
        server.add_request_handler(method, takes, _handing_on(http, method, gives))
    return server


def _handing_on(http: httpx.AsyncClient, method: str, gives: type[BaseModel]) -> Any:
    async def handle(_: ServerRequestContext[Any, Any], params: BaseModel) -> BaseModel:
        sent = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        sent.pop("_meta", None)
        return gives.model_validate(await asked(http, method, sent))

    return handle
