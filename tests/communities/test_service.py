"""Communities on a real graph: found, kept, seen by whom they should, gone with what they cite."""

from __future__ import annotations

import random
import socket
from datetime import timedelta
from typing import Any

import pytest

from app.communities.centrality import network
from app.communities.detect import PREFIX, Turn, drop_strays, leiden
from app.communities.gds import SEED
from app.communities.model import Network
from app.errors import GdsUnavailable, LeaseLost
from app.kernel.clock import now
from app.kernel.graph import Login, connect
from app.wiring import Parts
from tests.communities.conftest import BREMEN, ULM, Say, Switch
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import checked

EDGES = [[0, 1, 1.0], [1, 2, 1.0]]
# The database's own statements, which the client's are held against.
PROJECTED = """
UNWIND $edges AS edge
RETURN gds.graph.project($name, edge[0], edge[1], {relationshipProperties: {weight: edge[2]}},
                         {undirectedRelationshipTypes: ['*']}) AS made
"""
STREAMED = """
CALL gds.leiden.stream($name, {relationshipWeightProperty: 'weight', randomSeed: $seed,
                               concurrency: 1, includeIntermediateCommunities: true})
YIELD nodeId, intermediateCommunityIds
RETURN nodeId AS place, intermediateCommunityIds AS path
"""


async def listed(who: Principal, scope: str, **more: Any) -> list[dict[str, Any]]:
    answer = await who.http.get("/v1/communities", params={"scope": scope, **more})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def words(items: list[dict[str, Any]]) -> str:
    return " ".join(line for item in items for line in item["untrusted"]["lines"])


async def test_circles_are_found_described_with_sources_and_found_again(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, BREMEN)
    await say(tenant, ULM)
    done = await opened.communities.refresh(tenant)
    assert done is not None
    assert done.whole
    found = await listed(admin, tenant)
    assert len(found) == done.communities == 2
    for item in found:
        assert item["size"] >= 3
        assert item["hidden"] == 0
        assert len(item["sources"]) == len(item["untrusted"]["lines"]) > 0
        central = await admin.http.get(f"/v1/communities/{item['id']}/members")
        members = {one["id"] for one in central.json()["items"]}
        assert {one["id"] for one in item["central"]} <= members
        for source in item["sources"]:
            kind = "facts" if source["kind"] == "fact" else "memories"
            assert (await admin.http.get(f"/v1/{kind}/{source['id']}")).status_code == 200
    assert "Zenith" in words(found)
    again = await opened.communities.refresh(tenant, whole=True)
    assert again is not None
    assert (again.regrouped, again.changed, again.removed) == (0, 0, 0)
    assert await listed(admin, tenant) == found
    assert tenant not in await opened.communities.due()


