"""What a caller sees: its home and the way up, what was granted, and nothing else."""

from __future__ import annotations

import pytest

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal

MISSING = "00000000-0000-7000-8000-000000000000"


async def seen(caller: Principal) -> set[str]:
    answer = await caller.http.get("/v1/scopes")
    return {item["scope"] for item in answer.json()["items"]}


async def capture(caller: Principal, scope: str, text: str) -> str:
    answer = await caller.http.post(
        "/v1/episodes", json={"content": text, "session": "s", "scope": scope}
    )
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def test_a_leaf_sees_itself_and_the_way_up(principal: MakePrincipal, tenant: str) -> None:
    scout = await principal(f"{tenant}/dev/agent:scout")
    await principal(f"{tenant}/dev/agent:other", name="other")
    await principal(f"{tenant}/ops", name="third")
    assert await seen(scout) == {tenant, f"{tenant}/dev", f"{tenant}/dev/agent:scout"}
    assert scout.caller.roles[f"{tenant}/dev"] is Role.READER
    assert scout.caller.roles[f"{tenant}/dev/agent:scout"] is Role.WRITER


async def test_a_workspace_does_not_see_its_leaves_without_subtree(
    principal: MakePrincipal, tenant: str
) -> None:
    await principal(f"{tenant}/dev/agent:leaf", name="leaf")
    flat = await principal(f"{tenant}/dev", name="flat")
    deep = await principal(f"{tenant}/dev", name="deep", subtree=True)
    assert await seen(flat) == {tenant, f"{tenant}/dev"}
    assert await seen(deep) == {tenant, f"{tenant}/dev", f"{tenant}/dev/agent:leaf"}


async def test_a_writer_reads_its_ancestors_and_writes_only_at_home(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    scout = await principal(f"{tenant}/dev")
    known = await capture(admin, tenant, "The company sells lighthouses.")
    assert (await scout.http.get(f"/v1/episodes/{known}")).status_code == 200
    body = {"content": "I write upward.", "session": "s", "scope": tenant}
    answer = await scout.http.post("/v1/episodes", json=body)
    assert answer.status_code == 403
    assert answer.json()["errors"][0]["field"] == "scope"


async def test_a_team_s_members_see_the_team_s_leaf_and_not_its_workspace(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    await principal(f"{tenant}/ops", name="opsy")
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/ops/team:night"})
    scout = await principal(f"{tenant}/dev")
    path = f"/v1/principals/{scout.caller.principal}/grants"
    granted = await admin.http.post(
        path, json={"scope": f"{tenant}/ops/team:night", "role": "writer"}
    )
    assert granted.status_code == 201
    assert await seen(scout) == {tenant, f"{tenant}/dev", f"{tenant}/ops/team:night"}
    known = await capture(scout, f"{tenant}/ops/team:night", "The night shift owns the pager.")
    private = await capture(admin, f"{tenant}/ops", "Only operations knows this.")
    assert (await scout.http.get(f"/v1/episodes/{known}")).status_code == 200
    assert (await scout.http.get(f"/v1/episodes/{private}")).status_code == 404
    await admin.http.request("DELETE", path, params={"scope": f"{tenant}/ops/team:night"})
    assert await seen(scout) == {tenant, f"{tenant}/dev"}
    assert (await scout.http.get(f"/v1/episodes/{known}")).status_code == 404


async def test_a_grant_of_a_subtree_covers_scopes_made_later(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/ops"})
    scout = await principal(f"{tenant}/dev")
    await admin.http.post(
        f"/v1/principals/{scout.caller.principal}/grants",
        json={"scope": f"{tenant}/ops", "role": "reader", "subtree": True},
    )
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/ops/user:late"})
    assert f"{tenant}/ops/user:late" in await seen(scout)


@pytest.mark.parametrize(
    "path", ["/v1/episodes/{}", "/v1/memories/{}", "/v1/sessions/{}", "/v1/jobs/{}"]
)
async def test_what_is_denied_looks_like_what_is_absent(
    principal: MakePrincipal, tenant: str, path: str
) -> None:
    owner = await principal(f"{tenant}/dev", role=Role.ADMIN, name="owner", kind="user")
    stranger = await principal(f"{tenant}-other/dev", name="stranger")
    sibling = await principal(f"{tenant}/ops", name="sibling")
    known = await capture(owner, f"{tenant}/dev", "A secret of one scope.")
    if "sessions" in path:
        known = (await owner.http.get(f"/v1/episodes/{known}")).json()["session_id"]
    if "jobs" in path:
        ran = await owner.http.post("/v1/communities/refresh", json={})
        known = ran.json()["job"]
    assert (await owner.http.get(path.format(known))).status_code == 200
    for caller in (stranger, sibling):
        foreign = await caller.http.get(path.format(known))
        missing = await caller.http.get(path.format(MISSING))
        assert foreign.status_code == missing.status_code == 404
        assert foreign.text.replace(known, "?") == missing.text.replace(MISSING, "?")
        assert foreign.headers.keys() == missing.headers.keys()


@pytest.mark.parametrize("where", ["capture", "list", "search", "audit", "policy", "grant"])
async def test_a_foreign_scope_and_no_scope_give_the_same_answer(
    principal: MakePrincipal, tenant: str, where: str
) -> None:
    await principal(f"{tenant}-b/dev", name="stranger")
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    answers = []
    for scope in (f"{tenant}-b/dev", f"{tenant}-c/dev"):
        calls = {
            "capture": ("POST", "/v1/episodes", {"content": "a", "session": "s", "scope": scope}),
            "list": ("GET", f"/v1/episodes?scope={scope}", None),
            "search": ("POST", "/v1/search", {"query": "a", "scopes": [scope]}),
            "audit": ("GET", f"/v1/audit?scope={scope}", None),
            "policy": ("PUT", f"/v1/scopes/policy?scope={scope}", {}),
            "grant": (
                "POST",
                f"/v1/principals/{boss.caller.principal}/grants",
                {"scope": scope},
            ),
        }
        method, path, body = calls[where]
        answer = await boss.http.request(method, path, json=body)
        answers.append((answer.status_code, answer.text.replace(scope, "?")))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404
