"""`loci embedding`: another model for a scope, from the command line."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.entities import AsJson, Scope, run_in
from app.cli.later import later
from app.cli.lifecycle import show

with later():
    import asyncio

    import msgspec

    from app.kernel.caller import Caller
    from app.reembedding.schemas import EmbeddingOut, MovedOut
    from app.reembedding.tasks import CLEAR, FILL
    from app.wiring import Parts

LOOK_SECONDS = 1.0


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="The embedding model of a scope.", no_args_is_help=True)
    group.command("status")(status)
    group.command("prepare")(prepare)
    group.command("compare")(compare)
    group.command("switch")(switch)
    group.command("rollback")(rollback)
    group.command("finish")(finish)
    cli.add_typer(group, name="embedding")


def status(scope: Scope, as_json: AsJson = False) -> None:
    """Which model a scope is searched with, and how far the one beside it is."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        found = EmbeddingOut.of(await opened.reembedding.status(caller, scope))
        told: dict[str, Any] = msgspec.to_builtins(found)
        return told

    show(run_in(scope, work), as_json)


def prepare(
    scope: Scope,
    model: Annotated[str, typer.Argument(help="A further model of the settings, or `default`.")],
    wait: Annotated[bool, typer.Option("--wait", help="Fill here, until it is done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Begin to fill vectors of another model; searches go on with the one there is."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        place = await opened.reembedding.prepare(caller, scope, model)
        args = {"scope": place.scope, "space": place.choice.beside}
        where = {"tenant": caller.tenant, "scope": place.scope, "args": args}
        job = await opened.runner.submit(FILL, **where)
        if wait:
            running = asyncio.create_task(opened.runner.run(opened, job.id))
            while not running.done():
                await opened.indexing.drain()
                await asyncio.wait([running], timeout=LOOK_SECONDS)
        told: dict[str, Any] = msgspec.to_builtins(MovedOut.of(place, job.id))
        return told | {"done": wait}

    show(run_in(scope, work), as_json)


def compare(
    scope: Scope,
    questions: Annotated[
        Path | None, typer.Option(help="File with a question a line; else those asked lately.")
    ] = None,
    k: Annotated[int, typer.Option(min=1, max=100, help="Answers that are compared.")] = 10,
    as_json: AsJson = False,
) -> None:
    """How far the answers of both models agree, before the switch."""
    lines = questions.read_text(encoding="utf-8").splitlines() if questions else []
    asked = [line.strip() for line in lines if line.strip()]

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        return await opened.reembedding.compare(caller, scope, asked, k)

    show(run_in(scope, work), as_json)


def switch(scope: Scope, as_json: AsJson = False) -> None:
    """Search with the prepared model from now on; the former one is kept filled."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        return asdict((await opened.reembedding.switch(caller, scope)).choice)

    show(run_in(scope, work), as_json)


def rollback(scope: Scope, as_json: AsJson = False) -> None:
    """Search with the former model again."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        return asdict((await opened.reembedding.roll_back(caller, scope)).choice)

    show(run_in(scope, work), as_json)


def finish(scope: Scope, as_json: AsJson = False) -> None:
    """Give up the model that is not searched, and take its vectors out."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        space = await opened.reembedding.finish(caller, scope)
        args = {"scope": scope, "space": space.name}
        job = await opened.runner.submit(CLEAR, tenant=caller.tenant, scope=scope, args=args)
        return {"scope": scope, "job": job.id, "state": await opened.runner.run(opened, job.id)}

    show(run_in(scope, work), as_json)
