"""Audit: one event a change or refusal, tied to its target, sealed into a chain that tells."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.access.seal import check_chain, seal_tenant
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

EVENTS = """MATCH (a:AuditEvent {tenant: $tenant})
RETURN a.kind AS kind, a.outcome AS outcome, a.payload AS payload, a.scope AS scope,
       COLLECT { MATCH (a)-[:AUDIT]->(t) RETURN coalesce(t.id, t.path) } AS targets
ORDER BY a.at, a.id"""


async def events(opened: Parts, tenant: str) -> list[dict[str, Any]]:
    return await opened.graph.raw(EVENTS, tenant=tenant)


async def test_every_change_leaves_one_event_at_its_target(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    before = len(await events(opened, tenant))
    post, named = admin.http.post, f"agent:{tenant}:bot"
    await post("/v1/scopes", json={"scope": f"{tenant}/a/agent:b"})
    await post("/v1/principals", json={"kind": "agent", "name": "bot", "home": f"{tenant}/a"})
    await post(f"/v1/principals/{named}/grants", json={"scope": tenant, "role": "reader"})
    key = (await post("/v1/keys", json={"principal": named})).json()["id"]
    await admin.http.delete(f"/v1/keys/{key}")
    await admin.http.request("DELETE", f"/v1/principals/{named}/grants", params={"scope": tenant})
    await admin.http.put("/v1/scopes/policy", params={"scope": tenant}, json={"ip": "redact"})
    episode = (await post("/v1/episodes", json={"content": "Hello you.", "session": "s"})).json()
    found = (await events(opened, tenant))[before:]
    assert [(e["kind"], e["outcome"]) for e in found] == [
        (kind, "done")
        for kind in (
            "scope.create",
            "principal.save",
            "grant",
            "key.mint",
            "key.revoke",
            "withdraw",
            "policy.set",
            "capture",
        )
    ]
    assert sorted(found[0]["targets"]) == [f"{tenant}/a", f"{tenant}/a/agent:b"]
    assert [e["targets"] for e in found[1:6]] == [[named]] * 5
    assert found[6]["targets"] == [tenant]
    assert found[7]["targets"] == [episode["id"]]
    assert all("Hello" not in e["payload"] for e in found)


async def test_a_repeated_creation_leaves_no_event(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/a"})
    before = len(await events(opened, tenant))
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/a"})
    assert len(await events(opened, tenant)) == before


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", "/v1/scopes", {"scope": "{tenant}/new"}, "Forbidden"),
        ("GET", "/v1/audit", None, "Forbidden"),
        ("GET", "/v1/episodes?scope={tenant}-b", None, "NotFound"),
        ("POST", "/v1/search", {"query": "xylophone", "scopes": ["{tenant}-b"]}, "NotFound"),
        (
            "POST",
            "/v1/episodes",
            {"content": "xylophone", "session": "s", "scope": "{tenant}"},
            "Forbidden",
        ),
        (
            "POST",
            "/v1/episodes",
            {"content": "xylophone", "session": "s", "scope": "{tenant}-b"},
            "NotFound",
        ),
        (
            "POST",
            "/v1/episodes",
            {"content": "xylophone", "session": "s", "role": "system"},
            "SystemRoleRefused",
        ),
    ],
)
async def test_every_refusal_leaves_one_event_at_the_caller(
    writer: Principal, opened: Parts, tenant: str, method: str, path: str, body: Any, code: str
) -> None:
    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{tenant}", tenant)
        if isinstance(value, list):
            return [fill(v) for v in value]
        return {k: fill(v) for k, v in value.items()} if isinstance(value, dict) else value

    before = len(await events(opened, tenant))
    answer = await writer.http.request(method, fill(path), json=fill(body))
    assert answer.json()["code"] == code
    found = (await events(opened, tenant))[before:]
    assert [(e["kind"], e["outcome"]) for e in found] == [("refused", "refused")]
    assert found[0]["targets"] == [writer.caller.principal]
    assert f'"code":"{code}"' in found[0]["payload"]
    assert "xylophone" not in found[0]["payload"]  # nor the words of a question


async def test_a_refusal_in_a_session_is_tied_to_it(
    writer: Principal, opened: Parts, tenant: str
) -> None:
    body = {"content": "Hello you.", "session": "s"}
    session = (await writer.http.post("/v1/episodes", json=body)).json()["session_id"]
    await writer.http.post("/v1/episodes", json={**body, "role": "system"})
    assert (await events(opened, tenant))[-1]["targets"] == [session]


async def test_a_refusal_is_never_tied_to_a_session_of_another_tenant(
    principal: MakePrincipal, opened: Parts, tenant: str
) -> None:
    owner = await principal(f"{tenant}-b/dev", name="owner")
    stranger = await principal(f"{tenant}/dev", name="stranger")
    await owner.http.post("/v1/episodes", json={"content": "Mine alone.", "session": "s"})
    body = {"content": "Let me in.", "session": "s", "scope": f"{tenant}-b/dev"}
    await stranger.http.post("/v1/episodes", json=body)
    assert (await events(opened, tenant))[-1]["targets"] == [stranger.caller.principal]


async def test_history_is_paged_newest_first_and_filtered(admin: Principal, tenant: str) -> None:
    for number in range(5):
        await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/w{number}/agent:a"})
    pages, cursor = [], None
    while True:
        params = {"kind": "scope.create", "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await admin.http.get("/v1/audit", params=params)).json()
        pages.extend(page["items"])
        cursor = page["next"]
        if cursor is None:
            break
    assert len({item["id"] for item in pages}) == len(pages) == 6  # the tenant's own is the sixth
    assert [item["at"] for item in pages] == sorted((i["at"] for i in pages), reverse=True)
    named = (await admin.http.get("/v1/audit", params={"target": f"{tenant}/w3"})).json()
    assert [item["kind"] for item in named["items"]] == ["scope.create"]


async def test_a_curator_reads_the_audit_of_its_own_scopes_only(
    principal: MakePrincipal, admin: Principal, tenant: str
) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator")
    await admin.http.post("/v1/episodes", json={"content": "Above.", "session": "s"})
    await curator.http.post("/v1/episodes", json={"content": "Here.", "session": "s"})
    items = (await curator.http.get("/v1/audit")).json()["items"]
    assert {item["scope"] for item in items} == {f"{tenant}/dev"}
    everything = (await admin.http.get("/v1/audit")).json()["items"]
    assert {item["scope"] for item in everything} >= {tenant, f"{tenant}/dev"}


async def sealed(admin: Principal, opened: Parts, tenant: str, captures: int = 3) -> int:
    for number in range(captures):
        body = {"content": f"Line {number} of the day.", "session": "s"}
        await admin.http.post("/v1/episodes", json=body)
    return await seal_tenant(opened.access_rows, tenant)


async def test_sealing_takes_every_event_once_and_the_chain_holds(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    await admin.http.post("/v1/scopes", json={"scope": f"{tenant}/a/agent:b"})  # two targets
    first = await sealed(admin, opened, tenant)
    second = await sealed(admin, opened, tenant, captures=0)
    assert (first, second) == (len(await events(opened, tenant)), 0)
    report = await check_chain(opened.access_rows, tenant)
    assert (report.intact, report.events) == (True, first)
    answer = (await admin.http.get("/v1/audit/check")).json()
    assert (answer["intact"], answer["events"]) == (True, first)


async def test_an_event_tells_what_it_was_about_where_that_is_gone_before_the_seal(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    post = admin.http.post
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True})
    base = (await post("/v1/knowledge-bases", json={"name": "Pumps", "scope": tenant})).json()["id"]
    body = {"knowledge_base": base, "name": "pump.md", "text": "# Pump\n\nThe pump is blue.\n"}
    taken = (await post("/v1/documents", json=body)).json()
    assert await opened.runner.run(opened, taken["job"]["id"]) == "done"
    document = taken["document"]["id"]
    gone = (await admin.http.delete(f"/v1/documents/{document}")).json()["id"]
    assert await opened.runner.run(opened, gone) == "done"
    assert (await admin.http.delete(f"/v1/knowledge-bases/{base}")).is_success
    body = {"title": "Valves", "content": "# Valves\n\nThey are red.\n", "scope": tenant}
    page = (await post("/v1/pages", json=body)).json()["id"]
    assert (await post("/v1/erasures", json={"memory": page})).is_success
    body = {"content": "Opening it unread.", "reason": "It broke.", "scope": tenant}
    pattern = (await post("/v1/bad-patterns", json=body)).json()["id"]
    assert (await post("/v1/erasures", json={"memory": pattern})).is_success
    await seal_tenant(opened.access_rows, tenant)
    found = (await admin.http.get("/v1/audit", params={"limit": 500})).json()["items"]
    told = {(item["kind"], item["target"]) for item in found}
    for kind, target in (
        ("knowledge_base.create", base),
        ("document.take", document),
        ("document.index", document),
        ("page.write", page),
        ("bad-pattern.add", pattern),
    ):
        assert (kind, target) in told, (kind, sorted(t for t in told if t[0] == kind))
    assert not [item for item in found if not item["target"]]
    assert (await check_chain(opened.access_rows, tenant)).intact


async def test_concurrent_sealings_make_one_chain(
    admin: Principal, opened: Parts, tenant: str
) -> None:
    writes = [
        admin.http.post("/v1/episodes", json={"content": f"Item {n}.", "session": f"s{n}"})
        for n in range(12)
    ]
    seals = [seal_tenant(opened.access_rows, tenant) for _ in range(4)]
    await asyncio.gather(*writes, *seals)
    await seal_tenant(opened.access_rows, tenant)
    report = await check_chain(opened.access_rows, tenant)
    assert (report.broken, report.events) == (None, len(await events(opened, tenant)))


TAMPERINGS = {
    "payload": ("SET a.payload = '{}'", 2, "was changed"),
    "actor": ("SET a.actor = 'user:nobody'", 3, "was changed"),
    "moment": ("SET a.at = a.at + duration('PT1S')", 2, "was changed"),
    "target": ("SET a.target = 'elsewhere'", 2, "was changed"),
    "hash": ("SET a.hash = 'f00'", 2, "was changed"),
    "missing first": ("DETACH DELETE a", 1, "is missing"),
    "missing in between": ("DETACH DELETE a", 3, "is missing"),
    "missing at the end": ("DETACH DELETE a", 0, "the head knows"),
    "out of order": ("SET a.seq = a.seq + 100", 2, "is missing"),
}


@pytest.mark.parametrize("how", list(TAMPERINGS))
async def test_tampering_is_found_and_placed(
    admin: Principal, opened: Parts, tenant: str, how: str
) -> None:
    total = await sealed(admin, opened, tenant)
    change, place, said = TAMPERINGS[how]
    await opened.graph.raw(
        f"MATCH (a:AuditEvent {{tenant: $tenant, seq: $seq}}) {change}",
        tenant=tenant,
        seq=place or total,
    )
    answer = (await admin.http.get("/v1/audit/check")).json()
    assert answer["intact"] is False
    assert said in answer["broken"]
    if place:
        assert f"event {place} " in answer["broken"]


async def test_checking_the_chain_needs_the_tenant_s_admin(
    principal: MakePrincipal, tenant: str
) -> None:
    lead = await principal(f"{tenant}/dev", role=Role.ADMIN, name="lead", kind="user")
    assert (await lead.http.get("/v1/audit/check")).status_code == 403
