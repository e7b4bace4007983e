"""Conflicts, proposals, learnings, chores and the knowledge graph, end to end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from app.jobs.repository import SYSTEM
from app.kernel.caller import Role
from app.kernel.clock import now
from app.pages.model import Draft
from app.skills import repair
from app.skills.tasks import EXPIRE
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.skills.test_skills import get, post, skill

Drain = Callable[[], Awaitable[int]]


@pytest_asyncio.fixture(loop_scope="session")
async def curator(principal: MakePrincipal, tenant: str) -> Principal:
    """A curator at home in `tenant/dev`."""
    return await principal(f"{tenant}/dev", name="cura", role=Role.CURATOR)


async def back(opened: Parts, ident: str, days: int, *names: str) -> None:
    """Let moments of a node lie in the past."""
    moment = now() - timedelta(days=days)
    await opened.graph.raw(
        "MATCH (n {id: $id}) SET n += $given", id=ident, given=dict.fromkeys(names, moment)
    )


async def test_duplicates_are_found_once_decided_and_repaired(
    curator: Principal, drain: Drain
) -> None:
    body = "Copy the tables, check the sums, switch the readers over, drop the old ones."
    one = await skill(curator, "Move the tables", body=body, description=body)
    two = await skill(curator, "Moving tables", body=body, description=body)
    far = await skill(curator, "Bake bread", body="Knead flour and water.", category="design")
    for source, target in ((one, far), (far, one)):
        await post(curator, f"/v1/skills/{source}/links", 200, target=target, weight=0.5)
    await post(curator, f"/v1/skills/{two}/outcomes", success=True)
    who = curator.caller.principal
    for held in (one, two):
        assert (await curator.http.put(f"/v1/skills/{held}/agents/{who}", json={})).is_success
    await drain()
    dry = await post(curator, "/v1/skill-chores/conflict-scan", 200)
    assert (dry["dry_run"], dry["counts"]["new"]) == (True, 2)
    assert (await get(curator, "/v1/skill-conflicts"))["items"] == []
    for new in (2, 0):
        done = await post(curator, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
        assert (done["counts"]["found"], done["counts"]["new"]) == (2, new)
    found = {c["finding"]: c for c in (await get(curator, "/v1/skill-conflicts"))["items"]}
    pair, circle = found["duplicate"], found["circular_dependency"]
    assert (pair["type"], pair["severity"]) == ("overlap", "critical")
    assert pair["priority"] == round(8 * (1 + pair["similarity"]), 4)
    coded = (await get(curator, "/v1/skill-conflicts", weights="code"))["items"]
    (told,) = [c["priority"] for c in coded if c["id"] == pair["id"]]
    assert told == pytest.approx(pair["priority"] / 2, abs=1e-4)
    assert set(circle["skills"]) == {one, far}
    path = f"/v1/skill-conflicts/{circle['id']}"
    later = (now() + timedelta(days=1)).isoformat()
    await post(curator, f"{path}/pause", 200, until=later)
    open_ones = (await get(curator, "/v1/skill-conflicts", open="true"))["items"]
    assert [c["id"] for c in open_ones] == [pair["id"]]
    await post(curator, f"{path}/status", 200, status="reviewing")
    closed = await post(curator, f"{path}/status", 200, status="dismissed", note="meant so")
    assert (closed["status"], closed["untrusted"]["note"]) == ("dismissed", "meant so")
    refused = await post(curator, f"{path}/status", 409, status="acknowledged")
    assert refused["errors"][0]["field"] == "status"
    await post(curator, f"{path}/pause", 409, until=later)
    await post(curator, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    assert (await get(curator, path))["status"] == "dismissed"
    told = await post(curator, "/v1/skill-repairs", 200)
    done = await post(curator, "/v1/skill-repairs", 200, dry_run=False)
    assert told["actions"] == done["actions"]
    assert [a["action"] for a in done["actions"]] == ["merged"]
    assert (await get(curator, f"/v1/skills/{one}"))["status"] == "deprecated"
    assert [a["agent"] for a in (await get(curator, f"/v1/skills/{two}/agents"))["items"]] == [who]
    assert (await get(curator, f"/v1/skills/{one}/agents"))["items"] == []
    links = (await get(curator, f"/v1/skills/{two}/links"))["items"]
    assert [(e["source"], e["target"], e["weight"]) for e in links] == [(far, two, 0.5)]
    assert (await get(curator, f"/v1/skill-conflicts/{pair['id']}"))["status"] == "resolved"


async def test_simple_conflicts_are_repaired_by_rule(
    curator: Principal, opened: Parts, drain: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "MOST", 2)  # and so they are several pages
    lorry = await skill(curator, "Load the lorry")
    ship = await skill(curator, "Unload a ship")
    for source, target, weight in ((lorry, ship, 0.5), (ship, lorry, 0.9)):
        link = {"target": target, "weight": weight}
        await post(curator, f"/v1/skills/{source}/links", 200, **link)
    weld = "Clean, clamp, weld, cool and inspect every copper pipe."
    pipes = await skill(curator, "Weld pipes", description=weld)
    rails = await skill(
        curator, "Weld rails", category="design",
        description="Clean, clamp, weld and cool the steel rail of the tram.",
    )  # fmt: skip
    lone = await skill(curator, "Hum")
    await drain()
    await back(opened, rails, 40, "created_at")
    await back(opened, lone, 61, "created_at")
    await opened.graph.raw("MATCH (s:Skill {id: $id}) SET s.effectiveness = 0.15", id=lone)

    async def scan() -> dict[str, int]:
        done = await post(curator, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
        counts: dict[str, int] = done["counts"]
        return counts

    assert (await scan())["new"] == 5
    found = (await get(curator, "/v1/skill-conflicts"))["items"]
    (circle,) = (c["id"] for c in found if c["finding"] == "circular_dependency")
    path = f"/v1/skill-conflicts/{circle}"
    await post(curator, f"{path}/status", 200, status="dismissed")
    paused = datetime.fromisoformat((await get(curator, path))["paused_until"])
    assert timedelta(days=29, hours=23) < paused - now() < timedelta(days=30)
    assert (await scan())["new"] == 0
    await back(opened, circle, 1, "paused_until")
    assert (await scan())["new"] == 1
    assert (await get(curator, path))["status"] == "detected"
    told = await post(curator, "/v1/skill-repairs", 200)
    done = await post(curator, "/v1/skill-repairs", 200, dry_run=False)
    assert {(a["action"], a["detail"], a["closes"]) for a in done["actions"]} == {
        ("unlinked", f"{lorry} from {ship}", True),
        ("lowered", f"{rails} to 0.4", True),
        ("linked", f"composes {pipes}", True),
        ("marked", lone, True),
        ("recommended", f"give {lone} to an agent", False),
    }
    assert sorted(map(str, told["actions"])) == sorted(map(str, done["actions"]))
    links = (await get(curator, f"/v1/skills/{lorry}/links"))["items"]
    assert [(e["source"], e["target"]) for e in links] == [(ship, lorry)]
    (link,) = (await get(curator, f"/v1/skills/{rails}/links"))["items"]
    assert (link["type"], link["target"], round(link["confidence"], 2)) == ("composes", pipes, 0.54)
    still = (await get(curator, "/v1/skill-conflicts", open="true"))["items"]
    assert [c["finding"] for c in still] == ["orphan"]


async def test_a_stranger_sees_and_decides_nothing(
    curator: Principal, principal: MakePrincipal, tenant: str, opened: Parts
) -> None:
    one = await skill(curator, "Run alone")
    await back(opened, one, 40, "created_at")
    await post(curator, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    found = (await get(curator, "/v1/skill-conflicts"))["items"]
    assert {c["finding"] for c in found} == {"stale", "orphan"}
    far = await principal(f"{tenant}/ops", name="far", role=Role.CURATOR)
    writer = await principal(f"{tenant}/dev", name="wri")
    await get(far, f"/v1/skill-conflicts/{found[0]['id']}", 404)
    path = f"/v1/skill-conflicts/{found[0]['id']}/status"
    await post(far, path, 404, status="resolved")
    await post(writer, path, 403, status="resolved")
    repaired = await post(curator, "/v1/skill-repairs", 200, dry_run=False)
    assert {a["action"] for a in repaired["actions"]} == {"lowered", "deferred"}
    assert (await get(curator, f"/v1/skills/{one}"))["effectiveness"] == 0.4


async def test_a_proposal_becomes_a_skill_step_by_step(
    curator: Principal, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/dev", name="wri")
    await skill(curator, "Tune queries", category="optimization")
    made = await post(
        writer, "/v1/skill-proposals", name="Tune queries", category="optimization",
        description="Make queries faster.", body="EXPLAIN first.", stage="research",
    )  # fmt: skip
    path = f"/v1/skill-proposals/{made['id']}/status"
    assert (made["status"], made["origin"]) == ("research", "request")
    await post(writer, path, 409, status="submitted")
    await post(writer, path, 200, status="draft")
    sent = await post(writer, path, 200, status="proposed")
    assert (sent["status"], sent["due_at"] > sent["submitted_at"]) == ("submitted", True)
    await post(writer, path, 403, status="approved")
    await post(curator, path, 200, status="under_review")
    approved = await post(curator, path, 200, status="approved", note="good")
    assert approved["reviewer"] == curator.caller.principal
    await post(curator, path, 409, status="expired")
    done = await post(curator, path, 200, status="created")
    again = await post(curator, path, 409, status="created")
    assert again["errors"][0]["field"] == "status"
    new = await get(writer, f"/v1/skills/{done['skill']}")
    assert (new["slug"], new["version"], new["untrusted"]["body"]) == (
        "tune-queries-2", "1.0.0", "EXPLAIN first.",
    )  # fmt: skip
    assert len((await get(writer, "/v1/skills"))["items"]) == 2
    listed = await get(writer, "/v1/skill-proposals", status="created")
    assert [p["id"] for p in listed["items"]] == [made["id"]]


async def test_approval_asks_for_what_is_needed_and_the_skill_leans_on_its_like(
    curator: Principal, drain: Drain
) -> None:
    like = await skill(
        curator, "Rotate API keys", category="security",
        description="Make a new key and drop the old key.",
    )  # fmt: skip
    notes = await learn(
        curator,
        "Sign with both keys until the old key is gone.",
        "Clients fail when the old key is dropped before the new key is known.",
        "Whoever signs needs a new key each quarter.",
        "Bread is baked at four.",
    )
    await drain()
    made = await post(
        curator, "/v1/skill-proposals", name="Rotate the signing keys", category="security",
        description="Make a new key, sign with both, drop the old key.",
    )  # fmt: skip
    near = {f["id"]: f["similarity"] for f in made["findings"]}
    assert set(near) == {like, *notes[:3]}
    assert made["overlap_label"] == "high"
    # .15 a kind of source, .02 a finding, and twice what the overlap is above .7
    assert made["confidence"] == pytest.approx(0.3 + 0.08 - 2 * (near[like] - 0.7), abs=1e-5)
    path = f"/v1/skill-proposals/{made['id']}/status"
    for step in ("submitted", "approved"):
        approved = await post(curator, path, 200, status=step)
    assert len(approved["parts"]) == 3
    for part in approved["parts"]:
        sub = await get(curator, f"/v1/skill-proposals/{part}")
        (source,) = sub["sources"]
        assert (sub["origin"], sub["parent"], sub["depth"]) == ("dependency", made["id"], 1)
        assert source in notes[:3]
        assert sub["confidence"] == pytest.approx(0.8 * near[source], abs=1e-5)
        assert sub["status"] == "draft"
    new = (await post(curator, path, 200, status="created"))["skill"]
    (link,) = (await get(curator, f"/v1/skills/{new}/links"))["items"]
    assert (link["source"], link["target"], link["type"]) == (new, like, "requires")
    (version,) = (await get(curator, f"/v1/skills/{new}/versions"))["items"]
    assert version["version"] == "1.0.0"


async def test_a_proposal_that_nobody_reviews_expires(curator: Principal, opened: Parts) -> None:
    made = await post(
        curator, "/v1/skill-proposals", name="Wait", category="planning", description="d"
    )
    await post(curator, f"/v1/skill-proposals/{made['id']}/status", 200, status="submitted")
    await back(opened, made["id"], 1, "due_at")
    for expired in (1, 0):
        done = await post(curator, "/v1/skill-chores/proposal-expiry", 200, dry_run=False)
        assert done["counts"] == {"expired": expired}
    assert (await get(curator, f"/v1/skill-proposals/{made['id']}"))["status"] == "expired"
    late = await post(
        curator, "/v1/skill-proposals", name="Wait more", category="planning", description="d"
    )
    await post(curator, f"/v1/skill-proposals/{late['id']}/status", 200, status="submitted")
    await back(opened, late["id"], 1, "due_at")
    job = await opened.runner.submit(EXPIRE, tenant=SYSTEM, scope=SYSTEM, args={})
    assert await opened.runner.run(opened, job.id) == "done"
    assert (await get(curator, f"/v1/skill-proposals/{late['id']}"))["status"] == "expired"


async def learn(who: Principal, *texts: str, **more: Any) -> list[str]:
    ids = []
    for text in texts:
        body = {"content": text, "namespace": "learnings", **more}
        ids.append((await post(who, "/v1/notes", **body))["id"])
    return ids


async def test_learnings_are_asked_checked_and_shared_upward(
    admin: Principal, tenant: str, drain: Drain, opened: Parts
) -> None:
    scope = f"{tenant}/dev"
    await post(admin, "/v1/scopes", scope=scope)
    text = "Rotating the API keys of a client needs no downtime when both keys are valid."
    (note,) = await learn(admin, text, scope=scope, importance=0.6, confidence=0.65)
    await drain()
    found = await get(admin, "/v1/learnings", query=text)
    assert (found["mode"], found["items"][0]["id"]) == ("semantic", note)
    words = await get(admin, "/v1/learnings", query="how do I rotate keys of clients")
    assert words["mode"] in ("keyword", "semantic_fallback")
    none = await get(admin, "/v1/learnings", query="zebra quilts")
    assert (none["mode"], none["items"]) == ("none", [])
    refused = await post(admin, f"/v1/learnings/{note}/share", 409, scope=tenant)
    assert refused["errors"][0]["field"] == "learning"
    for _ in range(2):
        checked = await post(admin, f"/v1/learnings/{note}/check", 200, holds=True)
        assert (checked["importance"], checked["confidence"]) == (0.75, 0.75)
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=note)
    await post(admin, f"/v1/learnings/{note}/share", 409, scope=f"{tenant}/ops")
    await post(admin, "/v1/scopes", scope=f"{tenant}/ops")
    shared = await post(admin, f"/v1/learnings/{note}/share", 200, scope=tenant)
    again = await post(admin, f"/v1/learnings/{note}/share", 200, scope=tenant)
    assert (shared["made"], again["made"], shared["note"]) == (True, False, again["note"])
    read = await get(admin, f"/v1/learnings/{note}")
    assert read["quality"] == shared["quality"] == again["quality"]
    then = {"note": shared["note"], "scope": tenant, "quality": shared["quality"]}
    assert [{**copy, "at": None} for copy in read["shared"]] == [{**then, "at": None}]
    assert read["shared"][0]["at"] is not None
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.useful = 9, n.injected = 9", id=note)
    later = await get(admin, f"/v1/learnings/{note}")
    assert later["quality"] > shared["quality"]
    assert later["shared"] == read["shared"]
    again = await post(admin, f"/v1/learnings/{note}/share", 200, scope=tenant)
    assert (again["made"], again["quality"]) == (False, shared["quality"])
    await opened.graph.raw("MATCH (n:Note {id: $id}) REMOVE n.useful, n.injected", id=note)
    copy = await get(admin, f"/v1/notes/{shared['note']}")
    assert (copy["scope"], copy["namespace"]) == (tenant, "knowledge")
    wrong = await post(admin, f"/v1/learnings/{note}/check", 200, holds=False)
    assert (wrong["importance"], wrong["confidence"]) == (0.05, 0.1)
    score = await get(admin, "/v1/learnings/score")
    assert (score["active"], score["fresh"]) == (1, 1)
    said = "A cold kiln cracks every second tile that is put into it."
    known = await post(admin, "/v1/notes", content=said, namespace="knowledge", scope=tenant)
    (twice,) = await learn(admin, said, scope=scope, importance=0.8, confidence=0.9)
    await opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=twice)
    await drain()
    refused = await post(admin, f"/v1/learnings/{twice}/share", 409, scope=tenant)
    assert refused["code"] == "AlreadyExists"
    assert known["id"] in refused["detail"]
    assert "similarity 1.00" in refused["detail"]


async def test_the_word_of_each_counts_once_whoever_speaks_between(
    principal: MakePrincipal, tenant: str
) -> None:
    ann, bob = [await principal(f"{tenant}/dev", name=name) for name in ("ann", "bob")]
    (note,) = await learn(ann, "Keys are rotated at night.", importance=0.1, confidence=0.1)

    async def check(who: Principal, *, holds: bool) -> float:
        told = await post(who, f"/v1/learnings/{note}/check", 200, holds=holds)
        return float(told["importance"])

    assert [await check(who, holds=True) for who in (ann, bob, ann, bob)] == [0.25, 0.4, 0.4, 0.4]
    assert [await check(bob, holds=holds) for holds in (False, False, True)] == [0.05, 0.05, 0.2]
    (other,) = await learn(ann, "Locks are oiled in May.", importance=0.1, confidence=0.1)
    await asyncio.gather(
        *(post(who, f"/v1/learnings/{other}/check", 200, holds=True) for who in (ann, bob) * 2)
    )
    assert (await get(ann, f"/v1/learnings/{other}"))["importance"] == 0.4


async def test_gaps_and_clusters_become_proposals_once(
    admin: Principal, tenant: str, drain: Drain
) -> None:
    scope = f"{tenant}/dev"
    await post(admin, "/v1/scopes", scope=scope)
    texts = [
        "A kubernetes rollout by helm stalls while the release is not pinned.",
        "A kubernetes rollout by helm stalls while the chart is not tested.",
        "A kubernetes rollout by helm stalls while the node is not drained.",
    ]
    notes = await learn(admin, *texts, scope=scope, importance=0.8, tags=["helm"])
    await learn(admin, "Bread is baked at four.", scope=scope, importance=0.8)
    await drain()
    body = {"scope": scope, "dry_run": False}
    off = await post(admin, "/v1/skill-chores/gap-detection", 409, **body)
    assert off["code"] == "SwitchedOff"
    rules = await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"maintenance": "nightly"}
    )
    assert rules.is_success, rules.text
    first = await post(admin, "/v1/skill-chores/gap-detection", 200, **body)
    second = await post(admin, "/v1/skill-chores/gap-detection", 200, **body)
    assert first == second
    assert first["counts"]["gaps"] == len(first["ids"]) == 1
    clusters = await post(admin, "/v1/learnings/clusters", 200, **body)
    await post(admin, "/v1/learnings/clusters", 200, **body)
    (cluster,) = clusters["clusters"]
    assert sorted(cluster["learnings"]) == sorted(notes)
    listed = (await get(admin, "/v1/skill-proposals"))["items"]
    assert len(listed) == len(first["ids"]) + len(clusters["clusters"])
    assert {p["status"] for p in listed} <= {"draft"}
    assert not any(text in str(listed) for text in texts)
    # What grows is the same proposal, and what was decided on is not asked about again.
    more = "A kubernetes rollout by helm stalls while the secret is not mounted."
    notes += await learn(admin, more, scope=scope, importance=0.8, tags=["helm"])
    await drain()
    for path in ("/v1/skill-chores/gap-detection", "/v1/learnings/clusters"):
        for _ in range(2):
            await post(admin, path, 200, **body)
    grown = (await get(admin, "/v1/skill-proposals"))["items"]
    assert [p["id"] for p in grown] == [p["id"] for p in listed]
    assert all(set(p["sources"]) == set(notes) for p in grown)
    for one in grown:
        await post(admin, f"/v1/skill-proposals/{one['id']}/status", 200, status="rejected")
    for path in ("/v1/skill-chores/gap-detection", "/v1/learnings/clusters"):
        await post(admin, path, 200, **body)
    assert len((await get(admin, "/v1/skill-proposals"))["items"]) == len(listed)


async def test_what_nobody_uses_is_lowered_once_a_week(
    admin: Principal, tenant: str, opened: Parts
) -> None:
    scope = f"{tenant}/dev"
    await post(admin, "/v1/scopes", scope=scope)
    one = await skill(admin, "Old", scope=scope)
    await skill(admin, "New", scope=scope)
    await back(opened, one, 31, "created_at")
    await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"maintenance": "nightly"}
    )
    body = {"scope": scope}
    dry = await post(admin, "/v1/skill-chores/stale-decay", 200, **body)
    assert (dry["counts"], dry["ids"]) == ({"lowered": 1}, [one])
    for lowered in (1, 0):
        done = await post(admin, "/v1/skill-chores/stale-decay", 200, dry_run=False, **body)
        assert done["counts"] == {"lowered": lowered}
    assert (await get(admin, f"/v1/skills/{one}"))["effectiveness"] == 0.45
    waiting = await post(admin, "/v1/skill-chores/re-embedding", 200, dry_run=False, **body)
    assert waiting["counts"] == {"waiting": 0}
    health = await get(admin, "/v1/skills/health", scope=scope)
    assert (health["skills"], health["coverage"], health["grade"]) == (2, 0.0, "F")


async def test_a_weak_skill_is_renewed_by_a_proposal(writer: Principal) -> None:
    one = await skill(writer, "Guess", body="at random")
    refused = await post(writer, f"/v1/skills/{one}/evolution", 409)
    assert refused["errors"][0]["field"] == "effectiveness"
    outcomes = (
        post(writer, f"/v1/skills/{one}/outcomes", success=False, key=str(n)) for n in range(10)
    )
    await asyncio.gather(*outcomes)
    found = await get(writer, f"/v1/skills/{one}")
    assert (found["failure_count"], found["effectiveness"]) == (10, 0.25)
    first = await post(writer, f"/v1/skills/{one}/evolution")
    again = await post(writer, f"/v1/skills/{one}/evolution")
    assert (first["id"], first["confidence"], first["origin"]) == (again["id"], 0.65, "evolution")


async def test_the_knowledge_graph_is_walked_by_relation(
    writer: Principal, opened: Parts, drain: Drain, principal: MakePrincipal, tenant: str
) -> None:
    said = {
        "content": "Mia Keller works at Nordwind. Mia Keller lives in Bern.",
        "role": "user",
        "session": "s",
    }
    await post(writer, "/v1/episodes", **said)
    await opened.consolidation.consolidate(f"{tenant}/dev")
    one = await skill(writer, "Greet Mia Keller", category="communication")
    two = await skill(writer, "Write letters", category="communication")
    await post(writer, f"/v1/skills/{one}/links", 200, target=two)
    tied = await post(writer, f"/v1/skills/{one}/entities", 200)
    mia = next(e for e in tied["items"] if e["untrusted"]["name"] == "Mia Keller")
    assert (mia["by"], len(mia["untrusted"]["facts"])) == ("text", 2)
    near = await get(writer, f"/v1/graph/nodes/{mia['id']}/neighbours")
    kinds = {node["untrusted"]["name"]: node["kind"] for node in near["nodes"]}
    assert kinds == {"Nordwind": "entity", "Bern": "entity", "Greet Mia Keller": "skill"}
    path = f"/v1/graph/nodes/{mia['id']}/neighbours"
    works = await get(writer, path, relation_type="works_for", depth=3)
    assert [n["untrusted"]["name"] for n in works["nodes"]] == ["Nordwind"]
    wide = await get(writer, path, relation_type="concerns")
    assert [n["id"] for n in wide["nodes"]] == [one]
    deep = await get(writer, path, depth=2)
    assert two in [n["id"] for n in deep["nodes"]]
    found = await get(writer, "/v1/graph/search", query="Mia Keller", relation_type="requires",
                      depth=2)  # fmt: skip
    assert {n["id"] for n in found["nodes"]} == {one, two}
    # The sum of the best ten scores over ten.
    assert found["confidence"] == round(sum(n["score"] for n in found["nodes"]) / 10, 4)
    few = await get(writer, path, limit=1)
    assert (len(few["nodes"]), few["truncated"], near["truncated"]) == (1, True, False)
    # Its own edges tell how good a node is, not those that a walk came by.
    by_relation = await get(writer, "/v1/graph/search", query="Mia Keller",
                            relation_type="concerns", depth=1)  # fmt: skip
    quality = {n["id"]: n["quality"] for n in by_relation["nodes"]}
    whole = await get(writer, "/v1/graph/search", query="Mia Keller", depth=1)
    assert quality[mia["id"]] == {n["id"]: n["quality"] for n in whole["nodes"]}[mia["id"]]
    told = await get(writer, "/v1/graph/statistics")
    assert told["nodes"] == {"entity": 3, "skill": 2, "page": 0}
    assert told["relations"] == {"works_for": 1, "lives_in": 1, "requires": 1, "concerns": 1}
    only = await get(writer, "/v1/graph/statistics", relation_type="requires")
    assert only["relations"] == {"requires": 1}
    far = await principal(f"{tenant}/ops", name="far")
    await get(far, path, 404)
    assert (await get(far, "/v1/graph/search", query="Mia Keller"))["nodes"] == []


async def test_the_knowledge_graph_takes_merged_entities_for_one(
    admin: Principal, opened: Parts, drain: Drain, tenant: str
) -> None:
    for said in (
        "Wetterfink GmbH works with nobody.",
        "Mia Keller works for Nordwind. Mia Keller knows Ada Brandt.",
        "M. Kellermann works for Nordwind. M. Kellermann lives in Bern.",
    ):
        await post(admin, "/v1/episodes", content=said, role="user", session="s", scope=tenant)
    await opened.consolidation.consolidate(tenant)

    async def named(name: str) -> str:
        rows = (await get(admin, "/v1/entities", name=name))["items"]
        assert len(rows) == 1, (name, rows)
        return str(rows[0]["id"])

    mia, kellermann = await named("Mia Keller"), await named("M. Kellermann")
    before = await get(admin, "/v1/graph/statistics")
    assert before["relations"]["works_for"] == 2
    made = await post(admin, "/v1/merges", left=mia, right=kellermann)
    await post(admin, f"/v1/merges/{made['id']}/accept", 200)
    both = [await get(admin, f"/v1/graph/nodes/{each}/neighbours") for each in (mia, kellermann)]
    assert both[0] == both[1]
    names = [node["untrusted"]["name"] for node in both[0]["nodes"]]
    assert sorted(set(names)) == sorted(names)
    assert {"Nordwind", "Bern"} <= set(names)
    works = [edge for edge in both[0]["edges"] if edge["predicate"] == "works_for"]
    assert len(works) == 1
    told = await get(admin, "/v1/graph/statistics")
    assert told["nodes"]["entity"] == before["nodes"]["entity"] - 1
    assert told["relations"]["works_for"] == 1
    # From Bern over both to Nordwind: a path through what was merged.
    bern = await get(admin, f"/v1/graph/nodes/{await named('Bern')}/neighbours", depth=2)
    far = {node["untrusted"]["name"]: node["depth"] for node in bern["nodes"]}
    assert far["Nordwind"] == 2
    query = "query($n: ID!) { graphNeighbours(node: $n) { nodes { id } edges { predicate } } }"
    answers = [
        (await admin.http.post("/graphql", json={"query": query, "variables": {"n": each}})).json()
        for each in (mia, kellermann)
    ]
    assert answers[0]["data"] == answers[1]["data"]
    assert "errors" not in answers[0]
    query = "{ graphStatistics { nodes relations density meanDegree } }"
    counted = (await admin.http.post("/graphql", json={"query": query})).json()["data"]
    shown = counted["graphStatistics"]
    assert (shown["nodes"], shown["relations"]) == (told["nodes"], told["relations"])
    assert (shown["density"], shown["meanDegree"]) == (told["density"], told["mean_degree"])


async def test_an_entity_is_found_by_its_exact_name_first(
    writer: Principal, opened: Parts, drain: Drain, tenant: str
) -> None:
    said = (
        "Heron works for Nordwind. Heron Pro belongs to Nordwind. Heron Bay belongs to Ada Brandt. "
        "The Grey Heron Club belongs to Nordwind."
    )
    await post(writer, "/v1/episodes", content=said, role="user", session="s")
    await opened.consolidation.consolidate(f"{tenant}/dev")
    await skill(writer, "Heron handling", category="communication")
    await drain()
    for query in ("Heron", "heron", "Heron Bay", "grey heron club"):
        found = await get(writer, "/v1/graph/search", query=query, depth=1)
        first = found["nodes"][0]
        assert (first["kind"], first["untrusted"]["name"].lower()) == ("entity", query.lower())
        assert [n["score"] for n in found["nodes"] if n["depth"] == 0].count(first["score"]) == 1
        asked = "query($q: String!) { searchGraph(query: $q) { nodes { id kind score } } }"
        body = {"query": asked, "variables": {"q": query}}
        answer = (await writer.http.post("/graphql", json=body)).json()["data"]["searchGraph"]
        same = [{name: n[name] for name in ("id", "kind", "score")} for n in found["nodes"]]
        assert answer["nodes"] == same


async def test_pages_are_found_by_name_and_by_what_they_say(
    writer: Principal, opened: Parts, drain: Drain
) -> None:
    text = "Ropes are coiled before dusk, see [[Night Watch]]."
    one = await opened.pages.write(writer.caller, Draft(text, title="Harbour rules"))
    two = await opened.pages.write(writer.caller, Draft("Two stay awake.", title="Night Watch"))
    for page in (one, two):
        await opened.page_passages.bring(page.id, page.scope)
    await drain()

    async def found(query: str) -> set[str]:
        asked = {"query": query, "relation_type": "references", "depth": 1}
        told = await get(writer, "/v1/graph/search", **asked)
        assert {edge["type"] for edge in told["edges"]} <= {"references"}
        return {node["id"] for node in told["nodes"]}

    assert await found("what do the harbour rules forbid?") == {one.id, two.id}
    assert await found("when are ropes coiled") == {one.id, two.id}
    assert await found("zebra quilts") == set()
