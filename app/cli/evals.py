"""`loci eval FILE`: one's own questions, and whether anything became worse since the last run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

from app.cli.console import Console
from app.cli.later import later
from app.errors import InvalidInput
from app.search.mode import Mode

with later():
    import asyncio

    from app.evals.client import ApiClient
    from app.evals.gate import LastRun, Verdict, compared, read_last, write_last
    from app.evals.own_questions import LEGS, Measured, Plan, load, measure

console = Console()
COMMAND = "questions"
URL = "http://127.0.0.1:8484"
MISSED = 10  # questions without any gold that are listed


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(
        help="Your own questions: how well they are answered, and whether that became worse.",
        no_args_is_help=True,
        cls=FileOrCommand,
    )
    group.command(COMMAND)(eval_questions)
    group.callback()(_alone)
    cli.add_typer(group, name="eval")


def _alone() -> None:
    """Keep the group a group although it has one command."""


class FileOrCommand(TyperGroup):
    """A group whose first argument is a command, or else a file of questions."""

    # The library brings its own copy of click's types under a private name.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command `questions` where the argument names no other."""
        if args and args[0] not in self.commands and Path(args[0]).suffix:
            args = [COMMAND, *args]
        return super().resolve_command(ctx, args)


def eval_questions(
    file: Annotated[Path, typer.Argument(help="JSONL: question, gold or gold_texts; scope, mode.")],
    key: Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key.")],
    url: Annotated[str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")] = URL,
    scope: Annotated[
        str | None, typer.Option(help="Where a question without a scope looks; all if unset.")
    ] = None,
    at: Annotated[list[int] | None, typer.Option(help="Places: 1, 5, 10 if unset.")] = None,
    mode: Annotated[list[Mode] | None, typer.Option(help="Modes; all if unset.")] = None,
    last: Annotated[
        Path | None, typer.Option(help="The last run; FILE.last.json if unset.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0, max=100, help="Points of percent that may be lost.")
    ] = 1.0,
    accept: Annotated[bool, typer.Option(help="Keep this run even if it is worse.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask your own questions by each leg and fused; exit code 1 where a value became worse."""
    kept = last or file.with_name(f"{file.name}.last.json")
    plan = Plan(_cuts(at), tuple(mode) if mode else LEGS, scope)
    questions, before = load(file), read_last(kept)

    async def run() -> Measured:
        client = ApiClient(url, key)
        try:
            return await measure(
                lambda body: client.call("POST", "/v1/search", body), questions, plan
            )
        finally:
            await client.close()

    measured = asyncio.run(run())
    verdict = compared(before, measured, tolerance) if before else Verdict(0, (), ())
    worse = bool(verdict.regressions)
    if accept or not worse:
        write_last(kept, measured, plan.cuts)
    _show(measured, verdict, before, as_json=as_json)
    if worse and not accept:
        raise typer.Exit(1)


def _cuts(at: list[int] | None) -> tuple[int, ...]:
    cuts = tuple(sorted(set(at or Plan().cuts)))
    if cuts[0] < 1 or cuts[-1] > 100:
        raise InvalidInput("places lie between 1 and 100", field="at")
    return cuts


def _show(measured: Measured, verdict: Verdict, before: LastRun | None, *, as_json: bool) -> None:
    if as_json:
        console.print_json(json.dumps(_told(measured, verdict, before)))
        return
    means = measured.means()
    columns = list(next(iter(means.values())))
    table = Table("mode", *columns, title=f"{len(measured.scores)} questions, percent")
    changed = {(one.mode, one.metric): one.difference for one in verdict.changes}
    for mode, values in means.items():
        table.add_row(mode, *(_cell(values[c], changed.get((mode, c))) for c in columns))
    console.print(table)
    for line in _lines(measured, verdict, before):
        console.print(line)


def _cell(value: float, difference: float | None) -> str:
    moved = "" if difference is None or abs(difference) < 0.05 else f" ({difference:+.1f})"
    return f"{value:.1f}{moved}"


def _lines(measured: Measured, verdict: Verdict, before: LastRun | None) -> list[str]:
    lines = [
        f"found by no mode: {escape(measured.texts[key])}" for key in missed(measured)[:MISSED]
    ]
    if before is None:
        return [*lines, "first run: the next is held against it"]
    lines.append(f"against the run of {before.at[:19]}, {verdict.common} questions of both")
    return [
        *lines,
        *(
            f"[red]worse[/]: {one.mode} {one.metric} {one.before:.1f} -> {one.after:.1f}"
            for one in verdict.regressions
        ),
    ]


def missed(measured: Measured) -> list[str]:
    """Questions of which no mode found anything."""
    return [
        key
        for key, modes in measured.scores.items()
        if all(value == 0 for scores in modes.values() for value in scores.values())
    ]


def _told(measured: Measured, verdict: Verdict, before: LastRun | None) -> dict[str, Any]:
    return {
        "questions": len(measured.scores),
        "means": measured.means(),
        "missed": missed(measured),
        "last": before.at if before else None,
        "common": verdict.common,
        "changes": [asdict(one) for one in verdict.changes],
        "regressions": [asdict(one) for one in verdict.regressions],
    }
