"""How private memories are: as found, as raised by who writes, and as what they rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from app.consolidation.fast import Observation
from app.kernel.caller import Role
from app.kernel.migrate import migrations
from app.lifecycle.invariants import broken
from app.portability.exporter import export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, switch
from tests.pools.test_packages import Load, load
from tests.portability.test_beliefs import CLEAR

__all__ = ["load", "switch"]
URL = "/v1/episodes"
MIRRORED = "what a fact mirrors is what its edges say"


async def said(who: Principal, text: str, **more: Any) -> dict[str, Any]:
    answer = await who.http.post(URL, json={"content": text, "session": "levels", **more})
    assert answer.status_code == 201, answer.text
    receipt: dict[str, Any] = answer.json()
    return receipt


async def noted(who: Principal, text: str, **more: Any) -> dict[str, Any]:
    answer = await who.http.post("/v1/notes", json={"content": text, **more})
    assert answer.status_code in (200, 201), answer.text
    note: dict[str, Any] = (await who.http.get(f"/v1/notes/{answer.json()['id']}")).json()
    return note


@pytest.mark.parametrize(
    ("text", "more", "level"),
    [
        ("The ladder leans on the barn.", {}, "none"),
        ("Solveig was born on 14 March 1987.", {}, "pii"),
        ("Solveig is allergic to penicillin.", {}, "phi"),
        ("Solveig hat seit dem Winter Asthma.", {}, "phi"),
        ("Pay to DE89 3704 0044 0532 0130 00 today.", {}, "restricted"),
        ("The ladder is red.", {"privacy": "restricted"}, "restricted"),
        ("Solveig is allergic to latex.", {"privacy": "pii"}, "phi"),
        ("The ladder is blue.", {"title": "Call +49 30 901820 first"}, "pii"),
    ],
)
async def test_an_episode_has_the_higher_of_what_is_found_and_asked(
    writer: Principal, text: str, more: dict[str, Any], level: str
) -> None:
    receipt = await said(writer, text, **more)
    shown = (await writer.http.get(f"{URL}/{receipt['id']}")).json()
    listed = (await writer.http.get(URL)).json()["items"]
    assert (receipt["privacy"], shown["privacy"], listed[0]["privacy"]) == (level,) * 3


async def test_a_level_that_there_is_not_is_refused(writer: Principal) -> None:
    for url in (URL, "/v1/notes"):
        body = {"content": "The ladder is green.", "session": "s", "privacy": "secret"}
        if url != URL:
            del body["session"]
        answer = await writer.http.post(url, json=body)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "privacy"


async def test_a_note_is_raised_and_never_lowered(writer: Principal) -> None:
    note = await noted(writer, "The ladder of Solveig stands behind the barn.")
    assert note["privacy"] == "none"
    levels = []
    for change in (
        {"privacy": "pii"},
        {"content": "Solveig is allergic to the resin, and has asthma."},
        {"privacy": "none"},
        {"content": "The ladder of Solveig stands in the yard."},
    ):
        answer = await writer.http.patch(f"/v1/notes/{note['id']}", json=change)
        assert answer.status_code == 200, answer.text
        levels.append(answer.json()["privacy"])
    assert levels == ["pii", "phi", "phi", "phi"]


async def test_a_fact_has_the_level_of_what_says_it(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="solveig-a")
    await said(who, "Solveig Brandt works at Tidewater.")
    await opened.consolidation.consolidate(f"{tenant}/dev")
    (fact,) = (await who.http.get("/v1/facts")).json()["items"]
    assert fact["privacy"] == "none"
    await said(who, "Solveig Brandt works at Tidewater. She is allergic to penicillin.")
    await opened.consolidation.consolidate(f"{tenant}/dev")
    listed = (await who.http.get("/v1/facts")).json()["items"]
    mine = [one["privacy"] for one in listed if one["id"] == fact["id"]]
    shown = (await who.http.get(f"/v1/facts/{fact['id']}")).json()
    asked = "query($id: ID!) { fact(id: $id) { privacy } }"
    told = await who.http.post("/graphql", json={"query": asked, "variables": {"id": fact["id"]}})
    body = {"query": "Tidewater", "mode": "keyword", "kinds": ["fact"]}
    hits = (await who.http.post("/v1/search", json=body)).json()["hits"]
    assert told.json() == {"data": {"fact": {"privacy": "phi"}}}
    assert (mine, shown["privacy"]) == (["phi"], "phi")
    assert {hit["privacy"] for hit in hits if hit["id"] == fact["id"]} == {"phi"}


async def levels_of(who: Principal, fact: str, query: str) -> set[str]:
    """The level of a fact, as every door tells it."""
    told = [(await who.http.get(f"/v1/facts/{fact}")).json()["privacy"]]
    listed = (await who.http.get("/v1/facts")).json()["items"]
    told += [one["privacy"] for one in listed if one["id"] == fact]
    asked = "query($id: ID!) { fact(id: $id) { privacy } }"
    answer = await who.http.post("/graphql", json={"query": asked, "variables": {"id": fact}})
    told.append(answer.json()["data"]["fact"]["privacy"])
    body = {"query": query, "mode": "keyword", "kinds": ["fact"]}
    hits = (await who.http.post("/v1/search", json=body)).json()["hits"]
    told += [hit["privacy"] for hit in hits if hit["id"] == fact]
    assert len(told) == 4, told
    return set(told)


@pytest.mark.parametrize("place", [0, 5, 40])
async def test_of_many_texts_the_most_private_gives_a_fact_its_level(
    opened: Parts, principal: MakePrincipal, tenant: str, switch: Switch, place: int
) -> None:
    """However many are newer; and with the text its level goes."""
    scope = f"{tenant}/dev"
    who = await principal(scope, kind="user", name="solveig-c", role=Role.ADMIN)
    await switch(scope, erasure=True)
    private = ""
    for number in range(41):
        level = {"privacy": "restricted"} if number == place else {}
        text = "Solveig Brandt works at Tidewater."
        receipt = await said(who, text, session=f"talk {number}", **level)
        private = receipt["id"] if level else private
        if number in (place, 11, 40):
            await opened.consolidation.consolidate(scope)
    (fact,) = (await who.http.get("/v1/facts")).json()["items"]
    assert fact["evidence"] == 41
    assert await levels_of(who, fact["id"], "Tidewater") == {"restricted"}
    assert await broken(opened.graph, tenant) == []
    gone = await who.http.post("/v1/erasures", json={"memory": private})
    assert gone.status_code == 200, gone.text
    assert await levels_of(who, fact["id"], "Tidewater") == {"none"}
    assert await broken(opened.graph, tenant) == []


async def test_an_upgrade_and_an_import_give_facts_their_levels(
    opened: Parts, principal: MakePrincipal, tenant: str, load: Load, tmp_path: Path
) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="solveig-d", role=Role.ADMIN)
    for level in ("phi", "restricted", "none"):
        await said(who, "Solveig Brandt works at Tidewater.", session=level, privacy=level)
    await said(who, "Solveig Brandt lives in Ghent.")
    await opened.consolidation.consolidate(f"{tenant}/dev")
    query = "MATCH (f:Fact {scope: $scope}) SET f.privacy = null RETURN f.id AS id"
    await opened.graph.raw(query, scope=f"{tenant}/dev")
    (unlevelled,) = await broken(opened.graph, tenant)
    assert (unlevelled.invariant, len(unlevelled.ids)) == (MIRRORED, 1)
    (step,) = [one for one in migrations() if one.name.endswith("_levels_of_facts.cypher")]
    for statement in step.statements:
        await opened.graph.raw(statement)
    assert await broken(opened.graph, tenant) == []
    listed = (await who.http.get("/v1/facts")).json()["items"]
    assert sorted(one["privacy"] for one in listed) == ["none", "restricted"]
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await opened.graph.raw(CLEAR, tenant=tenant)
    await load(tmp_path / "out")
    query = "MATCH (f:Fact {scope: $scope}) RETURN f.privacy AS level ORDER BY level"
    copied = await opened.graph.raw(query, scope=f"{tenant}/dev")
    assert [row["level"] for row in copied] == [3, None]
    assert await broken(opened.graph, tenant) == []


async def test_what_loci_words_out_of_a_fact_is_as_private(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="solveig-e")
    await said(who, "Solveig Brandt works at Tidewater.", privacy="restricted")
    await opened.consolidation.consolidate(f"{tenant}/dev")
    (fact,) = (await who.http.get("/v1/facts")).json()["items"]
    told = {"mode": "end", "ongoing": True}
    seen = Observation(session="ends", role=None, statement=told)
    ended = await opened.fast.end(who.caller, fact["id"], seen)
    new = {"fact": fact["id"], "object": {"name": "Overground"}}
    changed = await who.http.post("/v1/facts:supersede", json=new)
    assert changed.status_code in (200, 201), changed.text
    for episode in (ended.receipt.id, changed.json()["episode"]):
        shown = (await who.http.get(f"{URL}/{episode}")).json()
        assert shown["privacy"] == "restricted", shown
    levels = {one["fact"]["privacy"] for one in ended.facts}
    assert levels | {one["privacy"] for one in changed.json()["facts"]} in ({3, "restricted"},)


async def test_a_repeated_capture_tells_the_level_that_is_stored(writer: Principal) -> None:
    """It writes nothing, and its receipt says so."""
    text = "The ladder of Solveig is yellow."
    first = await said(writer, text)
    answer = await writer.http.post(
        URL, json={"content": text, "session": "levels", "privacy": "restricted"}
    )
    again = answer.json()
    assert (again["status"], again["id"]) == ("duplicate", first["id"])
    stored = (await writer.http.get(f"{URL}/{first['id']}")).json()["privacy"]
    assert (again["privacy"], stored) == ("none", "none")
    higher = await said(writer, "The ladder of Solveig is old.", privacy="restricted")
    lower = await writer.http.post(
        URL, json={"content": "The ladder of Solveig is old.", "session": "levels"}
    )
    assert (higher["privacy"], lower.json()["privacy"]) == ("restricted", "restricted")


async def test_a_note_that_is_confirmed_has_the_higher_level(writer: Principal) -> None:
    text, levels, ids = "The ladder of Solveig has nine rungs.", [], set()
    for level in ("none", "pii", "none", "restricted", "phi"):
        note = await noted(writer, text, privacy=level)
        ids.add(note["id"])
        levels.append(note["privacy"])
    assert (levels, len(ids)) == (["none", "pii", "pii", "restricted", "restricted"], 1)


async def test_a_package_keeps_levels_and_hints(
    opened: Parts, principal: MakePrincipal, tenant: str, load: Load, tmp_path: Path
) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="solveig-b", role=Role.ADMIN)
    first = await said(who, "Her SSN is 536-90-4399, says the form.")
    assert first["privacy"] == "phi"
    second = await said(who, "The form was wrong.", privacy="pii", supersedes=first["id"])
    note = await noted(who, "The form of Solveig lies in the safe.", privacy="restricted")
    chosen = await selection(opened.graph, tenant)
    await export_package(opened.graph, tmp_path / "out", chosen)
    await load(tmp_path / "out", target=f"{tenant}y")
    other = await principal(f"{tenant}y/dev", name="scout")
    items = (await other.http.get(URL)).json()["items"]
    assert [item["privacy"] for item in items] == ["phi", "pii"]
    assert items[1]["supersedes"] == items[0]["id"]
    assert items[0]["superseded_by"] == [items[1]["id"]]
    assert items[0]["id"] != first["id"]
    (kept,) = (await other.http.get("/v1/notes")).json()["items"]
    assert (kept["privacy"], note["privacy"]) == ("restricted", "restricted")
    assert await broken(opened.graph, f"{tenant}y") == []
    await opened.graph.raw(
        "MATCH (n) WHERE n.scope = $scope AND (n:Episode OR n:Note OR n:ProvenanceRecord) "
        "DETACH DELETE n RETURN count(*) AS n",
        scope=f"{tenant}/dev",
    )
    result = await load(tmp_path / "out")
    assert result["kinds"]["episode"]["accepted"] == 2
    await export_package(opened.graph, tmp_path / "again", chosen)
    for name in ("episodes.jsonl", "notes.jsonl"):
        texts = [(tmp_path / folder / name).read_bytes() for folder in ("out", "again")]
        told = [[orjson.loads(line) for line in text.splitlines()] for text in texts]
        assert told[0] == told[1]
    shown = (await who.http.get(f"{URL}/{second['id']}")).json()
    assert (shown["privacy"], shown["supersedes"]) == ("pii", first["id"])
