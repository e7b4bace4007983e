"""The learning loop in packages, in erasures and in `loci verify`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson

from app.lifecycle.invariants import broken
from app.portability.declared import unique
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.learning.conftest import begin, end, log_of, roll_back, run, solved, told
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load

__all__ = ["load"]
Drain = Callable[[], Awaitable[int]]
TASKS = ("tune the piano", "tune the piano", "tune the piano")


async def filled(admin: Principal, writer: Principal, drain: Drain) -> tuple[str, list[Any]]:
    """Three tasks of one intent, the first of which used a note; the note and the tasks."""
    note = await writer.http.post("/v1/notes", json={"content": "Use a fork."})
    memory: str = note.json()["id"]
    first = await begin(writer, TASKS[0])
    done = [await end(writer, first["id"], tools=[True], used=[{"memory": memory}])]
    done += [await solved(writer, task) for task in TASKS[1:]]
    await drain()
    await run(admin, "intents/find", writer.caller.home)
    return memory, done


async def read(who: Principal, segment: str) -> Any:
    """A task with what it used."""
    return await told(await who.http.get(f"/v1/segments/{segment}"))


async def test_a_package_brings_everything_back_and_into_another_tenant(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    drain: Drain, load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    scope = f"{tenant}/dev"
    _, done = await filled(admin, writer, drain)
    (scored,) = await log_of(writer, about=done[2]["id"], type="resolution_scored")
    await roll_back(admin, scored["batch"])
    before = [await read(writer, one["id"]) for one in done]
    log = await log_of(writer)
    chosen = await selection(opened.graph, tenant)
    digest = await digest_of(opened.graph, chosen)
    assert digest["records"]["task_segment"] == 3
    assert digest["records"]["learned_entry"] == len(log) == 7
    assert "learned_change" not in digest["records"]
    await export_package(opened.graph, tmp_path / "out", chosen)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $s AND n.kind <> 'learned_change' DETACH DELETE n "
        "RETURN count(*) AS n",
        s=scope,
    )
    await load(tmp_path / "out")
    assert (await digest_of(opened.graph, chosen))["digest"] == digest["digest"]
    assert [await read(writer, one["id"]) for one in done] == before
    assert await log_of(writer) == log
    assert await broken(opened.graph, tenant) == []

    await load(tmp_path / "out", target=f"{tenant}y")
    scout = await principal(f"{tenant}y/dev", name="scout")
    (intent,) = (await told(await scout.http.get("/v1/intents")))["items"]
    assert (intent["segments"], intent["state"]) == (3, "found")
    of = await told(await scout.http.get("/v1/segments", params={"intent": intent["id"]}))
    used = [one for each in of["items"] for one in (await read(scout, each["id"]))["used"]]
    assert [one["scope"] for one in used] == [f"{tenant}y/dev"]
    assert (await scout.http.get(f"/v1/notes/{used[0]['memory']}")).status_code == 200
    about = {entry["about"] for entry in await log_of(scout)}
    assert {one["id"] for one in of["items"]} < about, "the log is about the new ones"
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await solved(writer, "fine")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    line = orjson.loads((tmp_path / "out" / "task_segments.jsonl").read_bytes())
    entry = orjson.loads((tmp_path / "out" / "learned_entries.jsonl").read_bytes())
    package = tmp_path / "in"
    package.mkdir()
    hostile = line | {"id": "segment-x", "task": "Write to ada@example.org."}
    lines = [hostile, line | {"id": "b", "score": 1.5}, line | {"id": "c", "surprise": 1}]
    (package / "task_segments.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    bad = entry | {"id": "d", "figures": {"said": "Write to ada@example.org."}}
    (package / "learned_entries.jsonl").write_bytes(orjson.dumps(bad))
    result = await load(package)
    assert result["kinds"]["task_segment"] == {"accepted": 1, "duplicates": 0, "rejected": 2}
    assert result["kinds"]["learned_entry"]["rejected"] == 1
    assert "@example.org" not in str(await read(writer, unique("segment-x", line["scope"])))


async def test_an_author_goes_with_his_tasks_and_leaves_no_word(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    drain: Drain,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    scope = f"{tenant}/dev"
    other = await principal(scope, name="other")
    await filled(admin, writer, drain)
    (intent,) = (await told(await other.http.get("/v1/intents")))["items"]
    kept = await solved(other, "tune the piano")
    await drain()
    await run(admin, "intents/find", scope)
    receipt = await erase(opened, admin, author=writer.caller.principal, scope=scope)
    listed = (await told(await other.http.get("/v1/segments")))["items"]
    assert [one["id"] for one in listed] == [kept["id"]]
    (left,) = (await told(await other.http.get("/v1/intents")))["items"]
    assert (left["untrusted"]["name"], left["example"]) == (intent["id"], None)
    assert {entry["about"] for entry in await log_of(other)} == {kept["id"], intent["id"]}
    rows = await opened.graph.raw(
        "MATCH (n:LearnedChange {scope: $s}) WHERE n.operation = 'erase' "
        "RETURN n.target AS target, n.target_hash AS hash", s=scope,
    )  # fmt: skip
    assert rows
    assert {row["target"] for row in rows} == {None}
    assert all(len(row["hash"]) == 64 for row in rows)
    assert (await checked(opened, admin, receipt))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_a_memory_and_a_task_go_by_name_and_by_id(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, drain: Drain
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Wendelin Trauthwig"
    note, done = await filled(admin, writer, drain)
    body = {"scope": scope, "content": f"{who} lives in Ulm.", "session": "s"}
    assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201
    await opened.consolidation.consolidate(scope)
    named = await solved(writer, f"Call {who} about the lease")
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    await erase(opened, admin, person=row["id"])
    assert (await writer.http.get(f"/v1/segments/{named['id']}")).status_code == 404
    assert await strings_of(opened, who) == []
    await erase(opened, admin, memory=note)
    assert (await read(writer, done[0]["id"]))["used"] == []
    receipt = await erase(opened, admin, memory=done[0]["id"])
    assert await log_of(writer, about=done[0]["id"]) == []
    assert (await checked(opened, admin, receipt))["clean"]
    kinds = await counted(opened, scope)
    assert (kinds["task_segment"], kinds["intent"], kinds.get("segment_use")) == (2, 1, None)
    assert await broken(opened.graph, tenant) == []
