"""Incidents, lessons and decisions out of texts: found by type and through the graph, carried by a
package, ended by nothing, and gone with the text that told of them."""

from __future__ import annotations

from pathlib import Path

from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import Principal
from tests.lifecycle.conftest import Say, Switch
from tests.lifecycle.test_person import erased
from tests.portability.conftest import Import

TOLD = (
    "The outage in Graz was caused by an expired certificate. We learned from the outage in Graz "
    "that certificates must renew themselves. Ada Berger decided to move Kestrel to Postgres."
)
TOLD_DE = (
    "Der Ausfall in Linz wurde durch einen Kurzschluss verursacht. Aus dem Ausfall in Linz haben "
    "wir gelernt, dass jede Leitung eine Sicherung braucht."
)


async def typed(who: Principal, kind: str) -> dict[str, str]:
    answer = await who.http.get("/v1/entities", params={"type": kind})
    return {item["name"]: item["id"] for item in answer.json()["items"]}


async def test_typed_nodes_live_like_any_other(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, say: Say, switch: Switch,
    load: Import, tmp_path: Path,
) -> None:  # fmt: skip
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    episodes = [
        await say(scope, TOLD, speaker="Ada Berger"),
        await say(scope, TOLD_DE, session="linz"),
        await say(scope, "Checkout depends on Kestrel. Kestrel depends on Postgres.", session="c"),
    ]
    await opened.consolidation.consolidate(scope)

    incidents, lessons = await typed(admin, "incident"), await typed(admin, "lesson")
    decisions = await typed(admin, "decision")
    assert set(incidents) == {"outage Graz", "Ausfall Linz"}
    assert set(lessons) == {
        "certificates must renew themselves", "jede Leitung eine Sicherung braucht",
    }  # fmt: skip
    assert set(decisions) == {"move Kestrel to Postgres"}
    (lesson,) = (id for name, id in lessons.items() if name.startswith("certificates"))
    node = (await admin.http.get(f"/v1/entities/{lesson}")).json()
    assert (node["type"], node["kinds"]) == ("lesson", ["Lesson"])

    graz = incidents["outage Graz"]
    near = (await admin.http.get(f"/v1/entities/{graz}/neighbours", params={"depth": 1})).json()
    names = str(near)
    assert "expired certificate" in names
    assert "certificates must renew themselves" in names
    found = await admin.http.post(
        "/v1/search", json={"query": "What depends on Kestrel?", "mode": "graph"}
    )
    assert "Checkout" in found.text

    facts = await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) WHERE f.predicate IN $p RETURN f.predicate AS p, "
        "f.negated AS n, f.status AS status", s=scope,
        p=["caused_by", "learned_from", "decided", "depends_on"],
    )  # fmt: skip
    assert sorted(f["p"] for f in facts) == [
        "caused_by", "caused_by", "decided", "depends_on", "depends_on", "learned_from",
        "learned_from",
    ]  # fmt: skip
    assert {(f["n"], f["status"]) for f in facts} == {(False, "active")}

    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    await load(tmp_path / "out")
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    await load(tmp_path / "out", target=f"{tenant}y")  # which reads the texts anew
    await opened.consolidation.consolidate(f"{tenant}y/dev")
    copied = await opened.graph.raw(
        "MATCH (e:Entity) WHERE e.scope STARTS WITH $s AND e.type = 'lesson' "
        "RETURN e.scope AS scope, labels(e) AS labels", s=f"{tenant}y",
    )  # fmt: skip
    assert [("Lesson" in e["labels"], e["scope"]) for e in copied] == [(True, f"{tenant}y/dev")] * 2

    for episode in episodes[:2]:
        await erased(opened, admin, {"memory": episode})
    for kind in ("incident", "lesson", "decision"):
        assert await typed(admin, kind) == {}, kind
    assert await broken(opened.graph, tenant) == []
