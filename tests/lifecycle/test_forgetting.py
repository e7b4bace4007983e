"""Forget, unforget, pin and the sweep, on the real graph."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.lifecycle import forgetting
from app.scopes.rules import ScopeRules
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, Switch


async def tell(who: Principal, memory: str, verb: str) -> dict[str, Any]:
    answer = await who.http.post(f"/v1/memories/{memory}/{verb}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def found(who: Principal, query: str, scope: str) -> list[str]:
    answer = await who.http.post("/v1/search", json={"query": query, "scopes": [scope]})
    assert answer.status_code == 200, answer.text
    return [hit["id"] for hit in answer.json()["hits"]]


async def events(opened: Parts, memory: str) -> list[str]:
    rows = await opened.graph.raw(
        "MATCH (a:AuditEvent)-[:AUDIT]->(n {id: $id}) WHERE a.kind STARTS WITH 'memory.' "
        "RETURN a.kind AS kind ORDER BY a.at",
        id=memory,
    )
    return [row["kind"] for row in rows]


async def fact_of(opened: Parts, scope: str) -> str:
    row = await opened.graph.raw("MATCH (f:Fact {scope: $s}) RETURN f.id AS id", s=scope)
    fact: str = row[0]["id"]
    return fact


async def test_forgetting_hides_and_unforgetting_shows(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    fact = await fact_of(opened, tenant)
    await opened.indexing.drain()
    subject = (await admin.http.get(f"/v1/facts/{fact}")).json()["subject"]
    assert episode in await found(admin, "Where does Ada Berger live?", tenant)
    for memory in (fact, episode):
        assert (await tell(admin, memory, "forget"))["changed"]
    assert await found(admin, "Where does Ada Berger live?", tenant) == []
    assert (await admin.http.get(f"/v1/facts/{fact}")).status_code == 404
    past = (now() - timedelta(seconds=1)).isoformat()
    asked = {"query": "Where does Ada Berger live?", "scopes": [tenant], "known_at": past}
    assert (await admin.http.post("/v1/search", json=asked)).json()["hits"] == []
    for params in ({}, {"known_at": past}, {"as_of": past}):
        listed = await admin.http.get("/v1/facts", params={"subject": subject, **params})
        assert listed.json()["items"] == []
    for memory in (episode, fact):
        assert await tell(admin, memory, "unforget") == {
            "id": memory,
            "changed": True,
            "forgotten": False,
            "is_pinned": False,
        }
    assert (await admin.http.get(f"/v1/facts/{fact}")).json()["status"] == "active"
    await opened.indexing.drain()
    assert episode in await found(admin, "Where does Ada Berger live?", tenant)


async def shown(opened: Parts, scope: str) -> list[str]:
    """The statements of facts that are recalled."""
    rows = await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) WHERE f.expired_at > datetime.realtime() "
        "RETURN f.statement AS said, f.live AS live ORDER BY said",
        s=scope,
    )
    assert all(row["live"] for row in rows)
    return [row["said"] for row in rows]


async def test_a_fact_goes_and_comes_with_its_sources(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    first = await say(tenant, "Ada Berger lives in Bremen.")
    fact, (held,) = await fact_of(opened, tenant), await shown(opened, tenant)
    second = await say(tenant, "Ada Berger lives in Bremen.", session="other")
    await opened.indexing.drain()
    await tell(admin, first, "forget")
    assert await shown(opened, tenant) == [held]  # another still says so
    await tell(admin, second, "forget")
    assert await shown(opened, tenant) == []
    assert await found(admin, "Where does Ada Berger live?", tenant) == []
    assert (await admin.http.get(f"/v1/facts/{fact}")).status_code == 404
    assert await events(opened, fact) == ["memory.forget"]
    await tell(admin, first, "unforget")
    assert await shown(opened, tenant) == [held]
    assert await events(opened, fact) == ["memory.forget", "memory.unforget"]
    for memory in (first, second):
        await tell(admin, memory, "forget")
    third = await say(tenant, "Ada Berger lives in Bremen.", session="third")
    assert await shown(opened, tenant) == [held]  # said anew
    await opened.indexing.drain()
    assert {fact, third} <= set(await found(admin, "Where does Ada Berger live?", tenant))


async def test_what_was_forgotten_by_itself_does_not_come_back_with_its_source(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    fact = await fact_of(opened, tenant)
    for order in ((fact, episode), (episode, fact)):
        for memory in order:
            await tell(admin, memory, "forget")
        await tell(admin, episode, "unforget")
        assert await shown(opened, tenant) == []
        await tell(admin, fact, "unforget")
        assert len(await shown(opened, tenant)) == 1


async def test_what_is_forgotten_before_it_is_read_yields_nothing(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    body = {"scope": tenant, "session": "s", "content": "Ada Berger lives in Bremen."}
    episode = (await admin.http.post("/v1/episodes", json=body)).json()["id"]
    await tell(admin, episode, "forget")
    await opened.consolidation.consolidate(tenant)
    assert await shown(opened, tenant) == []


async def test_an_erased_source_leaves_none_that_is_forgotten(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    first = await say(tenant, "Ada Berger lives in Bremen.")
    second = await say(tenant, "Ada Berger lives in Bremen.", session="other")
    await tell(admin, first, "forget")
    assert len(await shown(opened, tenant)) == 1
    assert (await admin.http.post("/v1/erasures", json={"memory": second})).is_success
    assert await shown(opened, tenant) == []


async def test_each_change_is_audited_once(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    assert not (await tell(admin, episode, "unforget"))["changed"]
    for verb in ("forget", "forget", "unforget", "unforget", "forget"):
        await tell(admin, episode, verb)
    assert await events(opened, episode) == ["memory.forget", "memory.unforget", "memory.forget"]
    for verb in ("pin", "pin", "unpin"):
        told = await tell(admin, episode, verb)
    assert told["forgotten"]  # a pin does not bring it back
    assert (await events(opened, episode))[3:] == ["memory.pin", "memory.unpin"]


async def test_a_pin_resists_no_explicit_word_and_no_erasure(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    fact = await fact_of(opened, tenant)
    for memory in (episode, fact):
        assert (await tell(admin, memory, "pin"))["is_pinned"]
    told = await tell(admin, fact, "forget")
    assert (told["forgotten"], told["is_pinned"]) == (True, True)
    assert not (await tell(admin, fact, "unforget"))["forgotten"]
    await switch(tenant, erasure=True)
    erased = await admin.http.post("/v1/erasures", json={"memory": episode})
    assert erased.json()["counts"] | {"episodes": 1, "facts": 1} == erased.json()["counts"]
    left = "MATCH (n:Memory {scope: $s}) WHERE n:Episode OR n:Fact RETURN n.id AS id"
    assert await opened.graph.raw(left, s=tenant) == []


async def test_forgetting_leaves_the_intervals_as_they_were(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, "Ada Berger lives in Bremen.", captured_at="2026-01-05T10:00:00Z")
    await say(tenant, "Ada Berger lives in Kiel.", captured_at="2026-05-05T10:00:00Z")
    held = (
        "MATCH (f:Fact {scope: $s})-[a:ABOUT]->() RETURN f.id AS id, f.status AS status, "
        "properties(a) AS interval ORDER BY id, a.recorded_at, a.valid_from"
    )
    before = await opened.graph.raw(held, s=tenant)
    for verb in ("forget", "unforget"):
        for fact in sorted({row["id"] for row in before}):
            await tell(admin, fact, verb)
        assert await opened.graph.raw(held, s=tenant) == before


async def test_it_is_for_curators_and_for_who_alone_said_it(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, say: Say
) -> None:
    ada = await principal(tenant, name="ada", kind="user")
    bob = await principal(tenant, name="bob", kind="user")
    reader = await principal(tenant, role=Role.READER, name="reed")
    stranger = await principal(f"{tenant}-x", role=Role.ADMIN, name="eve")
    episode = await say(tenant, "Heron GmbH is based in Ulm.", by=ada)
    fact = await fact_of(opened, tenant)
    for who, status in ((bob, 403), (reader, 403), (stranger, 404)):
        answer = await who.http.post(f"/v1/memories/{episode}/forget")
        assert answer.status_code == status
    assert (await tell(ada, fact, "forget"))["changed"]
    assert (await tell(ada, fact, "unforget"))["changed"]
    await say(tenant, "Heron GmbH is based in Ulm.", by=bob)
    assert (await ada.http.post(f"/v1/memories/{fact}/forget")).status_code == 403
    assert (await tell(admin, fact, "forget"))["changed"]


async def test_forgetting_facts_by_name_and_all_of_a_user(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, say: Say
) -> None:
    await opened.scopes.create(admin.caller, f"{tenant}/dev")
    mine, yours = f"{tenant}/dev/user:ann", f"{tenant}/dev/user:bea"
    for scope in (mine, yours):
        await opened.scopes.create(admin.caller, scope)
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user")
    for scope in (mine, yours):
        await say(scope, "Ada Berger lives in Bremen. Heron GmbH is based in Ulm.", by=admin)

    async def forget(**body: Any) -> int:
        answer = await admin.http.post("/v1/facts:forget", json=body)
        assert answer.status_code == 200, answer.text
        count: int = answer.json()["forgotten"]
        return count

    assert await forget(name="Heron GmbH", scope=mine) == 1
    assert await forget(name="Heron GmbH", scope=mine) == 0
    assert await forget(all_of_user=mine) == 2  # the episode and the fact that is left
    assert await forget(all_of_user=mine) == 0
    left = await opened.graph.raw(
        "MATCH (f:Fact) WHERE f.scope = $s AND f.live RETURN count(f) AS n", s=yours
    )
    assert left == [{"n": 2}]
    for body in ({}, {"id": "a", "name": "b"}, {"all_of_user": tenant}):
        assert (await admin.http.post("/v1/facts:forget", json=body)).status_code == 422


async def test_all_of_a_user_goes_with_documents_and_pages(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, say: Say
) -> None:
    await opened.scopes.create(admin.caller, f"{tenant}/dev")
    mine = f"{tenant}/dev/user:ann"
    await opened.scopes.create(admin.caller, mine)
    ann = await principal(tenant, role=Role.ADMIN, name="ann", kind="user")
    base = await ann.http.post("/v1/knowledge-bases", json={"name": "Papers", "scope": mine})
    documents = []
    for name, text in (("pump", "The pump is blue."), ("away", "The pump was green.")):
        body = {"knowledge_base": base.json()["id"], "name": name, "text": text}
        taken = (await ann.http.post("/v1/documents", json=body)).json()
        assert await opened.runner.run(opened, taken["job"]["id"]) == "done"
        documents.append(f"/v1/documents/{taken['document']['id']}")
    assert (await ann.http.post(f"{documents[1]}/archive")).status_code == 200
    page = {"title": "Pump", "content": "The pump stands in the hall.", "scope": mine}
    assert (await ann.http.post("/v1/pages", json=page)).status_code == 201
    await say(mine, "The pump was bought in May.", by=ann)
    assert len(await found(ann, "pump", mine)) >= 3  # of each one, and facts
    answer = await ann.http.post("/v1/facts:forget", json={"all_of_user": mine})
    assert answer.status_code == 200, answer.text
    assert await found(ann, "pump", mine) == []
    # What was put away is forgotten as well: it does not come back with its document.
    assert (await ann.http.post(f"{documents[1]}/restore")).status_code == 200
    assert await found(ann, "pump", mine) == []


async def test_what_is_forgotten_by_name_is_whole(
    opened: Parts, admin: Principal, tenant: str, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 1)
    towns = ("Ulm", "Bremen", "Jena", "Kiel", "Mainz", "Trier", "Bonn", "Essen", "Gera", "Hagen")
    for town in (*towns, "Celle", "Emden", "Fulda"):
        await say(tenant, f"Heron GmbH has an office in {town}.")
    told = len(await shown(opened, tenant))
    assert told == 13
    answer = await admin.http.post("/v1/facts:forget", json={"name": "Heron GmbH"})
    assert answer.json() == {"forgotten": told}
    assert await shown(opened, tenant) == []


async def test_what_is_forgotten_by_name_goes_together_or_stays(
    opened: Parts,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 1)
    ada = await principal(tenant, name="ada", kind="user")
    bob = await principal(tenant, name="bob", kind="user")
    towns = ("Ulm", "Bremen", "Jena", "Kiel")
    for town in towns:
        await say(tenant, f"Heron GmbH has an office in {town}.", by=ada)
    told = await shown(opened, tenant)
    assert len(told) == len(towns)
    await say(tenant, "Heron GmbH has an office in Kiel.", by=bob)
    answer = await ada.http.post("/v1/facts:forget", json={"name": "Heron GmbH"})
    assert answer.status_code == 403, answer.text
    assert await shown(opened, tenant) == told


async def test_the_sweep_spares_what_is_pinned_and_runs_where_the_rules_say_so(
    opened: Parts,
    admin: Principal,
    tenant: str,
    say: Say,
    switch: Switch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, pinned, fresh = [
        await say(tenant, f"Yes, number {place}.", session=f"s{place}") for place in range(3)
    ]
    await opened.graph.raw(
        "MATCH (e:Episode) WHERE e.id IN $ids SET e.trust = 0.1, "
        "e.ingested_at = e.ingested_at - duration('P90D'), "
        "e.captured_at = e.captured_at - duration('P90D')",
        ids=[old, pinned],
    )
    await tell(admin, pinned, "pin")
    await opened.graph.raw("MATCH (e:Episode {id: $id}) SET e.trust = 0.1", id=fresh)
    refused = await admin.http.post("/v1/sweeps", json={"scope": tenant, "dry_run": False})
    assert (refused.status_code, refused.json()["code"]) == (409, "SwitchedOff")
    assert await opened.sweeping.sweep(tenant) == []
    dry = (await admin.http.post("/v1/sweeps", json={"scope": tenant})).json()
    assert dry["memories"] == [old]
    monkeypatch.setattr("app.lifecycle.sweep.PAGE", 1)
    assert await opened.sweeping.sweep(tenant, dry_run=True) == [old], "whatever a page holds"
    assert await events(opened, old) == []
    await switch(tenant, maintenance="nightly")
    assert await opened.sweeping.sweep(tenant) == [old]
    assert await events(opened, old) == ["memory.forget"]
    assert await opened.sweeping.sweep(tenant) == []
    await tell(admin, pinned, "unpin")
    assert await opened.sweeping.sweep(tenant) == [pinned]


def test_everything_is_off_until_it_is_switched_on() -> None:
    rules = ScopeRules()
    assert not rules.erasure
    assert not rules.forgets
    assert not rules.decays
    assert rules.maintenance == "off"
    assert not rules.members_revise
    assert not rules.promotion.enabled
    assert not rules.promotion.demotion
    assert rules.condensed_notes  # they change nothing else, and each says only what facts say
    assert ScopeRules(maintenance="nightly").forgets
    assert ScopeRules(maintenance="nightly").decays
    assert not ScopeRules(maintenance="nightly").erasure
