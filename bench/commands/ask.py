"""`python -m bench ask`: whether an answer is given where there is one, and none elsewhere."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import parts
from bench import answers, locomo
from bench.currency import prepare
from bench.places import BENCH, URL, AsJson, Bench, Url

console = Console()
progress = Console(stderr=True)
COLUMNS = ("kind", "half", "n", "answered", "first is evidence", "any is evidence")


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("ask")(eval_ask)


def eval_ask(
    bench: Bench = BENCH,
    url: Url = URL,
    only: Annotated[list[str] | None, typer.Option(help="A conversation; all if unset.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Ask each n-th question alone.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Write each answer to this file.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Share answered of LoCoMo's questions: of those with an answer, of those that have none, and
    of those of another conversation; each conversation in a scope of its own.

    Needs a running API and worker.
    """
    chosen = [
        (own, other)
        for own, other in answers.pairs(locomo.load(bench / "locomo"))
        if not only or own.name in only
    ]

    async def run() -> list[answers.Heard]:
        heard: list[answers.Heard] = []
        async with parts(local_settings()) as opened:
            names = [f"ask-{own.name.lower()}" for own, _ in chosen]
            keys = [
                await mint(opened, f"eval/{name}", kind="user", name=name, role=Role.WRITER)
                for name in names
            ]
        for (own, other), name, key in zip(chosen, names, keys, strict=True):
            client = ApiClient(url, key.text)
            try:
                ids = await prepare(client, f"eval/{name}", own, progress.print)
                asked = answers.questions(own, other)[::every]
                heard += await answers.put(client, f"eval/{name}", asked, ids)
            finally:
                await client.close()
        return heard

    heard = asyncio.run(run())
    if out is not None:
        out.write_text("".join(map(_line, heard)), encoding="utf-8")
    told = answers.table(heard)
    console.print_json(json.dumps(told)) if as_json else _show(told)


def _line(one: answers.Heard) -> str:
    question = one.put.question
    row = {
        "kind": one.put.kind,
        "id": question.id,
        "question": question.text,
        "evidence": one.any,
        "answer": one.text,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _show(told: list[dict[str, Any]]) -> None:
    shown = Table(*COLUMNS)
    for row in told:
        shown.add_row(*(str(row.get(column, "")) for column in COLUMNS))
    console.print(shown)
