"""`loci consolidate`, `loci facts` and `loci quarantine` over a real graph."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from app.errors import InvalidInput
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.wiring import Parts
from tests.conftest import Command, MakePrincipal, Principal
from tests.facts.conftest import Remember

Invoke = Callable[..., Awaitable[str]]


@pytest.fixture
def loci(command: Command) -> Invoke:
    """What `loci` prints; it must succeed."""

    async def invoke(*arguments: str) -> str:
        result = await command(*arguments)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    return invoke


async def test_what_was_said_is_consolidated_and_read_again(
    opened: Parts, writer: Principal, loci: Invoke
) -> None:
    scope = writer.caller.home
    for content in ("I live in Bremen.", "I have moved from Bremen to Oldenburg."):
        body = {"content": content, "session": "s", "role": "user", "speaker": "Ilse"}
        await writer.http.post("/v1/episodes", json=body)
    told = json.loads(await loci("consolidate", "--scope", scope, "--json"))
    assert (told["again"], told["episodes"], told["failed"]) == (0, 2, 0)
    assert told["facts"] >= 2
    (held,) = [f for f in json.loads(await loci("facts", scope, "ilse", "--json")) if held_now(f)]
    assert held["untrusted"]["object"] == "Oldenburg"
    assert "Oldenburg" in await loci("facts", scope, "Ilse")
    before = json.loads(await loci("facts", scope, "Ilse", "--known-at", "2026-01-01", "--json"))
    assert before == []
    again = json.loads(await loci("consolidate", "--scope", scope, "--again", "all", "--json"))
    assert (again["again"], again["opened"], again["retracted"]) == (2, 0, 0)
    assert "0 episodes" in await loci("consolidate", "--scope", scope)
    state = (await writer.http.get("/v1/status")).json()["consolidation"]
    assert state == {"raw": 0, "in_progress": 0, "failed": 0, "consolidated": 4, "restoring": 0}


async def test_a_scope_that_a_killed_restore_holds_is_seen_and_let_go(
    opened: Parts, writer: Principal, loci: Invoke
) -> None:
    scope = writer.caller.home
    for content in ("I live in Bremen.", "I play chess."):
        body = {"content": content, "session": "s", "role": "user", "speaker": "Ilse"}
        await writer.http.post("/v1/episodes", json=body)
    # What a restore leaves that was killed before the facts came: its hold, and an episode that
    # counts as read.
    await opened.graph.rows(
        Q.restoring.hold_cursors,
        rows=[{"line": 1, "scope": scope, "properties": {"scope": scope, "tenant": "t"}}],
        run="run-1",
        until=now() + timedelta(days=1),
    )
    await opened.graph.raw(
        "MATCH (e:Episode {scope: $s}) WHERE e.content CONTAINS 'chess' "
        "SET e.consolidation_state = 'consolidated'",
        s=scope,
    )
    assert json.loads(await loci("consolidate", "--scope", scope, "--json"))["episodes"] == 0
    (told,) = [
        row
        for row in (await writer.http.get("/v1/consolidation")).json()["scopes"]
        if row["scope"] == scope
    ]
    assert told["restoring"]["run"] == "run-1"
    assert (await writer.http.get("/v1/status")).json()["consolidation"]["restoring"] == 1
    done = json.loads(await loci("consolidate", "--scope", scope, "--release", "--json"))
    assert (done["again"], done["episodes"], done["failed"]) == (1, 2, 0)
    rows = (await writer.http.get("/v1/consolidation")).json()["scopes"]
    assert all(row["restoring"] is None for row in rows)
    events = await opened.graph.raw(
        "MATCH (a:AuditEvent {kind: 'restore.release', scope: $s}) RETURN a.id AS id", s=scope
    )
    assert len(events) == 1
    again = json.loads(await loci("consolidate", "--scope", scope, "--release", "--json"))
    assert (again["again"], again["episodes"]) == (0, 0)


def held_now(fact: dict[str, object]) -> bool:
    return fact["predicate"] == "lives_in" and not fact["negated"]


async def test_a_doubtful_fact_is_decided_on_the_command_line(
    principal: MakePrincipal, tenant: str, remember: Remember, loci: Invoke, command: Command
) -> None:
    scope = f"{tenant}/dev"
    ada = await principal(scope, name="ada", kind="user", role=Role.WRITER)
    bob = await principal(scope, name="bob", kind="user", role=Role.WRITER)
    await remember("Heron", "status", "active", by=ada, type="project", scope=scope)
    said = await remember("Heron", "status", "completed", by=bob, type="project", scope=scope)
    (doubted,) = said["quarantined"]
    (row,) = json.loads(await loci("quarantine", "list", scope, "--json"))
    assert (row["fact"]["id"], row["reasons"]) == (doubted, ["other_principal"])
    assert row["against"][0]["untrusted"]["object"] == "active"
    assert "other_principal" in await loci("quarantine", "list", scope)
    told = await loci("quarantine", "accept", scope, doubted, "--note", "It shipped.")
    assert f"{doubted} is active" in told
    undone = json.loads(await loci("quarantine", "undo", scope, doubted, "--json"))
    assert undone["status"] == "quarantined"
    assert "is quarantined" in await loci("quarantine", "reject", scope, doubted)
    held = row["against"][0]["id"]
    times = ("--from", "2026-05-01", "--other-from", "2026-01-01")
    asked = ("quarantine", "keep-both", scope, doubted, held, *times, "--other-to")
    refused = await command(*asked, "2025-12-31")
    assert refused.exit_code != 0
    assert isinstance(refused.exception, InvalidInput)
    told = await loci(*asked, "2026-05-01")
    assert f"{doubted} is active" in told
    then = json.loads(await loci("facts", scope, "Heron", "--as-of", "2026-02-01", "--json"))
    assert [f["untrusted"]["object"] for f in then if f["predicate"] == "status"] == ["active"]
    since = json.loads(await loci("facts", scope, "Heron", "--as-of", "2026-06-01", "--json"))
    assert [f["untrusted"]["object"] for f in since if f["predicate"] == "status"] == ["completed"]
