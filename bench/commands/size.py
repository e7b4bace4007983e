"""`python -m bench size`: how many nodes and relationships a passage becomes."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Annotated, Any

import typer
from rich.table import Table

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.kernel.caller import Role
from app.telemetry.logging import configure_logging
from app.wiring import parts
from bench import size
from bench.places import BENCH, AsJson, Bench

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("size")(eval_size)


def eval_size(
    bench: Bench = BENCH,
    name: Annotated[str, typer.Option(help="locomo, longmemeval or 2wiki.")] = "locomo",
    count: Annotated[int, typer.Option(min=1, help="Most texts, from the first on.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """Nodes and relationships of one passage, by kind; no worker may run meanwhile.

    Works on the graph itself.
    """
    records = size.load(bench, name, count)
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> dict[str, Any]:
        async with parts(settings) as opened:
            scope = f"eval-size-{secrets.token_hex(4)}"
            minted = await mint(opened, scope, kind="user", name="eval", role=Role.ADMIN)
            caller = await opened.keys.resolve(minted.text)
            return await size.measure(opened, caller, records)

    told = asyncio.run(run())
    console.print_json(json.dumps(told)) if as_json else _show(told)


def _show(told: dict[str, Any]) -> None:
    table = Table("of one passage", "count")
    for name in ("nodes", "relationships"):
        table.add_row(name, str(told[name]))
    for name, count in told["each"].items():
        table.add_row(name, str(count))
    console.print(table)
    seconds = ", ".join(f"{name} {spent}" for name, spent in told["seconds"].items())
    console.print(f"{told['passages']} passages; seconds: {seconds}")
