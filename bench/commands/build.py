"""`python -m bench build`: how fast passages become a graph."""

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
from bench import building, passages
from bench.places import BENCH, AsJson, Bench

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("build")(eval_build)


def eval_build(
    bench: Bench = BENCH,
    name: Annotated[str, typer.Option(help="The data set whose passages are taken.")] = "2wiki",
    count: Annotated[int, typer.Option(min=2, help="Most passages, from the first on.")] = 10_000,
    as_documents: Annotated[
        bool, typer.Option(help="Each passage a document that a job reads, not a record.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Passages a second of every pass beside the bare embedder's; no worker may run meanwhile.

    Works on the graph itself.
    """
    records = passages.load(bench / name).records[:count]
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> dict[str, Any]:
        async with parts(settings) as opened:
            scope = f"eval-build-{secrets.token_hex(4)}"
            minted = await mint(opened, scope, kind="user", name="eval", role=Role.ADMIN)
            caller = await opened.keys.resolve(minted.text)
            return await building.measure(opened, caller, records, as_documents=as_documents)

    told = asyncio.run(run())
    console.print_json(json.dumps(told)) if as_json else _show(told)


def _show(told: dict[str, Any]) -> None:
    rows = {**told.pop("passes"), **{n: told.pop(n) for n in ("all passes", "bare embedder")}}
    columns = ("seconds", "done", "passages_per_second")
    table = Table("", "seconds", "things done", "passages a second")
    for name, row in rows.items():
        table.add_row(name, *(str(row[column]) for column in columns))
    console.print(table)
    console.print(", ".join(f"{name}: {value}" for name, value in told.items()))
