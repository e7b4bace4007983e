"""Tasks that turns begin and end: by their words, by silence, once however often they are told."""

from __future__ import annotations

import asyncio
import contextlib
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.autonomy.receipt import Receipt
from app.cli.transfer import store_of
from app.kernel.graph import Tx
from app.learning.following import Following, Said
from app.learning.model import Segment
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.learning.conftest import begin, end, run, told

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
IDLE = timedelta(minutes=30)
FIX, CSS = "Fix the login form of the portal.", "Now translate the imprint into French."


def folded(*said: tuple[str, str] | tuple[str, str, int], began: int = 0) -> list[tuple[str, str]]:
    """What becomes of some messages, a minute apart or more: each task with how it ended."""
    following, at, messages = Following(_begun, IDLE), START, []
    for seq, one in enumerate(said, 1):
        at += timedelta(minutes=one[2] if len(one) == 3 else 1)
        messages.append(Said(seq, f"e{seq}", one[0], one[1], at))
    following.take(messages, began)
    done = [(one.task, str(one.evidence.continuation)) for one, _ in following.ended]
    return [*done, (following.open.task, "open")] if following.open else done


def _begun(said: Said, words: str) -> Segment:
    return Segment(
        id=said.episode, scope="t/dev", task=words, session_key="talk", agent="agent:t:a",
        turn=said.episode, started_at=said.at, changed_at=said.at,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "tasks"),
    [
        ([], []),
        ([("user", "Hi!"), ("user", "ok")], []),
        ([("assistant", "Done, all tests pass.")], []),
        ([("user", FIX)], [(FIX, "open")]),
        ([("user", FIX), ("assistant", "Done."), ("user", "Thanks!")], [(FIX, "thanks")]),
        ([("user", FIX), ("user", "That is wrong.")], [(FIX, "open")]),
        ([("user", FIX), ("user", CSS)], [(FIX, "new_task"), (CSS, "open")]),
        ([("user", FIX), ("user", f"Thanks! {CSS}")], [(FIX, "thanks"), (CSS, "open")]),
        ([("user", FIX), ("user", "Add the footer too.", 31)],
         [(FIX, "None"), ("Add the footer too.", "open")]),
        ([("user", FIX), ("user", "Add the footer too.", 30)], [(FIX, "open")]),
        ([("user", FIX), ("assistant", "It works.", 45)], [(FIX, "None")]),
        ([("user", FIX), ("user", "danke"), ("user", "danke")], [(FIX, "thanks")]),
    ],
)  # fmt: skip
def test_what_is_said_begins_and_ends_tasks(said: list[Any], tasks: list[Any]) -> None:
    assert folded(*said) == tasks


def test_a_conversation_that_begins_anew_ends_the_task() -> None:
    said = [("user", FIX), ("user", "The portal has a second form.")]
    assert folded(*said, began=1) == [(FIX, "None"), ("The portal has a second form.", "open")]
    assert folded(*said, began=0) == [(FIX, "open")]


async def turn(who: Principal, *said: str, **more: Any) -> Any:
    """Hand in messages, user and assistant by turns."""
    roles = ("user", "assistant")
    messages = [{"content": text, "role": roles[n % 2]} for n, text in enumerate(said)]
    body = {"session": "portal", "messages": messages, "limit": 0, **more}
    return await told(await who.http.post("/v1/turns", json=body))


async def listed(who: Principal, **query: Any) -> list[dict[str, Any]]:
    answer = await who.http.get("/v1/segments", params=query)
    items: list[dict[str, Any]] = (await told(answer))["items"]
    return items


