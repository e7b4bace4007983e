"""The sentences that speak of an entity: in its profile, its timeline, its list and GraphQL."""

from __future__ import annotations

from typing import Any

import orjson

from app.facts.sentences import around, spoken
from app.facts.service import Moments
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import START, Said, query, take_in
from tests.facts.constructed import Told, believe

TALK = [
    Said(1, "We looked at the garden. Mirabel Quay came by with a cake! It rained."),
    Said(9, "Gestern abend hat Mirabel Quay wieder so gelacht. Danach war es still.", session="de"),
    Said(5, "Nobody came. I guess Mirabel Quay will be late, as ever."),
]


async def entity_of(who: Principal, name: str) -> str:
    answer = await who.http.get("/v1/entities", params={"name": name})
    (item,) = answer.json()["items"]
    return str(item["id"])


def texts(items: list[dict[str, Any]]) -> list[list[str]]:
    return [[one["text"] for one in item["untrusted"]["sentences"]] for item in items]


def test_a_sentence_is_cut_where_it_stands() -> None:
    text = (
        f"{'It was late. ' * 900}Then Mirabel Quay left. Mirabel Quay waved! {'So it is. ' * 900}"
    )
    first, second = text.index("Mirabel"), text.rindex("Mirabel")
    found = spoken([around(text, first, first + 12), around(text, second, second + 12)])
    assert [one.text for one in found] == ["Then Mirabel Quay left.", "Mirabel Quay waved!"]
    assert all(text[one.start : one.end] == one.text for one in found)
    run = "word " * 400
    (one,) = spoken([around(run, 1000, 1004)])
    assert len(one.text) <= 410
    assert spoken([around("short", 900, 905)]) == []


async def test_profile_and_timeline_show_them_newest_first(
    opened: Parts, writer: Principal
) -> None:
    await take_in(opened, {"one": writer.caller}, TALK)
    id = await entity_of(writer, "Mirabel Quay")
    profile = (await writer.http.get(f"/v1/entities/{id}")).json()
    assert texts(profile["sentences"]) == [
        ["Gestern abend hat Mirabel Quay wieder so gelacht."],
        ["I guess Mirabel Quay will be late, as ever."],
        ["Mirabel Quay came by with a cake!"],
    ]
    assert profile["name"] == "Mirabel Quay"
    assert profile["more"] is None
    newest = profile["sentences"][0]
    assert newest["kind"] == "episode"
    place = newest["untrusted"]["sentences"][0]
    assert TALK[1].text[place["start"] : place["end"]] == place["text"]
    assert newest["captured_at"].startswith("2026-03-02T17:00:00")
    timeline = (await writer.http.get(f"/v1/entities/{id}/timeline")).json()
    assert texts(timeline["sentences"]) == texts(profile["sentences"])
    before = START.replace(hour=15).isoformat()
    past = (await writer.http.get(f"/v1/entities/{id}", params={"as_of": before})).json()
    assert texts(past["sentences"]) == texts(profile["sentences"])[1:]


