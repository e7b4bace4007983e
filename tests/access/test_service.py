"""Nobody gives more than they hold: homes, grants, keys and scopes."""

from __future__ import annotations

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal


async def lead_of(principal: MakePrincipal, scope: str) -> Principal:
    """An admin of one workspace, not of what is below it."""
    return await principal(scope, role=Role.ADMIN, name="lead", kind="user", subtree=False)


async def test_a_home_cannot_be_taken_from_where_one_is_not_admin(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    lead = await lead_of(principal, f"{tenant}/dev")
    body = {"kind": "user", "name": "admin", "home": f"{tenant}/dev", "role": "reader"}
    answer = await lead.http.post("/v1/principals", json=body)
    assert answer.status_code == 409
    listed = (await admin.http.get("/v1/principals")).json()["items"]
    assert {p["id"]: p["home"] for p in listed}[admin.caller.principal] == tenant


async def test_a_key_cannot_be_made_for_someone_who_sees_more(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    lead = await lead_of(principal, f"{tenant}/dev")
    scout = await principal(f"{tenant}/dev")
    assert (
        await lead.http.post("/v1/keys", json={"principal": scout.caller.principal})
    ).status_code == 201
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/ops"})
    await admin.http.post(
        f"/v1/principals/{scout.caller.principal}/grants", json={"scope": f"{tenant}/ops"}
    )
    refused = await lead.http.post("/v1/keys", json={"principal": scout.caller.principal})
    assert refused.status_code == 404
    allowed = await admin.http.post("/v1/keys", json={"principal": scout.caller.principal})
    assert allowed.status_code == 201


async def test_a_subtree_is_given_only_by_who_has_it(principal: MakePrincipal, tenant: str) -> None:
    lead = await lead_of(principal, f"{tenant}/dev")
    scout = await principal(f"{tenant}/dev")
    path = f"/v1/principals/{scout.caller.principal}/grants"
    granted = await lead.http.post(path, json={"scope": f"{tenant}/dev", "subtree": True})
    body = {"kind": "agent", "name": "deep", "home": f"{tenant}/dev", "subtree": True}
    saved = await lead.http.post("/v1/principals", json=body)
    for answer in (granted, saved):
        assert answer.status_code == 403
        assert answer.json()["errors"][0]["field"] == "subtree"
    flat = await lead.http.post(path, json={"scope": f"{tenant}/dev", "role": "curator"})
    assert flat.status_code == 201


async def test_principals_of_another_tenant_cannot_be_granted_or_keyed(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    stranger = await principal(f"{tenant}-b", name="stranger")
    named = stranger.caller.principal
    granted = await admin.http.post(f"/v1/principals/{named}/grants", json={"scope": tenant})
    minted = await admin.http.post("/v1/keys", json={"principal": named})
    revoked = await admin.http.delete(f"/v1/keys/{stranger.caller.key}")
    assert [granted.status_code, minted.status_code, revoked.status_code] == [404] * 3
    assert (await stranger.http.get("/v1/episodes")).status_code == 200


async def test_lists_show_only_what_is_administered(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    lead = await lead_of(principal, f"{tenant}/dev")
    scout = await principal(f"{tenant}/dev")
    other = await principal(f"{tenant}/ops", name="other")
    stranger = await principal(f"{tenant}-b", name="stranger")
    people = {p["id"] for p in (await lead.http.get("/v1/principals")).json()["items"]}
    assert people == {lead.caller.principal, scout.caller.principal}
    keys = (await lead.http.get("/v1/keys")).json()["items"]
    assert {k["id"] for k in keys} == {lead.caller.key, scout.caller.key}
    assert all("hash" not in key and "key" not in key for key in keys)
    everyone = {p["id"] for p in (await admin.http.get("/v1/principals")).json()["items"]}
    assert other.caller.principal in everyone
    assert stranger.caller.principal not in everyone
