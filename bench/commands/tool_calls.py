"""`python -m bench tool-calls`: what a tool costs beyond the route that does the same."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import asdict
from typing import Annotated

import httpx
import typer

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.kernel.caller import Role
from app.wiring import parts
from bench import tool_calls
from bench.places import URL, Url
from bench.speed import Wire

console = Console()
SAID = "The pump of building 4 was checked by Ada on Monday."


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("tool-calls")(eval_tool_calls)


def eval_tool_calls(
    url: Url = URL,
    count: Annotated[int, typer.Option(min=20, max=5000, help="Calls of each kind.")] = 500,
    most: Annotated[
        float, typer.Option(min=0, help="Milliseconds beyond the route, 95th percentile.")
    ] = tool_calls.MOST,
) -> None:
    """Milliseconds of a tool of the Model Context Protocol beside its route; exit code 1 where the
    95th percentiles lie further apart than the bar.

    Needs a running API.
    """
    settings, task = local_settings(), secrets.token_hex(4)
    scope = f"eval-tools-{secrets.token_hex(4)}"

    async def key() -> str:
        async with parts(settings) as opened:
            return (await mint(opened, scope, kind="agent", name="eval", role=Role.WRITER)).text

    minted = asyncio.run(key())
    prepare(url, minted, task)
    rest, mcp = Wire(url, minted), Wire(url, minted, tool_calls.HEADERS)
    try:
        told = [
            tool_calls.measure(rest, mcp, call, count, most)
            for call in tool_calls.calls(task, scope)
        ]
    finally:
        rest.close()
        mcp.close()
    console.print_json(json.dumps([asdict(one) for one in told]))
    if not all(one.holds for one in told):
        raise typer.Exit(1)


def prepare(url: str, key: str, task: str) -> None:
    """Keep what is read: a value of a task, and something to be found."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}) as http:
        kept = http.put(tool_calls.KEY.format(task=task), json={"value": {"step": 3}})
        kept.raise_for_status()
        http.post("/v1/episodes", json={"content": SAID, "session": "s"}).raise_for_status()