async def test_pages_go_on_and_end(opened: Parts, writer: Principal) -> None:
    await take_in(opened, {"one": writer.caller}, TALK)
    id = await entity_of(writer, "Mirabel Quay")
    door, seen, cursor = f"/v1/entities/{id}/sentences", [], None
    for _ in range(5):
        params = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = (await writer.http.get(door, params=params)).json()
        seen += [item["passage"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 3
    bad = await writer.http.get(door, params={"cursor": "x"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "cursor")
    assert (await writer.http.get("/v1/entities/none/sentences")).status_code == 404
    first = (await writer.http.get(door, params={"limit": "1"})).json()
    asked = "query($i: ID!) { entity(id: $i) { sentences(first: 1) { nodes { passageId capturedAt "
    asked += "untrusted { sentences { text } } episode { id } } pageInfo { hasNextPage } } } }"
    body = {"query": asked, "variables": {"i": id}}
    told = (await writer.http.post("/graphql", json=body)).json()["data"]["entity"]["sentences"]
    (node,) = told["nodes"]
    assert node["passageId"] == node["episode"]["id"] == first["items"][0]["passage"]
    assert texts([node]) == texts(first["items"])
    assert told["pageInfo"] == {"hasNextPage": True}


async def test_what_was_not_known_or_is_forgotten_is_not_shown(
    opened: Parts, writer: Principal
) -> None:
    await take_in(opened, {"one": writer.caller}, TALK[:1] + TALK[2:])
    between = now().isoformat()
    await take_in(opened, {"one": writer.caller}, TALK[1:2])
    id = await entity_of(writer, "Mirabel Quay")
    door = f"/v1/entities/{id}/sentences"
    known = (await writer.http.get(door, params={"known_at": between})).json()["items"]
    assert len(known) == 2
    forgotten = await writer.http.post(f"/v1/memories/{known[0]['passage']}/forget")
    assert forgotten.is_success, forgotten.text
    left = (await writer.http.get(door)).json()["items"]
    assert known[0]["passage"] not in {one["passage"] for one in left}
    assert len(left) == 2


async def test_others_see_none(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await take_in(opened, {"one": writer.caller}, TALK)
    id = await entity_of(writer, "Mirabel Quay")
    for scope in (f"{tenant}-other", f"{tenant}/apart"):
        eve = await principal(scope, role=Role.READER, name=f"eve{scope[-5:]}")
        for path in ("", "/sentences", "/timeline"):
            assert (await eve.http.get(f"/v1/entities/{id}{path}")).status_code == 404


async def test_possible_changes_and_what_ended_are_marked(opened: Parts, writer: Principal) -> None:
    lives = {"ongoing": True}
    told = [
        Told(0, "Ilse Harmsen", "lives_in", "Bremen", more=lives),
        Told(5, "Ilse Harmsen", "lives_in", "Oldenburg", rest="they say", more=lives),
        Told(0, "Ilse Harmsen", "works_for", "Acme", more=lives),
        Told(6, "Ilse Harmsen", "works_for", "Globex", more=lives),
    ]
    await believe(opened, {"one": writer.caller}, told)
    id = await entity_of(writer, "Ilse Harmsen")
    await query(
        opened.graph,
        "MATCH (e:Entity {id: $id}) MATCH (p:Passage {scope: e.scope}) "
        "MERGE (p)-[m:MENTIONS {start: 0, end: 12}]->(e) "
        "SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }",
        id=id,
    )
    items = (await writer.http.get(f"/v1/entities/{id}/sentences")).json()["items"]
    by_text = {item["untrusted"]["sentences"][0]["text"]: item for item in items}
    home = by_text[told[0].text]
    (change,) = home["possible_changes"]
    assert change["untrusted"]["statement"] == "Ilse Harmsen lives in Oldenburg"
    assert by_text[told[1].text]["possible_changes"] == []
    works = [item["untrusted"]["past"] for item in items]
    assert sorted(past for past in works if past) in (
        [["Ilse Harmsen works for Acme"]],
        [],  # where the predicate takes several values, nothing ended
    )


async def test_of_what_nothing_mentions_the_passages_are_read_where_its_names_wait(
    opened: Parts, writer: Principal
) -> None:
    await take_in(opened, {"one": writer.caller}, TALK[:2])
    id = await entity_of(writer, "Mirabel Quay")
    rows = await query(
        opened.graph,
        "MATCH (p:Passage)-[m:MENTIONS]->(e:Entity {id: $id}) MATCH (a:Alias)-[:NAMES]->(e) "
        "WITH p, e, min(m.start) AS at, collect(DISTINCT a.id) AS tokens "
        "RETURN p.id AS id, at, e.canonical_key AS key, tokens",
        id=id,
    )
    for row in rows:
        lone = [{"key": row["key"], "at": [[row["at"], row["at"] + 12, "Mirabel Quay"]]}]
        await query(
            opened.graph,
            "MATCH (p:Passage {id: $p})-[m:MENTIONS]->(e:Entity {id: $id}) DELETE m "
            "SET p.lone = $lone, p.lone_tokens = $tokens, e.mention_count = 0",
            p=row["id"], id=id, lone=orjson.dumps(lone).decode(), tokens=" ".join(row["tokens"]),
        )  # fmt: skip
    items = (await writer.http.get(f"/v1/entities/{id}/sentences")).json()["items"]
    assert texts(items) == [
        ["Gestern abend hat Mirabel Quay wieder so gelacht."],
        ["Mirabel Quay came by with a cake!"],
    ]


async def test_very_many_mentions_are_read_by_time(opened: Parts, writer: Principal) -> None:
    """Over 5,000 mentions the newest are found in the order of the index: few rows are touched."""
    await take_in(opened, {"one": writer.caller}, TALK)
    id = await entity_of(writer, "Mirabel Quay")
    await query(
        opened.graph,
        """
        MATCH (e:Entity {id: $id})
        UNWIND range(1, 30000) AS n
        CREATE (p:Passage {id: e.id + '-' + n, scope: e.scope, tenant: e.tenant, live: true,
                           kind: 'chunk', content: 'Mirabel Quay ' + n + '.',
                           captured_at: datetime('2026-01-01T00:00:00Z') + duration({minutes: n}),
                           ingested_at: datetime('2026-01-01T00:00:00Z')})
        CREATE (p)-[:MENTIONS {start: 0, end: 12, name: 'Mirabel Quay'}]->(e)
        SET e.mention_count = 30003
        """,
        id=id,
    )
    moments = Moments.of(None, None)
    asked: dict[str, Any] = {
        "ids": [id], "scopes": [writer.caller.home], "as_of": moments.as_of,
        "known_at": moments.known_at, "after_at": now(), "after_id": "", "limit": 10,
    }  # fmt: skip
    async with opened.graph.driver.session() as session:
        result = await session.run("PROFILE " + Q.sentences.of_entities.text, asked)
        rows, summary = await result.data(), await result.consume()
    assert [row["passage"]["id"] for row in rows][:3] == [
        f"{id}-{30000 - n}" for n in range(3)
    ] or rows[0]["passage"]["kind"] == "episode"
    assert summary.profile is not None
    assert hits_of(summary.profile) < 2_000
    page = (await writer.http.get(f"/v1/entities/{id}/sentences", params={"limit": 100})).json()
    moments_of = [item["captured_at"] for item in page["items"]]
    assert moments_of == sorted(moments_of, reverse=True)
    assert len(page["items"]) == 100


def hits_of(plan: dict[str, Any]) -> int:
    return int(plan.get("dbHits", 0)) + sum(hits_of(child) for child in plan.get("children", ()))
