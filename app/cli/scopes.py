"""`loci scope`: what scopes there are, and the deletion of one with everything below it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.key_commands import show, with_parts
from app.cli.later import later, light
from app.cli.places import context_of, root_of
from app.errors import InvalidInput, NotFound
from app.kernel.scope import parse_scope

with later():
    import orjson

    from app.access.service import operator
    from app.cli.keys import all_scopes
    from app.lifecycle.schemas import DeletionOut
    from app.wiring import Parts

commands = typer.Typer(no_args_is_help=True, help="The scopes of a tenant, and their deletion.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    cli.add_typer(commands, name="scope")


@commands.command("list")
def list_scopes(tenant: str, as_json: AsJson = False) -> None:
    """Every scope of a tenant."""

    async def work(opened: Parts) -> dict[str, str]:
        rows = await opened.scope_rows.visible(await all_scopes(opened, tenant))
        return {row["path"]: row["kind"] for row in rows}

    show(with_parts(work), as_json, tenant)


@commands.command("here")
@light
def here(
    folder: Annotated[
        Path | None, typer.Argument(help="The folder; the present one if unset.")
    ] = None,
    context: Annotated[
        str | None, typer.Option(help="Name the context yourself; no folder is looked at then.")
    ] = None,
    below: Annotated[
        str | None, typer.Option(help="Tenant above it: the whole path is printed then.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The context of a folder: 16 hex digits of the SHA-256 of its project's real path."""
    place = folder or Path()
    if context is None and not place.is_dir():
        raise InvalidInput(f"{place} is no folder", field="folder")
    name = context_of(place) if context is None else context
    parse_scope(f"tenant/{name}", "context")
    path = name if below is None else str(parse_scope(f"{below}/{name}", "below"))
    if as_json:
        root = None if context is not None else str(root_of(place))
        show({"context": name, "scope": path, "root": root}, as_json)
    else:
        typer.echo(path)


@commands.command("settings")
def settings(
    scope: Annotated[str, typer.Argument(help="Scope path, or a tenant.")],
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="`group.field=value`, such as conversations.messages=20."),
    ] = None,
    unset: Annotated[
        list[str] | None, typer.Option(help="`group.field` that follows the scope above again.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would hold, and change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What holds of the agents' memory in a scope, and where it is set; changes it with --set."""
    path = str(parse_scope(scope))
    patch = _patch(change or [], unset or [])

    async def work(opened: Parts) -> dict[str, Any]:
        tenant = path.partition("/")[0]
        scopes = await all_scopes(opened, tenant)
        if path not in scopes:
            raise NotFound(f"there is no scope {path}", field="scope")
        service = opened.scopes.settings
        if patch:
            policy, caller = await opened.scopes.policy(path), operator(tenant, scopes)
            found = await service.change(caller, path, patch, policy, dry_run=dry_run)
        else:
            found = await service.effective(path)
        return {
            name: value if origin is None else f"{value} (set on {origin})"
            for name, (value, origin) in found.every(service.installation).items()
        }

    show(with_parts(work), as_json, path)


def _patch(change: list[str], unset: list[str]) -> dict[str, dict[str, Any]]:
    """The settings that options name; a value is JSON, or else a text."""
    named: dict[str, Any] = dict.fromkeys(unset)
    for one in change:
        name, given, text = one.partition("=")
        if not given:
            raise InvalidInput(f"{one} is no group.field=value", field="set")
        try:
            named[name] = orjson.loads(text)
        except orjson.JSONDecodeError:
            named[name] = text
    made: dict[str, dict[str, Any]] = {}
    for name, value in named.items():
        group, _, key = name.partition(".")
        made.setdefault(group, {})[key] = value
    return made


@commands.command("delete")
def delete(
    scope: Annotated[str, typer.Argument(help="Scope path, or a tenant.")],
    confirm: Annotated[
        str | None, typer.Option(help="The same path once more; asked for if unset.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would go, and leave it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a scope or a tenant for good, where its rules allow erasure; receipts stay."""
    path = str(parse_scope(scope))
    if not dry_run:
        typed = confirm if confirm is not None else typer.prompt(f"Type {path} to delete it")
        if typed != path:
            raise InvalidInput(f"that is not {path}: nothing was deleted", field="confirm")

    async def work(opened: Parts) -> dict[str, Any]:
        tenant = path.partition("/")[0]
        scopes = await all_scopes(opened, tenant)
        if path not in scopes:
            raise NotFound(f"there is no scope {path}", field="scope")
        caller = operator(tenant, scopes)
        if dry_run:
            return await opened.deletion.preview(caller, path)
        order = await opened.deletion.order(caller, path)
        told = DeletionOut.of(await opened.deletion.carry_out(order))
        return {"receipt": told.receipt, "state": told.state, "counts": told.counts}

    show(with_parts(work), as_json)
