"""`loci keys`: make, list and revoke API keys; `loci agents`: who may have them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.later import later
from app.cli.tables import listing, pairs

with later():
    import asyncio

    from app.cli import keys
    from app.cli.local import local_settings
    from app.kernel.caller import Role
    from app.telemetry.logging import configure_logging
    from app.wiring import Parts, parts

console = Console()
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="API keys.", no_args_is_help=True)
    group.command("bootstrap")(bootstrap)
    group.command("mint")(mint)
    group.command("list")(list_keys)
    group.command("revoke")(revoke)
    cli.add_typer(group, name="keys")
    cli.command("agents")(list_agents)


def with_parts(work: Callable[[Parts], Awaitable[Any]]) -> Any:
    """Run `work` over the parts that the settings name."""
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> Any:
        async with parts(settings, late=True) as opened:
            return await work(opened)

    return asyncio.run(run())


def show(value: Any, as_json: bool, title: str = "") -> None:
    """Print a dict as a table, or anything as JSON."""
    if as_json or not isinstance(value, dict):
        console.print_json(json.dumps(value, default=str))
        return
    table = pairs(title)
    for name, shown in value.items():
        table.add_row(str(name), str(shown))
    console.print(table)


def bootstrap(
    tenant: Annotated[str, typer.Option(help="Tenant that the key administers.")] = "demo",
    as_json: AsJson = False,
) -> None:
    """Make the first admin key; prints none where there is one already."""
    show(with_parts(lambda opened: keys.bootstrap(opened, tenant)), as_json)


def mint(
    scope: Annotated[str, typer.Argument(help="Home of the principal, such as demo/product.")],
    name: Annotated[str, typer.Option(help="Name of the agent or user.")] = "agent",
    kind: Annotated[str, typer.Option(help="agent or user.")] = "agent",
    role: Annotated[str, typer.Option(help="reader, writer, curator or admin.")] = "writer",
    as_json: AsJson = False,
) -> None:
    """Make a key; tenant, scope and principal are made if they are new."""
    if kind not in ("agent", "user"):
        raise typer.BadParameter("kind is agent or user")
    if role not in [r.label for r in Role]:
        raise typer.BadParameter("role is reader, writer, curator or admin")

    async def work(opened: Parts) -> dict[str, str]:
        held = Role.named(role)
        minted = await keys.mint(opened, scope, kind=kind, name=name, role=held)
        return {"id": minted.id, "key": minted.text, "scope": scope, "role": role}

    show(with_parts(work), as_json, "Shown this once")


def list_keys(tenant: str, as_json: AsJson = False) -> None:
    """The keys of a tenant, without their secrets."""

    async def work(opened: Parts) -> list[dict[str, Any]]:
        scopes = await keys.all_scopes(opened, tenant)
        return await opened.access_rows.list_keys(tenant, scopes)

    rows = with_parts(work)
    if as_json:
        show(rows, as_json)
        return
    table = listing("id", "principal", "role", "created", "expires", "revoked")
    for row in rows:
        table.add_row(
            row["id"],
            row["principal"],
            row["role"],
            str(row["created_at"])[:19],
            str(row["expires_at"] or ""),
            str(row["revoked_at"] or ""),
        )
    console.print(table)


def list_agents(tenant: str, as_json: AsJson = False) -> None:
    """The agents and users of a tenant, with the trust in each agent where upkeep has set it."""

    async def work(opened: Parts) -> list[dict[str, Any]]:
        scopes = await keys.all_scopes(opened, tenant)
        return await opened.access_rows.list_principals(tenant, scopes)

    rows = with_parts(work)
    if as_json:
        show(rows, as_json)
        return
    table = listing("id", "home", "role", "model", "trust", "set")
    for row in rows:
        trust = row["trust"]
        table.add_row(
            row["id"],
            row["home"],
            row["role"],
            row["model_family"] or "",
            "" if trust is None else f"{trust:.2f}",
            str(row["trust_at"] or "")[:19],
        )
    console.print(table)


def revoke(tenant: str, key: str, as_json: AsJson = False) -> None:
    """Revoke a key of a tenant by its id."""
    show(with_parts(lambda opened: keys.revoke(opened, tenant, key)), as_json)
