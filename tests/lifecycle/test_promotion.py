"""Attestation, the posterior, promotion and demotion; feedback; the learning log."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest

from app.errors import PolicyInvalid
from app.kernel.caller import Role
from app.kernel.clock import now
from app.lifecycle.feedback import BONUS
from app.lifecycle.invariants import broken
from app.lifecycle.posterior import posterior, reliability
from app.lifecycle.promotion import _supported
from app.scopes.rules import PromotionRules, ScopeRules
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, Switch, facts_in


@pytest.mark.parametrize(
    ("rs", "score"),
    [
        ([], 0.5),
        ([1.0], 0.667),
        ([0.0], 0.333),
        ([0.6] * 10, 0.583),
        ([0.99] * 5, 0.85),
        ([math.nan], 0.5),
        ([1.0] * 3, 0.8),
        ([1.0] * 2, 0.75),
        ([2.0], 0.667),
    ],
)
def test_posterior(rs: list[float], score: float) -> None:
    assert posterior(rs) == pytest.approx(score, abs=6e-4 if len(rs) != 5 else 8e-3)


def test_three_sure_attesters_just_reach_the_threshold_and_two_do_not() -> None:
    sure = {"agreements": 10**12, "contradictions": 0}
    row = {"status": "active", "attesters": [sure] * 3}
    rules = PromotionRules(quorum=3, threshold=0.8)
    assert _supported(row, rules)
    assert not _supported({**row, "attesters": [sure] * 2}, rules)
    assert not _supported({**row, "status": "quarantined"}, rules)


def test_reliability_follows_the_record() -> None:
    assert reliability(0, 0) == 0.5
    assert reliability(0, 2) == pytest.approx(0.25)
    assert reliability(40, 0) == pytest.approx(11 / 12)


@pytest.mark.parametrize(("quorum", "threshold", "good"), [(3, 0.8, True), (2, 0.8, False)])
def test_rules_that_nothing_can_meet_are_refused(quorum: int, threshold: float, good: bool) -> None:
    stored = {"promotion": {"enabled": True, "quorum": quorum, "threshold": threshold}}
    if good:
        assert ScopeRules.parse(stored).promotion.quorum == quorum
        return
    with pytest.raises(PolicyInvalid, match=r"0\.750 at best"):
        ScopeRules.parse(stored)


async def attest(who: Principal, fact: str, verb: str = "attest") -> dict[str, Any]:
    answer = await who.http.post(f"/v1/facts/{fact}/{verb}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_one_attests_once_and_takes_it_back(
    opened: Parts, principal: MakePrincipal, tenant: str, admin: Principal, say: Say
) -> None:
    await say(tenant, "Heron GmbH is based in Ulm.")
    (fact,) = [r["id"] for r in await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) RETURN f.id AS id", s=tenant)]  # fmt: skip
    ada = await principal(tenant, name="ada", kind="user")
    assert [(await attest(ada, fact))["changed"] for _ in range(3)] == [True, False, False]
    assert (await attest(admin, fact))["attesters"] == sorted(
        [ada.caller.principal, admin.caller.principal]
    )
    assert (await attest(ada, fact, "revoke"))["changed"]
    assert not (await attest(ada, fact, "revoke"))["changed"]
    assert (await attest(ada, fact))["changed"]
    reader = await principal(tenant, role=Role.READER, name="reed")
    assert (await reader.http.post(f"/v1/facts/{fact}/attest")).status_code == 403
    stranger = await principal(f"{tenant}-x", role=Role.ADMIN, name="eve")
    assert (await stranger.http.post(f"/v1/facts/{fact}/attest")).status_code == 404


async def levels_in(opened: Parts, scope: str) -> list[Any]:
    """The levels of a scope's episodes and facts, each kind by itself."""
    rows = await opened.graph.raw(
        "MATCH (n:Episode|Fact {scope: $scope}) "
        "RETURN n:Fact AS fact, n.privacy AS level ORDER BY fact, n.id",
        scope=scope,
    )
    return [row["level"] for row in rows]


@pytest.mark.parametrize("first", ["restricted", "none"])
async def test_a_copy_is_as_private_as_its_fact(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    switch: Switch,
    first: str,
) -> None:
    """Also where somebody says it as such once it was promoted."""
    team = f"{tenant}/dev"
    people = [await principal(team, name=f"p{n}", kind="user") for n in range(3)]
    await say(team, "Heron GmbH is based in Ulm.", by=people[0], privacy=first)
    (fact,) = [r["id"] for r in await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) RETURN f.id AS id", s=team)]  # fmt: skip
    for who in people:
        await attest(who, fact)
    rules = {"enabled": True, "demotion": True, "quorum": 3, "threshold": 0.5}
    await switch(team, promotion=rules, erasure=True)
    lead = await principal(tenant, role=Role.ADMIN, name="lead", kind="user")

    async def consider() -> tuple[int, int]:
        answer = await lead.http.post("/v1/promotions", json={"scope": team})
        assert answer.status_code == 200, answer.text
        return answer.json()["promoted"], answer.json()["demoted"]

    assert await consider() == (1, 0)
    levels = {"restricted": [3, 3], "none": [0, None]}
    assert await levels_in(opened, tenant) == levels[first]
    again = "Heron GmbH is based in Ulm."
    await say(team, again, by=people[1], privacy="restricted", session="later")
    assert await consider() == (0, 0)
    assert await levels_in(opened, tenant) == [3, 3]
    assert await broken(opened.graph, tenant) == []


