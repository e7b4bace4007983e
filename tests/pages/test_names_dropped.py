"""Names that no page goes by or links to any more are taken away, and nothing else."""

from __future__ import annotations

from datetime import timedelta

from app.kernel.clock import now
from app.pages.tasks import drop_names
from app.wiring import Parts
from tests.conftest import Principal
from tests.pages.conftest import Write, rows

LEFT = (
    "MATCH (n:LinkName {tenant: $tenant}) "
    "RETURN count(n) AS all, count(CASE WHEN NOT EXISTS { (n)--() } THEN 1 END) AS unused"
)


async def left(opened: Parts, tenant: str) -> tuple[int, int]:
    """How many names a tenant has, and how many of them nobody uses."""
    (row,) = await rows(opened, LEFT, tenant=tenant)
    return row["all"], row["unused"]


async def test_names_go_with_their_last_use(
    opened: Parts, admin: Principal, tenant: str, write: Write
) -> None:
    one = await write(admin, "Otter", "See [[Badger]] and [[Marten]].")
    await write(admin, "Marten")
    page = f"/v1/pages/{one.id}"
    changed = await admin.http.patch(page, json={"content": "See [[Marten]].", "version": 1})
    assert changed.status_code == 200, changed.text
    used, unused = await left(opened, tenant)
    assert unused == 1  # the badger's
    await drop_names(opened.graph, now() - timedelta(minutes=10))
    assert await left(opened, tenant) == (used, 1)  # it was touched a moment ago
    await drop_names(opened.graph, now() + timedelta(minutes=1))
    assert await left(opened, tenant) == (used - 1, 0)

    rules = await admin.http.put(
        "/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True}
    )
    assert rules.status_code == 200
    erased = await admin.http.post("/v1/erasures", json={"memory": one.id})
    assert erased.status_code == 200, erased.text
    assert (await left(opened, tenant))[1] > 0
    await drop_names(opened.graph, now() + timedelta(minutes=1))
    assert (await left(opened, tenant))[1] == 0
    again = await write(admin, "Otter", "Back, beside the [[Marten]].")
    (read,) = await rows(
        opened, "MATCH (:Page {id: $id})-[r:REFERENCES]->() RETURN count(r) AS n", id=again.id
    )
    assert read["n"] == 1
