"""Names in the graph: whatever comes and goes, they are those of what is there."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.retrieval.model import Edge
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

TITLES = ["The Long Mile", "Ada Roth", "Bremen", "Orla (lake)", "New Orla", "New Orla City", "Roth"]
TEXTS = [
    "The Long Mile is a film directed by Ada Roth.",
    "Ada Roth (born 4 May 1901) was a director from Bremen, also known as Adele Maria Roth.",
    "Bremen is a city; Lina Wert was born there, and Otto Brandt.",
    "New Orla City lies at Orla, and Lina Wert lived in New Orla.",
    "Otto Brandt never saw The Long Mile, nor Adele Maria Roth.",
    "Nothing here is named at all.",
]


async def capture(caller: Principal, text: str, title: str | None, scope: str) -> str:
    said = {"content": text, "session": f"{title}/{text}", "role": "user"}
    body = {**said, "title": title, "scope": scope}
    answer = await caller.http.post("/v1/episodes", json=body)
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def named(opened: Parts, scope: str, texts: dict[str, tuple[str, str | None]]) -> Any:
    """What each text is about and names, whatever its id."""
    rows = await opened.walks.rows.linked_since(scope, 0, 1_000_000)
    return sorted(
        (str(texts[row["id"]]), sorted(row["about"]), sorted(row["names"]))
        for row in rows
        if row["live"]
    )


@pytest.mark.parametrize("seed", [1, 2])
async def test_whatever_comes_and_goes_the_names_are_as_if_made_at_once(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, seed: int
) -> None:
    chance = random.Random(seed)
    scope, again = tenant, f"{tenant}/again"
    other = await principal(again, name="again")
    rules = {"erasure": True}
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json=rules)
    held: dict[str, tuple[str, str | None]] = {}
    pairs = [(text, title) for text in TEXTS for title in [*TITLES, None]]
    for text, title in chance.sample(pairs, 12):
        held[await capture(admin, text, title, scope)] = (text, title)
        if chance.random() < 0.4:
            await opened.linking.link((scope, tenant))
        if held and chance.random() < 0.4:
            gone = chance.choice(sorted(held))
            answer = await admin.http.post("/v1/erasures", json={"memory": gone})
            assert answer.status_code < 300, answer.text
            del held[gone]
    await opened.linking.link((scope, tenant))
    copies = {await capture(other, *held[i], again): held[i] for i in sorted(held)}
    await opened.linking.link((again, tenant))
    assert await named(opened, scope, held) == await named(opened, again, copies)
    left = await opened.graph.raw(
        "MATCH (n:Name) WHERE n.scope IN $scopes "
        "RETURN n.scope AS scope, collect(n.key) AS keys, count(n.revision) AS owned",
        scopes=[scope, again],
    )
    told = {row["scope"]: (sorted(row["keys"]), row["owned"]) for row in left}
    assert told[scope] == told[again]


async def test_what_is_forgotten_is_walked_no_more(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    film = await capture(admin, TEXTS[0], "The Long Mile", tenant)
    director = await capture(admin, TEXTS[1], "Ada Roth", tenant)
    await opened.linking.link((tenant, tenant))
    graphs, complete = await opened.walks.graphs([tenant])
    assert complete
    assert set(graphs[tenant].at) == {film, director}
    answer = await admin.http.post(f"/v1/memories/{director}/forget")
    assert answer.status_code < 300, answer.text
    await opened.linking.link((tenant, tenant))
    graphs, complete = await opened.walks.graphs([tenant])
    assert set(graphs[tenant].at) == {film}


async def test_a_search_walks_from_name_to_name_and_tells_the_way(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    writer = await principal(f"{tenant}/films")
    stranger = await principal(f"{tenant}/other", name="other")
    film = await capture(writer, TEXTS[0], "The Long Mile", f"{tenant}/films")
    director = await capture(writer, TEXTS[1], "Ada Roth", f"{tenant}/films")
    secret = await capture(stranger, TEXTS[1] + " A secret.", "Ada Roth", f"{tenant}/other")
    for place in ("films", "other"):
        await opened.linking.link((f"{tenant}/{place}", tenant))
    await opened.walks.graphs([f"{tenant}/films"])
    body = {"query": "Where does who made The Long Mile come from?"}
    answer = (await writer.http.post("/v1/search", json=body)).json()
    assert answer["mode"] == "graph"
    assert [hit["id"] for hit in answer["hits"]] == [film, director]
    assert secret not in str(answer)
    hit = answer["hits"][1]
    assert hit["path"]["steps"][-1] == {"memory": director, "edge": Edge.NAMES.value}
    assert hit["untrusted"]["path"][-1] == "ada roth"
    assert hit["legs"]["graph"]["rank"] == 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"known_at": "2026-01-01T00:00:00Z"}, "not_now"),
        ({"as_of": "2026-01-01T00:00:00Z"}, "not_now"),
        ({"kinds": ["fact"]}, "kinds"),
        ({}, "no_graph"),
        ({"mode": "graph"}, "no_graph"),
        ({"mode": "hybrid"}, None),
        ({"mode": "keyword"}, None),
    ],
)
async def test_where_nothing_can_be_walked_the_answer_says_so(
    writer: Principal, body: dict[str, Any], why: str | None
) -> None:
    answer = (await writer.http.post("/v1/search", json={"query": "Ada Roth", **body})).json()
    assert answer["without"] == why
    assert answer["mode"] in ("hybrid", body.get("mode"))


async def test_talk_stays_with_the_legs(opened: Parts, writer: Principal, tenant: str) -> None:
    for text in ("I met Otto Brandt.", "Otto Brandt is fine, thanks."):
        body = {"content": text, "session": "s", "speaker": "Mia"}
        await writer.http.post("/v1/episodes", json=body)
    await opened.linking.link((f"{tenant}/dev", tenant))
    body = {"query": "How is Otto Brandt?"}
    answer = (await writer.http.post("/v1/search", json=body)).json()
    assert answer["mode"] == "hybrid"
    assert len(answer["hits"]) == 2
