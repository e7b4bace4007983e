"""Leads to what is known: facts and entities that are decided on, pages, skills, documents."""

from __future__ import annotations

from datetime import timedelta

from app.kernel.clock import now
from tests.consolidation.conftest import take_in
from tests.facts.test_later_texts import DOSE, RAISED
from tests.fuzz.lead import Lead

PEOPLE = tuple(f"{one} Holm" for one in ("Ida", "Jon", "Kai", "Liv", "Mei", "Noa", "Oda", "Pia"))
FAILED = 10  # outcomes that make a skill weak


async def erased(lead: Lead) -> None:
    """A receipt of an erasure."""
    where = f"/v1/scopes/rules?scope={lead.scope}"
    await lead.ask("PUT", where, {"erasure": True})
    gone = {"memory": await lead.note("The key of the crane hangs behind the door.")}
    receipt = (await lead.ask("POST", "/v1/erasures", gone))["receipt"]
    lead.aim("GET /v1/erasures/{receipt_id}", receipt_id=receipt)
    lead.aim("POST /v1/erasures/{receipt_id}/check", {}, receipt_id=receipt)


async def reviews(lead: Lead) -> None:
    """A note that waits beside another agent's, and a text that may have changed a fact."""
    where = {"scope": lead.scope}
    old = {"content": "The deploy host of the crane is Frankfurt."} | where
    new = {"content": "The deploy host of the crane is not Frankfurt."} | where
    await lead.ask("POST", "/v1/notes", old, lead.other.http)
    waits = await lead.ask("POST", "/v1/notes", new, lead.third.http)
    assert waits["status"] == "quarantined", waits
    lead.aim("POST /v1/notes/{note_id}/review", {"decision": "accept"}, note_id=waits["id"])
    await take_in(lead.opened, {"one": lead.other.caller}, [DOSE, RAISED])
    (fact,) = (await lead.ask("GET", f"/v1/quarantine/texts?scope={lead.scope}"))["items"]
    (later,) = fact["possible_changes"]
    decision = {"older": fact["id"], "verdict": "both"}
    lead.aim("POST /v1/quarantine/{fact_id}/change", decision, fact_id=later["passage"])


async def merges(lead: Lead) -> None:
    """Pairs of people, proposed as one, and one pair that is one."""
    for one in PEOPLE:
        body = {"content": f"{one} works for Kranwerk GmbH.", "session": "led"}
        await lead.make("/v1/episodes", body)
    await lead.opened.consolidation.consolidate(lead.scope)
    items = (await lead.ask("GET", f"/v1/entities?scope={lead.scope}&limit=100"))["items"]
    ids = {each["name"]: each["id"] for each in items}
    pairs = [(ids[PEOPLE[n]], ids[PEOPLE[n + 1]]) for n in (0, 2, 4)]
    one, two, three = [
        (await lead.ask("POST", "/v1/merges", {"left": left, "right": right}))["id"]
        for left, right in pairs
    ]
    await lead.ask("POST", f"/v1/merges/{three}/accept")
    path = "/v1/merges/{merge_id}"
    lead.aim(f"GET {path}", merge_id=one)
    lead.aim(f"POST {path}/accept", merge_id=one)
    lead.aim(f"POST {path}/reject", merge_id=two)
    lead.aim(f"POST {path}/undo", merge_id=three)
    source, target = (ids[each] for each in PEOPLE[6:])
    told = "/agent-memory/v1/entities/{entity}"
    lead.aim(f"POST {told}/merge", {"targetId": target}, entity=source)
    statement = {"subject": {"name": "Led Heron", "type": "project"}, "predicate": "status",
                 "object": {"value": "active"}}  # fmt: skip
    await lead.ask("POST", "/v1/facts:remember", {"statement": statement, "scope": lead.scope})
    items = (await lead.ask("GET", f"/v1/entities?scope={lead.scope}&limit=100"))["items"]
    (stated,) = [each["id"] for each in items if each["name"] == "Led Heron"]
    lead.aim(f"DELETE {told}", entity=stated)


async def asked(lead: Lead) -> None:
    """A question that was kept, communities of those people, a package, and a matter to decide."""
    where = f"?scope={lead.scope}"
    question = {"query": "Who works for Kranwerk GmbH?", "scopes": [lead.scope]}
    await lead.ask("POST", "/v1/rag/ask", question)
    await lead.opened.question_log.flush()
    kept = (await lead.ask("GET", f"/v1/rag/queries{where}"))["items"][0]["id"]
    lead.aim("GET /v1/rag/queries/{query_id}", query_id=kept)
    found = (await lead.ask("POST", "/v1/communities/refresh", {"scope": lead.scope}))["job"]
    package = (await lead.ask("POST", "/v1/exports", {"scopes": [lead.scope]}))["id"]
    for job in (found, package):
        assert await lead.opened.runner.run(lead.opened, job) == "done"
    community = (await lead.ask("GET", f"/v1/communities{where}"))["items"][0]["id"]
    for part in ("", "/members"):
        lead.aim(f"GET /v1/communities/{{community_id}}{part}", community_id=community)
    lead.aim("GET /v1/exports/{job_id}", job_id=package)
    matter = {"title": "Which berth?", "due_at": "2099-01-01T00:00:00Z"}
    matter_id = await lead.make("/v1/escalations", matter)
    lead.aim("PATCH /v1/escalations/{escalation}", {"title": "Berth?"}, escalation=matter_id)


