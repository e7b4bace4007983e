"""`loci consolidate`, `loci facts`, `loci quarantine`: belief from a terminal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.console import Console
from app.cli.entities import print_json, run_in
from app.cli.later import later
from app.cli.tables import listing
from app.errors import InvalidInput

with later():
    import asyncio

    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    from app.access.service import operator
    from app.cli.local import local_settings
    from app.consolidation.service import Tally
    from app.facts.listing import subjects_of
    from app.facts.schemas import ChangeIn, FactOut, KeepBothIn, PossibleChangeOut, SpanIn
    from app.facts.service import Decision, Moments
    from app.kernel import audit
    from app.kernel.caller import Caller
    from app.kernel.clock import now
    from app.kernel.scope import parse_scope
    from app.portability.derived import release
    from app.telemetry.logging import configure_logging
    from app.wiring import Parts, parts

console = Console()
messages = Console(stderr=True)
MOST = 500  # rows of one listing
AGAIN = {"failed": ["failed"], "all": ["failed", "consolidated"]}
MODEL = "model"

Scope = Annotated[str, typer.Argument(help="Scope path, such as demo/product.")]
FactId = Annotated[str, typer.Argument(help="Id of a fact.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the commands to the program."""
    cli.command("consolidate")(consolidate)
    cli.command("facts")(facts)
    group = typer.Typer(help="Facts that wait for a decision.", no_args_is_help=True)
    group.command("list")(waiting)
    group.command("accept")(accept)
    group.command("reject")(reject)
    group.command("keep-both")(keep_both)
    group.command("changes")(changes)
    group.command("change")(decide_change)
    group.command("undo")(undo)
    cli.add_typer(group, name="quarantine")


