"""`python -m bench tool-tokens`: what the tools of each profile cost a model in tokens."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.table import Table

from app.cli.console import Console
from bench import tool_tokens
from bench.places import AsJson

console = Console()


def register(group: typer.Typer) -> None:
    """Add the command to the group."""
    group.command("tool-tokens")(eval_tool_tokens)


def eval_tool_tokens(as_json: AsJson = False) -> None:
    """Tokens of the list of tools, by profile: of what a model is shown, and of all of it."""
    found = tool_tokens.weights()
    if as_json:
        console.print_json(json.dumps([asdict(one) for one in found]))
        return
    table = Table("profile", "tools", "shown to a model", "listed", "heaviest")
    for one in found:
        heaviest = f"{one.heaviest} ({one.most})"
        table.add_row(one.profile, str(one.tools), str(one.shown), str(one.listed), heaviest)
    console.print(table)
