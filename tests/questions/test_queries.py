"""Questions as records: where they count, who reads them one by one."""

from __future__ import annotations

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, switch
from tests.questions.test_analytics import ask, kept, told

__all__ = ["switch"]


async def test_a_question_counts_at_the_scopes_that_it_was_put_to(
    opened: Parts, admin: Principal, tenant: str, principal: MakePrincipal
) -> None:
    await principal(f"{tenant}/ops")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="eve")
    await opened.question_log.flush()
    for scopes in ([f"{tenant}/dev"], [f"{tenant}/dev", f"{tenant}/ops"], None):
        await ask(
            admin, "/v1/search", "zzqx", mode="keyword", **({"scopes": scopes} if scopes else {})
        )
    await ask(admin, "/v1/rag/retrieve", "zzqx", scopes=[f"{tenant}/ops"])
    await opened.question_log.flush()
    counted = {
        scope: await told(admin, scope=scope)
        for scope in (tenant, f"{tenant}/dev", f"{tenant}/ops")
    }
    assert [one["totals"]["questions"] for one in counted.values()] == [1, 2, 2]
    searched = [sum(row["searches"] for row in one["modes"]) for one in counted.values()]
    assert searched == [1, 2, 2]
    assert (await told(admin))["totals"]["questions"] == 4  # each once, however many scopes
    assert (await told(reader, scope=f"{tenant}/dev"))["totals"]["questions"] == 2


async def test_rules_of_the_scope_that_was_asked_hold_beside_those_of_the_home(
    opened: Parts, admin: Principal, tenant: str, principal: MakePrincipal, switch: Switch
) -> None:
    dev, ops = f"{tenant}/dev", f"{tenant}/ops"
    for scope in (dev, ops):
        await principal(scope)
    await switch(tenant, questions="text")
    await switch(ops, questions="hash")
    for scopes in ([dev], [ops], [dev, ops]):
        await ask(admin, "/v1/search", "zzqx", mode="keyword", scopes=scopes)
    await opened.question_log.flush()
    rows = [row["query"] for row in await kept(opened, tenant)]
    assert [row.get("words") for row in rows] == ["zzqx", None, None]
    await switch(ops, questions="off")
    for scopes in ([ops], [dev, ops]):
        await ask(admin, "/v1/search", "zzqx", mode="keyword", scopes=scopes)
    await opened.question_log.flush()
    rows = [row["query"] for row in await kept(opened, tenant)][3:]
    assert [row["scopes"] for row in rows] == [[dev]]


async def test_a_single_question_is_read_by_its_asker_and_by_curators_of_where_it_counts(
    opened: Parts, admin: Principal, tenant: str, principal: MakePrincipal, switch: Switch
) -> None:
    dev = f"{tenant}/dev"
    await switch(tenant, questions="text")
    agent = await principal(dev)
    curator = await principal(dev, role=Role.CURATOR, name="cara")
    reader = await principal(dev, role=Role.READER, name="eve")
    stranger = await principal(f"{tenant}-other", role=Role.ADMIN)
    for question in ("first zzqx", "second zzqx", "third zzqx"):
        await ask(agent, "/v1/search", question, mode="keyword")
    await opened.question_log.flush()
    page = (await agent.http.get("/v1/rag/queries", params={"limit": 2})).json()
    shown = [one["untrusted"]["query"] for one in page["items"]]
    assert shown == ["third zzqx", "second zzqx"]
    rest = await agent.http.get("/v1/rag/queries", params={"limit": 2, "cursor": page["next"]})
    assert [one["untrusted"]["query"] for one in rest.json()["items"]] == ["first zzqx"]
    assert rest.json()["next"] is None
    newest = page["items"][0]["id"]
    for who, status in ((agent, 200), (curator, 200), (admin, 200), (reader, 404), (stranger, 404)):
        answer = await who.http.get(f"/v1/rag/queries/{newest}")
        assert answer.status_code == status, who.caller.principal
        listed = await who.http.get("/v1/rag/queries", params={"status": "empty"})
        assert (newest in [one["id"] for one in listed.json()["items"]]) is (status == 200)
    record = (await admin.http.get(f"/v1/rag/queries/{newest}")).json()
    assert (record["home"], record["scopes"], record["status"]) == (dev, [dev], "empty")
    assert record["principal"] == agent.caller.principal
    assert [one["mode"] for one in record["searches"]] == ["keyword"]
    elsewhere = await agent.http.get("/v1/rag/queries", params={"scope": tenant})
    assert elsewhere.json()["items"] == []
    unknown = await agent.http.get("/v1/rag/queries", params={"status": "odd"})
    assert unknown.status_code == 422
    assert unknown.json()["errors"][0]["field"] == "status"


async def test_who_curates_a_home_reads_no_question_that_was_put_out_of_his_sight(
    opened: Parts, admin: Principal, tenant: str, principal: MakePrincipal
) -> None:
    dev = f"{tenant}/dev"
    curator = await principal(tenant, role=Role.CURATOR, name="cora", subtree=False)
    await principal(dev)
    await ask(admin, "/v1/search", "where zzqx", mode="keyword", scopes=[dev])
    await opened.question_log.flush()
    page = (await admin.http.get("/v1/rag/queries", params={"scope": dev})).json()
    (one,) = [q for q in page["items"] if q["scopes"] == [dev]]
    assert one["home"] == tenant
    assert (await admin.http.get(f"/v1/rag/queries/{one['id']}")).status_code == 200
    assert (await curator.http.get(f"/v1/rag/queries/{one['id']}")).status_code == 404
