"""`loci import`, `loci export`, `loci digest`: the operator's way in and out."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.console import Console
from app.cli.later import later
from app.errors import Conflict

with later():
    import asyncio

    from filelock import FileLock, Timeout
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bar

    from app.cli.local import local_settings
    from app.jobs.model import Cancelled
    from app.kernel.ids import digest
    from app.portability import exporter, service
    from app.portability.bundle import export_bundle
    from app.portability.package import packs
    from app.portability.progress import Progress
    from app.portability.rehearsal import rehearse
    from app.portability.service import Order, Store
    from app.telemetry.logging import configure_logging
    from app.wiring import INDEX_TASK, Parts, parts

console = Console()
messages = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Scope = Annotated[
    str | None, typer.Option("--scope", help="Tenant or workspace; everything if unset.")
]


def register(cli: typer.Typer) -> None:
    """Add the three commands to the program."""
    cli.command("import")(import_command)
    cli.command("export")(export_command)
    cli.command("digest")(digest_command)


def import_command(
    path: Annotated[
        Path, typer.Argument(help="Folder, archive or JSONL file; or another program's export.")
    ],
    scope: Annotated[
        str | None,
        typer.Option("--scope", help="Import into this tenant or workspace, not where it was."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="Format of another program; told by its content if unset."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping", help="JSON that names the field of each column, of CSV or JSONL."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and check everything, and write nothing.")
    ] = False,
    users: Annotated[
        bool,
        typer.Option(
            "--users", help="Memories of each user of another program into SCOPE/user:NAME."
        ),
    ] = False,
    if_empty: Annotated[
        bool, typer.Option("--if-empty", help="Do nothing where the graph holds memories.")
    ] = False,
    rejects: Annotated[
        Path | None,
        typer.Option("--rejects", help="Where bad records are told of; beside PATH if unset."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew, also where a run was interrupted.")
    ] = False,
    defer_indexes: Annotated[
        bool,
        typer.Option("--defer-indexes", help="Empty graph only: search indexes come after."),
    ] = False,
    revive: Annotated[
        bool, typer.Option("--revive", help="Bring back what was erased here as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import a package; what is there already stays, a bad record does not stop the rest.

    Exit code 1 where a record was rejected, or says something else than what is here.
    """

    folders = packs(path)

    async def work(opened: Parts) -> list[dict[str, Any]]:
        store = store_of(opened)
        if if_empty and not await service.is_empty(opened.graph):
            return []
        done = []
        for folder in folders:
            # A run begins its file anew: each of several packages has one of its own.
            place = rejects
            if rejects and len(folders) > 1:
                place = rejects.with_name(f"{folder.name}.{rejects.name}")
            order = Order(
                folder, scope, place, fresh=fresh, defer=defer_indexes, revive=revive, format=form,
                mapping=mapping, users=users,
            )  # fmt: skip
            if dry_run:
                done.append(await rehearse(store, order))
                continue
            with alone(order.rejects_path):
                done.append(await _import(store, order, quiet=as_json))
        if not dry_run:
            await opened.queue.enqueue(INDEX_TASK)
        return done

    try:
        results = _run(work)
    except Cancelled:
        messages.print("The import was asked to stop; what it has done so far stays.")
        raise typer.Exit(1) from None
    if as_json:
        console.print_json(json.dumps(results))
    elif not results:
        console.print("The graph holds memories already: nothing was imported.")
    for result in [] if as_json else results:
        (_show_rehearsal if dry_run else _show_import)(result)
    if any(result["rejects"] for result in results):
        raise typer.Exit(1)


@contextmanager
def alone(rejects: Path) -> Iterator[None]:
    """Hold a rejects file while the body runs; Conflict where another import on this machine does.

    The kernel lets go of the lock however the process ends.
    """
    named = f"loci-import-{os.getuid()}-{digest('import', str(rejects))[:16]}.lock"
    lock = FileLock(Path(tempfile.gettempdir()) / named)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Conflict(
            f"another import writes {rejects}: wait for it, or give this one another --rejects",
            field="rejects",
        ) from None
    try:
        yield
    finally:
        lock.release()


