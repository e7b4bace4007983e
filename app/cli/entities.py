"""`loci entity`: entities and merges from the command line, as the operator of this machine."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.later import later
from app.cli.tables import listing

with later():
    import asyncio

    import msgspec

    from app.access.service import operator
    from app.cli.keys import all_scopes
    from app.cli.local import local_settings
    from app.embeddings.measured import Measured
    from app.entities.likeness import DISTANCES
    from app.entities.repair import repair_scope
    from app.entities.schemas import EntityOut, MergeOut
    from app.entities.service import Sought
    from app.kernel.caller import Caller
    from app.kernel.clock import now
    from app.kernel.scope import parse_scope
    from app.telemetry.logging import configure_logging
    from app.wiring import Parts, parts

console = Console()
MOST = 200  # rows of one listing

Scope = Annotated[str, typer.Argument(help="Scope path, such as demo/product.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="Entities and their merges.", no_args_is_help=True)
    group.command("find")(find)
    group.command("merges")(merges)
    group.command("merge")(merge)
    group.command("unmerge")(unmerge)
    group.command("reject")(reject)
    group.command("repair")(repair)
    cli.add_typer(group, name="entity")


def find(
    scope: Scope,
    name: Annotated[str, typer.Argument(help="A name, however it is written.")],
    as_json: AsJson = False,
) -> None:
    """The entities of a scope that bear a name."""

    async def work(opened: Parts, caller: Caller) -> list[Any]:
        sought = Sought(scopes=caller.among([scope]), known_at=now(), name=name, limit=MOST)
        return [EntityOut.of(row) for row in await opened.entities.page(sought)]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "name", "type", "mentions", "aliases")
    for item in found:
        table.add_row(item.id, item.name, item.type, str(item.mentions), ", ".join(item.aliases))
    console.print(table)


def merges(
    scope: Scope,
    status: Annotated[
        str | None, typer.Option(help="pending, accepted, rejected or undone.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Proposed and decided merges of a scope, with their evidence."""

    async def work(opened: Parts, caller: Caller) -> list[Any]:
        rows = await opened.merges.page(caller.among([scope]), status=status, after="", limit=MOST)
        return [MergeOut.of(row) for row in rows]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "status", "left", "right", "evidence")
    for item in found:
        shown = json.dumps(item.evidence, sort_keys=True)
        table.add_row(item.id, item.status, item.left.name, item.right.name, shown)
    console.print(table)


def merge(
    scope: Scope,
    left: Annotated[str, typer.Argument(help="Id of a merge, or of one entity.")],
    right: Annotated[
        str | None, typer.Argument(help="Id of the other entity, where there is no proposal.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="What speaks for it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Accept a proposed merge, or propose and accept one of two entities."""

    async def work(opened: Parts, caller: Caller) -> MergeOut:
        chosen = left
        if right is not None:
            made = await opened.merges.propose(caller, left, right, reason)
            chosen = made["record"]["id"]
        return MergeOut.of(await opened.merges.decide(caller, chosen, "accept"))

    _told(run_in(scope, work), as_json)


def unmerge(
    scope: Scope,
    merge_id: Annotated[str, typer.Argument(help="Id of an accepted merge.")],
    as_json: AsJson = False,
) -> None:
    """Take an accepted merge back, exactly."""
    _told(run_in(scope, _decision(merge_id, "undo")), as_json)


def reject(
    scope: Scope,
    merge_id: Annotated[str, typer.Argument(help="Id of a proposed merge.")],
    as_json: AsJson = False,
) -> None:
    """Settle that two entities are not one: no other merge may join them either."""
    _told(run_in(scope, _decision(merge_id, "reject")), as_json)


def repair(scope: Scope) -> None:
    """Look for entities of a scope that may be one, and propose their merges."""

    async def work(opened: Parts, caller: Caller) -> int:
        caller.among([scope])
        model = Measured.of(opened.embedder, DISTANCES)
        return await repair_scope(opened.graph, opened.merges, scope, model)

    console.print(f"{run_in(scope, work)} proposed")


def _decision(merge_id: str, verb: str) -> Callable[[Parts, Caller], Awaitable[Any]]:
    async def work(opened: Parts, caller: Caller) -> MergeOut:
        return MergeOut.of(await opened.merges.decide(caller, merge_id, verb))

    return work


def run_in(scope: str, work: Callable[[Parts, Caller], Awaitable[Any]]) -> Any:
    """Run `work` over the parts as the operator of the tenant of `scope`."""
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> Any:
        async with parts(settings, late=True) as opened:
            tenant = parse_scope(scope).tenant
            return await work(opened, operator(tenant, await all_scopes(opened, tenant)))

    return asyncio.run(run())


def _told(done: MergeOut, as_json: bool) -> None:
    if as_json:
        print_json(done)
        return
    console.print(f"{done.id}: {done.left.name} and {done.right.name} are {done.status}")


def print_json(value: Any) -> None:
    """Print what the API would answer."""
    console.print_json(msgspec.json.encode(value).decode())
