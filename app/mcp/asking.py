"""One message to a running API, and its answer."""

from __future__ import annotations

from typing import Any, Final

import httpx
from mcp import MCPError
from mcp.types import INTERNAL_ERROR

PATH: Final = "/mcp"


async def asked(http: httpx.AsyncClient, method: str, given: dict[str, Any], **how: Any) -> Any:
    """The result of one message; MCPError with the API's own words where it has none. `how` goes
    to the request."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
    try:
        answer = await http.post(PATH, json=body, **how)
        told = answer.json()
    except (httpx.TransportError, ValueError):
        raise away(http) from None
    if isinstance(told, dict) and "result" in told:
        return told["result"]
    raise refused(told)


def away(http: httpx.AsyncClient) -> MCPError:
    """That nothing answers."""
    return MCPError(INTERNAL_ERROR, f"no Loci answers at {http.base_url}")


def refused(told: Any) -> MCPError:
    """The error of the protocol, or of a problem document, that an answer holds."""
    known: dict[str, Any] = told if isinstance(told, dict) else {}
    error = known.get("error")
    if isinstance(error, dict):
        return MCPError(error["code"], str(error["message"]), error.get("data"))
    said = known.get("detail") or known.get("title") or "the API gave no answer"
    return MCPError(INTERNAL_ERROR, str(said), {"code": known.get("code")})
