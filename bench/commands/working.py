"""`python -m bench working`: what a read and a write of working memory cost over HTTP."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import asdict
from typing import Annotated

import typer
from redis import Redis

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.kernel.caller import Role
from app.wiring import parts
from bench import working
from bench.places import URL, Url
from bench.speed import Wire

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("working")(eval_working)


def eval_working(
    url: Url = URL,
    count: Annotated[int, typer.Option(min=20, max=1000, help="Calls of each kind.")] = 500,
) -> None:
    """Milliseconds of a write, a read and an append of working memory over HTTP, beside a route
    that only lets its caller in, and beside Valkey alone.

    Needs a running API. What is written is gone within the hour.
    """
    settings = local_settings()

    async def key() -> str:
        async with parts(settings) as opened:
            scope = f"eval-working-{secrets.token_hex(4)}"
            minted = await mint(opened, scope, kind="agent", name="eval", role=Role.WRITER)
            return minted.text

    wire, task = Wire(url, asyncio.run(key())), secrets.token_hex(4)
    try:
        with Redis.from_url(settings.redis.url) as redis:
            told = working.measure(wire, redis, task, count)
    finally:
        wire.close()
    console.print_json(json.dumps(asdict(told)))
