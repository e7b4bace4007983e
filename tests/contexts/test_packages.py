"""Contexts in packages, in erasures, in the deletion of a scope and in `loci verify`."""

from __future__ import annotations

from pathlib import Path

import orjson

from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import URL, Make, add, held, listed, posted, refused, update
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load

__all__ = ["load"]
KINDS = {
    "context": 1, "context_entry": 4, "context_entry_version": 2, "context_snapshot": 1,
    "context_snapshot_entry": 3,
}  # fmt: skip


async def filled(
    make: Make, writer: Principal, other: Principal, word: str = "Hall"
) -> tuple[str, str]:
    """A context of two writers with versions, a snapshot and an archived entry; with its ids."""
    context = await make("Pumps", type="shared_context", description="All of them.")
    mine = await add(writer, context, "mine", {"text": f"{word} 3", "n": [1, None]}, tags=["hall"])
    theirs = await add(other, context, "theirs", "Hall 4", memory_type="experiential", failed=True)
    await posted(writer, f"{URL}/{context}/entries/{theirs['id']}/seal")
    gone = await add(writer, context, "gone", "Hall 5")
    taken = await posted(writer, f"{URL}/{context}/snapshots", {"name": "first"}, 201)
    await writer.http.delete(f"{URL}/{context}/entries/{gone['id']}")
    await update(other, context, mine["id"], f"{word} 6")
    await update(writer, context, mine["id"], f"{word} 7")
    await add(other, context, "late", 1)
    await posted(writer, f"{URL}/{context}/grants", {"agent": "other", "level": "admin"})
    return context, taken["id"]


