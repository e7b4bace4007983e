"""`python -m bench house`: what the code is made of, by slice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from app.cli.console import Console
from bench import house

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("house")(show)


def show(
    root: Annotated[Path, typer.Option(help="A checkout, of an older state perhaps.")] = Path(),
    others: Annotated[bool, typer.Option(help="Also whose statements a slice asks.")] = False,
) -> None:
    """Lines of code, tests and Cypher, untyped rows and imports of each slice; needs no server."""
    found = house.measure(root)
    table = Table("slice", "code", "tests", "Cypher", "tests : code", "Any, Row", "imports")
    for name, one in sorted(found.items(), key=lambda pair: -pair[1].code):
        ratio = f"{one.tests / one.code:.2f}" if one.code else ""
        sizes = (one.code, one.tests, one.cypher)
        table.add_row(name, *map(str, sizes), ratio, str(one.untyped), str(len(one.imports)))
    console.print(table)
    for name, value in house.whole(found).items():
        console.print(f"{name}: {value}")
    if others:
        for (name, file), count in house.foreign(found).most_common():
            console.print(f"  {name} asks {count} statements of {file}.cypher")
