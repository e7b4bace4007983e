"""Tables in packages, in erasures, in the deletion of a scope and in `loci verify`."""

from __future__ import annotations

from pathlib import Path

import orjson

from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, checked, say, strings_of
from tests.pools.test_packages import Load, allow, counted, erase, load
from tests.tables.conftest import URL, Make, ask, cells, column, insert
from tests.tables.test_links import data_of

__all__ = ["load", "say"]


async def filled(make: Make, writer: Principal, other: Principal) -> str:
    """A table with history, two writers and a row that is gone; a moment in between."""
    await make("customers", keys=["name"], description="Who buys.")
    await insert(writer, "customers", {"name": "Aurel", "revenue": "12.50"}, {"name": "Bente"})
    between: str = (await ask(writer, "customers"))["known_at"]
    await insert(other, "customers", {"name": "Aurel", "company": "Straße 1"}, {"name": "Cleo"})
    test = {"column": "name", "op": "eq", "value": "Bente"}
    await other.http.post(f"{URL}/customers/rows/delete", json={"filter": test})
    return between


async def test_a_package_brings_tables_back(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    between = await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    told = await ask(writer, "customers"), await ask(writer, "customers", known_at=between)
    made = (await writer.http.get(f"{URL}/customers")).json()
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert (before["records"]["data_table"], before["records"]["data_row"]) == (1, 4)
    await opened.graph.raw(
        "MATCH (n:Declared) WHERE n.scope = $scope DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    result = await load(tmp_path / "out")
    assert result["kinds"]["data_row"] == {"accepted": 4, "duplicates": 0, "rejected": 0}
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    again = await ask(writer, "customers"), await ask(writer, "customers", known_at=between)
    assert [each["items"] for each in again] == [each["items"] for each in told]
    assert (await writer.http.get(f"{URL}/customers")).json() == made
    await opened.table_links.waiting()
    assert [name for name, _ in await data_of(opened, f"{tenant}/dev")] == ["customers"]
    assert await broken(opened.graph, tenant) == []


async def test_a_package_is_taken_into_another_tenant(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, make: Make,
    load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    between = await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await load(tmp_path / "out", target=f"{tenant}y")
    await opened.table_links.waiting()
    scout = await principal(f"{tenant}y/dev", name="scout")
    for moment in ({}, {"known_at": between}):
        told = await cells(writer, "customers", **moment)
        assert await cells(scout, "customers", **moment) == told
    done = await insert(scout, "customers", {"name": "Aurel", "revenue": "13"}, {"name": "Cleo"})
    assert (done["inserted"], done["updated"], done["unchanged"]) == (0, 1, 1)
    entity = (await scout.http.get(f"{URL}/customers")).json()["entity"]
    assert (await scout.http.get(f"/v1/entities/{entity}")).json()["type"] == "collection"
    assert await broken(opened.graph, f"{tenant}y") == []


async def test_what_a_package_says_is_sanitised_and_checked(
    opened: Parts, writer: Principal, tenant: str, make: Make, load: Load, tmp_path: Path
) -> None:
    await make("customers")
    await insert(writer, "customers", {"name": "fine"})
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    line = orjson.loads((tmp_path / "out" / "data_rows.jsonl").read_bytes())
    rows = [
        line | {"row_id": "r2", "cells": {"name": "Write to ada@example.org.", "revenue": "much"}},
        line | {"row_id": "r3", "cells": {"name": 1.5}},
        line | {"row_id": "r4", "cells": [1]},
        line | {"row_id": "r5", "name": "none"},
        line | {"surprise": 1},
        line | {"row_id": "r6", "cells": {"none": "x", "since": True}},
    ]
    package = tmp_path / "in"
    package.mkdir()
    (package / "data_rows.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    result = await load(package, rejects=tmp_path / "rejects")
    assert result["kinds"]["data_row"] == {"accepted": 2, "duplicates": 0, "rejected": 4}
    read = await cells(writer, "customers")
    assert len(read) == 3
    assert "@example.org" not in str(read)
    assert {row["revenue"] for row in read} == {None}
    assert {tuple(row) for row in read} == {("name", "company", "revenue", "since")}


async def test_an_author_goes_with_what_he_wrote(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    scope, scout = f"{tenant}/dev", writer.caller.principal
    mine, his = (f"{word}{tenant.replace('-', 'x')}" for word in ("mine", "his"))
    alone = await make("alone", description=mine)
    await insert(writer, "alone", {"name": mine})
    await make("both", keys=["name"], description=mine)
    await insert(writer, "both", {"name": "A", "company": mine}, {"name": "B", "company": mine})
    await insert(other, "both", {"name": "A", "revenue": "5"}, {"name": "C", "company": his})
    await insert(writer, "both", {"name": "C", "since": "2026-01-01"})
    receipt = await erase(opened, admin, author=scout, scope=scope)
    assert await strings_of(opened, mine) == []
    assert (await other.http.get(f"{URL}/{alone['id']}")).status_code == 404
    left = (await other.http.get(f"{URL}/both")).json()
    assert (left["created_by"], left["untrusted"]["description"]) == ("", None)
    assert await cells(other, "both", columns=["name", "company", "revenue", "since"]) == [
        {"name": "A", "company": None, "revenue": "5", "since": None},
        {"name": "C", "company": his, "revenue": None, "since": None},
    ]
    people = await opened.graph.raw(
        "MATCH (n:Declared {scope: $s}) WHERE $who IN n.people RETURN n.id AS id",
        s=scope, who=scout,
    )  # fmt: skip
    assert people == []
    assert (await checked(opened, admin, receipt, mine))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_person_goes_with_the_rows_that_name_him(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, make: Make, say: Say
) -> None:
    await allow(admin, tenant)
    scope, who = f"{tenant}/dev", "Leopoldine Vrancx"
    await say(scope, f"{who} works for Heron GmbH. {who} lives in Ulm.")
    await make("customers", keys=["name"])
    await insert(
        writer, "customers", {"name": who, "revenue": "5000"}, {"name": "Leopoldine Vrancxsen"},
        {"name": "Kept", "company": f"knows {who}"}, {"name": "Old", "company": who},
    )  # fmt: skip
    await insert(writer, "customers", {"name": "Old", "company": "nobody"}, {"name": who})
    (row,) = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=who
    )
    receipt = await erase(opened, admin, person=row["id"])
    assert await column(writer, "customers", "name") == ["Leopoldine Vrancxsen", "Old"]
    held = await strings_of(opened, who)
    assert {one.rpartition(".")[2] for one in held} <= {"cells"}, "the longer name stands there"
    assert [name for name, _ in await data_of(opened, scope)] == ["customers"]
    assert (await checked(opened, admin, receipt))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_a_table_and_a_row_are_erased_by_id(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make, load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    scope = f"{tenant}/dev"
    await filled(make, writer, await principal(scope, name="other"))
    made = await make("other")
    await insert(writer, "other", {"name": "A"})
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    (row,) = await opened.graph.raw(
        "MATCH (n:DataRow {scope: $s, live: true}) WHERE n.cells CONTAINS 'Cleo' RETURN n.id AS id",
        s=scope,
    )
    for erased, left in ((row["id"], (2, 4)), (made["id"], (1, 3))):
        receipt = await erase(opened, admin, memory=erased)
        assert (await checked(opened, admin, receipt))["clean"]
        found = await counted(opened, scope)
        assert (found["data_table"], found["data_row"]) == left
        assert await broken(opened.graph, tenant) == []
    assert await column(writer, "customers", "name") == ["Aurel"]
    assert (await writer.http.get(f"/v1/entities/{made['entity']}")).status_code == 404
    await load(tmp_path / "out", fresh=True)
    found = await counted(opened, scope)
    assert (found["data_table"], found["data_row"]) == (1, 3)


async def test_a_scope_goes_with_its_tables(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    make: Make,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    await filled(make, writer, await principal(f"{tenant}/dev", name="other"))
    answer = await admin.http.request("DELETE", "/v1/scopes", params={"scope": f"{tenant}/dev"})
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await counted(opened, f"{tenant}/dev") == {}
    assert await broken(opened.graph, tenant) == []
