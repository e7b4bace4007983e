"""`loci mcp`: the memory of one key for a client that starts programs."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.later import later
from app.cli.search import DEFAULT_URL, SECONDS, headers_of, nothing_at, told_by

with later():
    import asyncio

    import httpx

    from app.mcp.bridge import serve


def register(cli: typer.Typer) -> None:
    """Add the command to the program."""
    cli.command("mcp")(mcp)


def mcp(
    key: Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key.")],
    url: Annotated[
        str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")
    ] = DEFAULT_URL,
    tools: Annotated[
        str | None, typer.Option(help="Profiles of further tools, such as data, by commas.")
    ] = None,
) -> None:
    """Speak the Model Context Protocol on standard input and output, for one key."""
    headers = headers_of(key)
    try:
        answer = httpx.get(f"{url}/v1/scopes", headers=headers, timeout=SECONDS)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise nothing_at(url) from error
    told_by(answer, url)
    asyncio.run(serve(url, headers, tools))
