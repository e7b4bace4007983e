"""`loci skill`: the skill graph from the command line, as the operator of this machine."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.entities import AsJson, Scope, console, print_json, run_in
from app.cli.later import later
from app.cli.tables import listing
from app.skills.vocabulary import Category, Chore, ConflictStatus, ProposalStatus, Status, word
from app.skills.walk import TOKENS

with later():
    from app.kernel.caller import Caller
    from app.skills.conflicts import Listed
    from app.skills.discovery import Sought
    from app.skills.schemas import (
        ChoreOut,
        ConflictOut,
        DiscoveryOut,
        ProposalOut,
        SkillContextOut,
        SkillOut,
    )
    from app.skills.service import Wanted
    from app.wiring import Parts

MOST = 200  # rows of one listing
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would be done.")]


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="Skills, their conflicts and proposals.", no_args_is_help=True)
    group.command("list")(list_skills)
    group.command("discover")(discover)
    group.command("context")(context)
    group.command("status")(status)
    group.command("conflicts")(conflicts)
    group.command("decide")(decide)
    group.command("proposals")(proposals)
    group.command("move")(move)
    group.command("health")(health)
    group.command("chore")(chore)
    cli.add_typer(group, name="skill")


def list_skills(
    scope: Scope,
    category: Annotated[str | None, typer.Option(help="Only of this category.")] = None,
    state: Annotated[str | None, typer.Option("--status", help="Only of this status.")] = None,
    as_json: AsJson = False,
) -> None:
    """The skills of a scope."""
    named = category and word(Category, category, "category")
    held = state and word(Status, state, "status")

    async def work(opened: Parts, caller: Caller) -> list[SkillOut]:
        wanted = Wanted(caller.among([scope]), named, held, limit=MOST)
        return [SkillOut.of(row) for row in await opened.skilled.skills.page(wanted)]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "name", "category", "status", "version", "effectiveness", "uses")
    for each in found:
        table.add_row(
            each.id,
            escape(each.untrusted["name"]),
            each.category,
            each.status,
            each.version,
            f"{each.effectiveness:.2f}",
            str(each.usage_count),
        )
    console.print(table)


def discover(
    scope: Scope,
    description: Annotated[str, typer.Argument(help="What is to be done, in words.")],
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    as_json: AsJson = False,
) -> None:
    """Active skills that fit a description."""

    async def work(opened: Parts, caller: Caller) -> DiscoveryOut:
        sought = Sought(description, caller.among([scope]), limit=limit)
        return DiscoveryOut.of(await opened.skilled.discovery.discover(sought))

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "name", "category", "similarity", "success")
    for hit in found.items:
        cosine = "" if hit.similarity is None else f"{hit.similarity:.2f}"
        name = escape(hit.untrusted["name"])
        table.add_row(hit.id, name, hit.category, cosine, f"{hit.success:.2f}")
    console.print(table)


def context(
    scope: Scope,
    skill: Annotated[str, typer.Argument(help="Id of a skill.")],
    tokens: Annotated[int, typer.Option(min=100, max=100_000)] = TOKENS,
    as_json: AsJson = False,
) -> None:
    """A skill with what one should know to use it."""

    async def work(opened: Parts, caller: Caller) -> SkillContextOut:
        found = await opened.skilled.enrichment.context(caller, skill, tokens)
        return SkillContextOut.of(found)

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    console.print(found.untrusted["text"], markup=False, highlight=False)


def status(
    scope: Scope,
    skill: Annotated[str, typer.Argument(help="Id of a skill.")],
    state: Annotated[str, typer.Argument(help="draft, active, deprecated or archived.")],
    as_json: AsJson = False,
) -> None:
    """Move a skill on in its life."""
    named = word(Status, state, "status")

    async def work(opened: Parts, caller: Caller) -> SkillOut:
        return SkillOut.of(await opened.skilled.skills.set_status(caller, skill, named))

    _told(run_in(scope, work), as_json)


def conflicts(
    scope: Scope,
    everything: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    as_json: AsJson = False,
) -> None:
    """What is wrong among the skills of a scope, the weightiest first."""

    async def work(opened: Parts, caller: Caller) -> list[ConflictOut]:
        listed = Listed(caller.among([scope]), open_only=not everything, limit=MOST)
        rows = await opened.skilled.conflicts.page(listed)
        return sorted((ConflictOut.of(row) for row in rows), key=lambda c: -c.priority)

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "finding", "severity", "status", "priority", "skills")
    for each in found:
        names = escape(", ".join(each.untrusted["names"]))
        told = (each.id, each.finding, each.severity, each.status)
        table.add_row(*told, f"{each.priority:.2f}", names)
    console.print(table)


def decide(
    scope: Scope,
    conflict: Annotated[str, typer.Argument(help="Id of a conflict.")],
    state: Annotated[str, typer.Argument(help="acknowledged, resolved or dismissed.")],
    note: Annotated[str, typer.Option("--note", help="Why.")] = "",
    as_json: AsJson = False,
) -> None:
    """Acknowledge, resolve or dismiss a conflict."""
    named = word(ConflictStatus, state, "status")

    async def work(opened: Parts, caller: Caller) -> ConflictOut:
        return ConflictOut.of(await opened.skilled.conflicts.decide(caller, conflict, named, note))

    _told(run_in(scope, work), as_json)


def proposals(
    scope: Scope,
    state: Annotated[str | None, typer.Option("--status", help="Only of this status.")] = None,
    as_json: AsJson = False,
) -> None:
    """Skills that somebody proposes."""
    named = state and word(ProposalStatus, state, "status")

    async def work(opened: Parts, caller: Caller) -> list[ProposalOut]:
        rows = await opened.skilled.proposals.page(caller.among([scope]), named, "", MOST)
        return [ProposalOut.of(row) for row in rows]

    found = run_in(scope, work)
    if as_json:
        print_json(found)
        return
    table = listing("id", "name", "status", "origin", "confidence", "overlap")
    for each in found:
        name = escape(each.untrusted["name"])
        sure = f"{each.confidence:.2f}"
        table.add_row(each.id, name, each.status, each.origin, sure, each.overlap_label)
    console.print(table)


def move(
    scope: Scope,
    proposal: Annotated[str, typer.Argument(help="Id of a proposal.")],
    state: Annotated[str, typer.Argument(help="The next step, such as approved or created.")],
    note: Annotated[str, typer.Option("--note", help="Why.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take the next step of a proposal; `created` makes the skill."""
    named = word(ProposalStatus, state, "status")

    async def work(opened: Parts, caller: Caller) -> ProposalOut:
        return ProposalOut.of(await opened.skilled.proposals.move(caller, proposal, named, note))

    _told(run_in(scope, work), as_json)


def health(scope: Scope, as_json: AsJson = False) -> None:
    """How the skill graph of a scope is, 0 to 100."""

    async def work(opened: Parts, caller: Caller) -> dict[str, Any]:
        found = await opened.skilled.condition.checkup(caller, scope)
        return {
            "score": found.health.score,
            "grade": found.health.grade,
            "skills": found.vitals.skills,
            "open_conflicts": found.open_conflicts,
        }

    _told(run_in(scope, work), as_json)


def chore(
    scope: Scope,
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(Chore)}.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Do one chore of the schedule in a scope."""
    named = word(Chore, name, "chore")

    async def work(opened: Parts, caller: Caller) -> ChoreOut:
        return ChoreOut.of(await opened.skilled.chores.run(caller, named, scope, dry_run=dry_run))

    _told(run_in(scope, work), as_json)


def _told(value: Any, as_json: bool) -> None:
    if as_json:
        print_json(value)
        return
    fields = (
        value
        if isinstance(value, dict)
        else {name: getattr(value, name) for name in value.__struct_fields__ if name != "untrusted"}
    )
    for name, shown in fields.items():
        console.print(f"{name}: {shown}", soft_wrap=True, highlight=False, markup=False)
