"""Making scopes, and the policy that a text passes."""

from __future__ import annotations

import asyncio

import pytest

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal


async def test_a_scope_is_made_once_with_what_lies_between(admin: Principal, tenant: str) -> None:
    body = {"scope": f"{tenant}/new/agent:bee", "name": "Bee"}
    first = await admin.http.post("/v1/scopes", json=body)
    again = await admin.http.post("/v1/scopes", json=body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert (first.json()["kind"], first.json()["name"]) == ("agent", "Bee")
    paths = {s["scope"] for s in (await admin.http.get("/v1/scopes")).json()["items"]}
    assert {tenant, f"{tenant}/new", f"{tenant}/new/agent:bee"} <= paths


@pytest.mark.parametrize(
    "path",
    ["", "Acme", "a b", "a/b/c", "a//b", "/a", "a/", "a/b/robot:x", "a/user:", "a/user:x/y", "ä",
     "a" * 65, "a/b\n", "-a", "a;drop"],
)  # fmt: skip
async def test_a_path_that_is_none_is_refused_by_name(admin: Principal, path: str) -> None:
    answer = await admin.http.post("/v1/scopes", json={"scope": path})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "scope"


async def test_a_tenant_is_not_made_over_http(admin: Principal) -> None:
    answer = await admin.http.post("/v1/scopes", json={"scope": "brand-new"})
    assert answer.status_code == 422


async def test_a_scope_of_another_tenant_is_not_made(admin: Principal, tenant: str) -> None:
    answer = await admin.http.post("/v1/scopes", json={"scope": f"{tenant}-b/dev"})
    assert answer.status_code == 404


async def test_a_scope_that_is_there_unseen_is_a_conflict_without_its_policy(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    lead = await principal(
        f"{tenant}/dev", role=Role.ADMIN, name="lead", kind="user", subtree=False
    )
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/dev/user:ann"})
    answer = await lead.http.post("/v1/scopes", json={"scope": f"{tenant}/dev/user:ann"})
    assert answer.status_code == 409
    assert "policy" not in answer.json()


async def test_the_nearest_policy_on_the_way_up_holds(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/dev/agent:a"})
    put = admin.http.put
    await put("/v1/scopes/policy", params={"scope": tenant}, json={"email": "refuse"})
    assert (await opened.scopes.policy(f"{tenant}/dev/agent:a")).email == "refuse"
    await put("/v1/scopes/policy", params={"scope": f"{tenant}/dev"}, json={"email": "keep"})
    assert (await opened.scopes.policy(f"{tenant}/dev/agent:a")).email == "keep"
    assert (await opened.scopes.policy(tenant)).email == "refuse"


@pytest.mark.parametrize(
    ("policy", "field"),
    [({"email": "burn"}, "email"), ({"mail": "tag"}, "mail"), ({"names": "yes"}, "names")],
)
async def test_a_policy_that_cannot_be_read_changes_nothing(
    admin: Principal, tenant: str, policy: dict[str, str], field: str
) -> None:
    answer = await admin.http.put("/v1/scopes/policy", params={"scope": tenant}, json=policy)
    assert answer.status_code == 422
    assert answer.json()["code"] == "PolicyInvalid"
    assert answer.json()["errors"][0]["field"] == field
    scopes = (await admin.http.get("/v1/scopes")).json()["items"]
    assert [s["policy"] for s in scopes if s["scope"] == tenant] == [None]


async def test_a_patch_of_rules_changes_what_it_names_and_nothing_else(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    where = {"scope": tenant}
    await admin.http.patch("/v1/scopes/rules", params=where, json={"language_model": False})
    answer = await admin.http.patch(
        "/v1/scopes/rules", params=where, json={"members_revise": True, "promotion": {"quorum": 5}}
    )
    rules = answer.json()["rules"]
    assert (rules["language_model"], rules["members_revise"]) == (False, True)
    assert (rules["promotion"]["quorum"], rules["promotion"]["threshold"]) == (5, 0.8)
    answer = await admin.http.patch(
        "/v1/scopes/rules", params=where, json={"promotion": {"enabled": True}}
    )
    assert answer.json()["rules"]["promotion"]["quorum"] == 5
    back = await admin.http.patch("/v1/scopes/rules", params=where, json={"members_revise": None})
    assert back.json()["rules"]["members_revise"] is False
    assert (await opened.scopes.rules(tenant)).language_model is False


async def test_a_patch_below_begins_with_what_is_inherited_and_tells_the_source(
    admin: Principal, tenant: str
) -> None:
    below = f"{tenant}/dev"
    await admin.http.post("/v1/scopes", json={"scope": below})
    shown = (await admin.http.get("/v1/scopes/rules", params={"scope": below})).json()
    assert shown["source"] is None
    await admin.http.patch(
        "/v1/scopes/rules", params={"scope": tenant}, json={"language_model": False}
    )
    shown = (await admin.http.get("/v1/scopes/rules", params={"scope": below})).json()
    assert (shown["source"], shown["rules"]["language_model"]) == (tenant, False)
    await admin.http.patch("/v1/scopes/rules", params={"scope": below}, json={"decay": True})
    shown = (await admin.http.get("/v1/scopes/rules", params={"scope": below})).json()
    assert (shown["source"], shown["rules"]["language_model"], shown["rules"]["decay"]) == (
        below, False, True,
    )  # fmt: skip


async def test_a_policy_is_patched_and_shown_with_its_source(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    below = f"{tenant}/dev"
    await admin.http.post("/v1/scopes", json={"scope": below})
    await admin.http.put("/v1/scopes/policy", params={"scope": tenant}, json={"email": "refuse"})
    await admin.http.patch("/v1/scopes/policy", params={"scope": below}, json={"phone": "tag"})
    shown = (await admin.http.get("/v1/scopes/policy", params={"scope": below})).json()
    assert (shown["source"], shown["policy"]["email"], shown["policy"]["phone"]) == (
        below, "refuse", "tag",
    )  # fmt: skip
    held = await opened.scopes.policy(below)
    assert (held.email, held.phone) == ("refuse", "tag")


@pytest.mark.parametrize(
    ("route", "body", "field"),
    [
        ("rules", {"languge_model": False}, "languge_model"),
        ("rules", {"promotion": {"quorum": 1}}, "promotion.quorum"),
        ("rules", {"members_revise": "often"}, "members_revise"),
        ("policy", {"email": "burn"}, "email"),
    ],
)
async def test_a_patch_that_cannot_be_read_changes_nothing(
    admin: Principal, tenant: str, route: str, body: dict[str, object], field: str
) -> None:
    answer = await admin.http.patch(f"/v1/scopes/{route}", params={"scope": tenant}, json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field
    shown = (await admin.http.get(f"/v1/scopes/{route}", params={"scope": tenant})).json()
    assert shown["source"] is None


async def test_patches_at_once_lose_none(admin: Principal, tenant: str) -> None:
    names = ["members_revise", "erasure", "decay", "forgetting"]
    await asyncio.gather(
        *(
            admin.http.patch("/v1/scopes/rules", params={"scope": tenant}, json={name: True})
            for name in names
        )
    )
    shown = (await admin.http.get("/v1/scopes/rules", params={"scope": tenant})).json()["rules"]
    assert [shown[name] for name in names] == [True] * 4


async def test_who_does_not_administer_patches_nothing(writer: Principal) -> None:
    scope = writer.caller.home
    answer = await writer.http.patch(
        "/v1/scopes/rules", params={"scope": scope}, json={"decay": True}
    )
    assert answer.status_code == 403


async def test_an_agent_makes_its_own_leaf_and_no_other_scope(
    principal: MakePrincipal, tenant: str
) -> None:
    scout = await principal(f"{tenant}/dev", name="scout", subtree=False)
    own = f"{tenant}/dev/agent:scout"
    made = await scout.http.post("/v1/scopes", json={"scope": own})
    again = await scout.http.post("/v1/scopes", json={"scope": own})
    assert (made.status_code, again.status_code) == (201, 200)
    kept = await scout.http.post(
        "/v1/episodes", json={"scope": own, "session": "s", "content": "Only I read this."}
    )
    assert kept.status_code == 201
    for path in (
        f"{tenant}/dev/agent:other",
        f"{tenant}/dev/team:scout",
        f"{tenant}/agent:scout",
        f"{tenant}/ops/agent:scout",
    ):
        refused = await scout.http.post("/v1/scopes", json={"scope": path})
        assert refused.status_code in (403, 404), path
    rules = await scout.http.patch("/v1/scopes/rules", params={"scope": own}, json={"decay": True})
    assert rules.status_code == 403, "it writes there, and administers nothing"


async def test_a_reader_makes_no_leaf_and_a_taken_one_is_not_given(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", name="eve", role=Role.READER, subtree=False)
    answer = await reader.http.post("/v1/scopes", json={"scope": f"{tenant}/dev/agent:eve"})
    assert answer.status_code == 403
    bob = await principal(f"{tenant}/dev", name="bob", subtree=False)
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/dev/agent:bob"})
    taken = await bob.http.post("/v1/scopes", json={"scope": f"{tenant}/dev/agent:bob"})
    page = await bob.http.post("/v1/pages", json={"title": "T", "content": "x", "personal": True})
    assert (taken.status_code, page.status_code) == (409, 409)


async def made(who: Principal, scope: str) -> int:
    answer = await who.http.post("/v1/scopes", json={"scope": scope})
    if answer.status_code >= 400:
        assert answer.json()["errors"][0]["field"] == "scope", answer.text
    return answer.status_code


async def test_a_writer_makes_users_leaves_below_its_scope_and_nobody_sees_more_than_before(
    opened: Parts, principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    home = f"{tenant}/dev"
    leaf = f"{home}/user:solvei"
    scout = await principal(home)
    beside = await principal(home, name="beside")
    looker = await principal(home, name="looker", role=Role.READER)
    assert [await made(scout, leaf) for _ in range(2)] == [201, 200]
    held = (await opened.keys.resolve(scout.key)).roles[leaf]
    assert held is Role.WRITER, "no more than it has above"
    answer = await scout.http.put(f"/v1/scopes/policy?scope={leaf}", json={})
    assert answer.status_code == 403
    said = {"content": "Solvei rows before breakfast.", "session": "s", "scope": leaf}
    episode = (await scout.http.post("/v1/episodes", json=said)).json()["id"]
    refused = await looker.http.post("/v1/scopes", json={"scope": leaf})
    assert refused.status_code == 403
    for other in (beside, looker):
        seen = [item["scope"] for item in (await other.http.get("/v1/scopes")).json()["items"]]
        assert seen == [tenant, home]
        assert (await other.http.get(f"/v1/episodes/{episode}")).status_code == 404
        assert (await other.http.post("/v1/episodes", json=said)).status_code in (403, 404)
    assert await made(beside, leaf) == 403
    assert leaf in (await opened.keys.resolve(admin.key)).roles, "who governs what lies below"
    (event,) = await opened.graph.raw(
        "MATCH (a:AuditEvent {kind: 'scope.create'})-[:AUDIT]->(:Scope {path: $leaf}) "
        "RETURN a.actor AS by",
        leaf=leaf,
    )
    assert event["by"] == scout.caller.principal


async def test_a_writer_makes_no_other_leaf_and_none_of_somebody_with_a_key(
    principal: MakePrincipal, tenant: str
) -> None:
    home = f"{tenant}/dev"
    scout = await principal(home)
    await principal(f"{tenant}/ops", name="ragnfrid", kind="user")
    other = await principal(f"{tenant}/ops", name="other")
    assert await made(other, f"{tenant}/ops/user:taken") == 201
    for path in (f"{home}/agent:solvei", f"{home}/team:solvei", f"{tenant}/user:solvei",
                 f"{tenant}/new"):  # fmt: skip
        assert await made(scout, path) == 403, path
    # A scope that is there and not seen, and one that is not there, look alike.
    for path in (f"{tenant}/ops/user:taken", f"{tenant}/none/user:taken", f"{tenant}x/user:a"):
        assert await made(scout, path) == 404, path
    beside = await principal(f"{tenant}/ops", name="beside")
    told = []
    for name in ("ragnfrid", "taken"):  # who has a key, and whose leaf is another's
        body = {"scope": f"{tenant}/ops/user:{name}"}
        answer = await beside.http.post("/v1/scopes", json=body)
        told.append((answer.status_code, answer.text.replace(name, "?")))
    assert told[0] == told[1]
    assert told[0][0] == 403


async def test_of_many_who_want_a_user_s_leaf_one_has_it(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    home = f"{tenant}/dev"
    folk = [await principal(home, name=name) for name in ("one", "two")]
    wanted = [made(who, f"{home}/user:aslaug") for who in folk for _ in range(4)]
    told = await asyncio.gather(*wanted)
    has = [f"{home}/user:aslaug" in (await opened.keys.resolve(who.key)).roles for who in folk]
    assert sorted(has) == [False, True]
    mine, theirs = (told[:4], told[4:]) if has[0] else (told[4:], told[:4])
    assert 201 in mine
    assert {*mine} <= {200, 201}
    assert {*theirs} == {403}
