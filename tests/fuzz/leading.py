"""Leads to what agents keep and share, and all leads in their order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.autonomy.test_interventions import clear, decided
from tests.fuzz.lead import Aim, Lead
from tests.fuzz.leading_knowledge import (
    asked,
    circle,
    documents,
    erased,
    learnings,
    merges,
    pages,
    reviews,
    skills,
)


async def contexts(lead: Lead) -> None:
    """A context with entries in use and a snapshot."""
    context = await lead.make("/v1/contexts", {"name": "Led", "type": "shared_context"})
    url = f"/v1/contexts/{context}"
    one, two = [
        (await lead.ask("POST", f"{url}/entries", {"key": key, "content": f"The {key} is oiled."}))[
            "id"
        ]
        for key in ("crane", "winch")
    ]
    taken = (await lead.ask("POST", f"{url}/snapshots", {"name": "first"}))["id"]
    entry = "/v1/contexts/{context}/entries/{entry}"
    for verb in ("boost", "reduce", "seal"):
        lead.aim(f"POST {entry}/{verb}", context=context, entry=one)
    lead.aim(f"GET {entry}", context=context, entry=one)
    lead.aim(f"GET {entry}/versions", context=context, entry=one)
    lead.aim(f"PUT {entry}/content", {"content": "It is new."}, context=context, entry=one)
    lead.aim(f"DELETE {entry}", context=context, entry=two)
    lead.aim("POST /v1/contexts/{context}/merge", {"dry_run": False}, context=context)
    facts = {"facts": [{"key": "quay", "content": "The quay is long."}]}
    lead.aim("POST /v1/contexts/{context}/facts", facts, context=context)
    restored = "POST /v1/contexts/{context}/snapshots/{snapshot}/restore"
    lead.aim(restored, context=context, snapshot=taken)


async def shares(lead: Lead) -> None:
    """A value that another one shares with the walker, and one that he shares."""
    other, where = lead.other.caller.principal, f"?scope={lead.scope}"
    value, given = {"value": "north"}, f"/v1/working-shares/{lead.name}/berth{where}"
    await lead.ask("PUT", given, value, lead.other.http)
    await lead.ask("PUT", f"/v1/working-shares/{other}/berth{where}", value)
    shared = "/v1/working-shares/{agent}/{name}"
    lead.aim(f"GET {shared}", scoped=True, agent=other, name="berth")
    lead.aim(f"DELETE {shared}", scoped=True, agent=other, name="berth")


async def grants(lead: Lead) -> None:
    """A grant to another one, of a scope below."""
    below, other = f"{lead.scope}/team:led", lead.other.caller.principal
    await lead.ask("POST", "/v1/scopes", {"scope": below})
    await lead.ask("POST", f"/v1/principals/{other}/grants", {"scope": below, "role": "reader"})
    withdrawn = Aim("DELETE /v1/principals/{principal}/grants", {"principal": other},
                    query={"scope": below})  # fmt: skip
    lead.aims.append(withdrawn)


async def pools(lead: Lead) -> None:
    """A pool with a value and somebody who may read it."""
    other = lead.other.caller.principal
    pool = await lead.make("/v1/pools", {"name": "Led", "data": {"day": 1, "night": 2}})
    path = f"/v1/pools/{pool}/grants?scope={lead.scope}"
    await lead.ask("POST", path, {"agent": other, "level": "read"})
    lead.aim("PATCH /v1/pools/{pool}/data", {"data": {"day": 2}}, scoped=True, pool=pool)
    lead.aim("GET /v1/pools/{pool}/data", scoped=True, pool=pool)
    lead.aim("DELETE /v1/pools/{pool}/grants/{agent}", scoped=True, pool=pool, agent=other)
    removed = {"scope": lead.scope, "path": "day"}
    lead.aims.append(Aim("DELETE /v1/pools/{pool}/data", {"pool": pool}, query=removed))
    lead.aim("DELETE /v1/pools/{pool}", scoped=True, pool=pool)


async def tables(lead: Lead) -> None:
    """A table with a row."""
    columns = {"columns": [{"name": "name"}, {"name": "day", "type": "integer"}]}
    table = await lead.make("/v1/tables", {"name": "led", "keys": ["name"]} | columns)
    path = f"/v1/tables/{table}/rows?scope={lead.scope}"
    row = (await lead.ask("POST", path, {"rows": [{"name": "a", "day": 1}]}))["ids"][0]
    lead.aim("GET /v1/tables/{table}/rows/{row}/versions", scoped=True, table=table, row=row)
    lead.aim("DELETE /v1/tables/{table}", scoped=True, table=table)


async def linked(lead: Lead) -> None:
    """What is linked to a note, and what may be."""
    note = await lead.note("Ask the harbour master for the tide.")
    item = await lead.make("/v1/work-items", {"title": "Moor"})
    goal = await lead.make("/v1/goals", {"title": "Moored"})
    trace = await lead.make("/v1/traces", {"task": "Moor the crane.", "session": "led"})
    for path in (f"/v1/work-items/{item}", f"/v1/goals/{goal}"):
        await lead.ask("POST", f"{path}/links", {"memory": note})
    lead.aim("DELETE /v1/work-items/{item}/links/{memory}", item=item, memory=note)
    lead.aim("DELETE /v1/goals/{goal}/links/{memory}", goal=goal, memory=note)
    for verb in ("pin", "unpin", "forget", "unforget"):
        lead.aim(f"POST /v1/memories/{{memory_id}}/{verb}", memory_id=note)
    lead.aim("POST /v1/work-items/{item}/advance", {"to": "in_progress"}, item=item)
    lead.aim("POST /v1/traces/{trace}/links", {"memories": [note]}, trace=trace)
    step = {"steps": [{"thought": "Look at the tide."}]}
    lead.aim("POST /v1/traces/{trace}/steps", step, trace=trace)


async def blocks(lead: Lead) -> None:
    """Edits of a protected block: one of another's that may be attested, one of the walker's."""
    block, where = "/v1/core-blocks/persona", {"scope": lead.scope}
    theirs = lead.other.http
    await lead.ask("PUT", block, {"content": "You watch the crane."} | where)
    await lead.ask("PUT", f"{block}/protection", {"quorum": 1} | where)
    edit = await lead.ask(
        "POST", f"{block}/edits", {"content": "You watch the quay."} | where, theirs
    )
    own = await lead.ask("POST", f"{block}/edits", {"content": "You watch the pier."} | where)
    lead.aim("GET /v1/core-block-edits/{edit}", edit=own["id"])
    lead.aim("POST /v1/core-block-edits/{edit}/withdraw", edit=own["id"])
    seen = {name: edit[name] for name in ("old_hash", "new_hash")}
    lead.aim("POST /v1/core-block-edits/{edit}/attest", seen, edit=edit["id"])


async def suggested(lead: Lead) -> None:
    """A policy that twenty decisions suggest, and an intent of three tasks."""
    await decided(lead.opened, lead.scope, "skill_proposal", (20, 0))
    await lead.opened.intervening.suggest([lead.scope], dry_run=False)
    await clear(lead.opened, lead.scope)
    where = f"?scope={lead.scope}"
    (policy, *_) = (await lead.ask("GET", f"/v1/intervention-policies{where}"))["items"]
    lead.aim("GET /v1/intervention-policies/{policy}", policy=policy["id"])
    lead.aim("POST /v1/intervention-policies/{policy}/decide", {"to": "dismissed"},
             policy=policy["id"])  # fmt: skip
    for _ in range(3):
        segment = await lead.make("/v1/segments", {"task": "Tune the winch of the crane."})
        done = {"checks": [{"kind": "test", "passed": True}]}
        await lead.ask("POST", f"/v1/segments/{segment}/end", done)
    await lead.opened.indexing.drain()
    await lead.ask("POST", "/v1/intents/find", {"scope": lead.scope, "dry_run": False})
    (intent,) = (await lead.ask("GET", f"/v1/intents{where}"))["items"]
    lead.aim("POST /v1/intents/{intent}/confirm", intent=intent["id"])


async def hooked(lead: Lead) -> None:
    """A delivery that was given up, as one is after a day."""
    hook = await lead.make("/v1/webhooks", {"url": "https://127.0.0.1/led"})
    sent = (await lead.ask("POST", f"/v1/webhooks/{hook}/test"))["id"]
    await lead.opened.graph.raw("MATCH (n:WebhookDelivery {id: $id}) SET n.state = 'dead'", id=sent)
    lead.aim("POST /v1/webhooks/{webhook}/deliveries/{delivery}/resend",
             webhook=hook, delivery=sent)  # fmt: skip


Part = Callable[[Lead], Awaitable[None]]
# What stands for decisions is taken away with all decisions there are; reviews ask for all texts
# that wait, merges for all people: each before others add to them.
PARTS: tuple[Part, ...] = (
    suggested, erased, reviews, merges, asked, contexts, shares, grants, pools, tables, linked,
    pages, skills, circle, learnings, blocks, documents, hooked,
)  # fmt: skip


async def led(lead: Lead) -> list[Aim]:
    """Make everything; what is aimed at afterwards, in order."""
    for part in PARTS:
        await part(lead)
    return lead.aims
