"""Erasing skills and learnings: what holds their words goes, and nothing points at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.lifecycle.skill_erasure import follows, without
from app.portability.exporter import export_package
from app.portability.service import Order, import_attended, selection
from app.skills.falling_back import newest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, checked, strings_of
from tests.lifecycle.test_erasure import erase
from tests.portability.conftest import untold
from tests.skills.test_skills import get, post, skill


def proposal(**more: Any) -> dict[str, Any]:
    plain = {"id": "p", "origin": "learnings", "status": "draft", "sources": ["a", "b"]}
    return plain | {"findings": "[]"} | more


def test_what_a_job_made_of_something_goes_with_it_until_somebody_decided() -> None:
    gone = frozenset(["b"])
    assert follows(proposal(), gone)
    assert follows(proposal(origin="gap", status="rejected"), gone)
    assert not follows(proposal(), frozenset(["x"]))
    assert not follows(proposal(status="created"), gone)
    assert not follows(proposal(origin="request"), gone)


def test_a_proposal_that_stays_loses_the_ids() -> None:
    findings = '[{"kind":"note","id":"b"},{"kind":"note","id":"c"}]'
    assert without(proposal(findings=findings), frozenset(["b"])) == {
        "id": "p",
        "sources": ["a"],
        "findings": '[{"kind":"note","id":"c"}]',
    }


async def test_a_skill_goes_with_everything_that_says_what_it_says(
    opened: Parts, admin: Principal, tenant: str, switch: Switch, tmp_path: Path
) -> None:
    await switch(tenant, erasure=True)
    word = f"Canarius{tenant.replace('-', 'x')}"
    body = f"Ask {word} for the key."
    one = await skill(admin, f"Open with {word}", body=body, description=f"{word} knows.")
    kept = await skill(admin, "Lock the door", body="Turn the key twice.")
    await admin.http.patch(f"/v1/skills/{one}", json={"body": f"{word} has it.", "tags": ["key"]})
    await post(admin, f"/v1/skills/{one}/links", 200, target=kept, type="requires")
    copy = await post(admin, f"/v1/skills/{one}/clone", scope=tenant)
    for failed in (f"{word} was away.", "Nobody was there."):
        await post(admin, f"/v1/skills/{one}/outcomes", success=False, failure=failed)
    await post(admin, f"/v1/skills/{kept}/outcomes", success=False, failure="Nobody was there.")
    await post(admin, "/v1/pages", title="Keys", content=f"See [[skill:Open with {word}]].")
    await post(admin, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    export = await selection(opened.graph, tenant)
    await export_package(opened.graph, tmp_path / "before", export)

    told = await erase(admin, memory=one, dry_run=True)
    assert {one, copy["id"]} <= set(told["preview"]["skills"])
    gone = await erase(admin, memory=one)
    counts = gone["counts"]
    assert (counts["skills"], counts["skill_versions"], counts["skill_uses"]) == (2, 3, 2)
    assert counts["patterns"] == 1
    proof = await checked(opened, admin, gone["receipt"])
    assert proof["clean"], proof
    held = {what for what in await strings_of(opened, word) if not what.startswith("Page")}
    # The page says the name itself, and links to it.
    assert held <= {"Passage.content", "Passage.terms", "Passage.link_targets"}
    page = (await get(admin, "/v1/pages"))["items"][0]
    read = await get(admin, f"/v1/pages/{page['id']}")
    assert (read["references"], len(read["untrusted"]["pending"])) == (0, 1)
    assert (await get(admin, f"/v1/skills/{kept}"))["untrusted"]["name"] == "Lock the door"
    assert await broken(opened.graph, tenant) == []

    again = await import_attended(store_of(opened), Order(tmp_path / "before"), untold)
    assert again["rejects"] is None
    await get(admin, f"/v1/skills/{one}", 404)
    assert await broken(opened.graph, tenant) == []


async def test_a_proposal_goes_with_the_skill_that_it_became(
    opened: Parts, admin: Principal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    word = f"Canarius{tenant.replace('-', 'x')}"
    made = await post(
        admin, "/v1/skill-proposals", name=f"Call {word}", category="communication", body="Ring."
    )
    for status in ("submitted", "approved", "created"):
        moved = await post(admin, f"/v1/skill-proposals/{made['id']}/status", 200, status=status)
    gone = await erase(admin, memory=moved["skill"])
    assert (gone["counts"]["skills"], gone["counts"]["skill_proposals"]) == (1, 1)
    await get(admin, f"/v1/skill-proposals/{made['id']}", 404)
    assert await strings_of(opened, word) == []


async def test_a_learning_goes_from_skills_and_from_what_was_proposed_of_it(
    opened: Parts, admin: Principal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    word = f"Canarius{tenant.replace('-', 'x')}"
    one = await skill(admin, "Water the beds")
    notes = []
    for place in range(3):
        text = f"{word} waters bed {place} at dawn and never at noon, it burns the leaves."
        note = await post(
            admin, "/v1/notes", content=text, namespace="learnings", tags=["automation"]
        )
        notes.append(note["id"])
    await opened.indexing.drain()
    await post(admin, f"/v1/skills/{one}/learnings", 204, note=notes[0])
    told = await opened.skilled.learnings.propose(admin.caller, tenant)
    assert [set(ids) for _, ids in told] == [set(notes)]
    await erase(admin, memory=notes[0])
    assert (await get(admin, "/v1/skill-proposals"))["items"] == []
    assert (await get(admin, f"/v1/skills/{one}/context"))["learnings"] == []
    held = await strings_of(opened, notes[0])
    assert set(held) <= {"AuditEvent.payload", "AuditEvent.target", "ErasureReceipt.ids",
                         "ErasureReceipt.target", "ErasureReceipt.quoted"}  # fmt: skip


async def test_a_copy_in_a_scope_of_others_is_not_erased_by_one_who_does_not_rule_there(
    admin: Principal, principal: MakePrincipal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    narrow = await principal(f"{tenant}/dev", role=Role.ADMIN, name="narrow", subtree=False)
    one = await skill(narrow, "Sweep the yard")
    copy = await post(admin, f"/v1/skills/{one}/clone", scope=tenant)
    answer = await narrow.http.post("/v1/erasures", json={"memory": one})
    assert answer.status_code in (403, 409)
    assert (await get(admin, f"/v1/skills/{copy['id']}"))["status"] == "active"


def test_a_skill_falls_back_to_the_newest_version_that_was_meant_for_use() -> None:
    tried = {"version": "1.0.1-exp.1", "change_type": "experimental"}
    used = {"version": "1.0.0", "change_type": "major"}
    assert newest([tried, used]) == used
    assert newest([tried]) == tried
    assert newest([]) is None


async def test_what_an_author_wrote_goes_and_what_another_wrote_stays(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    quill = await principal(tenant, role=Role.CURATOR, name="quill")
    other = await principal(tenant, role=Role.CURATOR, name="other")
    word = f"Canarius{tenant.replace('-', 'x')}"
    mine = [
        (await post(quill, "/v1/notes", content=f"{word} keeps the {n}.", **more))["id"]
        for n, more in (("key", {"tags": [word]}), ("lamp", {"namespace": "learnings"}))
    ]
    kept = (await post(other, "/v1/notes", content="The lamp stands in the hall."))["id"]
    gone = await skill(quill, f"Light {word}", body=f"{word} strikes a match.")
    await quill.http.patch(f"/v1/skills/{gone}", json={"body": f"{word} turns the switch."})
    await post(other, f"/v1/skills/{gone}/outcomes", success=True)
    stays = await skill(other, "Trim the wick", body="Cut it short.")
    changed = await quill.http.patch(f"/v1/skills/{stays}", json={"body": f"Ask {word} first."})
    assert changed.json()["version"] != "1.0.0"
    copy = (await post(other, f"/v1/skills/{stays}/clone", scope=tenant))["id"]
    await post(quill, f"/v1/skills/{stays}/outcomes", success=False, failure=f"{word} slept.")
    await post(other, f"/v1/skills/{stays}/outcomes", success=False, failure="It rained.")
    idea = {"category": "automation", "body": "By hand."}
    drafts = [
        (await post(who, "/v1/skill-proposals", name=name, **idea))["id"]
        for who, name in ((quill, f"Wake {word}"), (other, "Wake the guard"))
    ]
    await opened.indexing.drain()

    target = {"author": quill.caller.principal, "scope": tenant}
    told = (await erase(admin, dry_run=True, **target))["preview"]
    assert set(told["notes"]) == set(mine)
    assert {gone, copy, drafts[0]} <= set(told["skills"])
    assert not {stays, drafts[1]} & set(told["skills"])
    assert [version.partition("~")[0] for version in told["skill_versions"]] == [stays]
    assert word in (await get(other, f"/v1/skills/{stays}"))["untrusted"]["body"]

    queued = await erase(admin, **target)
    assert await opened.runner.run(opened, queued["job"]) == "done"
    receipt = (await admin.http.get(f"/v1/erasures/{queued['receipt']}")).json()
    counts = receipt["counts"]
    assert (counts["notes"], counts["skills"], counts["skill_proposals"]) == (2, 2, 1)
    assert (counts["skill_versions"], counts["skill_uses"], counts["patterns"]) == (4, 1, 1)
    assert {*mine, gone, copy, drafts[0]} <= set(receipt["ids"])
    assert await strings_of(opened, word) == []
    proof = await checked(opened, admin, queued["receipt"], word)
    assert proof["clean"], proof
    assert await broken(opened.graph, tenant) == []

    now = await get(other, f"/v1/skills/{stays}")
    assert (now["version"], now["untrusted"]["body"]) == ("1.0.0", "Cut it short.")
    listed = (await get(other, f"/v1/skills/{stays}/versions"))["items"]
    assert [version["version"] for version in listed] == ["1.0.0"]
    assert (await get(other, f"/v1/notes/{kept}"))["standing"] == "held"
    assert (await get(other, f"/v1/skill-proposals/{drafts[1]}"))["status"] == "draft"
    await opened.indexing.drain()
    found = await post(other, "/v1/search", 200, query="Cut it short", kinds=["skill"])
    assert [hit["id"] for hit in found["hits"]] == [stays]
    assert (await erase(admin, **target))["receipt"] == queued["receipt"]
