"""What becomes of a memory that somebody calls wrong."""

from __future__ import annotations

from typing import Any

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal

STATEMENT = {
    "subject": {"name": "Ilse Harmsen", "type": "person"},
    "predicate": "lives_in",
}


async def remember(who: Principal, town: str, since: str, **more: Any) -> str:
    statement = {**STATEMENT, "object": {"name": town}, "valid_from": f"{since}T00:00:00Z"}
    answer = await who.http.post("/v1/facts:remember", json={"statement": statement, **more})
    assert answer.status_code == 200, answer.text
    fact: str = answer.json()["facts"][0]["id"]
    return fact


async def call_wrong(who: Principal, memory: str) -> dict[str, Any]:
    body = {"memory": memory, "verdict": "wrong"}
    answer = await who.http.post("/v1/feedback", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def status(who: Principal, fact: str) -> str:
    told: str = (await who.http.get(f"/v1/facts/{fact}")).json()["status"]
    return told


async def listed(who: Principal) -> dict[str, dict[str, Any]]:
    items = (await who.http.get("/v1/feedback")).json()["items"]
    return {item["memory"]: item for item in items}


async def test_who_alone_says_it_may_put_it_into_quarantine(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    ann = await principal(scope, name="ann", kind="user")
    ben = await principal(scope, name="ben", kind="user")
    curator = await principal(scope, role=Role.CURATOR, name="cur", kind="user")
    old = await remember(ann, "Bremen", "2026-01-01")
    new = await remember(ann, "Oldenburg", "2026-05-01")
    assert (await status(ann, old), await status(ann, new)) == ("superseded", "active")
    for _ in range(2):
        assert (await call_wrong(ann, new))["quarantined"]
    assert (await status(ann, old), await status(ann, new)) == ("active", "quarantined")
    (item,) = (await curator.http.get("/v1/quarantine")).json()["items"]
    assert (item["fact"]["id"], item["reasons"]) == (new, ["doubted"])
    reviews = (await curator.http.get(f"/v1/facts/{new}/history")).json()["reviews"]
    assert [(r["verdict"], r["by"]) for r in reviews] == [("doubt", ann.caller.principal)]
    # The same word of somebody else lifts the doubt.
    assert await remember(ben, "Oldenburg", "2026-05-01", session="x") == new
    assert (await status(ann, old), await status(ann, new)) == ("superseded", "active")
    assert not (await call_wrong(ben, new))["quarantined"]
    assert await status(ann, new) == "active"


async def test_a_curator_decides_on_it_and_takes_it_back(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    ann = await principal(scope, name="ann", kind="user")
    curator = await principal(scope, role=Role.CURATOR, name="cur", kind="user")
    fact = await remember(ann, "Bremen", "2026-01-01")
    await call_wrong(ann, fact)
    assert not (await listed(curator))[fact]["reviewed"]
    undone = await curator.http.post(f"/v1/quarantine/{fact}/undo")
    assert undone.status_code == 200, undone.text
    assert await status(ann, fact) == "active"
    await call_wrong(ann, fact)
    assert await status(ann, fact) == "quarantined"
    accepted = await curator.http.post(f"/v1/quarantine/{fact}/accept", json={})
    assert accepted.status_code == 200, accepted.text
    assert await status(ann, fact) == "active"
    assert (await listed(curator))[fact]["reviewed"]
    assert not (await call_wrong(ann, fact))["quarantined"]  # the curator's word stands
    assert await status(ann, fact) == "active"


async def test_what_others_say_is_only_put_before_a_curator(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    ann = await principal(scope, name="ann", kind="user")
    ben = await principal(scope, name="ben", kind="user")
    agent = await principal(scope, name="scout")
    curator = await principal(scope, role=Role.CURATOR, name="cur", kind="user")
    fact = await remember(ann, "Bremen", "2026-01-01")
    own = await remember(agent, "Kiel", "2020-01-01", role="assistant")
    before = (await ann.http.get(f"/v1/facts/{fact}")).json()
    for who, memory in ((ben, fact), (agent, fact), (agent, own)):
        assert not (await call_wrong(who, memory))["quarantined"]
    assert (await ann.http.get(f"/v1/facts/{fact}")).json() == before
    seen = await listed(curator)
    assert "Bremen" in seen[fact]["untrusted"]["text"]
    assert (seen[fact]["kind"], seen[fact]["standing"]) == ("fact", "active")
    assert (await ben.http.get("/v1/feedback")).status_code == 403
    hidden = await curator.http.post(f"/v1/memories/{fact}/forget")
    assert hidden.status_code == 200, hidden.text
    assert (await listed(curator))[fact]["untrusted"]["text"] is None
