"""`loci communities` and `loci ask`: what belongs together, and answers, from the command line."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.later import later
from app.cli.tables import listing

with later():
    import asyncio

    import msgspec

    from app.cli.local import local_settings
    from app.communities.schemas import CommunityOut
    from app.communities.tasks import told
    from app.communities.view import viewed
    from app.kernel.clock import now
    from app.kernel.scope import parse_scope
    from app.rag.model import Ask
    from app.rag.schemas import AnswerOut
    from app.telemetry.logging import configure_logging
    from app.wiring import Parts, parts

console = Console()

Scope = Annotated[str, typer.Argument(help="Scope path, such as demo/product.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add both commands to the program."""
    cli.command("communities")(communities)
    cli.command("ask")(ask)


def communities(
    scope: Scope,
    level: Annotated[
        int | None, typer.Option(min=0, help="0 for the finest; outermost if unset.")
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Bring them up to date first.")
    ] = False,
    whole: Annotated[bool, typer.Option("--whole", help="Group everything anew first.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most communities.")] = 20,
    as_json: AsJson = False,
) -> None:
    """What belongs together in a scope, the largest first, with a line of each."""
    path = str(parse_scope(scope))

    async def work(opened: Parts) -> dict[str, Any]:
        done = None
        if refresh or whole:
            done = told(path, await opened.communities.refresh(path, whole=whole))
        rows = opened.communities.rows
        ids = await rows.page([path], {"level": level}, 0, limit)
        found = viewed(await rows.read(ids, [path], now()))
        items = [msgspec.to_builtins(CommunityOut.of(one)) for one in found]
        return {"pass": done, "items": items}

    _print(_run(work), as_json, _shown)


def ask(
    scope: Scope,
    question: Annotated[str, typer.Argument(help="The question, as plain text.")],
    as_json: AsJson = False,
) -> None:
    """Answer a question from one scope, each sentence with its sources."""
    path = str(parse_scope(scope))

    async def work(opened: Parts) -> dict[str, Any]:
        answer = await opened.agentic.answer(Ask(question, [path]))
        made: dict[str, Any] = msgspec.to_builtins(AnswerOut.of(answer))
        return made

    _print(_run(work), as_json, _answered)


def _run(work: Callable[[Parts], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        settings = local_settings()
        configure_logging(settings.telemetry)
        async with parts(settings, late=True) as opened:
            return await work(opened)

    return asyncio.run(run())


def _print(found: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    if as_json:
        console.print_json(json.dumps(found, default=str))
    else:
        show(found)


def _shown(found: dict[str, Any]) -> None:
    if found["pass"]:
        console.print(json.dumps(found["pass"]), markup=False)
    table = listing("community", "entities", "about", "says")
    for one in found["items"]:
        line = next(iter(one["untrusted"]["lines"]), "")
        table.add_row(one["id"], str(one["size"]), one["untrusted"]["title"], line)
    console.print(table)


def _answered(found: dict[str, Any]) -> None:
    console.print(found["untrusted"]["answer"] or "nothing was found", markup=False)
    for source in found["sources"]:
        text = " ".join(source["untrusted"]["text"].split())[:100]
        where = f"{source['kind']} {source['id']}"
        if source["document_id"] is not None:
            title = source["untrusted"]["title"]
            where = f"{title} ({source['document_id']}, {source['document_start']})"
        console.print(f"[{source['number']}] {where}: {text}", markup=False)
