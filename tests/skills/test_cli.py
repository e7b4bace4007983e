"""`loci skill` over a real graph."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from click.testing import Result

from app.errors import LociError
from tests.conftest import Command, Principal
from tests.skills.test_skills import post, skill


@pytest.fixture
def loci(command: Command) -> Command:
    """Runs `loci skill`."""

    async def invoke(*arguments: str) -> Result:
        return await command("skill", *arguments)

    return invoke


def told(result: Result) -> Any:
    """What a command printed as JSON."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_skills_are_listed_found_and_retired(
    admin: Principal, loci: Command, drain: Callable[[], Awaitable[int]]
) -> None:
    scope = admin.caller.home
    one = await skill(admin, "Sweep [the] yard", body="With a broom.", description="Clean stones.")
    two = await skill(admin, "Sort the post", body="By street.", category="communication")
    await drain()
    table = await loci("list", scope)
    assert table.exit_code == 0
    assert "Sweep" in table.stdout
    assert "[the]" in table.stdout, "a name is no markup"
    (only,) = told(await loci("list", scope, "--category", "communication", "--json"))
    assert only["id"] == two
    found = told(await loci("discover", scope, "sweep the yard", "--limit", "1", "--json"))
    assert [hit["id"] for hit in found["items"]] == [one]
    shown = await loci("context", scope, one)
    assert "With a broom." in shown.stdout
    assert told(await loci("status", scope, one, "deprecated", "--json"))["status"] == "deprecated"
    assert told(await loci("list", scope, "--status", "active", "--json"))[0]["id"] == two
    assert told(await loci("health", scope, "--json"))["skills"] == 1


async def test_conflicts_and_proposals_are_decided(
    admin: Principal, loci: Command, drain: Callable[[], Awaitable[int]]
) -> None:
    scope = admin.caller.home
    for name in ("Wash the windows", "Wash all the windows"):
        await skill(admin, name, body="Water, soap, a cloth, and a dry one after it.")
    await drain()
    dry = told(await loci("chore", scope, "conflict-scan", "--dry-run", "--json"))
    assert told(await loci("conflicts", scope, "--json")) == []
    done = told(await loci("chore", scope, "conflict-scan", "--json"))
    assert (dry["dry_run"], done["dry_run"]) == (True, False)
    listed = told(await loci("conflicts", scope, "--json"))
    assert listed
    for conflict in listed:
        decided = await loci("decide", scope, conflict["id"], "dismissed", "--note", "on purpose")
        assert "status: dismissed" in decided.stdout
    assert told(await loci("conflicts", scope, "--json")) == []
    assert len(told(await loci("conflicts", scope, "--all", "--json"))) == len(listed)

    made = await post(admin, "/v1/skill-proposals", name="Feed the cat", category="operations")
    for step in ("submitted", "approved", "created"):
        moved = await loci("move", scope, made["id"], step)
        assert f"status: {step}" in moved.stdout
    (kept,) = told(await loci("proposals", scope, "--status", "created", "--json"))
    assert kept["untrusted"]["name"] == "Feed the cat"
    assert kept["skill"] in {s["id"] for s in told(await loci("list", scope, "--json"))}


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        (("list", "{scope}", "--category", "sales"), "InvalidInput", "category"),
        (("status", "{scope}", "nobody", "asleep"), "InvalidInput", "status"),
        (("decide", "{scope}", "nobody", "forgiven"), "InvalidInput", "status"),
        (("chore", "{scope}", "dishes"), "InvalidInput", "chore"),
        (("context", "{scope}", "nobody"), "NotFound", None),
    ],
)
async def test_what_is_wrong_is_said_and_nothing_is_done(
    admin: Principal, loci: Command, arguments: tuple[str, ...], code: str, field: str | None
) -> None:
    refused = await loci(*(part.format(scope=admin.caller.home) for part in arguments))
    assert refused.exit_code != 0
    assert isinstance(refused.exception, LociError)  # which the program says in one line
    assert (refused.exception.code, refused.exception.field) == (code, field)
