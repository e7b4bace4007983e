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
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, strings_of
from tests.lifecycle.test_erasure import check, erase
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
    proof = await check(admin, gone["receipt"])
    assert proof["clean"], proof
    held = {what for what in await strings_of(opened, word) if not what.startswith("Page")}
    assert held <= {"Passage.content", "Passage.terms"}  # the page says the name itself
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
