"""A scope with everything that is derived from episodes or written beside them."""

from __future__ import annotations

from typing import Any

from app.entities.repair import repair_scope
from app.kernel import audit
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.ids import digest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

SAID = (
    ("ada", "I live in Bremen.", "2026-01-05T09:00:00+00:00"),
    ("ada", "I work for Deutsche Bahn.", "2026-01-06T09:00:00+00:00"),
    ("bob", "My colleague works at DB. Heron uses PostgreSQL 16.", "2026-01-07T09:00:00+00:00"),
    ("ada", "I have moved from Bremen to Oldenburg.", "2026-02-05T09:00:00+00:00"),
    ("ada", "Heron costs 79 EUR. Actually, Heron costs 89 EUR.", "2026-02-06T09:00:00+00:00"),
    ("bob", "We meet Ada Vogt and Bob Lang in Hamburg since March.", "2026-03-06T09:00:00+00:00"),
)


async def sent(who: Principal, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """One request that has to succeed."""
    answer = await who.http.request(method, path, json=body)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


async def believe(
    opened: Parts, admin: Principal, principal: MakePrincipal, scope: str
) -> dict[str, Any]:
    """Say, consolidate, contradict, review, merge, unmerge, note: the ids that matter."""
    people = {
        name: await principal(scope, name=name, kind="user", role=Role.WRITER)
        for name in ("ada", "bob")
    }
    await sent(admin, "PUT", f"/v1/scopes/rules?scope={scope}", {"erasure": True})
    for speaker, content, moment in SAID:
        body = {"content": content, "session": "talk", "speaker": speaker, "captured_at": moment}
        await sent(people[speaker], "POST", "/v1/episodes", {**body, "scope": scope})
    await opened.consolidation.consolidate(scope)
    waiting = await _contradict(opened, admin, people, scope)
    await _merge(opened, admin, people["ada"], scope)
    await _write(admin, people, scope)
    return {"waiting": waiting, **people}


async def _contradict(
    opened: Parts, admin: Principal, people: dict[str, Principal], scope: str
) -> str:
    found: dict[str, Any] = {}
    for name, value in (("ada", "active"), ("bob", "completed")):
        thing = {"name": "Osprey", "type": "project"}
        stated = {"subject": thing, "predicate": "status", "object": {"value": value}}
        body = {"statement": stated, "scope": scope}
        found = await sent(people[name], "POST", "/v1/facts:remember", body)
    (waiting,) = found["quarantined"]
    await sent(people["bob"], "POST", f"/v1/facts/{waiting}/attest")
    await promoted(opened, admin, (waiting, found["episode"]), scope)
    door = f"/v1/quarantine/{waiting}"
    await sent(admin, "POST", f"{door}/accept", {"note": "It shipped."})
    await sent(admin, "POST", f"{door}/undo")
    await sent(admin, "PUT", f"/v1/predicates/status?scope={scope}", {"half_life": 30})
    return str(waiting)


async def promoted(opened: Parts, who: Principal, told: tuple[str, str], scope: str) -> None:
    """What a promotion leaves behind; the copy is another fact of the same thing."""
    fact, episode = told
    (other,) = await opened.graph.raw(
        "MATCH (f:Fact {id: $fact}), (o:Fact {subject: f.subject}) WHERE o <> f RETURN o.id AS id",
        fact=fact,
    )
    row = {
        "id": digest("promotion", fact)[:32],
        "tenant": who.caller.tenant,
        "scope": scope,
        "target": who.caller.tenant,
        "fact": fact,
        "copy": other["id"],
        "episode": episode,
        "attesters": [who.caller.principal],
        "score": 0.8,
        "at": now(),
        "state": "promoted",
    }
    event = audit.event(who.caller, "promote", who.caller.tenant, fact=fact)
    await opened.graph.rows(Q.lifecycle.promote, row=row, audit=event)
    gone = audit.event(who.caller, "demote", who.caller.tenant, fact=fact)
    await opened.graph.rows(Q.lifecycle.demote, id=row["id"], at=now(), audit=gone)


async def _merge(opened: Parts, admin: Principal, ada: Principal, scope: str) -> None:
    await repair_scope(opened.graph, opened.merges, scope)
    listed = await sent(admin, "GET", f"/v1/merges?scope={scope}")
    places = (await sent(ada, "GET", f"/v1/entities?scope={scope}"))["items"]
    towns = [e["id"] for e in places if e["type"] == "place"][:2]
    made = await sent(ada, "POST", "/v1/merges", {"left": towns[0], "right": towns[1]})
    await sent(admin, "POST", f"/v1/merges/{made['id']}/accept")
    await sent(admin, "POST", f"/v1/merges/{made['id']}/undo")
    for merge in listed["items"][:1]:
        await sent(admin, "POST", f"/v1/merges/{merge['id']}/accept")


async def _write(admin: Principal, people: dict[str, Principal], scope: str) -> None:
    for content in (
        "The deploy host of Heron is hydra-2.",
        "The deploy host of Heron is no longer hydra-2.",
        "Releases are cut on Fridays, and Bob signs them.",
    ):
        body = {"content": content, "scope": scope, "tags": ["ops"], "title": "Hosts"}
        note = await sent(people["ada"], "POST", "/v1/notes", body)
    changed = {"content": "Releases are cut on Mondays, and Bob signs them."}
    await sent(people["ada"], "PATCH", f"/v1/notes/{note['id']}", changed)
    await sent(
        people["bob"],
        "POST",
        "/v1/notes",
        {"content": "Releases are not cut on Mondays, and Bob signs them.", "scope": scope},
    )
    block = {"content": "You are the scout of Heron.", "scope": scope}
    await sent(admin, "PUT", "/v1/core-blocks/identity", block)
    pattern = {"content": "Deploying without a backup.", "reason": "It lost a day.", "scope": scope}
    await sent(people["bob"], "POST", "/v1/bad-patterns", pattern)
    gone = {"content": "The coffee machine is broken.", "scope": scope}
    note = await sent(people["ada"], "POST", "/v1/notes", gone)
    await sent(people["ada"], "DELETE", f"/v1/notes/{note['id']}")
