"""`python -m bench floors`: whether retrieval still finds what it found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.errors import InvalidInput
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import Parts, parts
from bench import locomo, longmemeval, passages
from bench.commands.walk import Set, enter, scope_of
from bench.floors import Answered, fallen, read_floors, rows_of
from bench.passages import Form
from bench.places import BENCH, URL, AsJson, Bench, Url
from bench.recall import Corpus
from bench.retrieval import evaluate, wait_indexed

console = Console()
progress = Console(stderr=True)

Rows = Mapping[str, Mapping[str, float]]  # percent by part of the questions and cut
TALK = {"locomo": locomo.CUTS, "longmemeval": longmemeval.CUTS}


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("floors")(eval_floors)


def eval_floors(
    sets: Annotated[
        list[str] | None, typer.Argument(help="Data sets with floors; all of them without one.")
    ] = None,
    bench: Bench = BENCH,
    url: Url = URL,
    as_json: AsJson = False,
) -> None:
    """Measure recall over HTTP and fail where a figure dropped by a point or more.

    Stores each set in a scope of its own; questions are also shown by halves, drawn by their id.
    """
    floors = read_floors()
    chosen = sets or list(floors)
    unknown = sorted(set(chosen) - set(floors))
    if unknown:
        raise InvalidInput(f"no floor is known for {', '.join(unknown)}", field="sets")

    async def run() -> dict[str, dict[str, Rows]]:
        measured = {}
        async with parts(local_settings()) as opened:
            for name in chosen:
                measured[name] = await _measured(opened, url, bench / _folder(name), floors[name])
                progress.print(f"{name} is measured")
        return measured

    found = asyncio.run(run())
    sentences = fallen(
        floors, {s: {m: rows["all"] for m, rows in modes.items()} for s, modes in found.items()}
    )
    if as_json:
        console.print_json(json.dumps({"figures": found, "fallen": sentences}))
    else:
        _show(found, floors)
        for sentence in sentences:
            console.print(sentence)
    raise typer.Exit(1 if sentences else 0)


def _folder(name: str) -> str:
    return "longmemeval_pool" if name == "longmemeval" else name


async def _measured(
    opened: Parts, url: str, folder: Path, modes: Mapping[str, Any]
) -> dict[str, Rows]:
    """Return the recall of one data set, by mode and by part of its questions."""
    if folder.name == "locomo":
        answers = await _talk(opened, url, locomo.load(folder), modes)
        cuts: Sequence[int] = locomo.CUTS
    elif folder.name == "longmemeval_pool":
        answers = await _talk(opened, url, [longmemeval.load(folder)], modes)
        cuts = longmemeval.CUTS
    else:
        answers, cuts = await _passages(opened, url, folder, modes), passages.CUTS
    return {mode: rows_of(answered, cuts) for mode, answered in answers.items()}


async def _talk(
    opened: Parts, url: str, corpora: Sequence[Corpus], modes: Mapping[str, Any]
) -> dict[str, Answered]:
    """Capture conversations, each in a scope of its own, and ask their questions."""
    cuts = TALK["locomo" if len(corpora) > 1 else "longmemeval"]
    found: dict[str, list[Any]] = {mode: [] for mode in modes}
    for corpus in corpora:
        scope = f"eval/floors-{corpus.name.lower()}"
        client = await _client(opened, url, scope)
        try:
            run = await evaluate(client, scope, corpus, cuts, progress.print, tuple(modes))
        finally:
            await client.close()
        for mode in modes:
            found[mode] += run.answers[mode]
    return dict(found)


async def _passages(
    opened: Parts, url: str, folder: Path, modes: Mapping[str, Any]
) -> dict[str, Answered]:
    """Store passages as records and ask the questions that need several of them."""
    chosen = Set(folder, Form())
    corpus = chosen.corpus()
    scope = scope_of(corpus)
    client = await _client(opened, url, scope)
    try:
        ids = await enter(opened, client, corpus, chosen)
        await wait_indexed(client)
        heard = await passages.asked(client, scope, (corpus, ids), modes=tuple(modes))
    finally:
        await client.close()
    return dict(heard.answers)


async def _client(opened: Parts, url: str, scope: str) -> ApiClient:
    name = scope.rpartition("/")[2].replace("_", "-")
    minted = await mint(opened, scope, kind="agent", name=name, role=Role.WRITER)
    return ApiClient(url, minted.text)


def _show(found: Mapping[str, Mapping[str, Rows]], floors: Mapping[str, Any]) -> None:
    """Print a row for each figure that has a floor."""
    shown = Table("set", "mode", "figure", "floor", "all", "first half", "second half", "n")
    for name, modes in found.items():
        for mode, rows in modes.items():
            for cut, floor in floors[name][mode].items():
                cells = [f"{rows[part][cut]:.1f}" for part in ("all", "first", "second")]
                shown.add_row(name, mode, cut, f"{floor:.1f}", *cells, f"{rows['all']['n']:.0f}")
    console.print(shown)
