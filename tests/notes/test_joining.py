"""Notes that say the same become one while their agent is idle; nothing is deleted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.kernel.clock import now
from app.lifecycle.invariants import broken
from app.notes import joining
from app.notes.joining import ALIKE, JoinReceipt, Joint, joints
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

START = datetime(2026, 3, 2, tzinfo=UTC)


def note(name: str, content: str, day: int = 0, **more: Any) -> dict[str, Any]:
    """A note as the pure function sees it."""
    at = START + timedelta(days=day)
    return {
        "id": name, "content": content, "language": "en", "confirmations": 0, "valid_from": at,
        **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("notes", "found"),
    [
        ([], []),
        ([note("a", "The gate is green.")], []),
        ([note("a", "The gate is green.", 1), note("b", "Gate is green!")], [Joint("a", "b")]),
        ([note("a", "The gate is green."), note("b", "The gate is not green.")], []),
        ([note("a", "The upper gate is green."), note("b", "The lower gate is green.")], []),
        (
            [note("a", "The gate is green."), note("b", "The gate is green", 3, confirmations=2)],
            [Joint("a", "b")],
        ),
        (
            [note(name, "The gate is green.", n) for n, name in enumerate("abc")],
            [Joint("b", "a"), Joint("c", "a")],
        ),
    ],
)
def test_twins_become_one(notes: list[dict[str, Any]], found: list[Joint]) -> None:
    assert joints(notes) == found
    assert joints(notes[::-1]) == found


def test_many_alike_are_looked_at_only_so_far() -> None:
    notes = [note(f"{n:03}", "The gate is green.", n) for n in range(ALIKE + 10)]
    assert joints(notes) == [Joint(f"{n:03}", "000") for n in range(1, ALIKE)]


async def write(who: Principal, content: str, namespace: str = "methods", **more: Any) -> str:
    """Write a note; its id."""
    body = {"content": content, "namespace": namespace, **more}
    answer = await who.http.post("/v1/notes", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def joined(opened: Parts, tenant: str, *, dry_run: bool = False) -> JoinReceipt:
    """Join the notes of the tenant."""
    return await opened.joining.run([f"{tenant}/dev"], dry_run=dry_run)


async def held(who: Principal) -> list[str]:
    """The ids of the notes that hold."""
    answer = await who.http.get("/v1/notes", params={"limit": 100})
    return sorted(item["id"] for item in answer.json()["items"])


async def twins(opened: Parts, who: Principal) -> list[str]:
    """Notes of which two say the same with other articles, as an import or an older version leaves
    them: what is written now is held against what is there."""
    ids = [
        await write(who, "The lift raises the gate of the yard."),
        await write(who, "Paint the crane before winter."),
        await write(who, "Never stand below the crane."),
    ]
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) SET n.content = 'Lift raises gate of yard!' RETURN n.id AS id",
        id=ids[1],
    )
    return ids


async def test_twins_are_joined_once_and_stay_readable(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    kept, gone, other = await twins(opened, writer)
    preview = await joined(opened, tenant, dry_run=True)
    assert (preview.joined, await held(writer)) == (1, sorted([kept, gone, other]))
    receipt = await joined(opened, tenant)
    assert (receipt.shelves, receipt.joined, receipt.busy) == (1, 1, 0)
    assert await held(writer) == sorted([kept, other])
    shown = (await writer.http.get(f"/v1/notes/{gone}")).json()
    assert (shown["standing"], shown["superseded_by"]) == ("superseded", [kept])
    again = await joined(opened, tenant)
    assert (again.shelves, again.joined) == (0, 0), "twice changes nothing"
    assert await held(writer) == sorted([kept, other])
    await write(writer, "Grease the hinge of the gate each month.")
    again = await joined(opened, tenant)
    assert (again.shelves, again.joined) == (1, 0)
    trail = await opened.graph.raw(
        "MATCH (a:AuditEvent {kind: 'note.join', scope: $scope}) RETURN count(a) AS n",
        scope=f"{tenant}/dev",
    )
    assert trail[0]["n"] == 1
    assert await broken(opened.graph, tenant) == []


async def test_of_twins_the_one_that_stays_has_the_higher_level(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    kept, gone, _ = await twins(opened, writer)
    answer = await writer.http.patch(f"/v1/notes/{gone}", json={"privacy": "restricted"})
    assert answer.status_code == 200, answer.text
    assert (await joined(opened, tenant)).joined == 1
    shown = (await writer.http.get(f"/v1/notes/{kept}")).json()
    assert shown["privacy"] == "restricted"


async def test_two_at_once_join_once(opened: Parts, writer: Principal, tenant: str) -> None:
    await twins(opened, writer)
    done = await asyncio.gather(*(joined(opened, tenant) for _ in range(3)))
    assert sum(one.joined for one in done) == 1
    assert len(await held(writer)) == 2


async def test_an_agent_that_talks_is_left_alone(
    opened: Parts, writer: Principal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await twins(opened, writer)
    message = {"content": "The gate is stuck.", "role": "user"}
    answer = await writer.http.post("/v1/conversations/gate/messages", json={"messages": [message]})
    assert answer.status_code == 201
    receipt = await joined(opened, tenant)
    assert (receipt.joined, receipt.busy) == (0, 1)
    assert len(await held(writer)) == 3
    later = now() + opened.joining.idle
    monkeypatch.setattr(joining, "now", lambda: later)
    assert (await joined(opened, tenant)).joined == 1


async def test_what_others_wrote_and_what_is_pinned_is_not_joined(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    _, gone, _ = await twins(opened, writer)
    await opened.graph.raw(
        "MATCH (n:Note {id: $id}) SET n.author = $who RETURN n.id AS id",
        id=gone, who=other.caller.principal,
    )  # fmt: skip
    assert (await joined(opened, tenant)).joined == 0
    assert len(await held(writer)) == 3


@pytest.mark.parametrize(
    "change",
    [
        "n.valid_from = datetime() + duration('P1D')",
        "n.valid_to = datetime() - duration('PT1S')",
        "n.expired_at = datetime() - duration('PT1S')",
        "n.is_pinned = true",
        "n.cited = 1",
    ],
)
@pytest.mark.parametrize("late", [False, True])
async def test_what_does_not_hold_or_goes_with_a_turn_is_not_joined(
    opened: Parts, writer: Principal, tenant: str, change: str, late: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    kept, *_ = await twins(opened, writer)

    async def meanwhile() -> None:
        query = f"MATCH (n:Note {{id: $id}}) SET {change} RETURN n.id AS id"
        await opened.graph.raw(query, id=kept)

    if late:  # after the notes were read, before they are joined
        read = opened.joining._busy

        async def busy(*args: Any) -> set[str]:
            await meanwhile()
            return await read(*args)

        monkeypatch.setattr(opened.joining, "_busy", busy)
    else:
        await meanwhile()
    assert (await joined(opened, tenant)).joined == 0


async def test_the_schedule_joins(opened: Parts, writer: Principal, tenant: str) -> None:
    await twins(opened, writer)
    job = await opened.runner.submit("notes.join", tenant=tenant, scope=tenant, args={})
    assert await opened.runner.run(opened, job.id) == "done"
    assert len(await held(writer)) == 2
