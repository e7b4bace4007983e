"""A person is erased as one act: what he said, what others said of him, what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.kind import Gone
from app.lifecycle.invariants import broken
from app.lifecycle.people import naming
from app.portability.exporter import export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, Switch, checked, strings_of
from tests.portability.conftest import Import

WHO = "Quirin Zabel"
OTHER = "Wendelgard Wrenfield"  # whom no other test names: the whole store is looked through


async def entity(opened: Parts, scope: str, name: str) -> str:
    rows = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s, canonical_name: $n}) RETURN e.id AS id", s=scope, n=name
    )
    found: str = rows[0]["id"]
    return found


async def everything(opened: Parts, admin: Principal, tenant: str, say: Say) -> dict[str, str]:
    """What is said by and of a person, and what is not about him."""
    scope = f"{tenant}/dev"
    kept = {
        "other": await say(scope, "Ada Berger lives in Bremen."),
        "near": await say(scope, "Ada Berger works for Heron GmbH.", session="near"),
    }
    await say(scope, f"{WHO} lives in Ulm. {WHO} works for Heron GmbH.")
    await say(scope, "I live in Ulm.", speaker=WHO, session="own")
    await say(scope, f"Ada Berger met {WHO} in Kiel.", session="third")
    for path, body in (
        ("/v1/notes", {"content": f"Ask {WHO}'s deputy first.", "namespace": "knowledge"}),
        ("/v1/notes", {"content": "Ask nobody on Fridays.", "namespace": "methods"}),
        ("/v1/pages", {"title": "Staff", "content": f"# Staff\n\n{WHO} signs the orders.\n"}),
        ("/v1/pages", {"title": "Pumps", "content": "# Pumps\n\nThey are green.\n"}),
        ("/v1/bad-patterns", {"content": f"Shipping without {WHO}.", "reason": "It stood."}),
        ("/v1/skills", {"name": "Sign", "body": f"Let {WHO} sign.", "category": "automation"}),
    ):
        answer = await admin.http.post(path, json={**body, "scope": scope})
        assert answer.is_success, answer.text
    block = {"content": f"You work for {WHO}.", "scope": scope}
    assert (await admin.http.put("/v1/core-blocks/identity", json=block)).is_success
    await opened.consolidation.consolidate(scope)
    return kept


async def erased(opened: Parts, who: Principal, body: dict[str, Any]) -> dict[str, Any]:
    answer = await who.http.post("/v1/erasures", json=body)
    assert answer.status_code in (200, 202), answer.text
    told: dict[str, Any] = answer.json()
    if told["job"]:
        assert await opened.runner.run(opened, told["job"]) == "done"
        told = (await who.http.get(f"/v1/erasures/{told['receipt']}")).json()
    return told


async def test_nothing_is_left_of_a_person(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
    load: Import,
    tmp_path: Path,
) -> None:
    await switch(tenant, erasure=True)
    kept = await everything(opened, admin, tenant, say)
    scope = f"{tenant}/dev"
    who = await entity(opened, scope, WHO)
    await export_package(opened.graph, tmp_path / "old", await selection(opened.graph, tenant))
    answer = await admin.http.post("/v1/erasures", json={"person": who, "dry_run": True})
    preview = answer.json()["preview"]
    assert (preview["refused"], preview["complete"]) == ([], True)
    assert WHO in preview["names"]
    assert len(preview["episodes"]) >= 4  # three said, and the passage of a page
    assert len(preview["notes"]) == 1
    listed = (await admin.http.get("/v1/pages", params={"scope": scope})).json()["items"]
    assert preview["pages"] == [p["id"] for p in listed if p["untrusted"]["title"] == "Staff"]
    assert not {*kept.values()} & {*preview["episodes"]}

    told = await erased(opened, admin, {"person": who})
    assert told["state"] == "done"
    assert told["counts"]["notes"] == 1
    for word in ("quirin", "zabel"):
        assert await strings_of(opened, word) == []
    check = await checked(opened, admin, told["receipt"], WHO)
    assert check["clean"], check
    assert await broken(opened.graph, tenant) == []
    left = await opened.graph.raw(
        "MATCH (e:Episode {scope: $s}) RETURN e.id AS id ORDER BY id", s=scope
    )
    assert [row["id"] for row in left] == sorted(kept.values())
    pages = (await admin.http.get("/v1/pages", params={"scope": scope})).json()["items"]
    assert [p["untrusted"]["title"] for p in pages] == ["Pumps"]
    # What went is what the preview listed.
    gone = await opened.graph.raw(
        "MATCH (r:ErasureReceipt {id: $r}) RETURN r.ids AS ids", r=told["receipt"]
    )
    listed = {*preview["episodes"], *preview["facts"], *preview["notes"], *preview["skills"]}
    assert listed <= {*gone[0]["ids"]}
    # Once more, and out of an older package: nothing.
    assert (await erased(opened, admin, {"person": who}))["receipt"] == told["receipt"]
    await load(tmp_path / "old")
    await load(tmp_path / "old", target=tenant)
    await opened.consolidation.consolidate(scope)
    for word in ("quirin", "zabel"):
        assert await strings_of(opened, word) == []


async def test_a_name_that_another_bears_takes_nothing_of_his(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    other = await say(scope, "Quirin Adler lives in Kiel.", session="a")
    await say(scope, f"{WHO} lives in Ulm.", session="b")
    who = await entity(opened, scope, WHO)
    await erased(opened, admin, {"person": who})
    left = await opened.graph.raw("MATCH (e:Episode {scope: $s}) RETURN e.id AS id", s=scope)
    assert [row["id"] for row in left] == [other]


async def test_who_administers_no_scope_of_his_erases_nobody(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    switch: Switch,
) -> None:
    scope = f"{tenant}/dev"
    await say(scope, f"{WHO} lives in Ulm.")
    who = await entity(opened, scope, WHO)
    refused = await admin.http.post("/v1/erasures", json={"person": who})
    assert refused.json()["code"] == "SwitchedOff"
    await switch(tenant, erasure=True)
    curator = await principal(scope, role=Role.CURATOR, name="cora")
    answer = await curator.http.post("/v1/erasures", json={"person": who})
    assert answer.status_code in (403, 404)
    town = await entity(opened, scope, "Ulm")
    assert (await admin.http.post("/v1/erasures", json={"person": town})).status_code == 422
    assert len(await strings_of(opened, "zabel")) > 0


async def test_whom_one_text_names_is_erased_by_his_full_name(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    """A name that a single text holds is no entity, so that there is no id to give."""
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    kept = await say(scope, "Ada Berger waters the plants.")
    gone = await say(scope, "We saw Ottokar Plenz and Wanja Riedel by the lake.", session="lake")
    await opened.consolidation.consolidate(scope)
    assert not await opened.graph.raw(
        "MATCH (e:Entity {scope: $s}) WHERE e.canonical_name CONTAINS 'Plenz' RETURN e", s=scope
    )
    body = {"person": " ottokar  Plenz ", "scope": tenant}
    preview = (await admin.http.post("/v1/erasures", json={**body, "dry_run": True})).json()
    assert preview["preview"]["episodes"] == [gone]
    told = await erased(opened, admin, body)
    assert told["state"] == "done"
    for word in ("ottokar", "plenz", "wanja"):
        assert await strings_of(opened, word) == []
    left = await opened.graph.raw("MATCH (e:Episode {scope: $s}) RETURN e.id AS id", s=scope)
    assert [row["id"] for row in left] == [kept]
    assert (await erased(opened, admin, body))["receipt"] == told["receipt"]
    answer = await admin.http.post("/v1/erasures", json={"person": "Nobody Known", "scope": scope})
    assert answer.status_code == 404


async def test_a_full_name_takes_its_entities_along_unless_it_is_another_name_too(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    await say(scope, "Gerlinde Kusch lives in Ulm. Kusch GmbH builds pumps.")
    await say(scope, "Gerlinde Kusch works for Kusch GmbH.", session="two")
    await opened.consolidation.consolidate(scope)
    answer = await admin.http.post("/v1/erasures", json={"person": "Kusch GmbH", "scope": scope})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "person")
    told = await erased(opened, admin, {"person": "Gerlinde Kusch", "scope": scope})
    assert told["counts"]["facts"] >= 2
    assert await strings_of(opened, "gerlinde") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask Thilde Wocken-Ruge first.", True),
        ("thilde-wocken-ruge", True),
        ("chat_with_Thilde_Wocken_Ruge", True),
        ("thilde.wocken~ruge:notes", True),
        ("Thilde Wocken Ruge's desk", True),
        ("thildewockenruge", False),
        ("thilde-wocken", False),
        ("wocken-ruge", False),
        ("", False),
        ("--", False),
    ],
)
def test_a_name_is_found_as_keys_and_tags_spell_it(text: str, found: bool) -> None:
    gone = Gone(names=naming(["Thilde Wocken-Ruge", "---"]))
    assert gone.named(text) is found
    assert not Gone(names=naming([])).named(text)


async def test_no_former_text_names_a_person_nor_any_other_field(
    opened: Parts, admin: Principal, tenant: str, switch: Switch
) -> None:
    """What a note, page or skill said before is a text as well, and so is each part of a skill, its
    tags, and what somebody proposes."""
    await switch(tenant, erasure=True)
    scope = f"{tenant}/dev"
    await opened.scopes.create(admin.caller, scope)
    tag = OTHER.lower().replace(" ", "-")

    async def made(path: str, **body: Any) -> str:
        answer = await admin.http.post(path, json={"scope": scope, **body})
        assert answer.is_success, answer.text
        found: str = answer.json()["id"]
        return found

    async def changed(path: str, **body: Any) -> None:
        answer = await admin.http.patch(path, json=body)
        assert answer.is_success, answer.text

    gone = {}
    gone["note"] = await made("/v1/notes", content=f"Ask {OTHER} first.", namespace="knowledge")
    await changed(f"/v1/notes/{gone['note']}", content="Ask the deputy first.")
    gone["page"] = await made("/v1/pages", title="Staff", content=f"{OTHER} signs the orders.")
    await changed(f"/v1/pages/{gone['page']}", content="The deputy signs the orders.")
    for name, more in (
        ("title", {"title": f"Where {OTHER} sits", "content": "In the hall."}),
        ("alias", {"title": "Desk", "content": "By the door.", "aliases": [OTHER]}),
        ("tagged", {"title": "Lamp", "content": "On the desk.", "tags": [tag]}),
    ):
        gone[name] = await made("/v1/pages", **more)
    await changed(f"/v1/pages/{gone['title']}", title="Where he sits")
    gone["label"] = await made(
        "/v1/notes", content="Water the lime tree.", namespace="methods", tags=[tag]
    )
    skill: dict[str, Any] = {"category": "automation", "body": "Let him sign."}
    for name, more in (
        ("before", {"preconditions": [f"{OTHER} is there."]}),
        ("after", {"postconditions": [f"{OTHER} has signed."]}),
        ("params", {"params": {"who": OTHER}}),
        ("tags", {"tags": [tag]}),
    ):
        gone[name] = await made("/v1/skills", **skill, **more, name=f"Sign {name}")
    await changed(f"/v1/skills/{gone['before']}", preconditions=["Somebody is there."])
    draft = {"category": "communication", "body": "Ring."}
    gone["proposal"] = await made("/v1/skill-proposals", name=f"Call {OTHER}", **draft)
    gone["idea"] = await made(
        "/v1/skill-proposals", **draft, name="Ring up", description=f"{OTHER} has the line."
    )
    gone["way"] = await made(
        "/v1/skill-proposals", category="automation", name="Knock", body=f"Knock at {OTHER}'s."
    )
    kept = {
        "note": await made("/v1/notes", content="Ask nobody on Fridays.", namespace="knowledge"),
        "page": await made("/v1/pages", title="Pumps", content="They are green."),
        "skill": await made("/v1/skills", **skill, name="Pump"),
        "proposal": await made("/v1/skill-proposals", **draft, name="Write to the firm"),
    }
    body = {"person": OTHER, "scope": tenant}
    preview = (await admin.http.post("/v1/erasures", json={**body, "dry_run": True})).json()
    told = preview["preview"]
    found = {*told["notes"], *told["skills"], *told["pages"]}
    assert {name for name, one in gone.items() if one not in found} == set()
    assert not {*kept.values()} & found
    receipt = await erased(opened, admin, body)
    assert receipt["state"] == "done"
    for word in OTHER.lower().split():
        assert await strings_of(opened, word) == []
    check = await checked(opened, admin, receipt["receipt"], OTHER)
    assert check["clean"], check
    for kind, one in kept.items():
        path = {"note": "notes", "page": "pages", "skill": "skills"}.get(kind, "skill-proposals")
        assert (await admin.http.get(f"/v1/{path}/{one}")).is_success
    assert await broken(opened.graph, tenant) == []
