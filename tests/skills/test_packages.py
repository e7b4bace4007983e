"""Skills in a package: what comes back is what went."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.cli.transfer import store_of
from app.portability.exporter import export_package
from app.portability.service import Order, import_attended, selection
from app.wiring import Parts
from tests.conftest import Principal
from tests.portability.conftest import untold
from tests.skills.test_skills import get, post, skill

FILES = ("skills", "skill_links", "skill_usages", "skill_conflicts", "skill_proposals")


@pytest.mark.slow
async def test_skills_come_back_as_they_went(
    opened: Parts,
    admin: Principal,
    tenant: str,
    tmp_path: Path,
    drain: Callable[[], Awaitable[int]],
) -> None:
    body = "Copy the tables, check the sums, switch the readers over."
    one = await skill(admin, "Move tables one", body=body, params={"n": [1, {"x": None}]})
    two = await skill(admin, "Move tables two", body=body, tags=["db"], status="draft")
    await post(admin, f"/v1/skills/{two}/status", 200, status="active")
    assert (
        await admin.http.patch(
            f"/v1/skills/{two}", json={"preconditions": ["night"], "change_type": "experimental"}
        )
    ).is_success
    await post(admin, f"/v1/skills/{two}/experiment", version="1.0.1-exp.1")
    await post(admin, f"/v1/skills/{one}/links", 200, target=two, type="succeeds", weight=0.3)
    who = admin.caller.principal
    assert (await admin.http.put(f"/v1/skills/{two}/agents/{who}", json={"place": 2})).is_success
    await post(
        admin, f"/v1/skills/{one}/outcomes", success=False, key="k", failure="Sums differ.",
        together=[two], tokens=7,
    )  # fmt: skip
    made = await post(
        admin, "/v1/skill-proposals", name="Check sums", category="testing", description="d"
    )
    await post(admin, f"/v1/skill-proposals/{made['id']}/status", 200, status="submitted")
    await drain()
    await post(admin, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    chosen = await selection(opened.graph, tenant)
    await export_package(opened.graph, tmp_path / "a", chosen)
    shown = [await get(admin, f"/v1/skills/{each}") for each in (one, two)]
    await opened.graph.raw(
        "MATCH (n) WHERE n.tenant = $tenant AND (n:Skill OR n:SkillVersion OR n:SkillConflict "
        "OR n:SkillProposal OR n:SkillUsageRecord) DETACH DELETE n",
        tenant=tenant,
    )
    done = await import_attended(store_of(opened), Order(tmp_path / "a"), untold)
    assert done["rejects"] is None
    await export_package(opened.graph, tmp_path / "b", chosen)
    for name in FILES:
        first, second = ((tmp_path / side / f"{name}.jsonl").read_text() for side in "ab")
        assert first
        assert first == second
    again = [await get(admin, f"/v1/skills/{each}") for each in (one, two)]
    assert again == [{**each, "index_state": "pending"} for each in shown]
    twice = await import_attended(store_of(opened), Order(tmp_path / "a"), untold)
    kinds = ("skill", "skill_link", "skill_usage", "skill_conflict", "skill_proposal")
    assert {twice["kinds"][kind]["accepted"] for kind in kinds} == {0}
