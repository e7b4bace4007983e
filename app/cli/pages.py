"""`loci page`: pages from a terminal, and folders of Markdown in and out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.console import Console
from app.cli.entities import print_json, run_in
from app.cli.later import later
from app.cli.tables import listing

with later():
    from app.kernel.caller import Caller
    from app.kernel.scope import parse_scope
    from app.pages.following import FollowService
    from app.pages.model import Draft, PageKind
    from app.pages.reading import PageReader
    from app.wiring import INDEX_TASK, Parts

console = Console()
messages = Console(stderr=True)
MOST = 500  # rows of one listing

Scope = Annotated[str, typer.Argument(help="Scope path, such as demo/product.")]
PageId = Annotated[str, typer.Argument(help="Id of a page.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="Pages and their links.", no_args_is_help=True)
    group.command("import")(take_in)
    group.command("export")(write_out)
    group.command("add")(add)
    group.command("list")(list_pages)
    group.command("show")(show)
    group.command("links")(links)
    group.command("orphans")(orphans)
    cli.add_typer(group, name="page")


def take_in(
    folder: Annotated[Path, typer.Argument(help="A folder of Markdown, such as a vault.")],
    scope: Scope,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="Pages of files that moved go along, of others they go."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make pages of the Markdown files of a folder; again, it takes what has changed."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        with messages.status("reading") as status:

            def tell(path: str) -> None:
                status.update(escape(path))

            takes = FollowService(opened.vaults, opened.pages).follow if whole else (
                opened.vaults.take_in
            )  # fmt: skip
            done = await takes(caller, folder, path_of(scope), tell)
        await opened.queue.enqueue(INDEX_TASK)
        return asdict(done)

    report = run_in(scope, work)
    if as_json:
        print_json(report)
        return
    console.print(f"stored {report['stored']}, changed {report['changed']}, "
                  f"unchanged {report['unchanged']}")  # fmt: skip
    for path, reason in report["skipped"].items():
        console.print(f"skipped {escape(path)}: {escape(reason)}", soft_wrap=True)
    for path, kinds in report["redacted"].items():
        told = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
        console.print(f"changed {escape(path)}: {escape(told)}", soft_wrap=True)
    for path, kept in report["renamed"].items():
        console.print(f"kept {escape(path)} as {escape(kept)}", soft_wrap=True)
    for path, now in report["moved"].items():
        console.print(f"moved {escape(path)} to {escape(now)}", soft_wrap=True)
    for path in report["removed"]:
        console.print(f"removed {escape(path)}", soft_wrap=True)


def write_out(
    folder: Annotated[Path, typer.Argument(help="A new or an empty folder.")],
    scope: Scope,
    as_json: AsJson = False,
) -> None:
    """Write the pages of a scope as Markdown files, as they came."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        return asdict(await opened.vaults.write_out(caller, folder, path_of(scope)))

    report = run_in(scope, work)
    if as_json:
        print_json(report)
        return
    console.print(f"{report['files']} files")
    for path, name in report["renamed"].items():
        console.print(f"written {escape(path)} as {escape(name)}", soft_wrap=True)
    for path, reason in report["skipped"].items():
        console.print(f"skipped {escape(path)}: {escape(reason)}", soft_wrap=True)


def add(
    scope: Scope,
    file: Annotated[Path, typer.Argument(help="A Markdown file; - for standard input.")],
    title: Annotated[str | None, typer.Option(help="As the file says if unset.")] = None,
    article: Annotated[bool, typer.Option("--article", help="An article, not a page.")] = False,
    as_json: AsJson = False,
) -> None:
    """Store one page."""
    stdin = str(file) == "-"
    text = typer.get_text_stream("stdin").read() if stdin else file.read_text(encoding="utf-8")
    draft = Draft(
        text,
        title=title or (None if stdin else file.stem),
        kind=PageKind.ARTICLE if article else PageKind.PAGE,
        scope=path_of(scope),
    )

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        done = asdict(await opened.pages.write(caller, draft))
        await opened.queue.enqueue(INDEX_TASK)
        return done

    receipt = run_in(scope, work)
    if as_json:
        print_json(receipt)
        return
    console.print(f"{receipt['id']} {escape(receipt['title'])}", highlight=False)


def list_pages(scope: Scope, as_json: AsJson = False) -> None:
    """The pages of a scope, by id; at most 500."""
    _listed(scope, lambda reads, path, _: reads.list_pages([path], None, None, "", MOST), as_json)


def orphans(scope: Scope, as_json: AsJson = False) -> None:
    """Pages that nothing links to and that link to nothing; at most 500."""
    _listed(scope, lambda reads, path, seen: reads.orphans([path], seen, "", MOST), as_json)


def show(scope: Scope, page: PageId, as_json: AsJson = False) -> None:
    """One page with its text."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        return await opened.page_reads.page(caller.visible, page)

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    console.print(found["page"]["content"], soft_wrap=True, markup=False, highlight=False)


def links(scope: Scope, page: PageId, as_json: AsJson = False) -> None:
    """What links to a page, what it links to, what its links wait for, who only names it."""

    async def work(opened: Parts, caller: Caller) -> dict[str, list[str]]:
        reads, seen = opened.page_reads, caller.visible
        stored = (await reads.page(seen, page))["page"]
        incoming = await reads.backlinks(seen, page, None, MOST)
        mentions = await opened.page_neighbours.unlinked(caller, page)
        return {
            "linked from": [row["page"]["title"] for row in incoming],
            "links to": [row["title"] for row in await reads.outgoing(seen, page)],
            "waits for": list(stored["pending"]),
            "named by": [mention.title for mention in mentions],
        }

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    for name, titles in found.items():
        console.print(f"{name}: {escape(', '.join(titles) or '-')}", soft_wrap=True)


def path_of(scope: str) -> str:
    """The path itself; InvalidInput where it is none."""
    return str(parse_scope(scope))


def _listed(scope: str, read: Any, as_json: bool) -> None:
    async def work(opened: Parts, caller: Caller) -> list[dict[str, Any]]:
        reads: PageReader = opened.page_reads
        (path,) = caller.among([path_of(scope)])
        found: list[dict[str, Any]] = await read(reads, path, caller.visible)
        return found

    rows = run_in(scope, work)
    if as_json:
        print_json(rows)
        return
    table = listing("id", "kind", "title", "version", "waits for")
    for row in rows:
        pending = escape(", ".join(row["pending"]))
        table.add_row(row["id"], row["kind"], escape(row["title"]), str(row["version"]), pending)
    console.print(table)
