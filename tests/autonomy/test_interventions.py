"""Suggestions for policies: what figures suggest, and what becomes of a suggestion."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.interventions.reckoning import Rule, suggested
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.ids import new_id
from app.wiring import Parts
from tests.autonomy.conftest import listed, make, read, refused, told
from tests.conftest import MakePrincipal, Principal

URL = "/v1/intervention-policies"
RULE = Rule(least=10, rate=0.9)


@pytest.mark.parametrize(
    ("accepted", "rejected", "action"),
    [
        (19, 1, "auto_accept"),
        (9, 1, "auto_accept"),
        (8, 1, None),
        (9, 0, None),
        (10, 0, "auto_accept"),
        (89, 10, None),
        (90, 10, "auto_accept"),
        (10, 90, "auto_reject"),
        (11, 90, None),
        (5, 5, None),
        (0, 0, None),
        (0, 10, "auto_reject"),
    ],
)
def test_what_figures_suggest(accepted: int, rejected: int, action: str | None) -> None:
    assert suggested(accepted, rejected, RULE) == action


async def decided(
    opened: Parts, scope: str, subject: str, given: tuple[int, int], days: float = 1, **more: Any
) -> None:
    """Have so many reviews be accepted and rejected some days ago."""
    at = now() - timedelta(days=days)
    places = {
        "quarantine": ("Review", "at", "verdict", ("accept", "reject")),
        "possible_change": ("Review", "at", "verdict", ("changed", "both")),
        "merge": ("MergeRecord", "decided_at", "status", ("accepted", "rejected")),
        "skill_proposal": ("SkillProposal", "decided_at", "status", ("created", "rejected")),
    }
    label, moment, word, words = places[subject]
    rows = [
        {"id": new_id(), "scope": scope, moment: at, word: each, "decided_by": "user:x:y", **more}
        for each, count in zip(words, given, strict=True)
        for _ in range(count)
    ]
    await opened.graph.raw(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", rows=rows)


async def clear(opened: Parts, scope: str) -> None:
    """Take the made-up reviews away, which stand at nothing."""
    await opened.graph.raw(
        "MATCH (n:Review|MergeRecord|SkillProposal) WHERE n.scope = $s DETACH DELETE n", s=scope
    )


async def test_a_pattern_is_suggested_once_with_its_arithmetic(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await decided(opened, scope, "quarantine", (19, 1))
    await decided(opened, scope, "quarantine", (0, 30), days=31)
    await decided(opened, scope, "quarantine", (0, 30), undone_at=now())
    await decided(opened, scope, "possible_change", (1, 11))
    await decided(opened, scope, "merge", (0, 10))
    await decided(opened, scope, "merge", (80, 0), rule="same name")
    await decided(opened, scope, "skill_proposal", (8, 2))
    dry = await make(admin, "intervention-policies/suggest", status=200, scope=scope)
    assert dry["counts"] == {scope: 3}
    assert await listed(writer, "intervention-policies") == []
    runs = await asyncio.gather(
        *(opened.intervening.suggest([scope], dry_run=False) for _ in range(3))
    )
    assert sum(len(run.ids) for run in runs) == 3
    found = {one["subject"]: one for one in await listed(writer, "intervention-policies")}
    assert {name: (one["action"], one["state"]) for name, one in found.items()} == {
        "quarantine": ("auto_accept", "open"),
        "possible_change": ("auto_reject", "open"),
        "merge": ("auto_reject", "open"),
    }
    assert found["quarantine"]["reckoning"] == (
        "19 of 20 facts in quarantine accepted in 30 days: 19/20 = 0.950, at least 0.900, "
        "and 20 are at least 10"
    )
    assert found["possible_change"]["reckoning"].startswith("11 of 12 possible changes rejected")
    assert (found["quarantine"]["accepted"], found["quarantine"]["rejected"]) == (19, 1)
    assert await listed(writer, "intervention-policies", subject="merge") == [found["merge"]]
    again = await make(admin, "intervention-policies/suggest", status=200, dry_run=False)
    assert again["ids"] == []
    rules = await told(await admin.http.get("/v1/scopes/rules", params={"scope": scope}))
    assert "auto" not in str(rules), "nothing is applied"
    await clear(opened, scope)


async def test_a_suggestion_is_decided_once_and_rests(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="curator")
    for subject in ("merge", "quarantine"):
        await decided(opened, scope, subject, (20, 0))
    await opened.intervening.suggest([scope], dry_run=False)
    first, second = [one["id"] for one in await listed(writer, "intervention-policies")]

    async def decide(who: Principal, policy: str, to: str, **more: Any) -> Any:
        return await who.http.post(f"{URL}/{policy}/decide", json={"to": to, **more})

    assert (await decide(writer, first, "accepted")).status_code == 403
    answer = await decide(curator, first, "open")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "to")
    won = await asyncio.gather(
        decide(curator, first, "accepted"), decide(admin, first, "dismissed")
    )
    assert sorted(answer.status_code for answer in won) == [200, 409]
    done = await told(await decide(curator, second, "dismissed", note="Too early."))
    assert (done["state"], done["decided_by"]) == ("dismissed", curator.caller.principal)
    assert done["untrusted"] == {"note": "Too early."}
    assert await read(writer, "intervention-policies", second) == done
    await refused(await decide(curator, second, "accepted"), 409, "StateRefused", "to")
    stranger = await principal(f"{tenant}/far", role=Role.CURATOR, name="far")
    assert (await decide(stranger, second, "accepted")).status_code == 404
    assert await listed(stranger, "intervention-policies") == []

    async def suggest(moment: datetime) -> int:
        return len((await opened.intervening.suggest([scope], dry_run=False, moment=moment)).ids)

    assert await suggest(now()) == 0
    assert await suggest(now() - timedelta(days=20)) == 0
    await clear(opened, scope)
    await decided(opened, scope, "merge", (20, 0), days=-100)
    assert await suggest(now() + timedelta(days=89)) == 0
    assert await suggest(now() + timedelta(days=101)) == 1
    assert len(await listed(writer, "intervention-policies", state="open")) == 1
    await clear(opened, scope)


async def test_the_schedule_suggests(opened: Parts, writer: Principal, tenant: str) -> None:
    await decided(opened, f"{tenant}/dev", "merge", (20, 0))
    for _ in range(2):
        where = {"tenant": "_system", "scope": "_system", "args": {}}
        job = await opened.runner.submit("interventions.suggest", job_id=new_id(), **where)
        assert await opened.runner.run(opened, job.id) == "done"
    assert len(await listed(writer, "intervention-policies")) == 1
    await clear(opened, f"{tenant}/dev")


async def test_a_curators_own_reviews_are_counted(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    """What the quarantine's own route writes is what the figures are made of."""
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="curator")
    people = ["Ferdinand", "Leopold", "Konstanze"]
    for name in people:
        body = {"content": f"{name} Hadersdorf lives in Ulm.", "session": name}
        await make(writer, "episodes", body)
    await opened.consolidation.consolidate(scope)
    facts = await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) RETURN f.id AS id ORDER BY id", s=scope
    )
    assert len(facts) >= len(people)
    for number, fact in enumerate(facts):
        verdict = "reject" if number == 0 else "accept"
        answer = await curator.http.post(f"/v1/quarantine/{fact['id']}/{verdict}", json={})
        assert answer.status_code == 200, answer.text
    rows = await opened.graph.rows(
        Q.autonomy.decided,
        scope=scope, since=now() - timedelta(days=1), until=now(),
    )  # fmt: skip
    assert rows == [{"subject": "quarantine", "accepted": len(facts) - 1, "rejected": 1}]
