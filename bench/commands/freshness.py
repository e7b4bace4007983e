"""`python -m bench freshness` and `beside`: how soon what is said is known, and what searches cost
while the worker is busy for another tenant."""

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
from bench import beside
from bench.freshness import Bounds, measure, missed
from bench.places import URL, Url
from bench.speed import Wire

console = Console()
progress = Console(stderr=True)


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("freshness")(eval_freshness)
    group.command("beside")(eval_beside)


def eval_freshness(
    url: Url = URL,
    captures: Annotated[int, typer.Option(min=2, help="In either part.")] = 40,
    episodes: Annotated[int, typer.Option(min=1000, help="Imported meanwhile.")] = 100_000,
    seconds: Annotated[float, typer.Option(min=5, max=100, help="Most, of either part.")] = 100,
) -> None:
    """From a capture to its fact over HTTP: alone, and while another tenant imports.

    Needs a running API and worker. The import is stopped in the end; what it brought stays. Ends
    with exit code 1 where the p95 is above 2 seconds alone, or above 10 while importing.
    """

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            name = secrets.token_hex(3)
            scope, into = f"fresh{name}/talk", f"import{name}"
            keys = [
                await mint(opened, where, kind="user", name="eval-freshness", role=role)
                for where, role in ((scope, Role.WRITER), (into, Role.ADMIN))
            ]
        client, importer = (ApiClient(url, key.text) for key in keys)
        try:
            bounds = Bounds(captures, episodes, seconds)
            return await measure(client, scope, importer, into, bounds, progress.print)
        finally:
            await client.close()
            await importer.close()

    found = asyncio.run(run())
    console.print_json(json.dumps(found))
    if slow := missed(found):
        for one in slow:
            progress.print(one)
        raise typer.Exit(1)


def eval_beside(
    url: Url = URL,
    episodes: Annotated[int, typer.Option(min=1000, help="Imported meanwhile.")] = 20_000,
    seconds: Annotated[float, typer.Option(min=5, help="Most, of each part.")] = 120,
    work: Annotated[
        list[beside.Work] | None, typer.Option(help="Only beside this; may be given several times.")
    ] = None,
) -> None:
    """Milliseconds of a search and of a capture: alone, and while another tenant imports, has
    episodes read, communities found and an erasure checked, hands in long texts, and asks GraphQL
    for much at once, in width and in depth.

    Needs a running API and worker. What is imported stays. Exit code 1 where a 95th percentile is
    more than twice the quiet one.
    """

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            name = secrets.token_hex(3)
            scopes = f"quiet{name}/talk", f"busy{name}"
            keys = [
                await mint(opened, where, kind="user", name="eval-beside", role=Role.ADMIN)
                for where in scopes
            ]
        own, other = (
            beside.Tenant(ApiClient(url, key.text), Wire(url, key.text), scope)
            for key, scope in zip(keys, scopes, strict=True)
        )
        try:
            return await beside.measure(
                own,
                other,
                beside.Bounds(episodes, seconds, tuple(work or beside.Work)),
                progress.print,
            )
        finally:
            for side in (own, other):
                side.wire.close()
                await side.client.close()

    found = asyncio.run(run())
    console.print_json(json.dumps(found))
    if slow := beside.slower(found):
        progress.print(f"More than {beside.TWICE:g} times the quiet p95: {', '.join(slow)}.")
        raise typer.Exit(1)
