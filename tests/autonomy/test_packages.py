"""Goals, escalations, observations and suggestions in packages, erasures, and `loci verify`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson

from app.kernel.clock import now
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.autonomy.conftest import listed, make, read, told
from tests.autonomy.test_interventions import clear, decided
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load

__all__ = ["load"]
DUE = "2027-03-02T12:00:00Z"
KINDS = {"goal": 2, "goal_link": 2, "escalation": 1, "observation": 2, "intervention": 1}
PATHS = ("goals", "escalations", "observations", "intervention-policies")


async def filled(opened: Parts, writer: Principal, other: Principal) -> None:
    """One of each kind at least, with histories and two writers."""
    scope = writer.caller.home
    top = await make(writer, "goals", title="Open in Graz", criteria="The door is open.")
    low = await make(other, "goals", title="Find rooms", parent_id=top["id"], owner="scout")
    await told(await writer.http.patch(f"/v1/goals/{low['id']}", json={"progress": 30}))
    await told(await other.http.post(f"/v1/goals/{low['id']}/advance", json={"to": "completed"}))
    item = await make(writer, "work-items", title="Paint")
    note = await make(writer, "notes", content="The paint is blue.")
    for memory in (item["id"], note["id"]):
        await make(other, f"goals/{top['id']}/links", memory=memory)
    late = await make(
        writer, "escalations", title="Which?", reason="Two offers.", due_at=DUE, resolver="other",
        repeat_seconds=600,
    )  # fmt: skip
    moment = now() + timedelta(days=365)
    await opened.escalations.raise_due([scope], dry_run=False, moment=moment)
    body = {"resolution": "The nearer."}
    await told(await other.http.post(f"/v1/escalations/{late['id']}/resolve", json=body))
    items = [
        {"sensor": "door", "key": name, "payload": {"open": True, "n": [1.5, None]}}
        for name in ("a", "b")
    ]
    pushed = await make(writer, "observations", items=items)
    ids = [pushed["items"][0]["observation"]["id"]]
    await make(other, "observations/processed", status=200, ids=ids)
    await decided(opened, scope, "merge", (20, 0))
    await opened.intervening.suggest([scope], dry_run=False)
    await clear(opened, scope)
    await opened.snapshots.take(scope)


async def all_of(who: Principal) -> dict[str, Any]:
    """Everything that the lists tell, and each goal with what belongs to it."""
    found = {path: await listed(who, path) for path in PATHS}
    goals = [await read(who, "goals", goal["id"]) for goal in found["goals"]]
    return {**found, "read": goals}


async def test_a_package_brings_every_kind_back(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    other = await principal(f"{tenant}/dev", name="other")
    await filled(opened, writer, other)
    seen = await all_of(writer)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    assert {kind: before["records"][kind] for kind in KINDS} == KINDS
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert not list((tmp_path / "out").glob("snapshot*")), "a snapshot is taken anew"
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    assert (await digest_of(opened.graph, chosen))["digest"] != before["digest"]
    result = await load(tmp_path / "out")
    for kind, count in KINDS.items():
        assert result["kinds"][kind] == {"accepted": count, "duplicates": 0, "rejected": 0}, kind
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await all_of(writer) == seen
    assert await broken(opened.graph, tenant) == []


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    await filled(opened, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    result = await load(tmp_path / "out", target=f"{tenant}y")
    assert {kind: result["kinds"][kind]["accepted"] for kind in KINDS} == KINDS
    scout = await principal(f"{tenant}y/dev", name="scout")
    seen = await all_of(scout)
    low, top = sorted(seen["read"], key=lambda tree: tree["goal"]["parent_id"] is None)
    assert low["goal"]["parent_id"] == top["goal"]["id"]
    assert [link["kind"] for link in top["links"]] == ["work_item", "note"]
    assert low["goal"]["owner"] == f"agent:{tenant}y:scout"
    (late,) = seen["escalations"]
    assert [step["by"] for step in late["history"]] == ["loci", f"agent:{tenant}y:other"]
    assert {one["recorded_by"] for one in seen["observations"]} == {f"agent:{tenant}y:scout"}
    assert f"agent:{tenant}:" not in str(seen)
    known = [{"sensor": "door", "key": "a", "payload": {}}]
    again = await make(scout, "observations", items=known)
    assert not again["items"][0]["created"], "its key is known here too"
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    await filled(opened, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    lines = {
        name: orjson.loads((tmp_path / "out" / f"{name}.jsonl").read_bytes().splitlines()[0])
        for name in ("goals", "escalations", "observations", "interventions")
    }
    bad: dict[str, list[dict[str, Any]]] = {
        "goals": [{"state": "odd"}, {"progress": 101}, {"surprise": 1}],
        "escalations": [{"level": 0}, {"repeat_seconds": 1}],
        "observations": [{"payload": [1]}, {"sensor": "No Way"}],
        "interventions": [{"rate": 0.1}, {"subject": "odd"}],
    }
    hostile = {
        "goals": {"id": "g", "title": "Write to ada@example.org."},
        "escalations": {"id": "e", "reason": "Write to ada@example.org."},
        "observations": {"key": "z", "payload": {"to": "ada@example.org"}},
        "interventions": {"id": "i", "note": "Write to ada@example.org."},
    }
    package = tmp_path / "in"
    package.mkdir()
    for name, line in lines.items():
        rows = [line | hostile[name], *(line | wrong for wrong in bad[name])]
        (package / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    result = await load(package, rejects=tmp_path / "rejects")
    for name, wrongs in bad.items():
        told_of = result["kinds"][name[:-1]]
        assert told_of == {"accepted": 1, "duplicates": 0, "rejected": len(wrongs)}, name
    rejects = [orjson.loads(row) for row in (tmp_path / "rejects").read_bytes().splitlines()]
    wanted = [next(iter(wrong)) for wrongs in bad.values() for wrong in wrongs]
    assert sorted(row["field"] for row in rejects) == sorted(wanted)
    assert "@example.org" not in str(await all_of(writer))


async def test_an_author_goes_with_what_he_wrote(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    scope, scout = f"{tenant}/dev", writer.caller.principal
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("mine", "his"))
    alone = await make(writer, "goals", title=f"a {mine}")
    below = await make(other, "goals", title=f"b {his}", parent_id=alone["id"], owner="scout")
    both = await make(writer, "goals", title=f"c {mine}", criteria=mine)
    await told(await other.http.patch(f"/v1/goals/{both['id']}", json={"description": his}))
    due = await make(other, "escalations", title=f"d {his}", due_at=DUE, resolver="scout")
    body = {"resolution": f"e {mine}"}
    await told(await writer.http.post(f"/v1/escalations/{due['id']}/resolve", json=body))
    own = await make(writer, "observations", items=[{"sensor": "s", "payload": {"t": mine}}])
    theirs = await make(other, "observations", items=[{"sensor": "s", "payload": {"t": his}}])
    ids = [theirs["items"][0]["observation"]["id"]]
    await make(writer, "observations/processed", status=200, ids=ids)
    receipt = await erase(opened, admin, author=scout, scope=scope)
    assert await strings_of(opened, mine) == []
    assert (await other.http.get(f"/v1/goals/{alone['id']}")).status_code == 404
    left = (await read(other, "goals", below["id"]))["goal"]
    assert (left["parent_id"], left["owner"]) == (None, None)
    kept = (await read(other, "goals", both["id"]))["goal"]
    assert kept["untrusted"] == {"title": both["id"], "description": his, "criteria": None}
    found = await read(other, "escalations", due["id"])
    assert (found["resolver"], found["untrusted"]["resolution"]) == (None, None)
    assert [step["by"] for step in found["history"]] == [""]
    (seen,) = await listed(other, "observations")
    assert (seen["id"], seen["processed_by"]) == (ids[0], None)
    assert seen["id"] != own["items"][0]["observation"]["id"]
    people = await opened.graph.raw(
        "MATCH (n:Declared {scope: $s}) WHERE $who IN n.people RETURN n.id AS id",
        s=scope, who=scout,
    )  # fmt: skip
    assert people == []
    counts = (await told(await admin.http.get(f"/v1/erasures/{receipt}")))["counts"]
    assert (counts["goals"], counts["observations"]) == (1, 1)
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_by_name_and_a_value_by_its_id(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Sieglinde Moosbrugger"
    for text in (f"{who} lives in Ulm.", f"{who} works for Heron GmbH."):
        await make(admin, "episodes", scope=scope, content=text, session=text)
    await opened.consolidation.consolidate(scope)
    goal = await make(writer, "goals", title=f"Meet {who}", description="Soon.")
    late = await make(writer, "escalations", title="Who?", reason=f"{who} asks.", due_at=DUE)
    items = [
        {"sensor": "door", "key": key, "payload": {"who": name}}
        for key, name in (("a", who), ("b", "nobody"))
    ]
    await make(writer, "observations", items=items)
    note = await make(writer, "notes", content="The paint is blue.")
    await make(writer, f"goals/{goal['id']}/links", memory=note["id"])
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    await erase(opened, admin, person=row["id"])
    assert await strings_of(opened, who) == []
    left = (await read(writer, "goals", goal["id"]))["goal"]
    assert left["untrusted"] == {"title": goal["id"], "description": "Soon.", "criteria": None}
    assert (await read(writer, "escalations", late["id"]))["untrusted"]["reason"] is None
    (seen,) = await listed(writer, "observations")
    assert seen["untrusted"] == {"key": "b", "payload": {"who": "nobody"}}
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await erase(opened, admin, memory=note["id"])
    assert (await read(writer, "goals", goal["id"]))["links"] == []
    for identifier in (goal["id"], late["id"], seen["id"]):
        receipt = await erase(opened, admin, memory=identifier)
        assert (await checked(opened, admin, receipt))["clean"]
    assert await counted(opened, scope) == {}
    await load(tmp_path / "out", fresh=True)
    assert await counted(opened, scope) == {}, "what was erased stays away"
    assert await broken(opened.graph, tenant) == []


async def test_a_scope_goes_with_all_of_it(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await allow(admin, tenant)
    await filled(opened, writer, await principal(f"{tenant}/dev", name="other"))
    top = await make(admin, "goals", title="top", scope=tenant)
    note = await make(writer, "notes", content="The door is green.")
    await make(admin, f"goals/{top['id']}/links", memory=note["id"])
    params = {"scope": f"{tenant}/dev"}
    answer = await told(await admin.http.request("DELETE", "/v1/scopes", params=params), 202)
    assert await opened.runner.run(opened, answer["job"]) == "done"
    assert await counted(opened, f"{tenant}/dev") == {}
    assert await counted(opened, tenant) == {"goal": 1}
    assert await broken(opened.graph, tenant) == []