def consolidate(
    scope: Annotated[
        str | None, typer.Option("--scope", help="One scope; all that have something if unset.")
    ] = None,
    again: Annotated[
        str | None,
        typer.Option(
            "--again", help="Take up `failed` episodes, or `all`, once more; `model`: let it read."
        ),
    ] = None,
    release_scope: Annotated[
        bool,
        typer.Option("--release", help="First let go of the scope if a killed import holds it."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read episodes that wait, and settle what follows from them."""
    if again is not None and again not in (*AGAIN, MODEL):
        raise InvalidInput(f"again is one of {', '.join((*AGAIN, MODEL))}", field="again")
    if again is not None and scope is None:
        raise InvalidInput("name the scope that is read again", field="scope")
    if release_scope and scope is None:
        raise InvalidInput("name the scope that is let go", field="scope")

    async def work(opened: Parts) -> dict[str, Any]:
        released = await _release(opened, scope) if scope and release_scope else 0
        taken = released + (await _take_up(opened, scope, again) if scope and again else 0)
        return {"again": taken, **asdict(await _consolidate(opened, scope, quiet=as_json))}

    done = _run(work)
    if as_json:
        print_json(done)
        return
    rate = done["episodes"] / done["seconds"] if done["seconds"] else 0.0
    console.print(
        f"{done['episodes']} episodes, {done['facts']} facts, {done['quarantined']} in quarantine, "
        f"{done['failed']} failed ({rate:.0f} episodes/s)"
    )


async def _release(opened: Parts, scope: str) -> int:
    """How many episodes are read anew, since it is open which of their facts came."""
    path = str(parse_scope(scope))
    run = await release(opened.graph, path)
    if run is None:
        return 0
    caller = operator(parse_scope(path).tenant, [path])
    event = audit.event(caller, "restore.release", path, run=run)
    await opened.access_rows.write_audit(event, actor=caller.principal)
    return await opened.consolidation_rows.reset(path, AGAIN["all"])


async def _take_up(opened: Parts, scope: str, again: str) -> int:
    path = str(parse_scope(scope))
    caller = operator(parse_scope(path).tenant, [path])
    event = audit.event(caller, "consolidate", path, again=again)
    await opened.access_rows.write_audit(event, actor=caller.principal)
    if again == MODEL:
        return await opened.model_reader.ask_again(path)
    return await opened.consolidation_rows.reset(path, AGAIN[again])


async def _consolidate(opened: Parts, scope: str | None, *, quiet: bool) -> Tally:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    tally = Tally()
    with Bar(*columns, console=messages, disable=quiet) as bar:
        task = bar.add_task("reading …", total=None)

        async def tell(episodes: int) -> None:
            bar.update(task, description=f"{episodes} episodes, {tally.facts} facts")

        scopes = [str(parse_scope(scope))] if scope else await _due(opened)
        for path in scopes:
            await opened.consolidation.consolidate(path, tally, tell)
    return tally


async def _due(opened: Parts) -> list[str]:
    return [row["scope"] for row in await opened.consolidation_rows.due_scopes()]


def facts(
    scope: Scope,
    about: Annotated[
        str | None, typer.Argument(help="Id of an entity, or a name of it; all if unset.")
    ] = None,
    predicate: Annotated[
        list[str] | None, typer.Option("--predicate", help="Only these; may be repeated.")
    ] = None,
    as_of: Annotated[
        datetime | None, typer.Option("--as-of", help="What was so then, as 2026-05-01 in UTC.")
    ] = None,
    known_at: Annotated[
        datetime | None, typer.Option("--known-at", help="As it was known then.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The facts of a scope, or about an entity in it, that were held at both moments."""
    moments = Moments.of(_aware(as_of), _aware(known_at))

    async def work(opened: Parts, caller: Caller) -> list[FactOut]:
        scopes = caller.among([scope])
        services = (opened.facts, opened.entities)
        rows = await opened.facts.repository.list_held(
            subjects=await subjects_of(caller, services, about, scopes),
            scopes=scopes,
            predicates=predicate,
            as_of=moments.as_of,
            known_at=moments.known_at,
            after="",
            limit=MOST,
        )
        return [FactOut.of(row) for row in rows]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "fact", "since", "until", "confidence", "evidence", "may have changed")
    for fact in found:
        interval = fact.intervals[0]
        table.add_row(
            fact.id,
            escape(fact.untrusted["statement"]),
            _day(interval.valid_from),
            _day(interval.valid_to),
            f"{fact.confidence:.2f}",
            str(fact.evidence),
            escape(_newer(fact)),
        )
    console.print(table)


def _newer(fact: FactOut) -> str:
    """The newest fact that may have ended one, as a sentence."""
    newer = fact.possible_changes
    return str(newer[0]["untrusted"]["statement"]) if newer else ""


def _aware(moment: datetime | None) -> datetime | None:
    return None if moment is None else _utc(moment)


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""


class Verdict(StrEnum):
    """What a curator says of a possible change."""

    CHANGED = "changed"
    BOTH = "both"
    WRONG = "wrong"


def waiting(scope: Scope, as_json: AsJson = False) -> None:
    """Facts in quarantine with the reason, and what they stand against."""

    async def work(opened: Parts, caller: Caller) -> list[dict[str, Any]]:
        scopes = caller.among([scope])
        rows = await opened.facts.repository.quarantined(scopes, "", MOST)
        ids = sorted({row["id"] for row in rows} | {o for row in rows for o in row["against"]})
        at = now()
        held = await opened.facts.repository.get(ids, scopes, at, at)
        known = {row["fact"]["id"]: FactOut.of(row) for row in held}
        return [
            {
                "fact": known[row["id"]],
                "reasons": sorted(set(row["reasons"])),
                "against": [known[o] for o in sorted(set(row["against"])) if o in known],
            }
            for row in rows
            if row["id"] in known
        ]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "waits", "reason", "against")
    for row in found:
        against = "; ".join(str(fact.untrusted["statement"]) for fact in row["against"])
        told = escape(row["fact"].untrusted["statement"])
        table.add_row(row["fact"].id, told, ", ".join(row["reasons"]), escape(against))
    console.print(table)


def changes(scope: Scope, as_json: AsJson = False) -> None:
    """Possible changes: facts that may have ended older ones, with the words nobody read."""

    async def work(opened: Parts, caller: Caller) -> list[PossibleChangeOut]:
        scopes = caller.among([scope])
        rows = await opened.facts.repository.possible_changes(scopes, "", MOST)
        facts = await opened.facts.facts_of_changes(rows, scopes)
        known = {fact: FactOut.of(row) for fact, row in facts.items()}
        return [PossibleChangeOut.of(row, known) for row in rows if row["id"] in known]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("older", "held", "newer", "said since", "not read")
    for one in found:
        unread = "; ".join(str(place["untrusted"]["words"]) for place in one.unread)
        for old in one.older:
            told = (old.untrusted["statement"], one.newer.untrusted["statement"])
            table.add_row(old.id, escape(told[0]), one.newer.id, escape(told[1]), escape(unread))
    console.print(table)


Why = Annotated[str | None, typer.Option("--note", help="Why.")]


def accept(scope: Scope, fact: FactId, note: Why = None, as_json: AsJson = False) -> None:
    """The fact is right: it is held, and what it contradicts ends."""
    _decide(scope, [Decision(fact, "accept", note=note)], as_json)


def reject(scope: Scope, fact: FactId, note: Why = None, as_json: AsJson = False) -> None:
    """The fact is wrong: it stays on record and is not believed."""
    _decide(scope, [Decision(fact, "reject", note=note)], as_json)


def keep_both(
    scope: Scope,
    fact: FactId,
    other: Annotated[str, typer.Argument(help="Id of the fact that it stands against.")],
    valid_from: Annotated[datetime, typer.Option("--from", help="When the waiting fact begins.")],
    other_from: Annotated[datetime, typer.Option("--other-from", help="When the other begins.")],
    valid_to: Annotated[
        datetime | None, typer.Option("--to", help="When the waiting fact ends; open if unset.")
    ] = None,
    other_to: Annotated[
        datetime | None, typer.Option("--other-to", help="When the other ends; open if unset.")
    ] = None,
    note: Why = None,
    as_json: AsJson = False,
) -> None:
    """Both facts are right, each in its own time; the moments are UTC where no zone is named."""
    asked = KeepBothIn(
        valid=_span(valid_from, valid_to),
        other=other,
        other_valid=_span(other_from, other_to),
        note=note,
    )
    _decide(scope, asked.to_decisions(fact), as_json)


def decide_change(
    scope: Scope,
    fact: FactId,
    older: Annotated[str, typer.Argument(help="Id of the fact that it may have ended.")],
    verdict: Annotated[
        Verdict, typer.Argument(help="changed, both (they hold side by side), or wrong.")
    ],
    note: Why = None,
    as_json: AsJson = False,
) -> None:
    """Decide whether a newer fact ended an older one that it may have changed."""
    decision = ChangeIn(older=older, verdict=verdict.value, note=note).to_decision(fact)

    async def work(opened: Parts, caller: Caller) -> FactOut:
        decided, _ = await opened.facts.decide_change(caller, decision)
        return FactOut.of(await opened.facts.get(caller, decided, Moments.of(None, None)))

    _told(run_in(scope, work), as_json)


def undo(scope: Scope, fact: FactId, as_json: AsJson = False) -> None:
    """Take the decisions on a fact back: belief follows from what was said again."""

    async def work(opened: Parts, caller: Caller) -> FactOut:
        await opened.facts.undo(caller, fact)
        return FactOut.of(await opened.facts.get(caller, fact, Moments.of(None, None)))

    _told(run_in(scope, work), as_json)


def _span(valid_from: datetime, valid_to: datetime | None) -> SpanIn:
    return SpanIn(valid_from=_utc(valid_from), valid_to=_aware(valid_to))


def _decide(scope: str, decisions: list[Decision], as_json: bool) -> None:
    async def work(opened: Parts, caller: Caller) -> FactOut:
        await opened.facts.decide(caller, decisions)
        return FactOut.of(await opened.facts.get(caller, decisions[0].fact, Moments.of(None, None)))

    _told(run_in(scope, work), as_json)


def _told(fact: FactOut, as_json: bool) -> None:
    if as_json:
        print_json(fact)
        return
    console.print(f"{fact.id} is {fact.status}: {escape(fact.untrusted['statement'])}")


def _run(work: Callable[[Parts], Awaitable[Any]]) -> Any:
    settings = local_settings()
    configure_logging(settings.telemetry)

    async def run() -> Any:
        async with parts(settings, late=True) as opened:
            return await work(opened)

    return asyncio.run(run())
