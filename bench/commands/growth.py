"""`python -m bench growth`: how memory grows with agents, and what works by night."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.local import local_settings
from app.telemetry.logging import configure_logging
from app.wiring import parts
from bench.growth import Growth
from bench.places import URL, Url

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("growth")(eval_growth)


def eval_growth(
    url: Url = URL,
    agents: Annotated[int, typer.Option(min=4, help="Agents in the end.")] = 1000,
    turns: Annotated[int, typer.Option(min=1, help="Turns of each.")] = 100,
) -> None:
    """Bytes of Valkey and nodes of each agent, the tenant's bound, seconds and db hits of every
    schedule at half of the agents and at all of them.

    Needs a running API and no worker. Exit code 1 where the bound did not hold, or a schedule with
    nothing to do read more, the more there was.
    """

    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> dict[str, Any]:
        async with parts(settings) as opened:
            return await Growth(opened, url, turns).measure(agents)

    found = asyncio.run(run())
    console.print_json(json.dumps(found))
    full = found["bound"]["bytes_taken"] > found["bound"]["limits"]["tenant_bytes"]
    if full or found["reads_all"]:
        raise typer.Exit(1)