async def pages(lead: Lead) -> None:
    """A page that another one names without a link, with a version of before."""
    quay = await lead.make("/v1/pages", {"title": "Led Quay", "content": "It is long."})
    said = {"title": "Led Pier", "content": "The pier lies near Led Quay."}
    pier = await lead.make("/v1/pages", said)
    await lead.ask("PATCH", f"/v1/pages/{quay}", {"content": "It is longer."})
    (version, *_) = (await lead.ask("GET", f"/v1/pages/{quay}/versions"))["items"]
    lead.aim("GET /v1/pages/{page_id}/versions/{version}",
             page_id=quay, version=str(version["version"]))  # fmt: skip
    lead.aim("POST /v1/pages/{page_id}/unlinked-mentions", {"source": pier}, page_id=quay)


async def skills(lead: Lead) -> None:
    """Skills with a version on trial, before and after it is begun; one that is weak, and one that
    links to it."""
    tried, tested, weak, one = [await _skill(lead, f"Led {n}") for n in range(4)]
    trial = "/v1/skills/{skill_id}/experiment"
    lead.aim(f"POST {trial}", {"version": await _version(lead, tried)}, skill_id=tried)
    begun = {"version": await _version(lead, tested)}
    await lead.ask("POST", f"/v1/skills/{tested}/experiment", begun)
    lead.aim(f"POST {trial}/end", skill_id=tested)
    for number in range(FAILED):
        failed = {"success": False, "key": str(number)}
        await lead.ask("POST", f"/v1/skills/{weak}/outcomes", failed)
    lead.aim("POST /v1/skills/{skill_id}/evolution", skill_id=weak)
    await lead.ask("POST", f"/v1/skills/{one}/links", {"target": weak, "type": "composes"})
    lead.aim("DELETE /v1/skills/{skill_id}/links/{kind}/{target}",
             skill_id=one, kind="composes", target=weak)  # fmt: skip


async def circle(lead: Lead) -> None:
    """Two skills that need each other, which is a conflict."""
    one, two = [await _skill(lead, name) for name in ("Led first", "Led last")]
    for source, target in ((one, two), (two, one)):
        link = {"target": target, "type": "requires"}
        await lead.ask("POST", f"/v1/skills/{source}/links", link)
    scan = {"scope": lead.scope, "dry_run": False}
    await lead.ask("POST", "/v1/skill-chores/conflict-scan", scan)
    items = (await lead.ask("GET", f"/v1/skill-conflicts?scope={lead.scope}"))["items"]
    conflict = next(one["id"] for one in items if one["finding"] == "circular_dependency")
    later = (now() + timedelta(days=1)).isoformat()
    path = "/v1/skill-conflicts/{conflict_id}"
    lead.aim(f"GET {path}", conflict_id=conflict)
    lead.aim(f"POST {path}/pause", {"until": later}, conflict_id=conflict)
    lead.aim(f"POST {path}/status", {"status": "reviewing"}, conflict_id=conflict)


async def _skill(lead: Lead, name: str) -> str:
    return await lead.make(
        "/v1/skills", {"name": name, "category": "design", "body": f"Do {name}."}
    )


async def _version(lead: Lead, skill: str) -> str:
    """A version of a skill that is not in use."""
    change = {"body": "Try it.", "change_type": "experimental"}
    await lead.ask("PATCH", f"/v1/skills/{skill}", change)
    items = (await lead.ask("GET", f"/v1/skills/{skill}/versions"))["items"]
    (version,) = [each["version"] for each in items if not each["is_active"]]
    return str(version)


async def learnings(lead: Lead) -> None:
    """A learning that was recalled and holds, in a scope below; it may be shared above."""
    below = f"{lead.scope}/team:led"
    text = "Rotating the ropes of a crane needs no pause when both ropes are sound."
    body = {"content": text, "namespace": "learnings", "importance": 0.6, "confidence": 0.65}
    note = await lead.make("/v1/notes", body, below)
    await lead.opened.indexing.drain()
    for _ in range(2):
        await lead.ask("POST", f"/v1/learnings/{note}/check", {"holds": True})
    await lead.opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=note)
    lead.aim("GET /v1/learnings/{note_id}", note_id=note)
    taught = await lead.make("/v1/skills", {"name": "Led ropes", "category": "design"}, below)
    lead.aim("POST /v1/skills/{skill_id}/learnings", {"note": note}, skill_id=taught)
    lead.aim("POST /v1/learnings/{note_id}/share", {"scope": lead.scope}, note_id=note)
    lead.aim("POST /v1/learnings/{note_id}/check", {"holds": True}, note_id=note)


async def documents(lead: Lead) -> None:
    """Documents that were read: one in use, one put away, two to be read again."""
    base = await lead.make("/v1/knowledge-bases", {"name": "Led"})
    ids = []
    for name in ("one", "two", "three", "four"):
        body = {"knowledge_base": base, "name": f"{name}.txt", "text": f"Cranes {name}. " * 9}
        taken = await lead.ask("POST", "/v1/documents", body | {"scope": lead.scope})
        assert await lead.opened.runner.run(lead.opened, taken["job"]["id"]) == "done"
        ids.append(taken["document"]["id"])
    await lead.ask("POST", f"/v1/documents/{ids[1]}/archive")
    path = "/v1/documents/{document_id}"
    for part in ("", "/chunks", "/text"):
        lead.aim(f"GET {path}{part}", document_id=ids[0])
    lead.aim(f"POST {path}/process", document_id=ids[2])
    lead.aim("POST /api/v1/ai/rag/documents/{document_id}/process", document_id=ids[3])
    lead.aim(f"POST {path}/archive", document_id=ids[0])
    lead.aim(f"POST {path}/restore", document_id=ids[1])
    lead.aim(f"DELETE {path}", document_id=ids[1])
