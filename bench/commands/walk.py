"""`python -m bench passages` and `python -m bench walk`: questions that need several passages."""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from app.cli.console import Console
from app.cli.keys import mint
from app.cli.local import local_settings
from app.evals.client import ApiClient
from app.kernel.caller import Role
from app.wiring import INDEX_TASK, LINK_TASK, Parts, parts
from bench import packing, passages, walks
from bench.passages import CUTS, Also, Form, Heard, Ids
from bench.places import BENCH, URL, AsJson, Bench, Url
from bench.recall import OVERALL, Corpus, table
from bench.retrieval import capture, wait_indexed

console = Console()
progress = Console(stderr=True)

Name = Annotated[str, typer.Argument(help="2wiki, musique_train100 or hotpotqa_train100.")]
Hidden = Annotated[bool, typer.Option(help="Leave out the titles of the passages.")]
Triples = Annotated[bool, typer.Option(help="Bring the set's own triples along.")]
AsPages = Annotated[bool, typer.Option(help="Store each passage as a page.")]


@dataclass(frozen=True, slots=True)
class Set:
    """One data set as it is stored; `folder` is where its files are."""

    folder: Path
    form: Form
    vectors: Path | None = None

    def corpus(self) -> Corpus:
        """Its passages and questions."""
        return passages.load(self.folder, self.form)

    def extras(self, opened: Parts, corpus: Corpus) -> packing.Extras:
        """What an import brings along."""
        return packing.Extras(
            triples=passages.triples(self.folder) if self.form.triples else {},
            vectors=packing.stored(self.vectors, corpus.records) if self.vectors else {},
            model=opened.embedder.info if self.vectors else None,
        )


def register(group: typer.Typer) -> None:
    """Add both commands to the group."""
    group.command("passages")(eval_passages)
    group.command("walk")(eval_walk)


def eval_passages(
    name: Name,
    bench: Bench = BENCH,
    hidden: Hidden = False,
    triples: Triples = False,
    as_pages: AsPages = False,
    vectors: Annotated[
        Path | None, typer.Option(help="Import with vectors made before: .npy, a row a passage.")
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help="Most questions, drawn.")] = 10_000,
    also: Annotated[
        list[Also] | None, typer.Option(help="Ask for this too: HyDE, a reranking.")
    ] = None,
    url: Url = URL,
    as_json: AsJson = False,
) -> None:
    """Recall of encyclopedia passages by each leg and fused, each passage one record."""
    chosen = Set(bench / name, Form(hidden, triples, as_pages), vectors)

    async def run() -> Heard:
        corpus = chosen.corpus()
        scope = scope_of(corpus)
        async with parts(local_settings()) as opened:
            minted = await mint(
                opened, scope, kind="agent", name=scope[5:].replace("_", "-"), role=Role.WRITER
            )
            client = ApiClient(url, minted.text)
            try:
                ids = await enter(opened, client, corpus, chosen)
                progress.print(f"{corpus.name}: {len(ids)} passages are in")
                await wait_indexed(client)
                progress.print(f"{corpus.name}: indexed")
                some = passages.drawn(corpus, questions)
                return await passages.asked(client, scope, (some, ids), also or ())
            finally:
                await client.close()

    _show(asyncio.run(run()), as_json)


def eval_walk(
    name: Name,
    bench: Bench = BENCH,
    hidden: Hidden = False,
    triples: Triples = False,
    distractors: Annotated[
        int, typer.Option(min=0, help="Copies of passages beside them, with vectors.")
    ] = 0,
    times: Annotated[
        int, typer.Option(min=1, help="Times that each passage stands in the graph in memory.")
    ] = 1,
    synonyms: Annotated[
        bool, typer.Option(help="Compare the names that were not compared yet.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What each part of the graph of names brings, and how long a walk takes.

    Works on the graph itself, on what `python -m bench passages` stored.
    """
    chosen = Set(bench / name, Form(hidden, triples))

    async def run() -> dict[str, Any]:
        corpus = chosen.corpus()
        scope = scope_of(corpus)
        async with parts(local_settings()) as opened:
            ids = await walks.ids_of(opened, scope)
            if distractors:
                crowded = f"{scope}-{distractors}"
                ids = await walks.crowd(opened, corpus, (scope, crowded), distractors)
                scope = crowded
            if synonyms:
                progress.print(await walks.compare_names(opened, scope))
            return await walks.Walking(opened, scope, corpus).measure(ids, progress.print, times)

    told = asyncio.run(run())
    console.print_json(json.dumps(told)) if as_json else _show_walk(told)


def scope_of(corpus: Corpus) -> str:
    """Where a data set is stored."""
    return f"eval/passages-{corpus.name.lower()}"


async def enter(opened: Parts, client: ApiClient, corpus: Corpus, chosen: Set) -> Ids:
    """Store the passages: through the API, or by import where something has to come along."""
    scope = scope_of(corpus)
    if chosen.form.pages:
        ids = await passages.write_pages(client, scope, corpus)
        await opened.due_pages.sweep()
        return ids
    if not chosen.form.triples and chosen.vectors is None:
        return await capture(client, scope, corpus.records)
    ids = await packing.bring(opened, scope, corpus.records, chosen.extras(opened, corpus))
    for task in (INDEX_TASK, LINK_TASK):
        await opened.queue.enqueue(task)
    return ids


def _show(heard: Heard, as_json: bool) -> None:
    told = {name: dict(table(found, CUTS)) for name, found in heard.answers.items()}
    if as_json:
        console.print_json(json.dumps(told | _steps(heard)))
        return
    for mode, rows in told.items():
        columns = list(rows[OVERALL])
        shown = Table("category", *columns, title=mode)
        for category, row in rows.items():
            shown.add_row(category, *(_cell(name, row[name]) for name in columns))
        console.print(shown)
    for name, what in _steps(heard).items():
        console.print(name, what)


def _steps(heard: Heard) -> dict[str, Any]:
    """How steps ended by what was asked, and the median time of each search; empty without."""
    if not any(heard.steps.values()):
        return {}
    medians = {name: round(statistics.median(ms), 1) for name, ms in heard.milliseconds.items()}
    ended = {name: dict(steps) for name, steps in heard.steps.items() if steps}
    return {"steps": ended, "median ms": medians}


def _cell(name: str, value: float) -> str:
    return f"{value:.0f}" if name == "n" else f"{value:.1f}"


def _show_walk(told: Mapping[str, Any]) -> None:
    columns = ["n", *(f"R@{k}" for k in CUTS)]
    shown = Table("graph", *columns, title=f"{told['passages']} passages")
    for name, row in told.items():
        if isinstance(row, dict) and "n" in row:
            shown.add_row(name, *(_cell(column, row[column]) for column in columns))
    console.print(shown, told["milliseconds"], told["graph"])
