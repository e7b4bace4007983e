"""`loci memory`, `loci knowledge`: what is written down in a scope, and its upkeep by hand."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.entities import Scope, console, print_json, run_in
from app.cli.later import later
from app.cli.tables import listing
from app.errors import SwitchedOff

with later():
    from app.kernel.caller import Caller, Role
    from app.kernel.graph import Row
    from app.lifecycle.pruning import PruneService
    from app.notes.entries import WRITTEN, NoteEntries, Place
    from app.notes.model import Namespace, written_namespace
    from app.wiring import Parts

MOST = 500  # rows of one listing
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Apply = Annotated[
    bool,
    typer.Option("--apply/--dry-run", help="Hide it; unset, tell what would be hidden."),
]


def register(cli: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(
        help="Memories that were written down, and their upkeep.", no_args_is_help=True
    )
    group.command("list")(list_memories)
    group.command("gc")(collect)
    cli.add_typer(group, name="memory")
    group = typer.Typer(help="Knowledge that was written down.", no_args_is_help=True)
    group.command("list")(list_knowledge)
    group.command("prune")(prune)
    cli.add_typer(group, name="knowledge")


def list_memories(
    scope: Scope,
    namespace: Annotated[
        str | None, typer.Option(help="knowledge, methods, project-state or learnings.")
    ] = None,
    contains: Annotated[str, typer.Option(help="Only what contains this text.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the entries of a scope that are held."""
    spaces = (written_namespace(namespace),) if namespace else WRITTEN
    _show(scope, spaces, contains, as_json)


def list_knowledge(scope: Scope, as_json: AsJson = False) -> None:
    """List the entries of the namespace knowledge that are held."""
    _show(scope, (Namespace.KNOWLEDGE,), "", as_json)


def _show(scope: str, spaces: tuple[Namespace, ...], contains: str, as_json: bool) -> None:
    async def work(opened: Parts, caller: Caller) -> list[Row]:
        place = Place([caller.require(scope, Role.READER)], spaces)
        return await NoteEntries(opened.notes).page(place, contains, "", MOST)

    rows: list[Row] = run_in(scope, work)
    if as_json:
        names = ("id", "scope", "namespace", "content", "version", "confidence", "updated_at")
        print_json({"items": [{name: row[name] for name in names} for row in rows]})
        return
    table = listing("id", "namespace", "text")
    for row in rows:
        table.add_row(row["id"], row["namespace"], escape(row["content"]))
    console.print(table)


def collect(scope: Scope, apply: Apply = False, as_json: AsJson = False) -> None:
    """Hide what is old, unimportant, doubtful and unreferenced, and what has gone stale, as the
    schedules do; nothing is erased."""
    dry_run = not apply

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        place = caller.require(scope, Role.ADMIN)
        if not dry_run and not (await opened.scopes.rules(place)).forgets:
            raise SwitchedOff(f"the rules of {place} do not forget by themselves", field="scope")
        forgotten = await opened.sweeping.sweep(place, dry_run=dry_run)
        report = await opened.upkeep.rot(place, dry_run=dry_run)
        archived = [r.memory for r in report.entries if r.staleness.verdict == "archive"]
        hidden = archived if dry_run else list(report.archived)
        return {"dry_run": dry_run, "forgotten": forgotten, "archived": hidden}

    done: dict[str, Any] = run_in(scope, work)
    if as_json:
        print_json(done)
        return
    verb = "would be hidden" if dry_run else "hidden"
    console.print(f"{len(done['forgotten'])} faded and {len(done['archived'])} stale {verb}")


def prune(scope: Scope, apply: Apply = False, as_json: AsJson = False) -> None:
    """Hide entries that repeat another one; nothing is erased."""
    dry_run = not apply

    async def work(opened: Parts, caller: Caller) -> list[dict[str, Any]]:
        place = caller.require(scope, Role.ADMIN)
        pruning = PruneService(opened.doubling, opened.notes.repository, opened.forgetting)
        found = await pruning.prune(place, dry_run=dry_run)
        return [
            {"hidden": one.hidden, "kept": one.kept, "similarity": one.similarity} for one in found
        ]

    done: list[dict[str, Any]] = run_in(scope, work)
    if as_json:
        print_json({"dry_run": dry_run, "items": done})
        return
    for one in done:
        console.print(f"{one['hidden']} repeats {one['kept']} ({one['similarity']:.2f})")
    console.print(f"{len(done)} {'would be hidden' if dry_run else 'hidden'}")
