"""`python -m bench events`: whether streams lose events, also while processes are killed."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.kernel.caller import Role
from app.wiring import Parts, parts
from bench import events
from bench.event_sources import Bounds, Captured, Written
from bench.places import URL, Url

console = Console()
progress = Console(stderr=True)


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("events")(eval_events)


def eval_events(
    url: Url = URL,
    count: Annotated[int, typer.Option(min=10, help="Events in all.")] = 60_000,
    rate: Annotated[float, typer.Option(min=1, help="Events a second.")] = 1000.0,
    listeners: Annotated[int, typer.Option(min=2, max=200, help="Streams that are open.")] = 50,
    halfway: Annotated[
        str | None,
        typer.Option(help="A command that is run once, such as one that kills API and Valkey."),
    ] = None,
    patience: Annotated[float, typer.Option(min=1, help="Seconds for what comes late.")] = 120.0,
    captures: Annotated[
        bool, typer.Option(help="Capture through the API, as fast as it takes, up to the rate.")
    ] = False,
) -> None:
    """Send events to many streams of two scopes, and count what was lost, doubled, or read by a key
    of the other scope.

    Needs a running API. What is written is gone within a day, captures stay. Exit code 1 where any
    was.
    """
    bounds = Bounds(count, rate, listeners, patience)

    async def between() -> None:
        shell = await asyncio.create_subprocess_shell(halfway or "true")
        progress.print(f"{halfway} ended with {await shell.wait()}")

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            keys = await keys_of_two_scopes(opened, Role.WRITER if captures else Role.READER)
            asked = between if halfway else None
            source = Captured(url, keys) if captures else Written(opened.graph)
            return await events.measure(url, source, keys, bounds, asked)

    found = asyncio.run(run())
    console.print_json(json.dumps(found))
    if found["lost"] or found["doubled"] or found["foreign"]:
        raise typer.Exit(1)


async def keys_of_two_scopes(opened: Parts, role: Role = Role.READER) -> dict[str, str]:
    """A key of each of two scopes of a new tenant, by its scope."""
    tenant = f"eval-events-{secrets.token_hex(4)}"
    scopes = [f"{tenant}/{name}" for name in ("a", "b")]
    return {
        scope: (await mint(opened, scope, kind="agent", name=scope[-1], role=role)).text
        for scope in scopes
    }
