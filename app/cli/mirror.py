"""`loci mirror`: the notes of a scope as flat files, as the operator of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.entities import console, run_in
from app.cli.later import later
from app.cli.mirroring import Mirrored, mirror, mirrors, text_of
from app.errors import NotFound

with later():
    from app.cli.keys import all_scopes
    from app.kernel.caller import Caller
    from app.kernel.clock import now
    from app.kernel.scope import parse_scope
    from app.notes.entries import WRITTEN
    from app.notes.model import Namespace
    from app.wiring import Parts

PAGE = 500


def register(cli: typer.Typer) -> None:
    """Add the command to the program."""
    cli.command("mirror")(write_mirror)


def write_mirror(
    folder: Annotated[Path, typer.Argument(help="Folder of the mirror; empty, or one already.")],
    scope: Annotated[str, typer.Option(help="Scope path, such as demo/product, or a tenant.")],
) -> None:
    """Write the held notes of a scope, and of those below it, to files that only you may read.

    A line is a note, a file a namespace. The files are never read back; run it again after an
    erasure, which then removes there what was erased, also where the scope itself was deleted.
    """
    root = str(parse_scope(scope))

    async def work(opened: Parts, caller: Caller) -> dict[str, dict[str, str]]:
        there = await all_scopes(opened, caller.tenant)
        scopes = [s for s in there if s == root or s.startswith(f"{root}/")]
        if root not in scopes and not mirrors(folder, root):
            raise NotFound(f"there is no scope {root}", field="scope")
        return {one: await _texts(opened, one) for one in scopes}

    files = run_in(root, work)
    done: Mirrored = mirror(folder, root, files)
    console.print(
        f"{done.written} files written, {done.unchanged} unchanged, {done.removed} removed"
    )


async def _texts(opened: Parts, scope: str) -> dict[str, str]:
    """The files of one scope, by name; a namespace without notes has none."""
    named = {f"{space}.txt": text_of(await _held(opened, scope, space)) for space in WRITTEN}
    return {name: text for name, text in named.items() if text}


async def _held(opened: Parts, scope: str, space: Namespace) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    after, at = "", now()
    while rows := await opened.notes.repository.page(
        [scope],
        namespace=str(space),
        standing=None,
        as_of=at,
        known_at=at,
        after=after,
        limit=PAGE,
    ):
        notes = [row["note"] for row in rows]
        found += [(one["valid_from"].isoformat(), one["id"], one["content"]) for one in notes]
        after = notes[-1]["id"]
    return found
