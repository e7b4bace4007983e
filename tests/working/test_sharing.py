"""What one agent hands to another one, which alone reads it."""

from __future__ import annotations

import httpx

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal
from tests.support.waiting import eventually
from tests.working.conftest import BASE, SHARES, put


async def test_only_the_target_reads_what_is_shared(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    target = await principal(scope, name="target")
    third = await principal(scope, name="third", role=Role.ADMIN)
    source, to = writer.caller.principal, target.caller.principal
    answer = await writer.http.put(f"{SHARES}/{to}/plan", json={"value": {"a": [1]}, "ttl": 60})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["scope"], told["agent"], told["name"], told["ttl"]) == (scope, to, "plan", 60)
    seen = await target.http.get(f"{SHARES}/{source}/plan")
    assert seen.status_code == 200
    assert seen.json()["untrusted"] == {"value": {"a": [1]}}
    assert (seen.json()["agent"], seen.json()["ttl"]) == (source, 60)

    async def of(who: Principal, agent: str, name: str = "plan", **query: str) -> httpx.Response:
        return await who.http.get(f"{SHARES}/{agent}/{name}", params=query)

    # The source, an administrator, another key and another scope: none of them, and all alike.
    refusals = [
        await of(writer, to), await of(writer, source), await of(third, source),
        await of(third, to), await of(target, source, "other"),
        await of(target, source, scope=tenant), await of(target, "agent:nowhere:x"),
    ]  # fmt: skip
    assert {answer.status_code for answer in refusals} == {404}
    assert {answer.json()["detail"] for answer in refusals[:4]} == {refusals[0].json()["detail"]}
    assert (await writer.http.get(BASE)).json()["items"] == []  # it is no task
    assert (await target.http.get(BASE)).json()["items"] == []


async def test_what_is_shared_is_taken_back_and_ends(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    target = await principal(f"{tenant}/dev", name="target")
    to, source = target.caller.principal, writer.caller.principal
    for name, ttl in (("a", 60), ("b", 1)):
        body = {"value": name, "ttl": ttl}
        assert (await writer.http.put(f"{SHARES}/{to}/{name}", json=body)).status_code == 200
    assert (await target.http.delete(f"{SHARES}/{source}/a")).status_code == 404
    assert (await writer.http.delete(f"{SHARES}/{to}/a")).status_code == 204
    assert (await writer.http.delete(f"{SHARES}/{to}/a")).status_code == 404
    assert (await target.http.get(f"{SHARES}/{source}/a")).status_code == 404

    async def ended() -> bool:
        return (await target.http.get(f"{SHARES}/{source}/b")).status_code == 404

    await eventually("what is shared for a second ends", ended)


async def test_nothing_is_shared_beyond_the_tenant_or_without_the_role(
    writer: Principal, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    stranger = await principal(f"{tenant}-2/dev", name="scout")
    reader = await principal(f"{tenant}/dev", name="looks", role=Role.READER)
    body = {"value": 1}
    answer = await writer.http.put(f"{SHARES}/{stranger.caller.principal}/a", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (404, "agent")
    gone = await writer.http.put(f"{SHARES}/agent:{tenant}:nobody/a", json=body)
    assert gone.status_code == 404
    answer = await reader.http.put(f"{SHARES}/{writer.caller.principal}/a", json=body)
    assert answer.status_code == 403
    answer = await writer.http.put(f"{SHARES}/a|b/a", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "agent")
    # Handed to one who does not see the scope, it is not there for him.
    far = await principal(f"{tenant}/ops", name="far")
    answer = await writer.http.put(f"{SHARES}/{far.caller.principal}/a", json=body)
    assert answer.status_code == 200
    query = {"scope": f"{tenant}/dev"}
    seen = await far.http.get(f"{SHARES}/{writer.caller.principal}/a", params=query)
    assert seen.status_code == 404
    await put(writer, "t/state", 1)
    kinds = [event["kind"] for event in (await admin.http.get("/v1/audit")).json()["items"]]
    assert "working.share" in kinds
