"""`python -m bench elsewhere`: how fast another program's export goes in, beside a package."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.local import local_settings
from app.cli.transfer import store_of
from app.wiring import parts
from bench import elsewhere

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("elsewhere")(eval_elsewhere)


def eval_elsewhere(
    memories: Annotated[int, typer.Option(min=100, help="Memories of each turn.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Turns of each side.")] = 3,
    bar: Annotated[
        float, typer.Option(min=0, max=1, help="Least rate, as a share of the package's.")
    ] = 0.6,
) -> None:
    """Import memories of mem0, and a package with the same texts, into tenants of their own.

    Exit code 1 where the export's rate is below the bar.
    """

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            return await elsewhere.measure(store_of(opened), memories, rounds)

    found = asyncio.run(run())
    console.print_json(json.dumps(found | {"bar": bar}))
    if found["ratio"] < bar:
        raise typer.Exit(1)
