"""`python -m bench arrivals`: what an answer of the database costs the process that asks."""

from __future__ import annotations

import json

import typer
import uvloop

from app.cli.console import Console
from app.cli.local import local_settings
from app.wiring import parts
from bench import arrivals

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("arrivals")(eval_arrivals)


def eval_arrivals() -> None:
    """Milliseconds of processor time a query of 1 to 1,000 rows: read by the driver part by part,
    and taken at once; in turns.

    Needs a running Neo4j.
    """

    async def run() -> list[dict[str, float]]:
        async with parts(local_settings()) as opened:
            return await arrivals.measure(opened.graph)

    console.print(json.dumps(uvloop.run(run()), indent=1))
