"""`python -m bench truth` and `ends`: what later texts do to what earlier ones said, on files of
rows."""

from __future__ import annotations

import asyncio
import json
import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import parts
from bench import ends
from bench.places import URL, Url
from bench.truth import Outcome, load, measure, table

console = Console()
progress = Console(stderr=True)


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("truth")(eval_truth)
    group.command("ends")(eval_ends)


def eval_truth(
    file: Annotated[Path, typer.Argument(help="Rows as in tests/evals/truth.")],
    url: Url = URL,
    half: Annotated[
        str | None, typer.Option(help="`seen` or `unseen`; both if unset.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write each row's outcome to this file.", show_default=False)
    ] = None,
) -> None:
    """Near misses that ended a fact, updates that ended one or are told as possible changes.

    Needs a running API and worker. Works in a tenant of its own, which stays.
    """
    cases = [case for case in load(file) if half in (None, case.half)]

    async def run() -> list[Outcome]:
        tenant = f"truth{secrets.token_hex(3)}"
        async with parts(local_settings()) as opened:
            key = await mint(opened, tenant, kind="user", name="eval-truth", role=Role.ADMIN)
        client = ApiClient(url, key.text)
        try:
            return await measure(client, tenant, cases, progress.print)
        finally:
            await client.close()

    outcomes = asyncio.run(run())
    if out is not None:
        out.write_text("".join(_line(outcome.as_row()) for outcome in outcomes), encoding="utf-8")
    console.print_json(json.dumps(table(outcomes)))


def eval_ends(
    files: Annotated[list[Path], typer.Argument(help="Rows as in tests/evals/truth.")],
) -> None:
    """What the last texts of the rows are read as, by rules alone; needs no server."""
    console.print_json(json.dumps(ends.table(case for file in files for case in load(file))))


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
