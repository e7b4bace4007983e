"""Erasing what somebody wrote of pages: whole pages that no passage tells of, and former texts."""

from __future__ import annotations

from typing import Any

import pytest

from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.pages.model import Change, Draft, Receipt
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, checked, strings_of
from tests.lifecycle.test_canary import exported
from tests.lifecycle.test_erasure import erase
from tests.skills.test_skills import get


async def write(opened: Parts, who: Principal, title: str, content: str) -> Receipt:
    return await opened.pages.write(who.caller, Draft(content, title=title))


async def erased(opened: Parts, admin: Principal, **target: Any) -> dict[str, Any]:
    """The receipt of an erasure that a job carries out."""
    queued = await erase(admin, **target)
    assert queued["state"] == "queued", queued
    assert await opened.runner.run(opened, queued["job"]) == "done"
    receipt = await admin.http.get(f"/v1/erasures/{queued['receipt']}")
    told: dict[str, Any] = receipt.json()
    return told


async def test_a_page_that_its_author_deleted_goes_with_him(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    bob = await principal(tenant, name="bob")
    carol = await principal(tenant, name="carol")
    word = f"Canarius{tenant.replace('-', 'x')}"
    kept = await write(opened, carol, "Kept", "Carol waters the beds.")
    await opened.pages.delete(carol.caller, kept.id)
    page = await write(opened, bob, "Notes", f"{word} keeps the key.")
    await opened.pages.delete(bob.caller, page.id)
    spooled = await exported(opened, admin, tenant)
    target = {"author": bob.caller.principal, "scope": tenant}
    preview = (await erase(admin, dry_run=True, **target))["preview"]
    assert preview["pages"] == [page.id]
    told = await erased(opened, admin, **target)
    assert told["counts"]["pages"] == 1
    assert (await admin.http.get(f"/v1/exports/{spooled}")).status_code == 404
    restored = await bob.http.post(f"/v1/pages/{page.id}/restore", json={})
    assert restored.status_code == 404
    assert await strings_of(opened, word) == []
    proof = await checked(opened, admin, told["receipt"], word)
    assert proof["clean"], proof
    assert (await carol.http.post(f"/v1/pages/{kept.id}/restore", json={})).is_success
    assert (await erase(admin, **target))["receipt"] == told["receipt"]


@pytest.mark.parametrize("state", ["due", "uncut", "failed"])
async def test_a_page_that_is_not_cut_goes_with_whoever_wrote_it(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
    state: str,
) -> None:
    await switch(tenant, erasure=True)
    bob = await principal(tenant, name="bob")
    carol = await principal(tenant, name="carol")
    word = f"Canarius{tenant.replace('-', 'x')}"
    draft = Draft(f"{word} keeps the key.", title="His", scope=tenant)
    (his,) = await opened.pages.write_many(bob.caller, [draft], settle=False)
    waits = Draft("Nothing of his.", title="Waits", scope=tenant)
    (hers,) = await opened.pages.write_many(carol.caller, [waits], settle=False)
    both = await write(opened, carol, "Both", "Carol waters the beds.")
    stays = await write(opened, carol, "Stays", "Carol feeds the hens.")
    change = Change(content=f"Carol waters the beds.\n\n{word} has the can.")
    await opened.pages.change(bob.caller, both.id, change)
    # As a process leaves it that ends before the text is cut.
    await opened.graph.raw(
        "MATCH (c:Chunk {author: $bob})-[:PART_OF]->(:Page {id: $id}) DETACH DELETE c",
        bob=bob.caller.principal, id=both.id,
    )  # fmt: skip
    await opened.graph.raw(
        "MATCH (p:Page) WHERE p.id IN $ids SET p.passage_state = $state",
        ids=[his.id, both.id], state=state,
    )  # fmt: skip
    told = await erased(opened, admin, author=bob.caller.principal, scope=tenant)
    assert told["counts"]["pages"] == 2
    assert await strings_of(opened, word) == []
    listed = await get(carol, "/v1/pages")
    assert {page["id"] for page in listed["items"]} == {hers.id, stays.id}
    assert await broken(opened.graph, tenant) == []


async def test_former_texts_of_an_author_go_and_the_page_of_another_stays(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    bob = await principal(tenant, name="bob")
    carol = await principal(tenant, name="carol")
    word = f"Canarius{tenant.replace('-', 'x')}"
    page = await write(opened, carol, "Beds", "Carol waters the beds.")
    for number in range(3):
        text = f"{word} has can {number}."
        await opened.pages.change(bob.caller, page.id, Change(content=text))
    text = "Carol waters all the beds."
    await opened.pages.change(carol.caller, page.id, Change(content=text))
    spooled = await exported(opened, admin, tenant)
    target = {"author": bob.caller.principal, "scope": tenant}
    preview = (await erase(admin, dry_run=True, **target))["preview"]
    assert preview["pages"] == []
    assert preview["page_versions"] == [f"{page.id}~v{number}" for number in (2, 3, 4)]
    told = await erased(opened, admin, **target)
    assert told["counts"]["page_versions"] == 3
    assert len(told["hashes"]) == 3
    assert (await admin.http.get(f"/v1/exports/{spooled}")).status_code == 404
    assert await strings_of(opened, word) == []
    proof = await checked(opened, admin, told["receipt"], word)
    assert proof["clean"], proof
    assert (await get(carol, f"/v1/pages/{page.id}"))["untrusted"]["content"] == text
    left = (await get(carol, f"/v1/pages/{page.id}/versions"))["items"]
    assert [version["version"] for version in left] == [1]
    assert (await erase(admin, **target))["receipt"] == told["receipt"]


async def test_a_person_s_own_texts_of_pages_and_skills_go_with_his_account(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    bob = await principal(tenant, name="bob", role=Role.CURATOR)
    carol = await principal(tenant, name="carol", role=Role.CURATOR)
    word = f"Canarius{tenant.replace('-', 'x')}"
    page = await write(opened, carol, "Beds", "Carol waters the beds.")
    await opened.pages.change(bob.caller, page.id, Change(content=f"{word} has the can."))
    text = "Carol waters all the beds."
    await opened.pages.change(carol.caller, page.id, Change(content=text))
    made = {"name": "Trim", "category": "automation", "body": "Cut it short.", "scope": tenant}
    skill = (await carol.http.post("/v1/skills", json=made)).json()["id"]
    changed = await bob.http.patch(f"/v1/skills/{skill}", json={"body": f"Ask {word} first."})
    assert changed.is_success, changed.text
    draft = Draft(f"{word} keeps the key.", title="His", scope=tenant)
    (his,) = await opened.pages.write_many(bob.caller, [draft], settle=False)
    target = {"person": "Bob Harket", "principal": bob.caller.principal, "scope": tenant}
    preview = (await erase(admin, dry_run=True, **target))["preview"]
    assert preview["pages"] == [his.id]
    assert preview["page_versions"] == [f"{page.id}~v2"]
    assert [version.partition("~")[0] for version in preview["skill_versions"]] == [skill]
    told = await erased(opened, admin, **target)
    counts = told["counts"]
    assert (counts["pages"], counts["page_versions"], counts["skill_versions"]) == (1, 1, 1)
    assert await strings_of(opened, word) == []
    assert (await get(carol, f"/v1/pages/{page.id}"))["untrusted"]["content"] == text
    assert (await get(carol, f"/v1/skills/{skill}"))["untrusted"]["body"] == "Cut it short."
    assert await broken(opened.graph, tenant) == []
