"""What lies in another scope or tenant is not there: nothing is read, changed or checked."""

from __future__ import annotations

from typing import Any

import pytest

from app.kernel.caller import Role
from app.wiring import Parts
from tests.autonomy.conftest import listed, make
from tests.autonomy.test_interventions import clear, decided
from tests.conftest import MakePrincipal, Principal

LISTS = ("goals", "escalations", "observations", "intervention-policies")
CHECKS = (
    "goals/check", "escalations/check", "observations/collect", "observations/cleanup",
    "intervention-policies/suggest", "snapshots",
)  # fmt: skip


@pytest.mark.parametrize("place", ["far", "other tenant"])
async def test_a_stranger_sees_and_changes_nothing(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, place: str
) -> None:
    scope = f"{tenant}/dev"
    goal = (await make(writer, "goals", title="Ours"))["id"]
    due = "2027-03-02T12:00:00Z"
    late = (await make(writer, "escalations", title="Ours", due_at=due))["id"]
    pushed = await make(writer, "observations", items=[{"sensor": "s", "payload": {}}])
    seen = pushed["items"][0]["observation"]["id"]
    await decided(opened, scope, "merge", (20, 0))
    (policy,) = (await opened.intervening.suggest([scope], dry_run=False)).ids
    await clear(opened, scope)
    before = [await listed(writer, path) for path in LISTS]
    home = f"{tenant}/far" if place == "far" else f"{tenant}z/dev"
    stranger = await principal(home, role=Role.ADMIN, name="far", kind="user")
    calls: list[tuple[str, str, dict[str, Any] | None]] = [
        *(("GET", f"{path}?scope={scope}", None) for path in (*LISTS, "snapshots")),
        *(("POST", path, {"scope": scope}) for path in CHECKS),
        ("GET", f"goals/{goal}", None),
        ("PATCH", f"goals/{goal}", {"progress": 5}),
        ("POST", f"goals/{goal}/advance", {"to": "completed"}),
        ("POST", f"goals/{goal}/links", {"memory": goal}),
        ("DELETE", f"goals/{goal}/links/{goal}", None),
        ("POST", "goals", {"title": "x", "scope": scope}),
        ("POST", "goals", {"title": "x", "parent_id": goal}),
        ("GET", f"escalations/{late}", None),
        ("PATCH", f"escalations/{late}", {"title": "x"}),
        ("POST", f"escalations/{late}/resolve", {}),
        ("POST", "observations/processed", {"ids": [seen]}),
        ("GET", f"intervention-policies/{policy}", None),
        ("POST", f"intervention-policies/{policy}/decide", {"to": "accepted"}),
    ]
    for method, path, body in calls:
        answer = await stranger.http.request(method, f"/v1/{path}", json=body)
        assert answer.status_code == 404, f"{method} {path}: {answer.text}"
    for path in CHECKS[:-1]:
        answer = await make(stranger, path, status=200, dry_run=False)
        assert answer["ids"] == []
    assert [await listed(stranger, path) for path in LISTS] == [[], [], [], []]
    assert [await listed(writer, path) for path in LISTS] == before


async def test_a_link_shows_to_whom_the_memory_does(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    goal = (await make(writer, "goals", title="Open"))["id"]
    note = (await make(admin, "notes", content="The rent is high.", scope=tenant))["id"]
    hidden = (await make(admin, "notes", content="The rent is low.", scope=f"{tenant}/dev"))["id"]
    await make(admin, f"goals/{goal}/links", memory=note)
    await make(admin, f"goals/{goal}/links", memory=hidden)
    for who, memories in ((admin, [note, hidden]), (writer, None)):
        links = (await who.http.get(f"/v1/goals/{goal}")).json()["links"]
        found = [link["memory"] for link in links]
        wanted = memories or [
            memory
            for memory in (note, hidden)
            if (await who.http.get(f"/v1/notes/{memory}")).status_code == 200
        ]
        assert found == wanted
