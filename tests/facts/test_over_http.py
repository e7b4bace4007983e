"""Facts over HTTP on the real graph: two clocks, quarantine, races."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from app.kernel.caller import Role
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.facts.conftest import Remember

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)
AUGUST = datetime(2026, 8, 1, tzinfo=UTC)


async def facts_of(reader: Principal, subject: str, **params: Any) -> list[dict[str, Any]]:
    shown = {k: v.isoformat() if isinstance(v, datetime) else v for k, v in params.items()}
    answer = await reader.http.get("/v1/facts", params={"subject": subject, **shown})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def objects(items: list[dict[str, Any]]) -> set[str]:
    return {f"{'not ' if i['negated'] else ''}{i['untrusted']['object']}" for i in items}


async def test_a_fact_is_true_in_its_time_and_known_from_when_we_learnt_it(
    writer: Principal, remember: Remember
) -> None:
    first = await remember("Ilse", "lives_in", "Bremen", entity=True, valid_from=JANUARY)
    learnt = now()
    second = await remember("Ilse", "lives_in", "Oldenburg", entity=True, valid_from=MAY)
    (old,), (new,) = first["facts"], second["facts"]
    subject = old["subject"]
    assert new["subject"] == subject
    assert objects(await facts_of(writer, subject)) == {"Oldenburg"}
    assert objects(await facts_of(writer, subject, as_of=JANUARY + timedelta(days=9))) == {"Bremen"}
    assert objects(await facts_of(writer, subject, as_of=AUGUST, known_at=learnt)) == {"Bremen"}
    assert objects(await facts_of(writer, subject, known_at=learnt - timedelta(hours=1))) == set()
    history = (await writer.http.get(f"/v1/facts/{old['id']}/history")).json()
    assert [i["reason"] for i in history["intervals"]] == ["stated", "later_value"]
    assert history["intervals"][0]["retracted_at"] is not None
    assert [link["id"] for link in history["superseded_by"]] == [new["id"]]
    line = (await writer.http.get(f"/v1/entities/{subject}/timeline")).json()["items"]
    assert [(i["untrusted"]["object"], i["interval"]["valid_to"] is None) for i in line] == [
        ("Bremen", False),
        ("Oldenburg", True),
    ]


async def test_an_end_that_one_names_leaves_what_another_holds(
    principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    ada = await principal(f"{tenant}/dev", name="ada", kind="user")
    bob = await principal(f"{tenant}/dev", name="bob", kind="user")
    own = await remember("Ilse", "works_at", "Acme", by=ada, entity=True, valid_from=JANUARY)
    subject = own["facts"][0]["subject"]
    ends = {"valid_from": JANUARY, "valid_to": MAY, "said_at": AUGUST.isoformat()}
    await remember("Ilse", "works_at", "Acme", by=bob, entity=True, **ends)
    assert objects(await facts_of(ada, subject, as_of=AUGUST)) == {"Acme"}
    assert objects(await facts_of(bob, subject)) == {"Acme"}
    await remember("Ilse", "works_at", "Acme", by=ada, entity=True, **ends)
    assert objects(await facts_of(bob, subject, as_of=AUGUST)) == set()
    assert objects(await facts_of(bob, subject, as_of=JANUARY + timedelta(days=9))) == {"Acme"}


async def test_remembering_twice_stores_once(writer: Principal, remember: Remember) -> None:
    one = await remember("Ilse", "drinks", "green tea", said_at=JANUARY.isoformat())
    two = await remember("Ilse", "drinks", "green tea", said_at=JANUARY.isoformat())
    assert (one["status"], two["status"]) == ("accepted", "duplicate")
    assert one["facts"][0]["id"] == two["facts"][0]["id"]
    assert two["facts"][0]["evidence"] == 1
    later = await remember("Ilse", "drinks", "green tea", said_at=MAY.isoformat())
    assert later["facts"][0]["evidence"] == 2
    assert len(later["facts"][0]["support"]) == 2


async def test_what_was_forgotten_and_is_said_again_is_held(
    writer: Principal, remember: Remember, principal: MakePrincipal, tenant: str
) -> None:
    async def hidden(memory: str, who: Principal = writer) -> None:
        answer = await who.http.post(f"/v1/memories/{memory}/forget")
        assert answer.json()["forgotten"], answer.text

    said = await remember("Gunvor", "plays", "the viola")
    (fact,) = said["facts"]
    for memory in (fact["id"], said["episode"]):
        await hidden(memory)
        assert await facts_of(writer, fact["subject"]) == []
        again = await remember("Gunvor", "plays", "the viola")
        assert [one["id"] for one in again["facts"]] == [fact["id"]]
        assert objects(await facts_of(writer, fact["subject"])) == {"the viola"}

    # With a moment it is the same record once more, as a program sends it that copies others.
    old = await remember("Gunvor", "plays", "the harp", said_at=JANUARY.isoformat())
    await hidden(old["facts"][0]["id"])
    assert (await remember("Gunvor", "plays", "the harp", said_at=JANUARY.isoformat()))[
        "facts"
    ] == []

    # What a curator has hidden of several is not one's to show.
    other = await principal(f"{tenant}/dev", name="other")
    body = {
        "statement": {
            "subject": {"name": "Gunvor"},
            "predicate": "plays",
            "object": {"value": "golf"},
        }
    }
    for who in (writer, other):
        (shared,) = (await who.http.post("/v1/facts:remember", json=body)).json()["facts"]
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator")
    await hidden(shared["id"], curator)
    assert (await writer.http.post("/v1/facts:remember", json=body)).json()["facts"] == []
    again = (await curator.http.post("/v1/facts:remember", json=body)).json()
    assert [one["id"] for one in again["facts"]] == [shared["id"]]


async def test_supersede_and_correct(writer: Principal, remember: Remember) -> None:
    (price,) = (await remember("Moosling", "attribute:price", "79 EUR", type="product"))["facts"]
    body = {"fact": price["id"], "object": {"value": "89 EUR"}, "valid_from": AUGUST.isoformat()}
    answer = await writer.http.post("/v1/facts:supersede", json=body)
    assert answer.status_code == 200, answer.text
    (new,) = answer.json()["facts"]
    subject = price["subject"]
    assert objects(await facts_of(writer, subject, as_of=AUGUST)) == {"89 EUR"}
    wrong = {"fact": new["id"], "object": {"value": "98 EUR"}, "correct": True}
    assert (await writer.http.post("/v1/facts:supersede", json=wrong)).status_code == 200
    assert objects(await facts_of(writer, subject, as_of=AUGUST)) == {"98 EUR"}
    history = (await writer.http.get(f"/v1/facts/{new['id']}/history")).json()
    standing = [link for link in history["superseded_by"] if link["retracted_at"] is None]
    assert [link["reason"] for link in standing] == ["corrected"]


async def test_what_contradicts_waits_and_a_curator_decides(
    admin: Principal, principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    scope = f"{tenant}/dev"
    ada = await principal(scope, name="ada", kind="user")
    bob = await principal(scope, name="bob", kind="user")
    (held,) = (await remember("Heron", "status", "active", by=ada, type="project", scope=scope))[
        "facts"
    ]
    said = await remember("Heron", "status", "completed", by=bob, type="project", scope=scope)
    (doubted,) = said["facts"]
    assert said["quarantined"] == [doubted["id"]]
    subject = held["subject"]
    assert objects(await facts_of(ada, subject)) == {"active"}
    waiting = (await ada.http.get("/v1/quarantine", params={"scope": scope})).json()["items"]
    assert [item["fact"]["id"] for item in waiting] == [doubted["id"]]
    assert waiting[0]["reasons"] == ["other_principal"]
    assert [fact["id"] for fact in waiting[0]["against"]] == [held["id"]]

    refused = await ada.http.post(f"/v1/quarantine/{doubted['id']}/accept", json={})
    assert refused.status_code == 403
    door = f"/v1/quarantine/{doubted['id']}"
    accepted = await admin.http.post(f"{door}/accept", json={"note": "shipped"})
    assert accepted.json()["status"] == "active", accepted.text
    again = (await admin.http.post(f"{door}/accept", json={"note": "shipped"})).json()
    assert (again["status"], again["opened"], again["retracted"]) == ("active", 0, 0)
    assert objects(await facts_of(ada, subject)) == {"completed"}
    undone = await admin.http.post(f"{door}/undo")
    assert undone.json()["status"] == "quarantined"
    assert objects(await facts_of(ada, subject)) == {"active"}
    rejected = await admin.http.post(f"{door}/reject", json={})
    assert rejected.json()["status"] == "quarantined"
    both = {
        "valid": {"valid_from": MAY.isoformat()},
        "other": held["id"],
        "other_valid": {"valid_from": JANUARY.isoformat(), "valid_to": MAY.isoformat()},
    }
    kept = await admin.http.post(f"{door}/keep-both", json=both)
    assert kept.status_code == 200, kept.text
    assert objects(await facts_of(ada, subject, as_of=MAY)) == {"completed"}
    assert objects(await facts_of(ada, subject, as_of=JANUARY)) == {"active"}
    again = await admin.http.post(f"{door}/undo")
    assert again.status_code == 200
    assert (await admin.http.post(f"{door}/undo")).status_code == 404


async def test_members_revise_each_other_where_the_rules_say_so(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    scope = f"{tenant}/dev"
    ada = await principal(scope, name="ada", kind="user")
    bob = await principal(scope, name="bob", kind="user")
    answer = await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"members_revise": True}
    )
    assert answer.status_code == 200, answer.text
    (held,) = (await remember("Heron", "status", "active", by=ada, type="project", scope=scope))[
        "facts"
    ]
    await remember("Heron", "status", "completed", by=bob, type="project", scope=scope)
    assert objects(await facts_of(ada, held["subject"])) == {"completed"}
    bad = await admin.http.put(
        "/v1/scopes/rules", params={"scope": scope}, json={"members_revise": "often"}
    )
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "members_revise")


async def test_another_tenant_sees_nothing(
    principal: MakePrincipal, tenant: str, remember: Remember
) -> None:
    (fact,) = (await remember("Ilse", "lives_in", "Bremen", entity=True))["facts"]
    stranger = await principal(f"{tenant}-other", role=Role.ADMIN, name="eve")
    for path in (
        f"/v1/facts/{fact['id']}",
        f"/v1/facts/{fact['id']}/history",
        f"/v1/entities/{fact['subject']}/timeline",
        f"/v1/facts?subject={fact['subject']}",
    ):
        assert (await stranger.http.get(path)).status_code == 404, path
    door = f"/v1/quarantine/{fact['id']}/accept"
    assert (await stranger.http.post(door, json={})).status_code == 404
    assert (await stranger.http.get("/v1/quarantine")).json()["items"] == []


async def test_bad_input_names_its_field_and_changes_nothing(writer: Principal) -> None:
    good = {
        "subject": {"name": "Ilse"},
        "predicate": "lives_in",
        "object": {"name": "Bremen"},
    }
    for body, field in (
        ({}, ""),
        ({"statement": {**good, "object": {}}}, "statement.object"),
        ({"statement": {**good, "predicate": "9"}}, "statement.predicate"),
        (
            {
                "statement": {
                    **good,
                    "valid_from": MAY.isoformat(),
                    "valid_to": JANUARY.isoformat(),
                }
            },
            "statement",
        ),
        ({"text": "x", "statement": good}, ""),
    ):
        answer = await writer.http.post("/v1/facts:remember", json=body)
        assert answer.status_code == 422, answer.text
        assert field in str(answer.json().get("errors", field))
    assert (await writer.http.get("/v1/consolidation")).json()["scopes"][0]["facts"] == 0


async def test_eight_writers_leave_one_open_belief(
    opened: Parts, writer: Principal, remember: Remember
) -> None:
    for race in range(4):
        who = f"Racer {race}"
        await asyncio.gather(
            *(remember(who, "lives_in", f"Town {n}", entity=True, said_at=None) for n in range(8))
        )
        (first, *_) = (await remember(who, "lives_in", "Town 3", entity=True))["facts"]
        assert len(await facts_of(writer, first["subject"])) == 1


async def test_what_is_known_in_a_scope_is_one_call(
    writer: Principal, tenant: str, principal: MakePrincipal, remember: Remember
) -> None:
    await remember("Ilse", "lives_in", "Bremen", entity=True, valid_from=JANUARY)
    learnt = now()
    await remember("Ilse", "lives_in", "Oldenburg", entity=True, valid_from=MAY)
    await remember("Tomas", "drinks", "green tea")
    scope = writer.caller.home
    other = await principal(f"{tenant}/elsewhere", role=Role.WRITER, name="other")

    async def listed(**params: Any) -> list[dict[str, Any]]:
        shown = {k: v.isoformat() if isinstance(v, datetime) else v for k, v in params.items()}
        answer = await writer.http.get("/v1/facts", params=shown)
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    assert objects(await listed(scope=scope)) == {"Oldenburg", "green tea"}
    assert objects(await listed()) == {"Oldenburg", "green tea"}
    assert objects(await listed(scope=scope, predicate="drinks")) == {"green tea"}
    assert objects(await listed(scope=scope, subject="ilse")) == {"Oldenburg"}
    assert objects(await listed(scope=scope, as_of=JANUARY + timedelta(days=9))) == {"Bremen"}
    assert objects(await listed(scope=scope, as_of=AUGUST, known_at=learnt)) == {"Bremen"}
    assert objects(await listed(scope=scope, known_at=learnt - timedelta(hours=1))) == set()
    first = (await writer.http.get("/v1/facts", params={"scope": scope, "limit": 1})).json()
    rest = {"scope": scope, "limit": 1, "cursor": first["next"]}
    second = (await writer.http.get("/v1/facts", params=rest)).json()
    assert second["next"] is None
    assert objects([*first["items"], *second["items"]]) == {"Oldenburg", "green tea"}
    unseen = await other.http.get("/v1/facts", params={"scope": scope})
    assert unseen.status_code == 404
    assert (await other.http.get("/v1/facts")).json()["items"] == []
    nobody = await writer.http.get("/v1/facts", params={"scope": scope, "subject": "Zelda"})
    assert nobody.status_code == 404


async def test_what_is_known_in_a_scope_over_graphql(writer: Principal, remember: Remember) -> None:
    await remember("Ilse", "lives_in", "Bremen", entity=True)
    await remember("Tomas", "drinks", "green tea")
    query = (
        "query($scopes: [String!], $subject: ID) { facts(scopes: $scopes, subject: $subject) "
        "{ nodes { predicate untrusted { statement } } pageInfo { hasNextPage } } }"
    )

    async def told(**variables: Any) -> set[str]:
        body = {"query": query, "variables": variables}
        answer = (await writer.http.post("/graphql", json=body)).json()
        assert "errors" not in answer, answer
        return {node["untrusted"]["statement"] for node in answer["data"]["facts"]["nodes"]}

    every = {"Ilse lives in Bremen", "Tomas drinks green tea"}
    assert await told(scopes=[writer.caller.home]) == every
    assert await told() == every
    assert await told(subject="Tomas") == {"Tomas drinks green tea"}
