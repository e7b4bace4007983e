"""Erasure on the real graph: the closure, belief that comes back, and nothing left behind."""

from __future__ import annotations

from typing import Any

from app.entities.names import read_name
from app.kernel.caller import Role
from app.lifecycle.keeper import CacheKeeper
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, Switch, checked, facts_in, strings_of


async def erase(admin: Principal, **body: Any) -> dict[str, Any]:
    answer = await admin.http.post("/v1/erasures", json=body)
    assert answer.status_code in (200, 202), answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_what_an_erased_episode_had_retired_comes_back(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    scope = f"{tenant}/dev"
    await opened.scopes.create(admin.caller, scope)
    await switch(tenant, erasure=True)
    await say(tenant, "Ada Berger works for Acme GmbH.", captured_at="2026-01-05T10:00:00Z")
    before = await facts_in(opened, tenant)
    firm = f"Olden{tenant.replace('-', 'x')}"
    text = f"Ada Berger works for {firm} GmbH."
    second = await say(tenant, text, captured_at="2026-05-05T10:00:00Z")
    assert sorted((await facts_in(opened, tenant)).values()) == ["active", "superseded"]
    told = await erase(admin, memory=second)
    assert told["state"] == "done"
    assert told["counts"]["episodes"] == 1
    assert told["counts"]["facts"] == 1
    assert await facts_in(opened, tenant) == before
    assert await strings_of(opened, firm) == []
    proof = await checked(opened, admin, told["receipt"], firm)
    assert proof["clean"], proof
    assert proof["looked_at"] > 0


async def test_a_fact_lives_on_while_others_say_it_in_their_words(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    canary = f"Canarius{tenant.replace('-', 'x')}"
    first = await say(tenant, f"Dr. Ada {canary} lives in Bremen.")
    await say(tenant, "Ada lives in Bremen.", session="other")
    told = await erase(admin, memory=first)
    held = await facts_in(opened, tenant)
    assert all(canary.casefold() not in statement.casefold() for statement in held)
    assert await strings_of(opened, canary) == []
    assert (await checked(opened, admin, told["receipt"], canary))["clean"]


async def test_erasing_leaves_what_there_would_be_without_it(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    await say(tenant, "Ada Berger lives in Bremen. Ada Berger works for Heron GmbH.")
    await say(tenant, "Ole Petersen works for Heron GmbH.", session="two")
    before = await shape(opened, tenant)
    extra = await say(tenant, "Ada Berger lives in Oldenburg. Ole Petersen knows Pia Kranich.")
    assert await shape(opened, tenant) != before
    await erase(admin, memory=extra)
    after = await shape(opened, tenant)
    for a, b in zip(after, before, strict=True):
        for k in a:
            assert a[k] == b[k], (k, a["id"], a["name"], a["statement"])
    assert after == before


async def shape(opened: Parts, tenant: str) -> list[Any]:
    """Everything derived of a tenant, without moments and ids that are made anew."""
    rows = await opened.graph.raw(
        "MATCH (n) WHERE n.scope = $tenant AND (n:Fact OR n:Entity OR n:Alias OR n:MemSession) "
        "RETURN labels(n)[0] AS label, n.id AS id, n.statement AS statement, n.status AS status, "
        "n.aliases AS aliases, n.keys AS keys, n.canonical_name AS name, n.root AS root, "
        "n.mention_count AS mentions, n.evidence AS evidence, n.valid_from AS valid_from, "
        "n.valid_to AS valid_to, "
        "COLLECT { MATCH (n)-[r]->(m) WHERE m.scope = $tenant AND NOT m:Tag "
        "          RETURN type(r) + m.id + toString(coalesce(r.count, 0)) "
        "               + toString(coalesce(r.valid_to, '')) AS edge ORDER BY edge } AS edges "
        "ORDER BY label, id",
        tenant=tenant,
    )
    return list(rows)


async def test_it_is_refused_where_rules_or_roles_do_not_allow_it(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    switch: Switch,
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    answer = await admin.http.post("/v1/erasures", json={"memory": episode})
    assert (answer.status_code, answer.json()["code"]) == (409, "SwitchedOff")
    await switch(tenant, erasure=True)
    curator = await principal(tenant, role=Role.CURATOR, name="curie")
    assert (await curator.http.post("/v1/erasures", json={"memory": episode})).status_code == 403
    stranger = await principal(f"{tenant}-other", role=Role.ADMIN, name="eve")
    assert (await stranger.http.post("/v1/erasures", json={"memory": episode})).status_code == 404
    for body in ({}, {"memory": episode, "session": "talk"}):
        assert (await admin.http.post("/v1/erasures", json=body)).status_code == 422
    assert len(await facts_in(opened, tenant)) == 1


async def test_a_dry_run_tells_and_changes_nothing(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    told = await erase(admin, memory=episode, dry_run=True)
    assert told["state"] == "preview"
    assert told["preview"]["episodes"] == [episode]
    assert len(told["preview"]["facts"]) == 1
    assert len(await facts_in(opened, tenant)) == 1


async def test_an_erased_fact_does_not_come_back_from_the_text_that_stays(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    row = (await opened.graph.raw("MATCH (f:Fact {scope: $s}) RETURN f.id AS id", s=tenant))[0]
    told = await erase(admin, memory=row["id"])
    assert told["survivors"] == [episode]
    assert await facts_in(opened, tenant) == {}
    again = await admin.http.post("/v1/consolidate", json={"scope": tenant, "again": "all"})
    assert again.status_code == 202
    await opened.consolidation.consolidate(tenant)
    assert await facts_in(opened, tenant) == {}
    await say(tenant, "Ada Berger lives in Bremen.", captured_at="2026-03-01T00:00:00Z")
    assert list((await facts_in(opened, tenant)).values()) == ["active"]
    both = await erase(admin, memory=row["id"], sources=True)
    assert both["counts"]["episodes"] >= 1
    assert await facts_in(opened, tenant) == {}


async def test_erasing_twice_gives_the_first_receipt_and_the_text_can_be_said_again(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    count = (
        "MATCH (a:AuditEvent {tenant: $t}) WHERE NOT a.kind STARTS WITH 'refused' "
        "RETURN a.id AS id, a.kind AS kind ORDER BY a.at, a.id"
    )
    before = await opened.graph.raw(count, t=tenant)
    first = await erase(admin, memory=episode)
    second = await erase(admin, memory=episode)
    assert second["receipt"] == first["receipt"]
    after = await opened.graph.raw(count, t=tenant)
    assert [row for row in after if row in before] == before, "what was audited stays"
    assert len([row for row in after if row not in before]) == 1
    anew = await say(tenant, "Ada Berger lives in Bremen.")
    assert anew != episode
    assert list((await facts_in(opened, tenant)).values()) == ["active"]


async def test_an_erasure_that_was_cut_short_is_finished_by_whoever_finds_it(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    told = await erase(admin, memory=episode)
    await opened.graph.raw(
        "MATCH (r:ErasureReceipt {id: $id}) SET r.state = 'removing', "
        "r.touched_at = datetime.realtime() - duration('PT5M')",
        id=told["receipt"],
    )
    assert await opened.erasure.finish_all() >= 1
    receipt = (await admin.http.get(f"/v1/erasures/{told['receipt']}")).json()
    assert receipt["state"] == "done"
    assert receipt["ids"]


async def test_other_processes_empty_their_caches_as_well(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    keeper = CacheKeeper(opened.graph)
    assert not await keeper.look()
    await switch(tenant, erasure=True)
    await erase(admin, memory=await say(tenant, "Ada Berger lives in Bremen."))
    read_name("Ada Berger", "person")  # another process has just read the same name
    assert read_name.cache_info().currsize > 0
    assert await keeper.look()
    assert read_name.cache_info().currsize == 0
    assert not await keeper.look()


async def test_a_session_an_author_and_a_speaker_go_as_jobs(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    switch: Switch,
) -> None:
    await switch(tenant, erasure=True)
    scout = await principal(tenant, name="scout")
    canary = f"Kranich{tenant.replace('-', 'x')}"
    for place in range(3):
        await say(tenant, f"Ada Berger visited Town{place}.", session="gone", speaker="Ole")
        await say(tenant, f"Pia {canary} visited Town{place}.", session="stays", by=scout)
    for target, left in (({"session": "gone"}, 3), ({"author": scout.caller.principal}, 0)):
        told = await erase(admin, scope=tenant, **target)
        assert told["state"] == "queued"
        assert await opened.runner.run(opened, told["job"]) == "done"
        rows = await opened.graph.raw(
            "MATCH (e:Episode {scope: $s}) RETURN count(e) AS left", s=tenant
        )
        assert rows == [{"left": left}]
        receipt = (await admin.http.get(f"/v1/erasures/{told['receipt']}")).json()
        assert (receipt["state"], receipt["counts"]["episodes"]) == ("done", 3)
        job = (await admin.http.get(f"/v1/jobs/{told['job']}")).json()
        assert job["result"]["receipt"] == told["receipt"]
    assert await strings_of(opened, canary) == []
    gone = await admin.http.post("/v1/erasures", json={"speaker": "Ole", "scope": tenant})
    assert gone.status_code == 404
