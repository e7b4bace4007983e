"""Events reach who sees their scope, once, in order, and go on where a client left off."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.events.conftest import stream


async def say(who: Principal, content: str, session: str = "s") -> str:
    body = {"content": content, "session": session}
    answer = await who.http.post("/v1/episodes", json=body)
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def test_a_capture_and_what_it_comes_to_are_told(
    opened: Parts, writer: Principal, address: str
) -> None:
    scope = writer.caller.home
    async with stream(address, writer) as reader:
        said = await say(writer, "Odalys Verhoeven lives in Ghent.")
        event = await reader.until("capture")
        assert (event["target"], event["scope"]) == (said, scope)
        assert event["actor"] == writer.caller.principal
        await opened.consolidation.consolidate(scope)
        opened_now = await reader.until("fact.opened")
        fact = opened_now["target"]
        assert opened_now["facts"] == [fact]
        held = await writer.http.get(f"/v1/facts/{fact}")
        assert held.json()["predicate"] == "lives_in", held.text
        await say(writer, "Odalys Verhoeven moved to Bruges.", "t")
        await opened.consolidation.consolidate(scope)
        wanted, told = {"capture", "fact.ended", "fact.opened", "fact.supersede"}, []
        while not wanted <= {event["event"] for event in told}:
            assert len(told) < 8, told
            told.append(await reader.next())


async def test_a_client_that_comes_back_misses_nothing_and_sees_nothing_twice(
    writer: Principal, address: str
) -> None:
    async with stream(address, writer, kinds="capture") as reader:
        first = [await say(writer, f"Turn {n} of the talk.") for n in range(3)]
        assert [(await reader.next())["target"] for _ in first] == first
        last = reader.last
    away = [await say(writer, f"Turn {n} of the talk.") for n in range(3, 30)]
    async with stream(address, writer, last, kinds="capture") as reader:
        later = [await say(writer, f"Turn {n} of the talk.") for n in range(30, 35)]
        seen = [(await reader.next())["target"] for _ in range(len(away) + len(later))]
    assert seen == away + later
    async with stream(address, writer, last, kinds="capture") as reader:
        assert (await reader.next())["target"] == away[0], "an event is told again on request"


async def test_a_look_that_fails_ends_no_stream(
    opened: Parts, writer: Principal, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = asyncio.Event()
    after = opened.events.rows.after

    async def once(*given: Any) -> Any:
        if not failed.is_set():
            failed.set()
            raise ValueError("what nobody has thought of")
        return await after(*given)

    async with stream(address, writer, kinds="capture") as reader:
        first = await say(writer, "The sluice keeper greases the first wheel.")
        assert (await reader.next())["target"] == first
        monkeypatch.setattr(opened.events.rows, "after", once)
        second = await say(writer, "The sluice keeper greases the second wheel.")
        assert (await reader.next())["target"] == second
        assert failed.is_set()


async def test_writers_at_once_lose_no_event(writer: Principal, address: str) -> None:
    async with stream(address, writer, kinds="capture") as reader:

        async def talk(session: int) -> list[str]:
            return [await say(writer, f"Turn {n}, {session}.", f"s{session}") for n in range(10)]

        said = await asyncio.gather(*(talk(n) for n in range(8)))
        seen = [(await reader.next())["target"] for _ in range(80)]
    assert sorted(seen) == sorted(i for ids in said for i in ids)


async def test_nobody_hears_of_a_scope_that_he_does_not_see(
    writer: Principal, admin: Principal, principal: MakePrincipal, tenant: str, address: str
) -> None:
    other = await principal(f"{tenant}/aside", name="aside")
    foreign = await principal(f"{tenant}x/dev", name="foreign")
    async with (
        stream(address, writer) as mine,
        stream(address, other) as beside,
        stream(address, foreign) as abroad,
        stream(address, admin) as above,
    ):
        ids = {who.key: await say(who, "A word.") for who in (writer, other, foreign)}
        for who, reader in ((writer, mine), (other, beside), (foreign, abroad)):
            assert (await reader.until("capture"))["target"] == ids[who.key]
        seen = {(await above.until("capture"))["target"] for _ in range(2)}
        assert seen == {ids[writer.key], ids[other.key]}
        for who, reader in ((writer, mine), (other, beside), (foreign, abroad)):
            again = await say(who, "Another word.")
            assert (await reader.until("capture"))["target"] == again, "nothing else came between"


async def test_a_private_pool_is_told_to_its_owner_alone(
    writer: Principal, principal: MakePrincipal, tenant: str, address: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    for pool, kind in (("own", "agent_private"), ("all", "shared")):
        body = {
            "pool_id": pool,
            "name": pool,
            "type": kind,
            "access_control": {"public": kind == "shared"},
        }
        answer = await writer.http.post("/v1/pools", json=body)
        assert answer.status_code == 201, answer.text
    async with stream(address, writer) as mine, stream(address, other) as theirs:
        for pool in ("own", "all"):
            url = f"/v1/pools/{pool}/data"
            put = await writer.http.put(url, json={"value": 1}, params={"path": "a"})
            assert put.status_code == 200, put.text
        told = [await mine.until("memory_pool_key_write") for _ in range(2)]
        assert len({event["target"] for event in told}) == 2
        assert (await theirs.next())["target"] == told[1]["target"]


async def test_scopes_and_kinds_may_be_chosen(
    admin: Principal, writer: Principal, address: str
) -> None:
    home = writer.caller.home
    async with stream(address, admin, scopes=home, kinds="note") as reader:
        await say(writer, "A word.")
        body = {"content": "Deploys go out on Tuesdays.", "namespace": "knowledge"}
        for scope in (admin.caller.home, home):
            answer = await admin.http.post("/v1/notes", json={**body, "scope": scope})
            assert answer.status_code == 201, answer.text
        event = await reader.next()
        assert (event["event"], event["scope"]) == ("note.write", home)


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ({"after": "yesterday"}, 422, "after"),
        ({"after": "1"}, 422, "after"),
        ({"scopes": "nowhere/at/all"}, 404, None),
        ({"kind": "capture"}, 422, None),
    ],
)
async def test_bad_requests_are_told(
    writer: Principal, query: dict[str, str], status: int, field: str | None
) -> None:
    answer = await writer.http.get("/v1/events", params=query)
    assert answer.status_code == status, answer.text
    if field:
        assert field in answer.text


async def test_a_stream_ends_with_its_key(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.events.service.HEARTBEAT", 0.3)
    (row,) = await opened.graph.raw(
        "MATCH (k:ApiKey)-[:KEY_OF]->(p {id: $p}) RETURN k.id AS id", p=writer.caller.principal
    )
    async with stream(address, writer) as reader:
        gone = await admin.http.delete(f"/v1/keys/{row['id']}")
        assert gone.status_code in (200, 204), gone.text
        with pytest.raises((httpx.HTTPError, KeyError)):
            await reader.next()


async def test_a_stream_ends_after_a_while(writer: Principal) -> None:
    answer = await writer.http.get("/v1/events")
    assert (answer.status_code, answer.text.partition("\n")[0]) == (200, "retry: 1000")


async def test_a_client_is_told_where_events_were_dropped_that_it_has_not_seen(
    opened: Parts, writer: Principal, address: str
) -> None:
    async with stream(address, writer, kinds="fact") as reader:
        await say(writer, "Ingeborg Thalmann lives in Graz.")
        await opened.consolidation.consolidate(writer.caller.home)
        await reader.until("fact.opened")
        last = reader.last
    async with stream(address, writer, last, kinds="capture") as reader:
        said = await say(writer, "A word.", "t")
        assert (await reader.next())["target"] == said, "nothing was dropped"
    await opened.graph.raw(
        "MATCH (e:FeedEvent {tenant: $tenant}) DELETE e", tenant=writer.caller.tenant
    )
    async with stream(address, writer, "0.0", kinds="capture") as reader:
        assert (await reader.next())["event"] == "gap"
        assert (await reader.next())["event"] == "capture", "what the trail holds comes after it"


async def test_a_process_has_so_many_streams_and_no_more(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.events, "listening", 200)
    answer = await writer.http.get("/v1/events")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
