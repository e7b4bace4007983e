"""`python -m bench turns`: what a context holds after a conversation was played turn by turn."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Annotated

import typer
from rich.table import Table

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import parts
from bench import locomo, turns
from bench.places import BENCH, URL, AsJson, Bench, Url

console = Console()
progress = Console(stderr=True)


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("turns")(eval_turns)


def eval_turns(
    bench: Bench = BENCH,
    url: Url = URL,
    only: Annotated[list[str] | None, typer.Option(help="A conversation; all if unset.")] = None,
    budget: Annotated[int, typer.Option(min=100, help="Tokens of a context.")] = 2000,
    as_json: AsJson = False,
) -> None:
    """LoCoMo played through `/v1/turns`: the share of questions whose evidence the context holds,
    beside plain search over the turns with the same budget."""
    corpora = [c for c in locomo.load(bench / "locomo") if not only or c.name in only]

    async def run() -> list[turns.Asked]:
        async with parts(local_settings()) as opened:
            root = f"eval-turns-{secrets.token_hex(4)}"
            minted = await mint(
                opened, root, kind="user", name="eval", role=Role.ADMIN, subtree=True
            )
            plain = await mint(
                opened, root, kind="user", name="other", role=Role.READER, subtree=True
            )
            client, other = ApiClient(url, minted.text), ApiClient(url, plain.text)
            done: list[turns.Asked] = []
            try:
                for corpus in corpora:
                    scope = f"{root}/{corpus.name.lower()}"
                    for path in (scope, turns.asked_in(scope)):
                        await client.call("POST", "/v1/scopes", {"scope": path})
                    done += await turns.measure(
                        client, other, scope, corpus, budget, progress.print
                    )
            finally:
                await client.close()
                await other.close()
            return done

    told = turns.table(asyncio.run(run()))
    if as_json:
        console.print_json(json.dumps(told))
        return
    columns = list(next(iter(told.values())))
    shown = Table("category", *columns)
    for category, row in told.items():
        shown.add_row(category, *(f"{row[column]:.1f}" for column in columns))
    console.print(shown)
