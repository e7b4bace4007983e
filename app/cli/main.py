"""The program `loci`: every command, listed by hand.

Commands print for people, or one JSON value with `--json`. An error of ours, or of the disk, is a
sentence on standard error and exit code 1.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, NoReturn

import structlog
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from app.cli import beliefs, evals, serve, transfer
from app.cli import communities as community_commands
from app.cli import documents as document_commands
from app.cli import embedding as embedding_commands
from app.cli import entities as entity_commands
from app.cli import keys as key_commands
from app.cli import lifecycle as lifecycle_commands
from app.cli import pages as page_commands
from app.cli import search as search_commands
from app.cli import skills as skill_commands
from app.cli.local import local_settings
from app.embeddings.provider import build_embedder
from app.errors import GraphUnavailable, LociError
from app.indexing.repository import reset_space
from app.kernel.caller import Role
from app.kernel.migrate import migrate
from app.telemetry.logging import configure_logging
from app.wiring import Parts, connect_graph, embedding_config, parts, vector_options

console = Console()
errors = Console(stderr=True)
log = structlog.get_logger()
NO_GRAPH = (
    "`loci status` tells what runs here, and `loci up` starts it; NEO4J_URI with NEO4J_USER and "
    "NEO4J_PASSWORD names another Neo4j."
)

cli = typer.Typer(
    help="Loci: a knowledge and memory service for AI agents, in one Neo4j graph.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
key_app = typer.Typer(help="API keys.", no_args_is_help=True)
cli.add_typer(key_app, name="keys")
serve.register(cli)
entity_commands.register(cli)
embedding_commands.register(cli)
beliefs.register(cli)
community_commands.register(cli)
document_commands.register(cli)
lifecycle_commands.register(cli)
skill_commands.register(cli)
page_commands.register(cli)
evals.register(cli)
transfer.register(cli)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def with_parts(work: Callable[[Parts], Awaitable[Any]]) -> Any:
    """Run `work` over the parts that the settings name."""
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> Any:
        async with parts(settings) as opened:
            return await work(opened)

    return asyncio.run(run())


def show(value: Any, as_json: bool, title: str = "") -> None:
    """Print a dict as a table, or anything as JSON."""
    if as_json or not isinstance(value, dict):
        console.print_json(json.dumps(value, default=str))
        return
    table = Table(title=title or None, show_header=False)
    for name, shown in value.items():
        table.add_row(str(name), str(shown))
    console.print(table)


@key_app.command("bootstrap")
def bootstrap(
    tenant: Annotated[str, typer.Option(help="Tenant that the key administers.")] = "demo",
    as_json: AsJson = False,
) -> None:
    """Make the first admin key; prints none where there is one already."""
    show(with_parts(lambda opened: key_commands.bootstrap(opened, tenant)), as_json)


@key_app.command("mint")
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
        minted = await key_commands.mint(opened, scope, kind=kind, name=name, role=held)
        return {"id": minted.id, "key": minted.text, "scope": scope, "role": role}

    show(with_parts(work), as_json, "Shown this once")


@key_app.command("list")
def list_keys(tenant: str, as_json: AsJson = False) -> None:
    """The keys of a tenant, without their secrets."""

    async def work(opened: Parts) -> list[dict[str, Any]]:
        scopes = await key_commands.all_scopes(opened, tenant)
        return await opened.access_rows.list_keys(tenant, scopes)

    rows = with_parts(work)
    if as_json:
        show(rows, as_json)
        return
    table = Table("id", "principal", "role", "created", "expires", "revoked")
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


@key_app.command("revoke")
def revoke(tenant: str, key: str, as_json: AsJson = False) -> None:
    """Revoke a key of a tenant by its id."""
    show(with_parts(lambda opened: key_commands.revoke(opened, tenant, key)), as_json)


@cli.command()
def search(
    query: str,
    key: Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key.")],
    url: Annotated[
        str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")
    ] = search_commands.DEFAULT_URL,
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    mode: Annotated[str, typer.Option(help="auto, hybrid, keyword, vector or graph.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Ask the API and show what is recalled."""
    body = {"query": query, "limit": limit, "mode": mode}
    found = search_commands.ask(url, key, body)
    if as_json:
        show(found, as_json)
        return
    console.print(search_commands.table(found))


@cli.command()
def reembed(as_json: AsJson = False) -> None:
    """Drop all vectors and make them anew with the model of the settings; text search goes on."""
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def work() -> int:
        embedder = await asyncio.to_thread(build_embedder, embedding_config(settings))
        graph = connect_graph(settings)
        try:
            await migrate(graph)
            return await reset_space(graph, embedder.info, vector_options(embedder, settings))
        finally:
            await graph.close()
            await embedder.aclose()

    show({"pending": asyncio.run(work())}, as_json)


def run() -> None:
    """Entry point of the program."""
    try:
        cli()
    except GraphUnavailable as error:
        fail(type(error).__name__, f"{error.detail}\n{NO_GRAPH}")
    except LociError as error:
        fail(type(error).__name__, error.detail)
    except UnicodeDecodeError:
        fail("InvalidInput", "a file or input that was given is not UTF-8 text")
    except OSError as error:
        named = f": {error.filename}" if error.filename else ""
        fail(type(error).__name__, f"{error.strerror or error}{named}")


def fail(name: str, says: str) -> NoReturn:
    """Say on standard error what is wrong, word for word, and end with exit code 1."""
    errors.print(f"[red]{name}[/]: {escape(says)}", highlight=False, soft_wrap=True)
    sys.exit(1)


if __name__ == "__main__":
    run()
