"""Beliefs follow merges of entities, and come back as they were when a merge is undone."""

from __future__ import annotations

from datetime import UTC, datetime

from app.entities.digest import scope_digest
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.facts.conftest import Remember
from tests.facts.test_over_http import facts_of, objects

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)


async def decided(curator: Principal, merge: str, verb: str) -> None:
    answer = await curator.http.post(f"/v1/merges/{merge}/{verb}")
    assert answer.status_code == 200, answer.text


async def test_a_merge_joins_beliefs_and_its_undoing_parts_them(
    opened: Parts, writer: Principal, principal: MakePrincipal, remember: Remember
) -> None:
    curator = await principal(writer.caller.home, role=Role.CURATOR, name="curator", kind="user")
    old = await remember("Ilse Kern", "lives_in", "Bremen", entity=True, valid_from=JANUARY)
    new = await remember("Ilschen", "lives_in", "Oldenburg", entity=True, valid_from=MAY)
    one, other = old["facts"][0]["subject"], new["facts"][0]["subject"]
    assert one != other
    before = await scope_digest(opened.graph, writer.caller.home)
    made = await curator.http.post("/v1/merges", json={"left": one, "right": other})
    merge = made.json()["id"]
    assert objects(await facts_of(writer, one)) == {"Bremen"}

    await decided(curator, merge, "accept")
    for identifier in (one, other):
        assert objects(await facts_of(writer, identifier)) == {"Oldenburg"}, "the later one is held"
        then = await facts_of(writer, identifier, as_of=datetime(2026, 2, 1, tzinfo=UTC))
        assert objects(then) == {"Bremen"}

    await decided(curator, merge, "undo")
    assert objects(await facts_of(writer, one)) == {"Bremen"}
    assert objects(await facts_of(writer, other)) == {"Oldenburg"}
    assert await scope_digest(opened.graph, writer.caller.home) == before


async def test_a_merged_object_is_one_value(
    writer: Principal, principal: MakePrincipal, remember: Remember
) -> None:
    curator = await principal(writer.caller.home, role=Role.CURATOR, name="curator", kind="user")
    one = await remember("Ilse", "lives_in", "Bremen", entity=True, valid_from=JANUARY)
    other = await remember("Ilse", "lives_in", "Oldenburg", entity=True, valid_from=MAY)
    subject = one["facts"][0]["subject"]
    assert objects(await facts_of(writer, subject)) == {"Oldenburg"}
    towns = (await writer.http.get("/v1/entities", params={"limit": 50})).json()["items"]
    ids = {item["name"]: item["id"] for item in towns}
    made = await curator.http.post(
        "/v1/merges", json={"left": ids["Bremen"], "right": ids["Oldenburg"]}
    )
    await decided(curator, made.json()["id"], "accept")
    then = await facts_of(writer, subject, as_of=datetime(2026, 2, 1, tzinfo=UTC))
    now_held = await facts_of(writer, subject)
    assert {i["id"] for i in then} <= {one["facts"][0]["id"], other["facts"][0]["id"]}
    assert len(now_held) >= 1
    line = (await writer.http.get(f"/v1/entities/{subject}/timeline")).json()["items"]
    assert all(item["interval"]["valid_to"] is None for item in line), "he never moved"


async def test_neighbours_follow_facts_in_both_times(writer: Principal, remember: Remember) -> None:
    early = datetime.now(UTC)
    old = await remember("Ilse", "lives_in", "Bremen", entity=True, valid_from=JANUARY)
    await remember("Ilse", "lives_in", "Oldenburg", entity=True, valid_from=MAY)
    path = f"/v1/entities/{old['facts'][0]['subject']}/neighbours"

    async def related(**params: str) -> set[str]:
        seen = (await writer.http.get(path, params=params)).json()
        names = {e["id"]: e["name"] for e in seen.get("entities", [])}
        return {names[e["target"]] for e in seen.get("edges", []) if e["kind"] == "RELATES_TO"}

    assert await related() == {"Oldenburg"}
    assert await related(as_of="2026-02-01T00:00:00Z") == {"Bremen"}
    assert await related(known_at=early.isoformat()) == set()