async def _import(store: Store, order: Order, *, quiet: bool) -> dict[str, Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    rate = (TextColumn("{task.fields[rate]}"), TimeElapsedColumn())
    with Bar(*columns, *rate, console=messages, disable=quiet) as bar:
        task = bar.add_task(order.path.name, total=None, rate="")

        async def tell(progress: Progress, size: int) -> None:
            told = progress.result()
            rate = f"{told['records']} records, {told['records_per_second']:.0f}/s"
            bar.update(task, completed=progress.bytes, total=size, rate=rate)

        return await service.import_attended(store, order, tell)


def export_command(
    path: Annotated[Path, typer.Argument(help="New folder, or .zip, .tar.gz, .tar.zst.")],
    scope: Scope = None,
    vectors: Annotated[bool, typer.Option("--vectors", help="With vectors.")] = False,
    form: Annotated[
        str | None,
        typer.Option("--format", help="okf or markdown: facts, notes and pages as Markdown."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Export everything, or one scope with all below it; API keys are secrets and stay."""

    async def work(opened: Parts) -> dict[str, Any]:
        chosen = await service.selection(opened.graph, scope, vectors=vectors)
        with Bar(
            TextColumn("{task.description}"),
            MofNCompleteColumn(),
            console=messages,
            disable=as_json,
        ) as bar:
            tasks: dict[str, Any] = {}

            async def tell(counts: dict[str, int]) -> None:
                for name, count in counts.items():
                    if name not in tasks:
                        tasks[name] = bar.add_task(name, total=None)
                    bar.update(tasks[name], completed=count)

            if form is not None:
                return {"files": await export_bundle(opened.graph, path, chosen, form, tell)}
            return await exporter.export_package(opened.graph, path, chosen, tell)

    manifest = _run(work)
    if as_json:
        console.print_json(json.dumps(manifest))
        return
    if form is not None:
        _show_files(manifest["files"])
        return
    _show_counts({f["kind"]: f["records"] for f in manifest["files"]}, manifest)


def digest_command(scope: Scope = None, as_json: AsJson = False) -> None:
    """One hash over everything that an export would hold, vectors aside, and one over its audit."""

    async def work(opened: Parts) -> dict[str, Any]:
        chosen = await service.selection(opened.graph, scope)
        return await exporter.digest_of(opened.graph, chosen)

    found = _run(work)
    if as_json:
        console.print_json(json.dumps(found))
        return
    _show_counts(found["records"], found)


def store_of(opened: Parts) -> Store:
    """What an import works on, out of the parts of this process."""
    return Store(opened.graph, opened.scopes, opened.settings.search)


def _run(work: Callable[[Parts], Awaitable[Any]]) -> Any:
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> Any:
        async with parts(settings, late=True) as opened:
            return await work(opened)

    return asyncio.run(run())


def _show_import(result: dict[str, Any]) -> None:
    _show_kinds(result, ("accepted", "duplicates", "rejected"))
    for name, reason in result["skipped"].items():
        console.print(f"{name} was left out: {reason}.")
    _show_lost(result)
    if result["rejects"]:
        console.print(f"What was rejected or has changed, and why: {result['rejects']}")
    console.print(
        f"{result['records']} records in {result['seconds']:.1f} s "
        f"({result['records_per_second']:.0f}/s)"
    )


def _show_rehearsal(result: dict[str, Any]) -> None:
    _show_kinds(result, ("accepted", "duplicates", "rejected"), accepted="would be taken")
    for reject in result["rejects"]:
        told = f"{reject['file']}, {reject['line']}: {reject['detail']}"
        console.print(escape(told), soft_wrap=True)
    _show_lost(result)
    console.print("Nothing was written.")


def _show_kinds(result: dict[str, Any], usual: tuple[str, ...], **called: str) -> None:
    """Counts by kind; what was brought up to date or has changed only where there is some."""
    tallies = result["kinds"].values()
    names = (*usual, *(n for n in ("updated", "changed") if any(t.get(n) for t in tallies)))
    table = Table("kind", *(called.get(name, name) for name in names), box=None)
    for kind, tally in result["kinds"].items():
        table.add_row(kind, *(str(tally.get(name, 0)) for name in names))
    console.print(table)
    changed = sum(tally.get("changed", 0) for tally in tallies)
    if changed:
        console.print(f"{changed} say something else than what is here, which stays.")


def _show_lost(result: dict[str, Any]) -> None:
    """What of another program's file is not kept, by field."""
    if "format" not in result:
        return
    console.print(f"Read as {result['format']}: {result['items']} items.")
    for name, count in sorted(result["lost"].items()):
        console.print(escape(f"Not kept: {name} ({count})"), soft_wrap=True)
    if result.get("shared"):
        noun = "item names" if result["shared"] == 1 else "items name"
        console.print(
            f"{result['shared']} {noun} no user: all readers of the scope see what it says.",
            soft_wrap=True,
        )
    if result.get("users", 0) > 1 and not result.get("apart"):
        console.print(
            f"Memories of {result['users']} users come into one scope, where all its readers see "
            "them; --users keeps them apart.",
            soft_wrap=True,
        )


def _show_files(counts: dict[str, int]) -> None:
    table = Table("kind", "files", box=None)
    for kind, files in counts.items():
        table.add_row(kind, str(files))
    console.print(table)


def _show_counts(counts: dict[str, int], told: dict[str, Any]) -> None:
    table = Table("kind", "records", box=None)
    for kind, records in counts.items():
        table.add_row(kind, str(records))
    console.print(table)
    for name in ("digest", "audit"):
        console.print(f"{name} {told[name]}", soft_wrap=True, highlight=False)
