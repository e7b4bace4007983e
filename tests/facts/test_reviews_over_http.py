"""What a review does to belief in the graph, and what is said, merged or decided meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import NotFound
from app.facts.repository import Terms
from app.facts.service import Decision, FactService
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, query, take_in
from tests.facts.conftest import Remember
from tests.facts.test_later_texts import DOSE, RAISED, facts
from tests.facts.test_over_http import facts_of, objects


async def disputed(
    principal: MakePrincipal, scope: str, remember: Remember
) -> tuple[Principal, Principal, dict[str, Any], str]:
    """Two people of whom the second contradicts the first; the fact of the first, and the id of
    what waits."""
    ada = await principal(scope, name="ada", kind="user")
    bob = await principal(scope, name="bob", kind="user")
    more = {"type": "project", "scope": scope}
    (held,) = (await remember("Heron", "status", "active", by=ada, **more))["facts"]
    (waits,) = (await remember("Heron", "status", "completed", by=bob, **more))["quarantined"]
    return ada, bob, held, waits


async def test_accepting_late_leaves_the_newer_belief_and_what_follows(
    admin: Principal, principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    scope = f"{tenant}/dev"
    ada, _, held, waits = await disputed(principal, scope, remember)
    more = {"by": ada, "type": "project", "scope": scope}
    await remember("Heron", "status", "paused", **more)
    done = await admin.http.post(f"/v1/quarantine/{waits}/accept", json={})
    assert (done.status_code, done.json()["status"]) == (200, "superseded"), done.text
    assert objects(await facts_of(ada, held["subject"])) == {"paused"}
    (span,) = [
        one
        for one in (await ada.http.get(f"/v1/facts/{waits}/history")).json()["intervals"]
        if one["retracted_at"] is None
    ]
    assert (span["standing"], span["reason"]) == ("held", "later_value")
    await remember("Heron", "status", "archived", **more)
    assert objects(await facts_of(ada, held["subject"])) == {"archived"}


async def test_who_said_what_was_accepted_takes_it_back(
    admin: Principal, principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    scope = f"{tenant}/dev"
    ada, bob, held, waits = await disputed(principal, scope, remember)
    done = await admin.http.post(f"/v1/quarantine/{waits}/accept", json={})
    assert done.json()["status"] == "active", done.text
    over = {"mode": "end", "by": bob, "type": "project", "scope": scope}
    said = await remember("Heron", "status", "completed", **over)
    assert said["quarantined"] == []
    left = await facts_of(ada, held["subject"])
    assert [fact["id"] for fact in left if not fact["negated"]] == []


async def test_what_is_kept_side_by_side_ends_with_what_is_said_later(
    admin: Principal, principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    scope = f"{tenant}/dev"
    ada, _, held, waits = await disputed(principal, scope, remember)
    shown = (await admin.http.get(f"/v1/facts/{held['id']}")).json()
    since = {"valid_from": shown["intervals"][0]["valid_from"]}
    both = {"valid": since, "other": held["id"], "other_valid": since}
    kept = await admin.http.post(f"/v1/quarantine/{waits}/keep-both", json=both)
    assert kept.status_code == 200, kept.text
    assert objects(await facts_of(ada, held["subject"])) == {"active", "completed"}
    await remember("Heron", "status", "paused", by=ada, type="project", scope=scope)
    assert objects(await facts_of(ada, held["subject"])) == {"paused"}


async def test_what_a_later_text_ended_holds_again_once_it_is_said(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator", kind="user")
    await take_in(opened, {"one": curator.caller}, [DOSE, RAISED])
    (fact,) = (await curator.http.get("/v1/quarantine/texts")).json()["items"]
    (later,) = fact["possible_changes"]
    body = {"older": fact["id"], "verdict": "changed"}
    done = await curator.http.post(f"/v1/quarantine/{later['passage']}/change", json=body)
    assert done.status_code == 200, done.text
    assert await facts(curator) == []
    again = [Said(60 + n, DOSE.text) for n in range(40)]
    await take_in(opened, {"one": curator.caller}, again[:1])
    assert [one["id"] for one in await facts(curator)] == [fact["id"]]
    await take_in(opened, {"one": curator.caller}, again[1:])
    (now_held,) = await facts(curator)
    (history,) = [
        sorted(e["valid_to"] or "" for e in told["intervals"] if e["retracted_at"] is None)
        for told in [(await curator.http.get(f"/v1/facts/{fact['id']}/history")).json()]
    ]
    assert now_held["evidence"] == 41
    assert history == ["", later["since"]], "what is said often is settled as what is said twice"


@pytest.mark.parametrize("verb", ["accept", "undo", "doubt"])
async def test_a_merge_while_a_review_waits_for_its_lock_leaves_the_review_in_force(
    opened: Parts, principal: MakePrincipal, tenant: str, remember: Remember, verb: str
) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="curator", kind="user")
    ada, _, held, waits = await disputed(principal, scope, remember)
    for value in ("Rust", "Go", "Zig"):
        (other,) = (await remember("Heron II", "uses", value, by=ada, type="project", scope=scope))[
            "facts"
        ]
    fact = held["id"] if verb == "doubt" else waits
    if verb == "undo":
        done = await curator.http.post(f"/v1/quarantine/{waits}/reject", json={})
        assert done.status_code == 200, done.text
    made = await curator.http.post(
        "/v1/merges", json={"left": held["subject"], "right": other["subject"]}
    )
    assert made.status_code == 201, made.text
    merge = made.json()["id"]

    async def key() -> str:
        (row,) = await query(opened.graph, "MATCH (f:Fact {id: $id}) RETURN f.key AS key", id=fact)
        found: str = row["key"]
        return found

    async def meanwhile(path: str) -> Terms:
        """What a review asks for between its first look and its transaction."""
        done = await curator.http.post(f"/v1/merges/{merge}/accept")
        assert done.status_code == 200, done.text
        return await opened.consolidation.terms(path)

    before = await key()
    service = FactService(opened.facts.repository, meanwhile, opened.facts._policy)
    if verb == "accept":
        await service.decide(curator.caller, [Decision(waits, "accept")])
    elif verb == "undo":
        await service.undo(curator.caller, waits)
    else:
        assert await service.doubt(ada.caller, held["id"])
    assert await key() != before, "the merge moved it"
    status = {
        one: (await curator.http.get(f"/v1/facts/{one}")).json()["status"]
        for one in (held["id"], waits)
    }
    assert (
        status
        == {
            "accept": {held["id"]: "superseded", waits: "active"},
            "undo": {held["id"]: "active", waits: "quarantined"},
            "doubt": {held["id"]: "quarantined", waits: "active"},
        }[verb]
    )


async def test_a_review_of_what_is_gone_meanwhile_is_refused(
    opened: Parts, principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="curator", kind="user")
    _, _, _, waits = await disputed(principal, scope, remember)

    async def meanwhile(path: str) -> Terms:
        """Somebody erases the fact."""
        await query(opened.graph, "MATCH (f:Fact {id: $id}) DETACH DELETE f", id=waits)
        return await opened.consolidation.terms(path)

    service = FactService(opened.facts.repository, meanwhile, opened.facts._policy)
    with pytest.raises(NotFound):
        await service.decide(curator.caller, [Decision(waits, "accept")])
