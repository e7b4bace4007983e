"""What must hold of the derived graph holds of what is allowed, and not of what was broken."""

from __future__ import annotations

from app.lifecycle.invariants import broken
from app.wiring import Parts
from tests.conftest import Principal

TOLD = ("The auditor comes on Tuesday, April 14, please tidy the shared drive.", "2026-03-24")
CORRECTED = (
    "Correction: the auditor actually comes on Wednesday, April 15, not on Tuesday.",
    "2026-04-08",
)
LIVE = "MATCH (f:Fact {scope: $scope, live: true})"


async def test_what_was_read_together_with_its_correction_was_never_held(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    for text, day in (TOLD, CORRECTED):
        said = {"session": "s", "content": text, "captured_at": f"{day}T09:00:00Z"}
        assert (await admin.http.post("/v1/episodes", json=said)).is_success
    await opened.consolidation.consolidate(tenant)
    rows = await opened.graph.raw(
        "MATCH (f:Fact {scope: $scope}) RETURN f.status AS status, "
        "COUNT { (f)-[:ABOUT]->() } AS held ORDER BY status",
        scope=tenant,
    )
    assert {"status": "superseded", "held": 0} in rows
    assert await broken(opened.graph, tenant) == []
    await opened.graph.raw(f"{LIVE}-[a:ABOUT]->() DELETE a", scope=tenant)
    assert "every fact is supported" in {found.invariant for found in await broken(
        opened.graph, tenant
    )}  # fmt: skip
