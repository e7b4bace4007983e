"""`loci reembed`: all vectors anew."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from app.cli.console import Console
from app.cli.later import later

with later():
    import asyncio

    from app.cli.local import local_settings
    from app.embeddings.provider import build_embedder
    from app.indexing.repository import reset_space
    from app.kernel.migrate import migrate
    from app.telemetry.logging import configure_logging
    from app.wiring import connect_graph, embedding_config, vector_options

console = Console()
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the command to the program."""
    cli.command("reembed")(reembed)


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

    pending = asyncio.run(work())
    if as_json:
        console.print_json(json.dumps({"pending": pending}))
    else:
        console.print(f"{pending} memories wait for their vectors.")