def tasks_of(items: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    return [(one["untrusted"]["task"], one["state"], one["label"]) for one in items]


async def test_turns_begin_and_end_a_task_once(
    admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await turn(writer, FIX, "Fixed, all tests pass.")
    would = await run(admin, "segments/follow", scope, dry_run=True)
    assert len(would["ids"]) == 1
    assert await listed(writer) == []
    first = await run(admin, "segments/follow", scope)
    assert first["ids"] == would["ids"]
    assert tasks_of(await listed(writer)) == [(FIX, "open", None)]
    # told again, and followed again: nothing new
    await turn(writer, FIX, "Fixed, all tests pass.")
    assert (await run(admin, "segments/follow", scope))["ids"] == []
    await turn(writer, "Thanks, perfect!")
    ended = await run(admin, "segments/follow", scope)
    assert ended["ids"] == first["ids"]
    (one,) = await listed(writer)
    assert (one["state"], one["label"], one["agent"]) == (
        "ended",
        "resolved",
        writer.caller.principal,
    )
    assert one["evidence"]["continuation"] == "thanks"
    assert (one["evidence"]["turns"], one["evidence"]["assessment"]) == (1, "done")
    assert one["started_at"] < one["ended_at"]
    for _ in range(2):
        assert (await run(admin, "segments/follow", scope))["ids"] == []


async def test_a_message_that_left_and_is_sent_again_begins_nothing(
    admin: Principal, writer: Principal, tenant: str
) -> None:
    settings = {"conversations": {"messages": 1}}
    where = {"scope": f"{tenant}/dev"}
    await told(await admin.http.patch("/v1/scopes/settings", params=where, json=settings))
    await turn(writer, FIX)
    await turn(writer, "Thanks!")
    await run(admin, "segments/follow", where["scope"])
    await turn(writer, FIX)
    await run(admin, "segments/follow", where["scope"])
    assert [one[1] for one in tasks_of(await listed(writer))] == ["ended"]


async def test_what_a_client_began_is_the_clients(
    admin: Principal, writer: Principal, tenant: str
) -> None:
    mine = await begin(writer, "Repair the portal.", session="portal")
    await turn(writer, FIX)
    await turn(writer, "Thanks!")
    assert (await run(admin, "segments/follow", f"{tenant}/dev"))["ids"] == []
    assert [one["state"] for one in await listed(writer)] == ["open"]
    assert (await end(writer, mine["id"]))["evidence"]["continuation"] is not None


async def test_a_scope_may_switch_it_off(admin: Principal, writer: Principal, tenant: str) -> None:
    where = {"scope": f"{tenant}/dev"}
    off = {"learning": {"turns": False}}
    await told(await admin.http.patch("/v1/scopes/settings", params=where, json=off))
    await turn(writer, FIX)
    assert (await run(admin, "segments/follow", where["scope"]))["ids"] == []


async def test_the_outcome_of_a_task_is_the_skills(
    admin: Principal, writer: Principal, tenant: str
) -> None:
    body = {"name": "portal-repair", "description": "Repair forms of the portal.",
            "body": "Look at the form first.", "category": "debugging"}  # fmt: skip
    skill_id = (await told(await writer.http.post("/v1/skills", json=body), 201))["id"]
    await turn(writer, FIX)
    used = await writer.http.post(f"/v1/skills/{skill_id}/outcomes", json={"success": True})
    assert used.is_success, used.text
    await turn(writer, "Thanks!")
    await run(admin, "segments/follow", f"{tenant}/dev")
    (one,) = await listed(writer)
    whole = await told(await admin.http.get(f"/v1/segments/{one['id']}"))
    assert [(use["memory"], use["kind"]) for use in whole["used"]] == [(skill_id, "skill")]


async def test_isolation_and_two_runs_at_once(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/ops", name="opsy")
    await asyncio.gather(turn(writer, FIX), turn(other, "Order new printers for the office."))
    scopes = [f"{tenant}/dev", f"{tenant}/ops"]
    runs = [opened.following.run(scopes, Receipt(dry_run=False)) for _ in range(3)]
    done = await asyncio.gather(*runs)
    assert sum(len(one.ids) for one in done) == 2
    assert len(await listed(writer)) == len(await listed(other)) == 1


async def test_a_run_that_is_killed_leaves_all_or_nothing(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, dice = f"{tenant}/dev", random.Random(5)
    await turn(writer, FIX, "Done.", CSS)
    rows, left = Tx.rows, [0]

    async def dying(self: Tx, *given: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("killed")
        return await rows(self, *given, **more)

    for _ in range(6):
        left[0] = dice.randrange(1, 12)
        monkeypatch.setattr(Tx, "rows", dying)
        with contextlib.suppress(RuntimeError):
            await opened.following.run([scope], Receipt(dry_run=False))
        monkeypatch.setattr(Tx, "rows", rows)
    await run(admin, "segments/follow", scope)
    assert [one[:2] for one in tasks_of(await listed(writer))] == [(CSS, "open"), (FIX, "ended")]


async def test_tasks_of_turns_travel_and_go_with_their_words(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, tmp_path: Any
) -> None:
    scope = f"{tenant}/dev"
    done = await turn(writer, FIX)
    await run(admin, "segments/follow", scope)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=scope,
    )

    async def untold(*_: Any) -> None:
        """Tells nobody."""

    await import_attended(store_of(opened), Order(tmp_path / "out"), untold)
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert (await run(admin, "segments/follow", scope))["ids"] == []
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True})
    (receipt,) = done["receipts"]
    erased = await told(await admin.http.post("/v1/erasures", json={"memory": receipt["id"]}))
    if erased["job"]:
        assert await opened.runner.run(opened, erased["job"]) == "done"
    assert await listed(writer) == []
    assert await broken(opened.graph, tenant) == []


async def test_a_long_name_is_followed_and_keeps_nobody_from_it(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    for name in ("n" * 400, "short"):
        body = {"messages": [{"role": "user", "content": FIX}], "scope": scope}
        await told(await writer.http.post(f"/v1/conversations/{name}/messages", json=body), 201)
    assert len((await run(admin, "segments/follow", scope))["ids"]) == 2
    # What is stored and fits no longer: the others are followed all the same.
    await opened.graph.raw(
        "MATCH (c:Conversation {agent: $agent, conversation: 'short'}) SET c.followed = 0, "
        "c.said = c.said + 1, c.conversation = $far",
        agent=writer.caller.principal,
        far="n" * 401,
    )
    await turn(writer, CSS)
    assert len((await run(admin, "segments/follow", scope))["ids"]) == 1
