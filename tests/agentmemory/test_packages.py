"""What is written over the protocol, in packages and in erasures."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from app.access.seal import seal_tenant
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.agentmemory.conftest import Bridge, MakeBridge
from tests.conftest import Principal
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load

__all__ = ["load"]
KINDS = {
    "transcript": 1, "transcript_message": 3, "preference": 1, "entity_verdict": 1, "trace": 1,
    "trace_step": 1,
}  # fmt: skip
LEFT = {"scope", "agent", "audit", "chain"}  # when a scope was cleared
BESIDE: list[tuple[str, dict[str, Any]]] = [
    ("/v1/notes", {"content": "Keep the kiln of Clearwater dry."}),
    ("/v1/pools", {"name": "Kilns of Clearwater", "type": "shared"}),
    ("/v1/work-items", {"title": "Dry the kiln"}),
    ("/v1/facts:remember", {"text": "Annika Brennhof works for Klinkerhof AG."}),
    ("/v1/episodes", {"content": "The kiln cooled down.", "session": "kiln", "role": "user"}),
]


async def filled(bridge: Bridge, word: str) -> dict[str, str]:
    """Something of every kind, each with a word in it; ids."""
    call = {"session_id": "s", "role": "user", "content": f"The {word} was painted in Skagen."}
    message = await bridge("add_message", **call, metadata={"about": [word, {"n": 1}]})
    await bridge.said("s", f"Speak of the {word} only.", role="system")
    await bridge.said("s", "")
    thing = await bridge("add_entity", name=f"{word} Verlag", entity_type="ORGANIZATION")
    url = f"/agent-memory/v1/entities/{thing['id']}/feedback"
    answer = await bridge.who.http.put(url, json={"userScore": 0.5})
    assert answer.status_code == 200, answer.text
    text = f"Prefers the {word} over the harbour"
    await bridge("add_preference", category="art", preference=text, context=f"at {word}")
    trace = await bridge("start_trace", session_id="s", task=f"Frame the {word}")
    await bridge("add_step", trace_id=trace["id"], thought=f"Measure the {word}")
    return {"message": message["id"], "entity": thing["id"], "trace": trace["id"]}


async def test_a_package_brings_everything_back(
    opened: Parts, bridge: Bridge, tenant: str, load: Load, tmp_path: Path
) -> None:
    await filled(bridge, "Bluewater")
    told = await bridge("get_conversation", session_id="s")
    found = await bridge("search_preferences", query="Bluewater")
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert {kind: before["records"][kind] for kind in KINDS} == KINDS
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    assert await bridge.texts("s") == []
    await load(tmp_path / "out")
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await bridge("get_conversation", session_id="s") == told
    assert await bridge("search_preferences", query="Bluewater") == found
    assert await broken(opened.graph, tenant) == []


@pytest.mark.parametrize("seed", [1, 2])
async def test_what_was_cleared_comes_back_with_its_package(
    opened: Parts, bridge: Bridge, tenant: str, load: Load, tmp_path: Path, seed: int
) -> None:
    chance, home = random.Random(seed), f"{tenant}/dev"
    await filled(bridge, "Clearwater")
    for url, body in chance.sample(BESIDE, 4):
        answer = await bridge.who.http.post(url, json=body)
        assert answer.status_code in (200, 201), answer.text
    if seed % 2:  # sealed events keep no word of what they are about
        await seal_tenant(opened.access_rows, tenant)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    for _ in range(2):
        await bridge("clear_all_data")
        assert (await digest_of(opened.graph, chosen))["records"].keys() <= LEFT
        assert await counted(opened, home) == {}
        await load(tmp_path / "out", fresh=True)
        assert await digest_of(opened.graph, chosen) == before
    assert await broken(opened.graph, tenant) == []


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, bridge: Bridge, connect: MakeBridge, tenant: str, load: Load, tmp_path: Path
) -> None:
    await filled(bridge, "Greenwater")
    texts = await bridge.texts("s")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await load(tmp_path / "out", target=f"{tenant}y")
    there = await connect(f"{tenant}y/dev")
    assert await there.texts("s") == texts
    (found,) = await there("search_preferences", query="Greenwater")
    assert (found["category"], found["context"]) == ("art", "at Greenwater")
    (trace,) = await there("list_traces", session_id="s")
    assert trace["steps"][0]["thought"] == "Measure the Greenwater"
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_an_agent_goes_with_all_that_it_wrote(
    opened: Parts, admin: Principal, connect: MakeBridge, tenant: str
) -> None:
    await allow(admin, tenant)
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("red", "grey"))
    one = await connect(f"{tenant}/dev", name="one")
    other = await connect(f"{tenant}/dev", name="other")
    await filled(one, mine)
    await filled(other, his)
    kept = await other("get_conversation", session_id="s")
    author = one.who.caller.principal
    receipt = await erase(opened, admin, author=author, scope=f"{tenant}/dev")
    assert await strings_of(opened, mine) == []
    assert await counted(opened, f"{tenant}/dev") == KINDS
    assert await other("get_conversation", session_id="s") == kept
    assert await one.texts("s") == []
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_session_and_a_memory_go_with_their_messages(
    opened: Parts, admin: Principal, bridge: Bridge, tenant: str
) -> None:
    await allow(admin, tenant)
    word = f"gold{tenant.replace('-', 'x')}"
    await filled(bridge, word)
    await bridge.said("t", "One stays", "one goes")
    (row,) = await opened.graph.raw(
        "MATCH (e:Episode {scope: $scope, content: 'one goes'}) RETURN e.id AS id",
        scope=f"{tenant}/dev",
    )
    await erase(opened, admin, memory=row["id"])
    assert await bridge.texts("t") == ["One stays"]
    await erase(opened, admin, session="s", scope=f"{tenant}/dev")
    assert await bridge.texts("s") == []
    assert await bridge.texts("t") == ["One stays"]
    assert await counted(opened, f"{tenant}/dev") == {
        "transcript": 1, "transcript_message": 1, "preference": 1, "entity_verdict": 1,
    }  # fmt: skip
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_from_what_was_said_apart(
    opened: Parts, admin: Principal, bridge: Bridge, tenant: str
) -> None:
    await allow(admin, tenant)
    who = "Leopold Zwiesel"
    thing = await bridge("add_entity", name=who, entity_type="PERSON", description="Painter")
    call = {"session_id": "s", "role": "user", "content": "Nobody is named here."}
    await bridge("add_message", **call, metadata={"to": who, "n": 2})
    await bridge.said("s", f"Never speak of {who}.", role="system")
    answer = await admin.http.get("/v1/entities", params={"name": who})
    (row,) = answer.json()["items"]
    assert row["id"] == thing["id"].replace("-", "")
    await erase(opened, admin, person=row["id"])
    found = await bridge("get_conversation", session_id="s")
    assert [(m["content"], m["metadata"]) for m in found["messages"]] == [
        ("Nobody is named here.", {"n": 2})
    ]
    assert await strings_of(opened, who) == []
    assert await broken(opened.graph, tenant) == []
