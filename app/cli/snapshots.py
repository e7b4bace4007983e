"""`loci snapshot`: a scope as Markdown, as the operator of this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.entities import Scope, console, run_in
from app.cli.later import later

with later():
    from app.kernel.caller import Caller, Role
    from app.wiring import Parts


def register(cli: typer.Typer) -> None:
    """Add the command to the program."""
    cli.command("snapshot")(snapshot)


def snapshot(
    scope: Scope,
    out: Annotated[
        Path | None, typer.Option(help="File to write; one that says the same is not touched.")
    ] = None,
) -> None:
    """Skills, learnings, knowledge and statistics of a scope as Markdown.

    The order is stable: nothing that changes means no line that differs.
    """

    async def work(opened: Parts, caller: Caller) -> str:
        return (await opened.snapshots.render(caller.require(scope, Role.READER))).text

    text: str = run_in(scope, work)
    if out is None:
        sys.stdout.write(text)
        return
    data = text.encode()
    if out.is_file() and out.read_bytes() == data:
        console.print("nothing has changed")
        return
    out.write_bytes(data)
    console.print(f"{len(data)} bytes written")
