"""One call of a tool: its arguments checked, its role asked for, its errors told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import structlog
from mcp.types import CallToolResult, TextContent
from pydantic import AliasChoices

from app.access.refusals import Refusals
from app.errors import Forbidden, LociError
from app.kernel.caller import Caller
from app.kernel.wire import WireModel, model_of
from app.mcp.services import Services
from app.mcp.tool import Told, Tool

log = structlog.get_logger()
ROUTE = "/mcp"  # and the name of the tool, in the audit chain
WHOLE = "input"  # what is wrong with the arguments as a whole has this field


async def called(
    services: Services, refusals: Refusals, caller: Caller, tool: Tool, given: Mapping[str, Any]
) -> CallToolResult:
    """The result of a tool, or a problem as one: what was wrong is for the model to read."""
    try:
        return _result(await _run(services, caller, tool, given))
    except LociError as error:
        await refusals.record(error, caller, f"{ROUTE}/{tool.name}")
        return problem(error, tool.takes)


async def _run(services: Services, caller: Caller, tool: Tool, given: Mapping[str, Any]) -> Told:
    if not caller.holds(tool.requires):
        raise Forbidden(f"{tool.name} needs a key with the role {tool.requires.label}")
    return await tool.run(services, caller, model_of(tool.takes, given))


def _result(told: Told) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=told.text)], structured_content=msgspec.to_builtins(told.value)
    )


def problem(error: LociError, takes: type[WireModel]) -> CallToolResult:
    """A problem with code, title, status and field, as a problem document has them."""
    if error.ours:
        log.error("mcp.failed", code=error.code, detail=error.detail)
    told: dict[str, Any] = {
        "code": error.code,
        "title": error.title,
        "status": error.status,
        "detail": error.told,
    }
    text = f"{error.title}: {error.told}."
    if error.field and error.field != WHOLE:
        told["errors"] = [{"field": error.field, "detail": error.told}]
        text += _advice(error.field, takes)
    return CallToolResult(content=[TextContent(text=text)], structured_content=told, is_error=True)


def _advice(field: str, takes: type[WireModel]) -> str:
    """What a field is for, or which fields there are in the place of one that there is not."""
    first = field.partition(".")[0]
    name = _called(first, takes)
    if name not in takes.model_fields:
        name = f"{first}s"  # services name one of several
    known = takes.model_fields.get(name)
    if known is None:
        listed = ", ".join(f"`{each}`" for each in takes.model_fields)
        return f" Leave `{field}` out: the tool takes {listed or 'nothing'}."
    return f" Change `{name}`: {known.description}" if known.description else f" Change `{name}`."


def _called(given: str, takes: type[WireModel]) -> str:
    """The name of the field that also goes by another one, such as the one that a route has."""
    for name, field in takes.model_fields.items():
        other = field.validation_alias
        if isinstance(other, AliasChoices) and given in other.choices:
            return name
    return given
