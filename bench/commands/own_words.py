"""`python -m bench own-words`: the cost of weighing words by what a caller sees."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.local import local_settings
from app.wiring import parts
from bench import locomo
from bench.own_words import measure
from bench.places import BENCH, Bench

console = Console()

Scopes = Annotated[list[str], typer.Argument(help="Scopes that the caller sees.")]


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("own-words")(eval_own_words)


def eval_own_words(
    scopes: Scopes,
    bench: Bench = BENCH,
    questions: Annotated[int, typer.Option(min=20, help="Questions of LoCoMo.")] = 200,
) -> None:
    """Milliseconds of counting a question's words within some scopes, beside its keyword search.

    Needs a running database, with texts in the scopes.
    """
    asked = [q.text for corpus in locomo.load(Path(bench) / "locomo") for q in corpus.questions]

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            return await measure(opened.graph, scopes, asked[:questions])

    console.print_json(json.dumps(asyncio.run(run())))
