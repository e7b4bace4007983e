"""`loci erase`, `loci erased`, `loci verify`: what must go, be gone, hold, by command."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from app.cli.console import Console
from app.cli.later import later
from app.errors import InvalidInput

with later():
    import asyncio

    from app.access.service import operator
    from app.cli.keys import all_scopes
    from app.cli.local import local_settings
    from app.kernel.caller import Caller
    from app.kernel.scope import parse_scope
    from app.lifecycle.erasure import Order, new_receipt
    from app.lifecycle.invariants import broken
    from app.lifecycle.model import Aimed, Target
    from app.lifecycle.people import person_of
    from app.lifecycle.proof import Proof, Search, prove
    from app.lifecycle.requests import of_author
    from app.lifecycle.schemas import ErasureOut
    from app.scopes.sessions import session_id
    from app.telemetry.logging import configure_logging
    from app.wiring import Parts, parts

console = Console()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Named = Annotated[str | None, typer.Option(help="Instead of a memory: all episodes of this one.")]


def register(cli: typer.Typer) -> None:
    """Add the commands to the program."""
    cli.command("erase")(erase)
    cli.command("erased")(erased)
    cli.command("verify")(verify)


def erase(
    scope: Annotated[str, typer.Argument(help="Scope path, such as demo/product.")],
    memory: Annotated[
        str | None, typer.Argument(help="Id of an episode, a fact or a note.")
    ] = None,
    session: Named = None,
    author: Named = None,
    speaker: Named = None,
    person: Annotated[
        str | None,
        typer.Option(help="Id of an entity, or a full name: what he said, and others of him."),
    ] = None,
    principal: Annotated[
        str | None, typer.Option(help="Of a person: his principal, whose words go as well.")
    ] = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="With the episodes that support a named fact.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would go, and leave it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Erase for good, with all that was made from it, where the scope's rules allow erasure."""
    named: dict[Aimed, str | None] = {
        "memory": memory,
        "session": session,
        "author": author,
        "speaker": speaker,
        "person": person,
    }
    given = [(kind, value) for kind, value in named.items() if value]
    if len(given) != 1:
        raise InvalidInput(f"give exactly one of {', '.join(named)}", field="memory")
    kind, value = given[0]
    path = str(parse_scope(scope))
    if kind == "session" and value:
        value = session_id(path, value)
    wanted = Target(kind, value or "", path, sources, principal)

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        target = wanted
        if kind == "person":
            target = await person_of(opened.graph, caller, wanted)
        elif kind == "author":
            target = of_author(caller, wanted)
        if dry_run:
            return await opened.erasure.preview(caller, target)
        if not await opened.erasure.exists(caller, target):
            known = await opened.erasure.find_receipt(caller, target)
            receipt = known["id"] if known else ""
            return _told(await opened.erasure.finish(receipt))
        await opened.erasure.check(caller, target)
        return _told(await opened.erasure.erase(Order(caller, target, new_receipt())))

    show(_run(path, work), as_json)


def erased(
    tenant: Annotated[str, typer.Argument(help="Tenant, such as demo.")],
    receipt: Annotated[str, typer.Argument(help="Id of the receipt of an erasure.")],
    text: Annotated[str | None, typer.Option(help="A text that nothing may hold either.")] = None,
    as_json: AsJson = False,
) -> None:
    """Look whether anything in the tenant holds what an erasure took; exit code 1 if it does."""

    async def work(opened: Parts, caller: Caller) -> Proof:
        row = await opened.erasing.receipt(caller, receipt)
        proof = Proof()
        search = Search.of(row, caller.visible, text)
        await prove(opened.graph, search, proof, _progress)
        return proof

    proof: Proof = _run(str(parse_scope(tenant)), work)
    found = {name: getattr(proof, name) for name in ("looked_at", "holders", "same_text")}
    show({"receipt": receipt, "clean": proof.clean, **found}, as_json)
    if not proof.clean:
        raise typer.Exit(1)


async def _progress(told: dict[str, Any]) -> None:
    """Tell on a terminal how far a check is."""
    if sys.stderr.isatty():
        typer.echo(f"\r{told['looked_at']} looked at, {told['label']} ", nl=False, err=True)


def verify(
    tenant: Annotated[str | None, typer.Argument(help="Tenant; the whole store if unset.")] = None,
    as_json: AsJson = False,
) -> None:
    """Look whether everything holds that must hold of the derived graph; exit code 1 if not."""

    async def work(opened: Parts, caller: Caller) -> list[dict[str, Any]]:
        return [asdict(found) for found in await broken(opened.graph, tenant)]

    found = _run(tenant or "_", work, checked=False)
    if found:
        show({row["invariant"]: row["ids"] for row in found}, as_json)
        raise typer.Exit(1)
    show({"broken": 0}, as_json)


def _told(receipt: dict[str, Any]) -> dict[str, Any]:
    shown = ErasureOut.of(receipt)
    return {"receipt": shown.receipt, "state": shown.state, "counts": shown.counts}


def show(value: dict[str, Any], as_json: bool) -> None:
    """Print an answer, as JSON where that is asked for."""
    if as_json:
        console.print_json(json.dumps(value, default=str))
        return
    for name, shown in value.items():
        console.print(f"{name}: {shown}", soft_wrap=True, highlight=False, markup=False)


def _run(scope: str, work: Any, *, checked: bool = True) -> Any:
    """Run `work` as the operator of the tenant."""
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> Any:
        async with parts(settings, late=True) as opened:
            tenant = scope.partition("/")[0]
            scopes = await all_scopes(opened, tenant) if checked else []
            return await work(opened, operator(tenant, scopes))

    return asyncio.run(run())
