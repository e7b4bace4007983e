"""Deleting writes down what went; erasing an author takes the documents that he handed in."""

from __future__ import annotations

from typing import Any

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf, Shelf
from tests.lifecycle.conftest import Switch, checked, strings_of, switch

__all__ = ["switch"]


async def receipts(who: Principal) -> list[dict[str, Any]]:
    answer = await who.http.get("/v1/erasures")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_a_deleted_document_and_base_leave_a_receipt_and_may_come_again(
    opened: Parts, admin: Principal, tenant: str, shelf: MakeShelf
) -> None:
    canary = f"canarius{tenant.replace('-', 'x')}"
    notes = await shelf(admin)
    one = await notes.add("one.md", f"# One\n\nAda {canary} works for Acme GmbH.")
    two = await notes.add("two.md", "# Two\n\nAcme GmbH uses Postgres.")
    await notes.consolidate()
    await notes.delete(one["id"])
    (told,) = await receipts(admin)
    assert (told["kind"], told["target"], told["state"]) == ("document", one["id"], "done")
    assert told["counts"]["episodes"] >= told["counts"]["documents"] == 1
    assert told["hashes"]
    assert await strings_of(opened, canary) == []
    found = await checked(opened, admin, told["receipt"], canary)
    assert found["clean"], found
    # Nothing was buried: the same file is taken in again.
    again = await notes.add("one.md", f"# One\n\nAda {canary} works for Acme GmbH.")
    assert again["status"] == "indexed"
    job = (await admin.http.delete(f"/v1/knowledge-bases/{notes.base}")).json()
    assert await opened.runner.run(opened, job["id"]) == "done"
    result = (await admin.http.get(f"/v1/jobs/{job['id']}")).json()["result"]
    (base, _) = await receipts(admin)
    assert (base["kind"], base["target"]) == ("knowledge_base", notes.base)
    assert result["receipt"] == base["receipt"]
    assert base["counts"]["documents"] == 2
    assert (await admin.http.get(f"/v1/documents/{two['id']}")).status_code == 404


async def test_an_author_is_erased_with_the_documents_that_he_handed_in(
    opened: Parts,
    admin: Principal,
    tenant: str,
    switch: Switch,
    shelf: MakeShelf,
    principal: MakePrincipal,
) -> None:
    await switch(tenant, erasure=True)
    canary = f"canarius{tenant.replace('-', 'x')}"
    agent = await principal(tenant, name="scout", role=Role.WRITER)
    notes = await shelf(admin)
    kept = await notes.add("mine.md", "# Mine\n\nAcme GmbH uses Postgres.")
    his = Shelf(opened, agent, notes.base)
    gone = await his.add("his.md", f"# His\n\nAda {canary} works for Acme GmbH.")
    broken = await his.upload("broken.pdf", b"%PDF-1.7 no pdf")
    await notes.consolidate()
    assert broken["status"] == "failed"
    body = {"author": agent.caller.principal, "scope": tenant}
    answer = await admin.http.post("/v1/erasures", json=body)
    assert answer.status_code == 202, answer.text
    assert await opened.runner.run(opened, answer.json()["job"]) == "done"
    assert await strings_of(opened, canary) == []
    for document, status in [(kept, 200), (gone, 404), (broken, 404)]:
        found = await admin.http.get(f"/v1/documents/{document['id']}")
        assert found.status_code == status
    (told,) = await receipts(admin)
    assert told["counts"]["documents"] == 2