async def test_a_package_brings_every_kind_back(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    context, taken = await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    await opened.indexing.drain()
    told = await listed(writer, context)
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    records = {kind: n for kind, n in before["records"].items() if kind in KINDS}
    assert records == KINDS
    assert (tmp_path / "out" / "context_entries.jsonl").exists()
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    result = await load(tmp_path / "out")
    assert result["kinds"]["context_entry"] == {"accepted": 4, "duplicates": 0, "rejected": 0}
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert await listed(writer, context) == told
    await opened.indexing.drain()
    assert await broken(opened.graph, tenant) == []
    done = await posted(writer, f"{URL}/{context}/snapshots/{taken}/restore")
    assert (done["created"], done["updated"], done["archived"]) == (1, 1, 1)
    again = await load(tmp_path / "out", fresh=True)
    assert again["kinds"]["context_entry"]["accepted"] == 0


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    here, _ = await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await load(tmp_path / "out", target=f"{tenant}y")
    scout = await principal(f"{tenant}y/dev", name="scout")
    (there,) = (await scout.http.get(URL)).json()["items"]
    assert there["owner"] == f"agent:{tenant}y:scout"
    assert there["grants"] == {f"agent:{tenant}y:other": "admin"}
    assert await held(scout, there["id"]) == await held(writer, here)
    for entry in await listed(scout, there["id"]):
        if entry["untrusted"]["key"] == "theirs":
            assert (entry["integrity"], entry["agent"]) == ("valid", f"agent:{tenant}y:other")
    (snapshot,) = (await scout.http.get(f"{URL}/{there['id']}/snapshots")).json()["items"]
    await posted(scout, f"{URL}/{there['id']}/snapshots/{snapshot['id']}/restore")
    assert (await held(scout, there["id"])).keys() == {"mine", "theirs", "gone"}
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, make: Make, load: Load, tmp_path: Path
) -> None:
    context = await make("fine")
    await add(writer, context, "k", "v")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    line = orjson.loads((tmp_path / "out" / "context_entries.jsonl").read_bytes())
    lines = [
        line | {"id": "entry-x", "key": "ask ada@example.org", "value": {"to": "bob@example.org"}},
        line | {"id": "twin"},
        line | {"id": "y", "key": "y", "importance": 2},
        line | {"id": "z", "key": "z", "memory_type": "odd"},
        line | {"id": "w", "key": "w", "context_id": "none"},
    ]
    package = tmp_path / "in"
    package.mkdir()
    (package / "context_entries.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    result = await load(package, rejects=tmp_path / "rejects")
    assert result["kinds"]["context_entry"] == {"accepted": 1, "duplicates": 0, "rejected": 4}
    found = await held(writer, context)
    assert "@example.org" not in str(found)
    assert len(found) == 2, "a key stands once, whatever a package says"


async def test_an_author_goes_with_what_he_wrote_from_snapshots_too(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("mine", "his"))
    context = await make(f"n {mine}", description=mine, type="shared_context")
    await posted(writer, f"{URL}/{context}/grants", {"agent": "other", "level": "admin"})
    await add(writer, context, f"k {mine}", {"text": mine}, tags=[mine])
    both = await add(writer, context, "both", mine)
    theirs = await add(other, context, "theirs", his)
    taken = await posted(writer, f"{URL}/{context}/snapshots", {"name": mine}, 201)
    await update(other, context, both["id"], his)
    await writer.http.get(f"{URL}/{context}/entries/{theirs['id']}")
    own = await posted(writer, "/v1/own-memory/remember", {"key": mine, "content": {"text": mine}})
    await opened.indexing.drain()
    receipt = await erase(opened, admin, author=writer.caller.principal, scope=f"{tenant}/dev")
    assert await strings_of(opened, mine) == []
    assert await held(other, context) == {"both": his, "theirs": his}
    read = (await other.http.get(f"{URL}/{context}")).json()
    assert (read["owner"], read["untrusted"]) == ("", {"name": context, "description": None})
    assert (await other.http.get(f"{URL}/{own['context_id']}")).status_code == 404
    (entry,) = await listed(other, context, key="both")
    assert (entry["created_by"], entry["changed_by"]) == ("", other.caller.principal)
    assert (await other.http.get(f"{URL}/{context}/accesses")).json()["items"] == []
    done = await posted(other, f"{URL}/{context}/snapshots/{taken['id']}/restore")
    assert done == {"created": 0, "updated": 0, "kept": 1, "archived": 1, "erased": 2}
    people = await opened.graph.raw(
        "MATCH (n:Declared {scope: $s}) WHERE $who IN n.people RETURN n.id AS id",
        s=f"{tenant}/dev", who=writer.caller.principal,
    )  # fmt: skip
    assert people == []
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_from_contexts_by_name(
    opened: Parts, admin: Principal, tenant: str, make: Make
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Ottokar Quendel"
    for text in (f"{who} lives in Ulm.", f"{who} works for Heron GmbH."):
        body = {"scope": scope, "content": text, "session": text}
        assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201
    await opened.consolidation.consolidate(scope)
    context = await make(f"About {who}", by=admin, scope=scope)
    await add(admin, context, who, "a key")
    await add(admin, context, "content", {"who": [who]})
    await add(admin, context, "tagged", "x", task_id=f"call {who}")
    old = await add(admin, context, "old", f"Ask {who}.")
    await add(admin, context, "kept", "Nothing of him.")
    taken = await posted(admin, f"{URL}/{context}/snapshots", {"name": who}, 201)
    await update(admin, context, old["id"], "Ask nobody.")
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    receipt = await erase(opened, admin, person=row["id"])
    assert await strings_of(opened, who) == []
    assert await held(admin, context) == {"old": "Ask nobody.", "kept": "Nothing of him."}
    assert (await admin.http.get(f"{URL}/{context}/entries/{old['id']}/versions")).json() == {
        "items": []
    }  # fmt: skip
    done = await posted(admin, f"{URL}/{context}/snapshots/{taken['id']}/restore")
    assert (done["kept"], done["archived"], done["erased"]) == (1, 1, 4)
    assert (await checked(opened, admin, receipt, who))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_an_entry_and_a_context_are_erased_by_id(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make, load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other, word = await principal(f"{tenant}/dev", name="other"), f"w{tenant.replace('-', 'x')}"
    context, taken = await filled(make, writer, other, word)
    beside = await make("beside")
    await add(writer, beside, "k", "v")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    (entry,) = await listed(writer, context, key="mine")
    receipt = await erase(opened, admin, memory=entry["id"])
    assert await strings_of(opened, word) == [], "versions and snapshots let go of it too"
    assert (await checked(opened, admin, receipt))["clean"]
    done = await posted(writer, f"{URL}/{context}/snapshots/{taken}/restore")
    assert done == {"created": 1, "updated": 0, "kept": 1, "archived": 1, "erased": 1}
    receipt = await erase(opened, admin, memory=context)
    assert (await refused(writer, "GET", f"{URL}/{context}"))[0] == 404
    assert await counted(opened, f"{tenant}/dev") == {"context": 1, "context_entry": 1}
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()["counts"]
    assert (told["contexts"], told["context_entries"]) == (1, 4)
    assert (await checked(opened, admin, receipt))["clean"]
    await load(tmp_path / "out", fresh=True)
    assert await counted(opened, f"{tenant}/dev") == {"context": 1, "context_entry": 1}
    assert await broken(opened.graph, tenant) == []


async def test_a_scope_goes_with_its_contexts(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    top = await make("top", by=admin, scope=tenant)
    answer = await admin.http.request("DELETE", "/v1/scopes", params={"scope": f"{tenant}/dev"})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await counted(opened, f"{tenant}/dev") == {}
    assert (await admin.http.get(f"{URL}/{top}")).status_code == 200
    assert await broken(opened.graph, tenant) == []
