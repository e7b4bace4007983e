"""A scope gets another model while it is written to and searched: nothing is missed or mixed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from app.indexing.spaces import FIRST, NAMED
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.search.test_service import capture, ids, search

Drain = Callable[[], Awaitable[int]]
LONG = " ".join(f"shelf {n} holds lamp number {n}." for n in range(2500))


async def count(opened: Parts, scope: str, suffix: str) -> tuple[int, int]:
    """Memories and windows with a vector in a space, below a scope."""
    (row,) = await opened.graph.raw(
        "MATCH (n:Searchable) WHERE n.scope = $scope AND n[$vector] IS NOT NULL "
        "RETURN count(CASE WHEN n:Memory THEN 1 END) AS memories, "
        "count(CASE WHEN n:Window THEN 1 END) AS windows",
        scope=scope,
        vector=f"embedding{suffix}",
    )
    return row["memories"], row["windows"]


async def post(who: Principal, action: str, status: int, **body: Any) -> dict[str, Any]:
    answer = await who.http.post(f"/v1/embedding/{action}", json=body)
    assert answer.status_code == status, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def run(opened: Parts, who: Principal, job: str) -> dict[str, Any]:
    """A job's result, with the indexing pass going on beside it as it does in a worker."""
    running = asyncio.create_task(opened.runner.run(opened, job))
    while not running.done():
        await opened.indexing.drain()
        await asyncio.wait([running], timeout=0.05)
    assert running.result() == "done"
    result: dict[str, Any] = (await who.http.get(f"/v1/jobs/{job}")).json()["result"]
    return result


async def test_a_scope_changes_its_model_under_way(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    scope = f"{tenant}/dev"
    writer = await principal(scope)
    lamp = await capture(writer, "The brass lamp stands in the hall.")
    long = await capture(writer, LONG, session="long")
    question = await capture(writer, "Where is the brass lamp?", session="q")
    other = await principal(f"{tenant}/ops", name="other")
    away = await capture(other, "A brass lamp was sold to the museum.")
    await drain()
    first = await count(opened, scope, "")
    assert first[0] == 3
    assert first[1] > 0

    bad = await post(admin, "prepare", 422, scope=scope, model="unknown")
    assert bad["errors"][0]["field"] == "model"
    assert (await post(admin, "switch", 409, scope=scope))["errors"][0]["field"] == "scope"
    begun = await post(admin, "prepare", 202, scope=scope, model="wide")
    refused = await post(admin, "switch", 409, scope=scope)  # nothing is filled yet
    assert "no vector of that model yet" in refused["detail"]
    during = await capture(writer, "A tin lamp was bought meanwhile.", session="new")
    filled = await run(opened, admin, begun["job"])
    # What came meanwhile gets both vectors from the pass beside, where that is there first.
    assert filled in [{"done": done, "lacking": 0, "failed": 0} for done in (3, 4)]
    shown = (await admin.http.get("/v1/embedding", params={"scope": scope})).json()
    assert shown["model"] == "default"
    assert (shown["state"], shown["beside"], shown["filling"]["lacking"]) == ("filling", "wide", 0)
    space = NAMED[(await opened.reembedding.members(scope)).choice.beside or ""]
    assert await count(opened, scope, space.suffix) == (4, first[1])
    assert await count(opened, f"{tenant}/ops", space.suffix) == (0, 0)

    compared = await post(admin, "compare", 200, scope=scope, k=3)
    assert compared["sampled"] == {"recorded": 0, "said": 1, "titles": 0}
    assert compared["questions"] == 1  # the one that was asked in the scope
    assert 0.5 <= compared["overlap"] <= 1.0

    before = ids(await search(writer, "brass lamp", mode="vector", limit=2))
    assert (await post(admin, "switch", 200, scope=scope))["state"] == "kept"
    assert ids(await search(writer, "brass lamp", mode="vector", limit=2)) == before
    assert {lamp, question} == set(before)
    far = await search(writer, "shelf 2400 holds lamp number 2400", mode="vector", limit=1)
    assert ids(far) == [long]
    assert "2400" in far["hits"][0]["untrusted"]["text"]  # its own window, not the beginning
    both = await search(admin, "brass lamp", mode="vector", limit=5, diversity=0.7)
    assert {lamp, away, during} <= set(ids(both))  # a space each, fused by rank

    late = await capture(writer, "The brass lamp was repaired.", session="late")
    # It waits for its first vector, and will have one in both spaces: no reason to wait here.
    assert (await post(admin, "rollback", 200, scope=scope))["state"] == "filling"
    assert (await post(admin, "switch", 200, scope=scope))["state"] == "kept"
    await drain()
    assert await count(opened, scope, "") == await count(opened, scope, space.suffix)
    assert (await post(admin, "rollback", 200, scope=scope))["state"] == "filling"
    assert late in ids(await search(writer, "brass lamp repaired", mode="vector", limit=2))
    assert (await post(admin, "switch", 200, scope=scope))["state"] == "kept"

    ended = await post(admin, "finish", 202, scope=scope)
    assert ended["state"] == "settled"
    cleared = await run(opened, admin, ended["job"])
    assert cleared["cleared"] == 5 + first[1]
    assert await opened.reembedding.clear(scope, FIRST) == 0  # twice is as once
    assert await count(opened, scope, "") == (0, 0)
    assert await count(opened, f"{tenant}/ops", "") == (1, 0)
    assert late in ids(await search(writer, "brass lamp repaired", mode="vector", limit=2))
    assert ids(await search(other, "brass lamp", mode="vector")) == [away]


async def test_what_an_import_left_without_a_vector_is_mended(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    writer = await principal(f"{tenant}/dev")
    await capture(writer, "The kiln was fired on Monday.")
    await drain()
    begun = await post(admin, "prepare", 202, scope=tenant, model="wide")
    await run(opened, admin, begun["job"])
    space = NAMED[(await opened.reembedding.members(tenant)).choice.beside or ""]
    await opened.graph.raw(
        f"MATCH (e:Memory) WHERE e.tenant = $tenant REMOVE e.embed_hash{space.suffix}",
        tenant=tenant,
    )
    assert await opened.reembedding.mend() >= 1
    await drain()
    place = await opened.reembedding.members(tenant)
    assert (await opened.reembedding.filling(place, space)).lacking == 0
    await post(admin, "finish", 202, scope=tenant)


async def test_only_an_administrator_moves_a_scope(principal: MakePrincipal, tenant: str) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator")
    for action in ("prepare", "compare", "switch", "rollback", "finish"):
        body = {"scope": f"{tenant}/dev", **({"model": "wide"} if action == "prepare" else {})}
        answer = await curator.http.post(f"/v1/embedding/{action}", json=body)
        assert answer.status_code == 403, action
    stranger = await principal(f"{tenant}x/dev", role=Role.ADMIN, name="stranger")
    answer = await stranger.http.get("/v1/embedding", params={"scope": f"{tenant}/dev"})
    assert answer.status_code in (403, 404)
    members = await stranger.http.get("/v1/embedding", params={"scope": f"{tenant}x/dev"})
    assert members.json()["state"] == "settled"
