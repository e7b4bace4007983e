"""`loci schedules`: what runs by itself for every tenant, and running it now."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from app.cli.key_commands import AsJson, show, with_parts
from app.cli.later import later
from app.errors import InvalidInput, NotFound

with later():
    from app.jobs.runner import run_now
    from app.kernel.ids import new_id
    from app.tasks import DRY_RUNS, SCHEDULES
    from app.wiring import Parts


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="What runs by itself, for every tenant.", no_args_is_help=True)
    group.command("run")(run)
    cli.add_typer(group, name="schedules")


def run(
    name: Annotated[str, typer.Argument(help="Name of the schedule, such as audit.seal.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell in the job's result what it would do.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a schedule now, besides its times; a worker takes it up."""
    schedule = next((s for s in SCHEDULES if s.name == name), None)
    if schedule is None:
        raise NotFound(f"there is no schedule {name}")
    if dry_run and schedule.task not in DRY_RUNS:
        raise InvalidInput(f"{name} has no dry run; these have: {', '.join(sorted(DRY_RUNS))}")

    async def work(opened: Parts) -> dict[str, Any]:
        job = await run_now(opened.runner, schedule, f"{name}:{new_id()}", dry_run=dry_run)
        return {"schedule": name, "job": job.id, "state": job.state}

    show(with_parts(work), as_json)
