"""Work items in packages, in erasures, and in the deletion of a scope."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from app.lifecycle.invariants import broken
from app.portability.declared import unique
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load
from tests.workitems.conftest import Make, advance, found, tree

__all__ = ["load"]
URL = "/v1/work-items"


async def note_of(who: Principal, content: str) -> str:
    answer = await who.http.post("/v1/notes", json={"content": content})
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def link(who: Principal, item: str, memory: str) -> None:
    answer = await who.http.post(f"{URL}/{item}/links", json={"memory": memory})
    assert answer.status_code == 201, answer.text


async def filled(make: Make, writer: Principal, other: Principal) -> tuple[str, str]:
    """A tree with history, two writers, and a link; its root and the memory."""
    root = await make("Move the store", tags=["move"], due_at="2027-03-02T09:00:00Z")
    low = await make("Pack", parent_id=root["id"], description="In boxes.", by=other)
    await make("Buy boxes", parent_id=low["id"], assignee="other", priority="urgent")
    for to in ("in_progress", "done"):
        await advance(other, low["id"], to)
    note = await note_of(writer, "The store moves in March.")
    await link(writer, root["id"], note)
    return root["id"], note


async def test_a_package_brings_items_back(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    other = await principal(f"{tenant}/dev", name="other")
    root, _ = await filled(make, writer, other)
    told = await tree(writer, root)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert (before["records"]["work_item"], before["records"]["work_link"]) == (3, 1)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    assert (await digest_of(opened.graph, chosen))["digest"] != before["digest"]
    result = await load(tmp_path / "out")
    assert result["kinds"]["work_item"] == {"accepted": 3, "duplicates": 0, "rejected": 0}
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await tree(writer, root) == told
    assert await broken(opened.graph, tenant) == []


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await load(tmp_path / "out", target=f"{tenant}y")
    scout = await principal(f"{tenant}y/dev", name="scout")
    (root,) = (await scout.http.get(URL, params={"roots": True})).json()["items"]
    read = await tree(scout, root["id"])
    assert [item["untrusted"]["title"] for item in read["below"]] == ["Pack", "Buy boxes"]
    assert read["below"][1]["assignee"] == f"agent:{tenant}y:other"
    assert len(read["links"]) == 1
    assert read["links"][0]["scope"] == f"{tenant}y/dev"
    assert (await scout.http.get(f"/v1/notes/{read['links'][0]['memory']}")).status_code == 200
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, make: Make, load: Load, tmp_path: Path
) -> None:
    await make("fine", tags=["a"])
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    line = orjson.loads((tmp_path / "out" / "work_items.jsonl").read_bytes())
    hostile = line | {
        "id": "item-x",
        "title": "Write to ada@example.org.",
        "tags": ["b@example.org"],
    }
    orphan = {
        "id": "l", "scope": line["scope"], "item": "none", "memory": "none",
        "memory_kind": "note", "memory_scope": line["scope"], "linked_at": line["created_at"],
        "linked_by": line["created_by"],
    }  # fmt: skip
    package = tmp_path / "in"
    package.mkdir()
    lines = [hostile, line | {"state": "odd"}, line | {"depth": 64}, line | {"surprise": 1}]
    (package / "work_items.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    (package / "work_links.jsonl").write_bytes(orjson.dumps(orphan))
    result = await load(package, rejects=tmp_path / "rejects")
    assert result["kinds"]["work_item"] == {"accepted": 1, "duplicates": 0, "rejected": 3}
    assert result["kinds"]["work_link"]["rejected"] == 1
    rejects = [orjson.loads(row) for row in (tmp_path / "rejects").read_bytes().splitlines()]
    assert [row["field"] for row in rejects] == ["state", "depth", "surprise", "id"]
    assert "@example.org" not in str(await tree(writer, unique("item-x", line["scope"])))


@pytest.mark.parametrize("kind", ["note", "episode", "page"])
async def test_a_link_goes_with_its_memory_and_the_item_stays(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, make: Make, kind: str,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    bodies: dict[str, dict[str, Any]] = {
        "note": {"content": "The store moves in March."},
        "episode": {"content": "We talked of the store.", "session": "s"},
        "page": {"title": "Move", "content": "All of it."},
    }
    memory = (await writer.http.post(f"/v1/{kind}s", json=bodies[kind])).json()["id"]
    made = await make("move")
    await link(writer, made["id"], memory)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    receipt = await erase(opened, admin, memory=memory)
    assert await tree(writer, made["id"]) == {
        "item": made, "history": [], "links": [], "below": [], "complete": True
    }  # fmt: skip
    assert await counted(opened, f"{tenant}/dev") == {"work_item": 1}
    assert (await checked(opened, admin, receipt))["clean"]
    assert await broken(opened.graph, tenant) == []
    await load(tmp_path / "out", fresh=True)
    assert await counted(opened, f"{tenant}/dev") == {"work_item": 1}


async def test_an_author_goes_with_what_he_wrote(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    scope, scout = f"{tenant}/dev", writer.caller.principal
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("mine", "his"))
    alone = await make(f"a {mine}", description=mine)
    child = await make(f"c {his}", by=other, parent_id=alone["id"], assignee="scout")
    low = await make(f"l {his}", by=other, parent_id=child["id"])
    both = await make(f"b {mine}", tags=[mine])
    await other.http.patch(f"{URL}/{both['id']}", json={"description": his})
    theirs = await make(f"t {his}", by=other, tags=[his])
    await writer.http.patch(f"{URL}/{theirs['id']}", json={"description": mine})
    await advance(writer, theirs["id"], "in_progress")
    await advance(other, theirs["id"], "done")
    note = await note_of(other, f"Noted by {his}.")
    await link(writer, theirs["id"], note)
    receipt = await erase(opened, admin, author=scout, scope=scope)
    assert await strings_of(opened, mine) == []
    assert (await other.http.get(f"{URL}/{alone['id']}")).status_code == 404
    read = await tree(other, child["id"])
    assert (read["item"]["parent_id"], read["item"]["assignee"]) == (None, None)
    assert [item["id"] for item in read["below"]] == [low["id"]], "what was below stays below"
    kept = (await tree(other, both["id"]))["item"]
    assert kept["untrusted"] == {"title": both["id"], "description": his, "tags": []}
    assert kept["created_by"] == ""
    read = await tree(other, theirs["id"])
    assert read["item"]["untrusted"] == {"title": f"t {his}", "description": None, "tags": [his]}
    assert [step["by"] for step in read["history"]] == ["", other.caller.principal]
    assert [(one["memory"], one["linked_by"]) for one in read["links"]] == [(note, "")]
    people = await opened.graph.raw(
        "MATCH (n:Declared {scope: $s}) WHERE $who IN n.people RETURN n.id AS id",
        s=scope, who=scout,
    )  # fmt: skip
    assert people == []
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["counts"]["work_items"] == 1
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_from_items_by_name(
    opened: Parts, admin: Principal, tenant: str, make: Make
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Radomir Ockel"
    for text in (f"{who} lives in Ulm.", f"{who} works for Heron GmbH."):
        body = {"scope": scope, "content": text, "session": text}
        assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201
    await opened.consolidation.consolidate(scope)
    named = await make(f"Call {who}", by=admin, scope=scope, description="About the lease.")
    told = await make("Lease", by=admin, scope=scope, description=f"Ask {who} first.")
    longer = await make("Radomir Ockelsberg", by=admin, scope=scope)
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    await erase(opened, admin, person=row["id"])
    left = (await tree(admin, named["id"]))["item"]
    assert left["untrusted"] == {
        "title": named["id"], "description": "About the lease.", "tags": []
    }  # fmt: skip
    assert left["version"] == 2
    assert (await tree(admin, told["id"]))["item"]["untrusted"]["description"] is None
    assert (await tree(admin, longer["id"]))["item"] == longer
    held = await strings_of(opened, who)
    longer_name = {"title", "lower", "content", "terms", "about_terms"}
    assert {s.rpartition(".")[2] for s in held} <= longer_name, "the longer name stands there"


async def test_an_item_is_erased_by_its_id(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make, load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    root, note = await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    receipt = await erase(opened, admin, memory=root)
    assert await counted(opened, f"{tenant}/dev") == {"work_item": 2}
    assert await found(writer, roots=True) == ["Pack"]
    assert (await writer.http.get(f"/v1/notes/{note}")).status_code == 200
    assert (await checked(opened, admin, receipt))["clean"]
    await load(tmp_path / "out", fresh=True)
    assert await counted(opened, f"{tenant}/dev") == {"work_item": 2}


async def test_a_scope_goes_with_its_items_and_with_links_to_what_lay_there(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    _, note = await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    top = await make("top", by=admin, scope=tenant)
    await link(admin, top["id"], note)
    assert await counted(opened, tenant) == {"work_item": 1, "work_link": 1}
    answer = await admin.http.request("DELETE", "/v1/scopes", params={"scope": f"{tenant}/dev"})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await counted(opened, f"{tenant}/dev") == {}
    assert await counted(opened, tenant) == {"work_item": 1}
    assert (await tree(admin, top["id"]))["item"] == top
    assert await broken(opened.graph, tenant) == []
