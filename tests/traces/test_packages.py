"""Traces in packages, in erasures, and in the deletion of a scope."""

from __future__ import annotations

from pathlib import Path

import orjson

from app.lifecycle.invariants import broken
from app.portability.declared import unique
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load
from tests.traces.conftest import URL, Start, calls, complete, listed, posted, steps, whole

__all__ = ["load"]
WHOLE = {"trace": 1, "trace_step": 2, "tool_call": 2, "trace_link": 1}


async def note_of(who: Principal, content: str) -> str:
    answer = await who.http.post("/v1/notes", json={"content": content})
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def filled(who: Principal, start: Start, word: str = "store") -> tuple[str, str]:
    """A whole trace, and the note that it touched."""
    trace = await start(f"Move the {word}", by=who, session="s")
    await steps(who, trace, {"thought": f"think of {word}"}, {"action": f"ask {word}"})
    await calls(
        who,
        trace,
        {"tool": "phone", "step": 2, "arguments": {"to": word}, "result": [word, {"n": None}],
         "duration_ms": 4.5},
        {"tool": "mail", "error": f"no {word}", "result": word},
    )  # fmt: skip
    note = await note_of(who, f"The {word} moves in March.")
    await posted(who, f"/{trace}/links", {"memories": [note], "step": 1})
    await complete(who, trace, result=f"{word} moved")
    return trace, note