async def test_a_fact_is_promoted_by_a_quorum_and_demoted_when_it_is_lost(
    opened: Parts,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    say: Say,
    switch: Switch,
) -> None:
    team = f"{tenant}/dev"
    people = [await principal(team, name=f"p{n}", kind="user") for n in range(3)]
    await say(team, "Heron GmbH is based in Ulm.", by=people[0])
    before = await facts_in(opened, team)
    (fact,) = [r["id"] for r in await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) RETURN f.id AS id", s=team)]  # fmt: skip
    for who in people[:2]:
        await attest(who, fact)
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user")

    async def consider() -> tuple[int, int]:
        answer = await admin.http.post("/v1/promotions", json={"scope": team})
        assert answer.status_code == 200, answer.text
        return answer.json()["promoted"], answer.json()["demoted"]

    assert await consider() == (0, 0)  # off
    rules = {"enabled": True, "demotion": True, "quorum": 3, "threshold": 0.5}
    await switch(team, promotion=rules, erasure=True)
    assert await consider() == (0, 0)  # two are no quorum
    await attest(people[2], fact)
    assert await consider() == (1, 0)
    assert await consider() == (0, 0)
    assert list((await facts_in(opened, tenant)).values()) == ["active"]
    assert await facts_in(opened, team) == before
    (listed,) = (await admin.http.get("/v1/promotions")).json()["items"]
    assert (listed["state"], listed["fact"], listed["target"]) == ("promoted", fact, tenant)
    assert await broken(opened.graph, tenant) == []

    await attest(people[1], fact, "revoke")
    assert await consider() == (0, 1)
    assert list((await facts_in(opened, tenant)).values()) == ["quarantined"]
    assert await facts_in(opened, team) == before
    assert await consider() == (0, 0)

    # The copy is of the closure of the original: who may not erase there erases nothing.
    owner = await principal(team, role=Role.ADMIN, name="owner", kind="user", subtree=True)
    refused = await owner.http.post("/v1/erasures", json={"memory": fact})
    assert refused.status_code == 403, refused.text
    assert await facts_in(opened, team) == before
    told = await admin.http.post("/v1/erasures", json={"memory": fact, "sources": True})
    assert told.status_code == 200, told.text
    assert await facts_in(opened, tenant) == {}
    assert await facts_in(opened, team) == {}
    assert await broken(opened.graph, tenant) == []


async def test_only_useful_raises_trust_once_for_each_principal(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, say: Say
) -> None:
    episode = await say(tenant, "Heron GmbH is based in Ulm.")

    async def give(who: Principal, verdict: str) -> dict[str, Any]:
        body = {"memory": episode, "verdict": verdict}
        answer = await who.http.post("/v1/feedback", json=body)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    assert (await give(admin, "wrong"))["trust_bonus"] == 0
    assert (await give(admin, "irrelevant"))["trust_bonus"] == 0
    for place in range(7):
        who = await principal(tenant, name=f"p{place}", kind="user")
        assert (await give(who, "useful"))["recorded"]
        told = await give(who, "useful")
        assert not told["recorded"]
        assert told["useful"] == place + 1
        assert told["trust_bonus"] == pytest.approx(BONUS * min(place + 1, 5))
    waiting = (await admin.http.get("/v1/feedback")).json()["items"]
    assert [item["memory"] for item in waiting] == [episode]
    bad = await admin.http.post("/v1/feedback", json={"memory": episode, "verdict": "nice"})
    assert bad.status_code == 422
    gone = await admin.http.post("/v1/feedback", json={"memory": "x", "verdict": "useful"})
    assert gone.status_code == 404


async def test_uses_are_counted_apart_and_later(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    episode = await say(tenant, "Heron GmbH is based in Ulm.")
    await opened.uses.flush()
    for _ in range(3):
        opened.uses.note([episode, "gone"], injected=False)
    opened.uses.note([episode], injected=True)
    assert await opened.uses.flush() >= 1
    assert await opened.uses.flush() == 0
    rows = await opened.graph.raw(
        "MATCH (e:Episode {id: $id}) RETURN e.recalled AS r, e.injected AS i, e.useful AS u, "
        "e.trust AS t", id=episode,
    )  # fmt: skip
    assert rows == [{"r": 3, "i": 1, "u": None, "t": 0.5}]


async def test_a_fact_whose_time_runs_out_is_no_longer_current(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    end = now() + timedelta(hours=1)
    statement = {
        "subject": {"name": "Heron GmbH", "type": "organization"},
        "predicate": "based_in",
        "object": {"name": "Ulm", "type": "place"},
        "valid_from": (now() - timedelta(days=9)).isoformat(),
        "valid_to": end.isoformat(),
    }
    answer = await admin.http.post("/v1/facts:remember", json={"statement": statement})
    assert answer.json()["facts"][0]["status"] == "active", answer.text
    fact = answer.json()["facts"][0]["id"]
    await opened.graph.raw(
        "MATCH (e:Episode {scope: $s})-[u:SUPPORTS]->(f:Fact) SET u.until = $at, f.valid_to = $at",
        s=tenant,
        at=now() - timedelta(seconds=1),
    )
    assert (await opened.learning.refresh())["expired"] == 1
    shown = (await admin.http.get(f"/v1/facts/{fact}")).json()
    assert shown["status"] == "superseded"
    log = (await admin.http.get("/v1/learning-log")).json()["items"]
    assert {"expired": [fact]} in [entry["payload"] for entry in log]
    assert {entry["kind"] for entry in log} == {"memory_updated"}
    assert (await opened.learning.refresh())["expired"] == 0
    assert (await admin.http.get("/v1/learning-log")).json()["items"] == log
    assert await broken(opened.graph, tenant) == []
