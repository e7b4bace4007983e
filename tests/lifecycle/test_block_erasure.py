"""Erasing core blocks and patterns: by id and by author, and no import brings them back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.portability.exporter import export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, checked, strings_of
from tests.lifecycle.test_erasure import erase
from tests.portability.conftest import untold
from tests.portability.packages import write_package
from tests.skills.test_skills import get, post


async def put(who: Principal, kind: str, content: str, scope: str) -> dict[str, Any]:
    answer = await who.http.put(
        f"/v1/core-blocks/{kind}", json={"content": content, "scope": scope}
    )
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def kinds(who: Principal, scope: str) -> list[str]:
    found = await get(who, f"/v1/core-blocks?scope={scope}")
    return [block["kind"] for block in found["items"]]


@pytest.mark.slow
async def test_an_authors_blocks_go_with_what_he_wrote_and_stay_away(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    switch: Switch,
    tmp_path: Path,
) -> None:
    await switch(tenant, erasure=True)
    quill = await principal(tenant, role=Role.CURATOR, name="quill")
    other = await principal(tenant, role=Role.CURATOR, name="other")
    word = f"Canarius{tenant.replace('-', 'x')}"
    mine = await put(quill, "persona", f"Speaks like {word}.", tenant)
    theirs = await put(other, "redline", "Never open the vault.", tenant)
    await post(quill, "/v1/bad-patterns", content=f"{word} left the door open.", scope=tenant)
    before = tmp_path / "before"
    await export_package(opened.graph, before, await selection(opened.graph, tenant))

    target = {"author": quill.caller.principal, "scope": tenant}
    told = (await erase(admin, dry_run=True, **target))["preview"]
    assert mine["id"] in told["skills"]
    assert theirs["id"] not in told["skills"]
    queued = await erase(admin, **target)
    assert await opened.runner.run(opened, queued["job"]) == "done"
    receipt = (await admin.http.get(f"/v1/erasures/{queued['receipt']}")).json()
    assert (receipt["counts"]["core_blocks"], receipt["counts"]["patterns"]) == (1, 1)
    assert await kinds(other, tenant) == ["redline"]
    assert await strings_of(opened, word) == []
    assert (await checked(opened, admin, queued["receipt"], word))["clean"]

    again = await import_attended(store_of(opened), Order(before), untold)
    assert again["rejects"] is None
    assert await strings_of(opened, word) == []
    # Another block of the kind is none that was erased.
    later = {"scope": tenant, "kind": "persona", "content": "Speaks plainly."}
    await import_attended(
        store_of(opened), Order(write_package(tmp_path / "later", blocks=[later])), untold
    )
    assert sorted(await kinds(other, tenant)) == ["persona", "redline"]
    assert await broken(opened.graph, tenant) == []


async def test_a_block_is_erased_by_its_id_and_set_anew(
    opened: Parts, admin: Principal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    word = f"Canarius{tenant.replace('-', 'x')}"
    block = await put(admin, "identity", f"You are {word}.", tenant)
    queued = await erase(admin, memory=block["id"])
    if queued.get("job"):
        assert await opened.runner.run(opened, queued["job"]) == "done"
    assert await kinds(admin, tenant) == []
    assert await strings_of(opened, word) == []
    assert (await put(admin, "identity", "You are the keeper.", tenant))["id"] == block["id"]
    assert await kinds(admin, tenant) == ["identity"]
