"""`python -m bench check`: seconds of the check of an erasure, alone and beside a large tenant."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import parts
from bench.checking import Bar, Size, measure, missed
from bench.places import URL, Url

console = Console()
progress = Console(stderr=True)


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("check")(eval_check)


def eval_check(
    url: Url = URL,
    small: Annotated[int, typer.Option(min=100, help="Memories of the small tenant.")] = 2_000,
    memories: Annotated[int, typer.Option(min=1000, help="Of the large tenant.")] = 125_000,
    times: Annotated[int, typer.Option(min=1, help="Checks of each.")] = 5,
    seconds: Annotated[float, typer.Option(min=1, help="Most, in the large tenant.")] = 120,
    ratio: Annotated[float, typer.Option(min=1, help="Most, beside it to alone.")] = 1.5,
    among: Annotated[
        str | None, typer.Option(help="A tenant that is there, for the large one.")
    ] = None,
) -> None:
    """Seconds of the check of an erasure in a small tenant, alone and beside a large one, and in
    the large one; with a tenant that is there nothing is measured alone.

    Needs a running API and worker. What is imported stays. Exit code 1 where a bar is missed.
    """

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            name = secrets.token_hex(3)
            scopes = f"checksmall{name}/talk", among or f"checklarge{name}"
            keys = [
                await mint(opened, where, kind="user", name="eval-check", role=Role.ADMIN)
                for where in scopes
            ]
        clients = [ApiClient(url, key.text) for key in keys]
        try:
            own, other = zip(clients, scopes, strict=True)
            size = Size(small, memories, times)
            return await measure(own, other, size, progress.print, there=among is not None)
        finally:
            for client in clients:
                await client.close()

    found = asyncio.run(run())
    wrong = missed(found, Bar(seconds, ratio))
    console.print_json(json.dumps(found | {"missed": wrong}))
    if wrong:
        raise typer.Exit(1)
