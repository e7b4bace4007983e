"""`python -m bench isolation`: whether anybody reads what is another's."""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import AsyncExitStack
from typing import Annotated, Any

import httpx
import typer

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.kernel.caller import Role
from app.wiring import Parts, parts
from bench import isolation
from bench.places import URL, Url
from bench.rights import Principal

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("isolation")(eval_isolation)


def eval_isolation(
    url: Url = URL,
    trials: Annotated[int, typer.Option(min=100, help="Requests in all.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed draws the same requests.")] = 1,
) -> None:
    """Write and read by random principals of two new tenants, over every door of agent memory.

    Needs a running API, and a worker for what is found by meaning. Exit code 1 where a value was
    told to somebody who may not see it.
    """

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened, AsyncExitStack() as stack:
            people = await isolation.world(_hiring(opened, stack, url), _names())
            document = (await people[0].http.get("/schema/openapi.json")).json()
            drawn = isolation.Trials(people, document, seed)
            return (await drawn.run(trials, lambda line: typer.echo(line, err=True))).told

    found = asyncio.run(run())
    console.print_json(json.dumps(found))
    if found["wrong"]:
        raise typer.Exit(1)


def _names() -> tuple[str, str]:
    return f"eval-apart-{secrets.token_hex(3)}", f"eval-apart-{secrets.token_hex(3)}"


def _hiring(opened: Parts, stack: AsyncExitStack, url: str) -> isolation.Hire:
    async def hire(home: str, name: str, role: str, everything: bool) -> Principal:
        made = await mint(opened, home, kind="agent", name=name, role=Role.named(role),
                          subtree=everything)  # fmt: skip
        client = httpx.AsyncClient(
            base_url=url, timeout=60, headers={"Authorization": f"Bearer {made.text}"}
        )
        http = await stack.enter_async_context(client)
        return Principal(f"agent:{home.split('/')[0]}:{name}", name, home, role, everything, http)

    return hire