async def test_a_package_brings_traces_back(
    opened: Parts, writer: Principal, tenant: str, start: Start, load: Load, tmp_path: Path
) -> None:
    trace, _ = await filled(writer, start)
    told = await whole(writer, trace)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert {kind: before["records"][kind] for kind in WHOLE} == WHOLE
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    result = await load(tmp_path / "out")
    assert result["kinds"]["tool_call"] == {"accepted": 2, "duplicates": 0, "rejected": 0}
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await whole(writer, trace) == told
    assert await broken(opened.graph, tenant) == []
    again = await load(tmp_path / "out", fresh=True)
    assert again["kinds"]["trace"] == {"accepted": 0, "duplicates": 1, "rejected": 0}


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, start: Start,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    trace, _ = await filled(writer, start)
    told = await whole(writer, trace)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await load(tmp_path / "out", target=f"{tenant}y")
    scout = await principal(f"{tenant}y/dev", name="scout")
    (item,) = (await scout.http.get(URL)).json()["items"]
    read = await whole(scout, item["id"])
    assert item["agent"] == scout.caller.principal
    assert item["id"] != trace
    assert [step["untrusted"] for step in read["steps"]] == [s["untrusted"] for s in told["steps"]]
    (phone,) = read["steps"][1]["tool_calls"]
    assert phone["untrusted"] == told["steps"][1]["tool_calls"][0]["untrusted"]
    (link,) = read["links"]
    assert (link["scope"], link["step"]) == (f"{tenant}y/dev", 1)
    assert await listed(scout, touched=link["memory"]) == ["Move the store"]
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, start: Start, load: Load, tmp_path: Path
) -> None:
    await filled(writer, start)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    (line,) = map(orjson.loads, (tmp_path / "out" / "traces.jsonl").read_bytes().splitlines())
    call = orjson.loads((tmp_path / "out" / "tool_calls.jsonl").read_bytes().splitlines()[0])
    package = tmp_path / "in"
    package.mkdir()
    hostile = line | {"id": "trace-x", "task": "Write to ada@example.org."}
    lines = [hostile, line | {"outcome": "odd"}, line | {"surprise": 1}]
    (package / "traces.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    secret = {"arguments": {"password": "hunter2"}, "result": {"apiKey": "hunter2"}}
    inner = [call | secret | {"trace": "trace-x"}, call | {"trace": "none"}, call | {"number": 0}]
    (package / "tool_calls.jsonl").write_bytes(b"\n".join(map(orjson.dumps, inner)))
    result = await load(package, rejects=tmp_path / "rejects")
    assert result["kinds"]["trace"] == {"accepted": 1, "duplicates": 0, "rejected": 2}
    assert result["kinds"]["tool_call"] == {"accepted": 1, "duplicates": 0, "rejected": 2}
    told = str(await whole(writer, unique("trace-x", line["scope"])))
    assert "@example.org" not in told
    assert "hunter2" not in told
    assert "[secret]" in told


async def test_a_link_goes_with_what_it_leads_to_and_the_trace_stays(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, start: Start
) -> None:
    await allow(admin, tenant)
    trace, note = await filled(writer, start)
    before = await whole(writer, trace)
    receipt = await erase(opened, admin, memory=note)
    assert await whole(writer, trace) == before | {"links": []}
    assert (await checked(opened, admin, receipt))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_trace_is_erased_by_its_id_with_its_parts(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, start: Start, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    word = f"word{tenant.replace('-', 'x')}"
    trace, note = await filled(writer, start, word)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    receipt = await erase(opened, admin, memory=trace)
    assert await counted(opened, f"{tenant}/dev") == {}
    assert (await writer.http.get(f"{URL}/{trace}")).status_code == 404
    assert (await writer.http.get(f"/v1/notes/{note}")).status_code == 200
    assert (await checked(opened, admin, receipt))["clean"]
    await load(tmp_path / "out", fresh=True)
    assert await counted(opened, f"{tenant}/dev") == {}
    assert await broken(opened.graph, tenant) == []


async def test_an_agent_goes_with_his_traces(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    start: Start,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("mine", "his"))
    await filled(writer, start, mine)
    kept, _ = await filled(other, start, his)
    before = await whole(other, kept)
    receipt = await erase(opened, admin, author=writer.caller.principal, scope=f"{tenant}/dev")
    assert await strings_of(opened, mine) == []
    assert await counted(opened, f"{tenant}/dev") == WHOLE
    assert await whole(other, kept) == before
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["counts"]["traces"] == 1
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_from_traces_by_name(
    opened: Parts, admin: Principal, tenant: str, start: Start
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Wendelin Traxler"
    for text in (f"{who} lives in Ulm.", f"{who} works for Heron GmbH."):
        body = {"scope": scope, "content": text, "session": text}
        assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201
    await opened.consolidation.consolidate(scope)
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    named = await start(f"Call {who}", by=admin, scope=scope)
    await steps(admin, named, {"thought": "dial"})
    trace = await start("Sign the lease", by=admin, scope=scope)
    await steps(admin, trace, {"thought": f"Ask {who}.", "action": "ask"})
    await calls(
        admin, trace,
        {"tool": "phone", "arguments": {"to": [who, "Ann"], who: 1, "n": 2}, "result": who},
    )  # fmt: skip
    await posted(admin, f"/{trace}/links", {"memories": [row["id"]]})
    assert len((await whole(admin, trace))["links"]) == 1
    await complete(admin, trace, result=f"{who} signed.")
    await erase(opened, admin, person=row["id"])
    assert (await admin.http.get(f"{URL}/{named}")).status_code == 404
    read = await whole(admin, trace)
    assert read["trace"]["untrusted"]["result"] is None
    assert read["steps"][0]["untrusted"] == {"thought": None, "action": "ask", "observation": None}
    assert read["tool_calls"][0]["untrusted"] == {
        "arguments": {"to": ["Ann"], "n": 2}, "result": None, "error": None
    }  # fmt: skip
    assert read["links"] == []
    assert await strings_of(opened, who) == []
    assert await broken(opened.graph, tenant) == []


async def test_a_scope_goes_with_its_traces_and_with_links_to_what_lay_there(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, start: Start
) -> None:
    await allow(admin, tenant)
    _, note = await filled(writer, start)
    top = await start("top", by=admin, scope=tenant)
    await posted(admin, f"/{top}/links", {"memories": [note]})
    assert await counted(opened, tenant) == {"trace": 1, "trace_link": 1}
    answer = await admin.http.request("DELETE", "/v1/scopes", params={"scope": f"{tenant}/dev"})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await counted(opened, f"{tenant}/dev") == {}
    assert await counted(opened, tenant) == {"trace": 1}
    assert await broken(opened.graph, tenant) == []


async def test_a_trace_goes_with_its_session(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, start: Start
) -> None:
    await allow(admin, tenant)
    word = f"word{tenant.replace('-', 'x')}"
    await filled(writer, start, word)
    running = await start(f"Look after the {word}", session="s")
    kept = await start("Another one", session="other")
    text = {"content": f"The {word} moves.", "session": "s"}
    note = await writer.http.post("/v1/episodes", json=text)
    assert note.status_code == 201
    shown = await admin.http.post(
        "/v1/erasures", json={"session": "s", "scope": f"{tenant}/dev", "dry_run": True}
    )
    assert len(shown.json()["preview"]["declared"]["trace"]) == 2
    receipt = await erase(opened, admin, session="s", scope=f"{tenant}/dev")
    assert (await writer.http.get(f"{URL}/{running}")).status_code == 404
    assert await listed(writer) == ["Another one"]
    assert await counted(opened, f"{tenant}/dev") == {"trace": 1}
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["counts"]["traces"] == 2
    assert (await whole(writer, kept))["trace"]["untrusted"]["session"] == "other"
    assert await broken(opened.graph, tenant) == []
    await start("Only a trace", session="alone")
    await erase(opened, admin, session="alone", scope=f"{tenant}/dev")
    assert await listed(writer) == ["Another one"]
