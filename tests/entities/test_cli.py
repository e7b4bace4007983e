"""`loci entity` over a real graph."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from app.wiring import Parts
from tests.conftest import Command, Principal
from tests.entities.test_repair import a_scope

Invoke = Callable[..., Awaitable[str]]


@pytest.fixture
def loci(command: Command) -> Invoke:
    """What `loci entity` prints; it must succeed."""

    async def invoke(*arguments: str) -> str:
        result = await command("entity", *arguments)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    return invoke


async def test_merges_from_the_command_line(opened: Parts, writer: Principal, loci: Invoke) -> None:
    ids = await a_scope(opened, writer)
    scope = writer.caller.home
    assert "3 proposed" in await loci("repair", scope)
    listed = json.loads(await loci("merges", scope, "--status", "pending", "--json"))
    railway = next(m for m in listed if m["evidence"]["likeness"] == ["abbreviation"])
    assert "accepted" in await loci("merge", scope, railway["id"])
    (found,) = json.loads(await loci("find", scope, "db", "--json"))
    assert found["aliases"] == ["DB", "Deutsche Bahn"]
    assert "undone" in await loci("unmerge", scope, railway["id"])
    (found,) = json.loads(await loci("find", scope, "db", "--json"))
    assert found["aliases"] == ["DB"]
    other = next(m for m in listed if m["evidence"]["likeness"] == ["name"])
    assert "rejected" in await loci("reject", scope, other["id"])
    pair = (ids["Acme/organization"], ids["Acme Polaris/organization"])
    told = await loci("merge", scope, *pair, "--reason", "one firm")
    assert "Acme and Acme Polaris are accepted" in told or (
        "Acme Polaris and Acme are accepted" in told
    )