async def test_what_changes_in_one_circle_leaves_the_other_as_it_was(
    opened: Parts, admin: Principal, tenant: str, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So few entities are else always grouped as a whole.
    monkeypatch.setattr("app.communities.service.WHOLE_BELOW", 0)
    monkeypatch.setattr("app.communities.service.DRIFT", 10.0)
    await say(tenant, BREMEN)
    await say(tenant, ULM)
    await opened.communities.refresh(tenant)
    before = {item["id"]: item for item in await listed(admin, tenant)}
    await say(tenant, "Zenith AG uses Valkey. Otto Lindner knows Zenith AG and Valkey.")
    assert tenant in await opened.communities.due()
    done = await opened.communities.refresh(tenant)
    assert done is not None
    assert not done.whole
    after = {item["id"]: item for item in await listed(admin, tenant)}
    assert after.keys() == before.keys()
    (same,) = (i for i in after if after[i] == before[i])
    assert "Acme" in words([after[same]])
    (other,) = after.keys() - {same}
    assert after[other]["size"] == before[other]["size"] + 1


async def test_no_read_shows_what_was_retired_forgotten_or_erased(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    await say(tenant, BREMEN, captured_at="2026-01-05T10:00:00Z")
    former = "Pia Kranich works for Acme GmbH"
    source = await say(tenant, "Maja Holm lives in Kassel. Otto Lindner lives in Kassel.")
    await opened.communities.refresh(tenant)
    told = words(await listed(admin, tenant))
    assert former in told, told
    assert "Kassel" in told, told
    await say(tenant, "Pia Kranich now works for Zenith AG.", captured_at="2026-05-05T10:00:00Z")
    # No pass has run.
    assert former not in words(await listed(admin, tenant))
    gone = await admin.http.post("/v1/erasures", json={"memory": source})
    assert gone.status_code == 200, gone.text
    shown = await listed(admin, tenant)
    assert "Kassel" not in words(shown)
    assert any(item["hidden"] for item in shown)
    check = await checked(opened, admin, gone.json()["receipt"], "Kassel")
    assert check["clean"], check
    await opened.communities.refresh(tenant)
    after = await listed(admin, tenant)
    assert all(item["hidden"] == 0 for item in after)
    assert former not in words(after)
    assert "Acme" in words(after)
    fact = next(s["id"] for item in after for s in item["sources"] if s["kind"] == "fact")
    statement = (await admin.http.get(f"/v1/facts/{fact}")).json()["untrusted"]["statement"]
    assert (await admin.http.post(f"/v1/memories/{fact}/forget")).status_code == 200
    assert statement not in [
        line for item in await listed(admin, tenant) for line in item["untrusted"]["lines"]
    ]


async def test_a_forgotten_text_groups_nothing(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    await say(tenant, "Ada Berger lives in Ulm.")
    await say(tenant, "Zeno Falk lives in Riga.")
    both = await say(tenant, "Ada Berger met Zeno Falk.")
    found = []
    for name in ("Ada Berger", "Zeno Falk"):
        answer = await admin.http.get("/v1/entities", params={"name": name})
        found += [each["id"] for each in answer.json()["items"]]
    ada, zeno = found  # a pair is kept with the one of the smaller id
    rows = opened.communities.rows
    for verb, joined in ((None, True), ("forget", False), ("unforget", True)):
        if verb is not None:
            done = await admin.http.post(f"/v1/memories/{both}/{verb}")
            assert done.is_success, done.text
        for links in (await rows.links(tenant, now()), await rows.links_of(tenant, found, now())):
            assert (zeno in links[ada] or ada in links[zeno]) is joined


async def test_another_tenant_sees_none_of_it_and_a_reader_starts_nothing(
    opened: Parts, admin: Principal, tenant: str, say: Say, principal: MakePrincipal
) -> None:
    await say(tenant, BREMEN)
    await opened.communities.refresh(tenant)
    (one,) = await listed(admin, tenant)
    stranger = await principal(f"{tenant}-other")
    assert (await stranger.http.get("/v1/communities")).json()["items"] == []
    for path in (f"/v1/communities/{one['id']}", f"/v1/communities/{one['id']}/members"):
        assert (await stranger.http.get(path)).status_code == 404
    hidden = await stranger.http.get("/v1/communities", params={"scope": tenant})
    assert hidden.status_code == 404
    assert (await stranger.http.post("/v1/communities/refresh", json={})).status_code == 403
    started = await admin.http.post("/v1/communities/refresh", json={"scope": tenant})
    assert started.status_code == 202
    assert await opened.runner.run(opened, started.json()["job"]) == "done"


async def test_one_worker_at_a_time_and_one_that_was_killed_holds_up_nobody_for_long(
    opened: Parts, tenant: str, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(tenant, BREMEN)
    rows = opened.communities.rows
    killed = Turn(tenant, "killed")
    assert await rows.take(killed, tenant, now()) is not None
    assert await opened.communities.refresh(tenant) is None
    await opened.graph.raw(PROJECTED, name=killed.projection, edges=EDGES)
    # Its lease runs out; the graph that it left in memory is in nobody's way.
    await opened.graph.raw(
        "MATCH (c:CommunityCursor {scope: $scope}) SET c.lease_until = $at",
        scope=tenant,
        at=now() - timedelta(seconds=1),
    )
    done = await opened.communities.refresh(tenant)
    assert done is not None
    assert done.communities == 1
    with pytest.raises(LeaseLost):
        await rows.finish(killed, {})
    with pytest.raises(LeaseLost):
        await leiden(opened.graph, killed, _triangle())
    listed = await opened.graph.raw("CALL gds.graph.list() YIELD graphName RETURN graphName AS n")
    # The pass leaves nothing of its own behind; what was left there goes once it is old.
    assert {row["n"] for row in listed if row["n"].startswith(PREFIX)} == {killed.projection}
    assert await drop_strays(opened.graph) == 0
    monkeypatch.setattr("app.communities.detect.STRAY", timedelta(0))
    assert await drop_strays(opened.graph) == 1
    assert await drop_strays(opened.graph) == 0


async def test_a_heap_too_small_is_refused_and_nothing_changes(
    opened: Parts, admin: Principal, tenant: str, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(tenant, BREMEN)
    await opened.communities.refresh(tenant)
    before = await listed(admin, tenant)
    await say(tenant, ULM)
    monkeypatch.setattr("app.communities.detect.SHARE", 0.0)
    with pytest.raises(GdsUnavailable, match=r"more than 0% of a heap of [\d,]+ MiB"):
        await opened.communities.refresh(tenant)
    answer = (await admin.http.get("/v1/communities", params={"scope": tenant})).json()
    assert answer["items"] == before
    assert "larger heap" in answer["scopes"][0]["error"]
    monkeypatch.undo()
    await opened.communities.refresh(tenant)
    answer = (await admin.http.get("/v1/communities", params={"scope": tenant})).json()
    assert len(answer["items"]) == 2
    assert answer["scopes"][0].get("error") is None


async def test_the_client_finds_what_the_database_s_own_statements_find(
    opened: Parts, tenant: str
) -> None:
    graph = random_network(random.Random(tenant), entities=400, edges=1500)
    name = f"{PREFIX}held-against"
    edges = list(zip(*(a.tolist() for a in (graph.left, graph.right, graph.weight)), strict=True))
    await opened.graph.raw(PROJECTED, name=name, edges=[list(edge) for edge in edges])
    rows = await opened.graph.raw(STREAMED, name=name, seed=SEED)
    await opened.graph.raw("CALL gds.graph.drop($name) YIELD graphName", name=name)
    turn = Turn(tenant, "mine")
    assert await opened.communities.rows.take(turn, tenant, now()) is not None
    for _ in range(2):  # and every time the same
        found = await leiden(opened.graph, turn, graph)
        assert found == {graph.ids[row["place"]]: row["path"] for row in rows}
    assert len({tuple(path) for path in found.values()}) > 5
    assert await leiden(opened.graph, turn, network({"a": {}, "b": {}}.items())) == {}


async def test_a_database_that_is_away_is_told_of_soon(opened: Parts) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        away = connect(Login(f"bolt://127.0.0.1:{taken.getsockname()[1]}", "neo4j", "none"))
        with pytest.raises(GdsUnavailable, match="does not answer: Couldn't connect"):
            await drop_strays(away)
        await away.close()


def random_network(draw: random.Random, *, entities: int, edges: int) -> Network:
    told: dict[str, dict[str, float]] = {f"e{place:04}": {} for place in range(entities)}
    names = list(told)
    for _ in range(edges):
        one = draw.randrange(entities)
        near = draw.random() < 0.8
        two = (one + draw.randrange(1, 20)) % entities if near else draw.randrange(entities)
        if one != two:
            told[names[one]][names[two]] = draw.uniform(0.5, 4.0)
    return network(told.items())


def _triangle() -> Network:
    return network({"a": {"b": 1.0, "c": 1.0}, "b": {"c": 1.0}, "c": {}}.items())
