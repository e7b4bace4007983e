"""`python -m bench tiers`: what an agent waits for at each step in a tenant that has much."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import asdict
from typing import Annotated

import typer

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import parts
from bench import locomo, tiers
from bench.places import BENCH, URL, Bench, Url
from bench.speed import Wire

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("tiers")(eval_tiers)


def eval_tiers(
    among: Annotated[str, typer.Option(help="A tenant that is there; all of it is read.")],
    bench: Bench = BENCH,
    url: Url = URL,
    count: Annotated[int, typer.Option(min=40, max=1000, help="Calls of each kind.")] = 220,
) -> None:
    """Milliseconds of a key over four tiers, of a context of 4,000 tokens and of a turn, beside a
    route that only lets its caller in and a plain search.

    Needs a running API and worker. The pool and the turns stay. Exit code 1 where a bar is missed.
    """
    name = f"speed-{secrets.token_hex(3)}"
    questions = [q.text for corpus in locomo.load(bench / "locomo") for q in corpus.questions]

    async def key() -> str:
        async with parts(local_settings()) as opened:
            minted = await mint(
                opened, among, kind="agent", name=name, role=Role.WRITER, subtree=True
            )
        client = ApiClient(url, minted.text)
        try:
            await tiers.shared(client, among, name)
        finally:
            await client.close()
        return minted.text

    wire = Wire(url, asyncio.run(key()))
    try:
        told = tiers.measure(wire, among, name, questions[:count])
    finally:
        wire.close()
    console.print_json(json.dumps(asdict(told)))
    if told.above:
        raise typer.Exit(1)
