"""Conversations in packages, in erasures, and in the deletion of a scope."""

from __future__ import annotations

from pathlib import Path

import orjson

from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.conversations.conftest import (
    URL,
    append,
    buffer,
    clear,
    ids,
    judge,
    lines,
    search,
    told,
    verdicts,
    window,
)
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load

__all__ = ["load"]


async def filled(opened: Parts, who: Principal) -> dict[str, object]:
    """A conversation with a buffer, verdicts and something that waits; what is told of it."""
    await append(who, "talk", *lines(9), "ok", "danke dir")
    await judge(opened, who)
    await append(who, "talk", *lines(10, "barrel"), scope=None)
    await judge(opened, who)
    await append(who, "talk", *lines(2, "sack"))
    return await state(who)


async def state(who: Principal) -> dict[str, object]:
    """All that is told of a conversation."""
    return {
        "buffer": await buffer(who, "talk"),
        "window": await window(who, "talk"),
        "figures": await told(who, f"{URL}/talk"),
        "verdicts": await verdicts(who),
    }


async def test_a_package_brings_a_conversation_back(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    before = await filled(opened, writer)
    found = sorted(await search(writer, "crate barrel sack ok danke lamps"))
    chosen = await selection(opened.graph, tenant)
    digest = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert digest["records"]["conversation"] == 1
    assert digest["records"]["conversation_message"] == 23
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.tenant = $t DETACH DELETE n RETURN count(*) AS n", t=tenant
    )
    assert await buffer(writer, "talk") == []
    result = await load(tmp_path / "out")
    counts = {"accepted": 23, "duplicates": 0, "rejected": 0}
    assert result["kinds"]["conversation_message"] == counts
    assert (await digest_of(opened.graph, chosen))["digest"] == digest["digest"]
    assert await state(writer) == before
    assert sorted(await search(writer, "crate barrel sack ok danke lamps")) == found
    assert (await load(tmp_path / "out"))["kinds"]["conversation_message"]["duplicates"] == 23
    assert (await judge(opened, writer))["result"]["judged"] == 2, "what waited waits"
    assert await broken(opened.graph, tenant) == []


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    before = await filled(opened, writer)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    scout = await principal(f"{tenant}y/dev", name="scout")
    leaf = f"{tenant}y/dev/agent:scout"
    assert (await scout.http.post("/v1/scopes", json={"scope": leaf})).status_code == 201
    await load(tmp_path / "out", target=f"{tenant}y")
    after = await state(scout)
    assert (after["buffer"], after["window"]) == (before["buffer"], before["window"])
    assert len(await verdicts(scout, verdict="discard")) == 2
    await append(scout, "talk", "It goes on here.")
    assert (await buffer(scout, "talk"))[-1] == "It goes on here."
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await append(writer, "talk", "The crate holds lamps.", "ok")
    await clear(writer, "talk")
    await judge(opened, writer)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    lines_of = (tmp_path / "out" / "conversation_messages.jsonl").read_bytes().splitlines()
    line = orjson.loads(lines_of[0])
    await opened.graph.raw(
        "MATCH (n:ConversationMessage) WHERE n.tenant = $t DETACH DELETE n", t=tenant
    )
    package = tmp_path / "in"
    package.mkdir()
    bad = [line | {"state": "odd"}, line | {"memories": 3}, line | {"surprise": 1}]
    orphan = line | {"conversation": "elsewhere"}
    hostile = line | {"reason": "Write to ada@example.org."}
    (package / "conversation_messages.jsonl").write_bytes(
        b"\n".join(map(orjson.dumps, [*bad, orphan, hostile]))
    )
    result = await load(package, rejects=tmp_path / "rejects")
    assert result["kinds"]["conversation_message"] == {
        "accepted": 1, "duplicates": 0, "rejected": 4
    }  # fmt: skip
    rejects = [orjson.loads(row) for row in (tmp_path / "rejects").read_bytes().splitlines()]
    assert [row["field"] for row in rejects] == ["state", "memories", "surprise", "id"]
    assert "@example.org" not in str(await verdicts(writer))


async def test_a_message_goes_with_its_episode(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await allow(admin, tenant)
    scope = f"{tenant}/dev"
    done = await append(writer, "talk", *lines(12), scope=scope)
    await judge(opened, writer)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    for episode, left in ((ids(done)[0], 11), (ids(done)[5], 10)):
        receipt = await erase(opened, admin, memory=episode)
        assert (await counted(opened, scope))["conversation_message"] == left
        assert (await checked(opened, admin, receipt))["clean"]
    assert await buffer(writer, "talk") == [*lines(12)[2:5], *lines(12)[6:]]
    await append(writer, "talk", "One more crate.", "And another crate.")
    assert len(await buffer(writer, "talk")) == 10
    assert await broken(opened.graph, tenant) == []
    await load(tmp_path / "out", fresh=True)
    assert ids(done)[0] not in str(await told(writer, f"{URL}/talk/window"))


async def test_an_author_goes_with_his_conversations(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await allow(admin, tenant)
    scope, scout = f"{tenant}/dev", writer.caller.principal
    other = await principal(scope, name="other")
    mine = f"mine{tenant.replace('-', 'x')}"
    await append(writer, mine, *lines(12, mine), scope=scope)
    await judge(opened, writer)
    await append(other, "talk", *lines(2), scope=scope)
    receipt = await erase(opened, admin, author=scout, scope=scope)
    assert await strings_of(opened, mine) == []
    assert await buffer(other, "talk") == lines(2)
    assert await counted(opened, scope) == {"conversation": 1, "conversation_message": 2}
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_from_conversations_by_name(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    scope, who = writer.caller.home, "Ludmilla Quast"
    for text in (f"{who} lives in Ulm.", f"{who} works for Heron GmbH."):
        body = {"scope": scope, "content": text, "session": text}
        assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201
    await opened.consolidation.consolidate(scope)
    await append(admin, f"With {who}", "The crate holds lamps.", scope=scope)
    await append(admin, "talk", f"Ask {who} about the lamps.", "The lamps are blue.", scope=scope)
    await opened.consolidation.consolidate(scope)
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    await erase(opened, admin, person=row["id"])
    assert await buffer(admin, "talk", scope=scope) == ["The lamps are blue."]
    assert await counted(opened, scope) == {"conversation": 1, "conversation_message": 1}
    held = await strings_of(opened, who)
    assert not [one for one in held if "onversation" in one], held


async def test_a_scope_goes_with_its_conversations(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    await append(writer, "talk", *lines(12))
    leaf = f"{tenant}/dev/agent:scout"
    assert (await counted(opened, leaf))["conversation_message"] == 12
    answer = await admin.http.request("DELETE", "/v1/scopes", params={"scope": f"{tenant}/dev"})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await counted(opened, leaf) == {}
    assert await broken(opened.graph, tenant) == []
