"""`python -m bench keeping`: what a walk costs where it does not help, by leaving one set out."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.local import local_settings
from app.errors import InvalidInput
from app.wiring import parts
from bench import keeping, passages
from bench.commands.walk import scope_of
from bench.passages import Form
from bench.places import BENCH, Bench

console = Console()
progress = Console(stderr=True)
HIDDEN = ":hidden"


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("keeping")(eval_keeping)


def eval_keeping(
    sets: Annotated[
        list[str],
        typer.Argument(help="Sets that `passages` stored; NAME:hidden for one without titles."),
    ],
    bench: Bench = BENCH,
) -> None:
    """Recall of each set with what was chosen on the others, beside the legs alone.

    Exit code 1 where a walk costs a point or more of what the legs have.
    """
    if len(sets) < 2:
        raise InvalidInput("one set is left out of several: name two or more", field="sets")

    async def run() -> dict[str, Any]:
        answered = {}
        async with parts(local_settings()) as opened:
            for name in sets:
                form = Form(hidden=name.endswith(HIDDEN))
                corpus = passages.load(bench / name.removesuffix(HIDDEN), form)
                answered[name] = await keeping.ask(opened, corpus, scope_of(corpus), progress.print)
        every = {
            name: {
                kept: {f"R@{cut}": keeping.mean(walked, cut) for cut in keeping.CUTS}
                for kept, walked in one.walked.items()
            }
            for name, one in answered.items()
        }
        told = keeping.left_out(answered)
        rows = {name: {"kept": row.kept, **row.recall} for name, row in told.items()}
        return {"kept": every, "left out": rows, "costs": keeping.costs(told)}

    found = asyncio.run(run())
    console.print_json(json.dumps(found))
    raise typer.Exit(1 if found["costs"] else 0)
