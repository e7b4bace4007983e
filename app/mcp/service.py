"""The server of the protocol: one exchange a request, nothing kept between two."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import parse_qs

import structlog
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)
from pydantic import ValidationError

from app import __version__
from app.access.idempotency import NOT_DONE
from app.access.refusals import Refusals
from app.errors import LociError
from app.kernel.caller import Caller
from app.kernel.departures import STAYS
from app.mcp import prompts, resources
from app.mcp.at_hand import WORKING
from app.mcp.calls import ROUTE, called
from app.mcp.conversing import CONVERSATIONS
from app.mcp.episodic import EPISODES
from app.mcp.fetching import CONNECTOR
from app.mcp.graphing import GRAPH, KNOWLEDGE
from app.mcp.handing_in import DOCUMENTS
from app.mcp.instructions import INSTEAD, INSTRUCTIONS, NAME, TITLE
from app.mcp.keeping import CONTEXTS
from app.mcp.listening import Listening
from app.mcp.pursuing import ESCALATIONS, GOALS, OBSERVATIONS
from app.mcp.reading import READING
from app.mcp.remembering import MEMORY
from app.mcp.services import Services
from app.mcp.shared_memory import POOLS
from app.mcp.skilled import SKILLS
from app.mcp.slotted import SLOTS
from app.mcp.stream import SESSION
from app.mcp.tabling import DATA
from app.mcp.tiered import TIERS
from app.mcp.tool import Tool
from app.mcp.tracing import TRACES
from app.mcp.upkeep import UPKEEP
from app.mcp.wording import Worded
from app.mcp.work_items import WORK
from app.mcp.writing import WRITING

log = structlog.get_logger()
TOOLS = {tool.name: tool for tool in (*READING, *WRITING)}
# Further tools, listed and called where the address asks for them: `/mcp?tools=data,work`.
PROFILES = {
    name: {tool.name: tool for tool in tools}
    for name, tools in (
        ("memory", MEMORY),
        ("data", DATA),
        ("work", WORK),
        ("pools", POOLS),
        ("traces", TRACES),
        ("contexts", CONTEXTS),
        ("conversations", CONVERSATIONS),
        ("working", WORKING),
        ("slots", SLOTS),
        ("goals", GOALS),
        ("escalations", ESCALATIONS),
        ("observations", OBSERVATIONS),
        ("tiers", TIERS),
        ("documents", DOCUMENTS),
        ("skills", SKILLS),
        ("episodes", EPISODES),
        ("upkeep", UPKEEP),
        ("graph", GRAPH),
        ("knowledge", KNOWLEDGE),
    )
}
# Tools for clients that have them instead of all others: `/mcp?tools=chatgpt`.
ALONE = {"chatgpt": {tool.name: tool for tool in CONNECTOR}}
BEGUN = "mcp_session"  # set in a request's state where a session of the older revision begins
Context = ServerRequestContext[Any, Any]
Page = PaginatedRequestParams | None


class McpService:
    """Tools, resources and prompts for whoever has passed the door; holds nothing of a caller."""

    def __init__(
        self, services: Services, refusals: Refusals, listening: Listening, max_body: int
    ) -> None:
        self._services = services
        self._listening = listening
        self._refusals = refusals
        self._max_body = max_body
        several = (TOOLS, *PROFILES.values(), *ALONE.values())
        self._listed = {tool: tool.listed() for tools in several for tool in tools.values()}
        notified: dict[str, Any] = {
            "on_subscribe_resource": self._subscribe,
            "on_unsubscribe_resource": self._unsubscribe,
        }
        # By the profile that stands alone, and whether sessions are notified.
        self._servers = {
            (alone, notifying): self._made(alone, **(notified if notifying else {}))
            for alone in (None, *ALONE)
            for notifying in (False, True)
        }

    def _made(self, alone: str | None, **further: Any) -> Server[Any]:
        several = (ALONE[alone],) if alone else (TOOLS, *PROFILES.values())
        schemas = {
            name: self._listed[tool].input_schema
            for tools in several
            for name, tool in tools.items()
        }
        server = Server(
            NAME,
            version=__version__,
            title=TITLE,
            instructions=INSTEAD[alone] if alone else INSTRUCTIONS,
            get_tool_input_schema=schemas.get,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_subscriptions_listen=self._listen,
            **further,
        )
        server.middleware.append(self._contained)
        return server

    async def exchange(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request, of any revision; all that it starts ends with it."""
        alone = next((name for name in profiles_of(scope) if name in ALONE), None)
        server = self._servers[alone, notifies(scope)]
        manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=self._max_body
        )

        worded = Worded(send)

        async def begun(message: Any) -> None:
            session = scope["state"].get(BEGUN)
            if session and message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (SESSION.encode(), session.encode())]
            await worded(message)

        async with manager.run():
            await manager.handle_request(scope, receive, begun)

    def stream(self, key: str, caller: Caller, session: str) -> AsyncIterator[bytes]:
        """What is told to a session of the older revision; raises as `Listening.stream`."""
        return self._listening.stream(key, caller, session)

    async def end(self, caller: Caller, session: str) -> None:
        """End a session of the older revision."""
        await self._listening.subscriptions.end(caller, session)

    async def _list_tools(self, context: Context, _: Page) -> ListToolsResult:
        tools = _tools(context)
        shown = _shown(tools, _caller(context))
        return ListToolsResult(tools=[self._listed[tools[name]] for name in shown])

    async def _call_tool(self, context: Context, asked: CallToolRequestParams) -> CallToolResult:
        tool = _tools(context).get(asked.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, _absent(asked.name, _profiles(context)))
        state, given = _state(context), asked.arguments or {}
        state[STAYS] = not tool.reads
        result = await called(self._services, self._refusals, _caller(context), tool, given)
        state[NOT_DONE] = result.is_error
        return result

    async def _list_resources(self, _: Context, __: Page) -> ListResourcesResult:
        """None: there are too many to list, and each is found by its template."""
        return ListResourcesResult(resources=[])

    async def _list_templates(self, _: Context, __: Page) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.templates())

    async def _read_resource(
        self, context: Context, asked: ReadResourceRequestParams
    ) -> ReadResourceResult:
        return await resources.read(self._services, _caller(context), asked.uri)

    async def _list_prompts(self, _: Context, __: Page) -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.listed())

    async def _get_prompt(self, context: Context, asked: GetPromptRequestParams) -> GetPromptResult:
        given = asked.arguments or {}
        return await prompts.made(self._services, _caller(context), asked.name, given)

    async def _listen(
        self, context: Context, asked: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        tools = _tools(context)
        return await self._listening.serve(
            context,
            asked.notifications,
            _caller(context),
            lambda caller: frozenset(_shown(tools, caller)),
        )

    async def _subscribe(self, context: Context, asked: SubscribeRequestParams) -> EmptyResult:
        _state(context)[STAYS] = True
        await self._listening.subscriptions.add(_caller(context), _session(context), asked.uri)
        return EmptyResult()

    async def _unsubscribe(self, context: Context, asked: UnsubscribeRequestParams) -> EmptyResult:
        _state(context)[STAYS] = True
        await self._listening.subscriptions.drop(_caller(context), _session(context), asked.uri)
        return EmptyResult()

    async def _contained(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """What goes wrong becomes an error of the protocol: a library's words stay in the log."""
        if ctx.method == "initialize" and notifies(_scope(ctx)):
            _state(ctx)[BEGUN] = secrets.token_urlsafe(24)
        try:
            return await call_next(ctx)
        except (MCPError, ValidationError):
            raise
        except LociError as error:
            await self._refusals.record(error, _caller(ctx), ROUTE)
            raise told(error) from None
        except Exception as error:
            log.exception("mcp.crashed", method=ctx.method, exc_info=error)
            raise MCPError(INTERNAL_ERROR, LociError().told) from None


def told(error: LociError) -> MCPError:
    """An error of ours as one of the protocol, with its code and field."""
    if error.ours:
        log.error("mcp.failed", code=error.code, detail=error.detail)
    code = INTERNAL_ERROR if error.ours else INVALID_PARAMS
    return MCPError(code, error.told, {"code": error.code, "field": error.field})


def _tools(context: Context) -> dict[str, Tool]:
    """The tools that every client has, with those of the profiles that the address names; those of
    a profile that stands alone, and no others."""
    named = _profiles(context)
    found = dict(TOOLS)
    for name in named:
        if name in ALONE:
            if len(named) > 1:
                raise MCPError(INVALID_PARAMS, f"{name} stands alone: name no other profile")
            return ALONE[name]
        if name not in PROFILES:
            known = ", ".join((*PROFILES, *ALONE))
            raise MCPError(INVALID_PARAMS, f"tools are of the profiles {known}")
        found |= PROFILES[name]
    return found


def _profiles(context: Context) -> list[str]:
    return profiles_of(_scope(context))


def profiles_of(scope: Any) -> list[str]:
    """The profiles that the address of a request names, each once."""
    named = ",".join(asked_of(scope).get("tools", []))
    return list(dict.fromkeys(name for name in named.split(",") if name))


def _absent(tool: str, switched_on: list[str]) -> str:
    """That there is no such tool here, and with which profile there is."""
    profile = next((name for name, tools in PROFILES.items() if tool in tools), None)
    alone = next((name for name, tools in ALONE.items() if tool in tools), None)
    if profile is None and alone is None:
        return f"there is no tool {tool[:64]}"
    others = [] if profile is None else [name for name in switched_on if name not in ALONE]
    profile = profile or alone
    tools = ",".join([*others, str(profile)])
    return (
        f"the tool {tool} is of the profile {profile}: connect to `{ROUTE}?tools={tools}`, or "
        f"start `loci mcp --tools {tools}`"
    )


def _shown(tools: Mapping[str, Tool], caller: Caller) -> list[str]:
    """The names of the tools that a caller may call."""
    return [name for name, tool in tools.items() if caller.holds(tool.requires)]


def asked_of(scope: Any) -> dict[str, list[str]]:
    """What the address of a request asks for."""
    return parse_qs(scope.get("query_string", b"").decode("latin-1"))


def notifies(scope: Any) -> bool:
    """Whether the address asks for the notifications of the older revision, which has a session
    for them and a stream that stays open."""
    return asked_of(scope).get("notifications") == ["true"]


def _scope(context: Context) -> Any:
    """The request that the message came in."""
    request: Any = context.request
    return request.scope


def _session(context: Context) -> str | None:
    request: Any = context.request
    session: str | None = request.headers.get(SESSION)
    return session


def _state(context: Context) -> dict[str, Any]:
    """The state of the request that the message came in."""
    state: dict[str, Any] = _scope(context)["state"]
    return state


def _caller(context: Context) -> Caller:
    """Whom the guard of the route has let in."""
    caller: Caller = _state(context)["caller"]
    return caller
