"""Values of pools: each with its path, the newest first; and who finds them by meaning."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.pools.data import Mark
from app.pools.model import AccessControl, Pool, PoolType
from app.pools.service import CLOSED
from app.pools.values import PoolValue, newest, values_of
from app.tiers.service import fitting
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.conftest import Make, make, write

__all__ = ["make"]
SEARCH = "/v1/tiers/search"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def pool(name: str, data: dict[str, Any], **written: int) -> Pool:
    """A pool whose paths were written so many hours after it began."""
    marks = tuple(
        Mark(path=tuple(path.split("__")), by="a", at=BEGAN + timedelta(hours=hours))
        for path, hours in written.items()
    )
    at = {"created_at": BEGAN, "changed_at": BEGAN}
    return Pool(
        id=name, scope="t/dev", pool_id=name, name=name, owner="a", data=data, marks=marks, **at
    )


def test_each_value_has_its_path_and_moment() -> None:
    one = pool("p", {"a": {"b": "x", "c": {"d": [1, {"e": 2}]}}, "f": None}, a=1, a__c=3)
    hours = {v.key: (v.value, (v.at - BEGAN) / timedelta(hours=1)) for v in values_of(one)}
    assert hours == {"a.b": ("x", 1), "a.c.d": ([1, {"e": 2}], 3), "f": (None, 0)}


def test_the_newest_values_of_all_pools_come_first() -> None:
    pools = [pool("p", {"old": 1, "new": 2}, old=1, new=5), pool("q", {"mid": 3}, mid=4)]
    assert [v.key for v in newest(pools, 2)] == ["new", "mid"]
    assert [v.key for v in newest(pools, 9)] == ["new", "mid", "old"]
    assert newest([], 5) == []


def test_any_pool_gives_each_of_its_values_once() -> None:
    def drawn(draw: random.Random, deep: int) -> Any:
        if deep == 0 or draw.random() < 0.4:
            return draw.choice(["x", 1, None, [1, 2], True, []])
        return {f"k{n}": drawn(draw, deep - 1) for n in range(draw.randint(0, 4))}

    def leaves(data: Any, at: str) -> dict[str, Any]:
        if not isinstance(data, dict):
            return {at: data}
        found: dict[str, Any] = {}
        for name, value in data.items():
            found |= leaves(value, f"{at}.{name}" if at else name)
        return found

    for seed in range(200):
        draw = random.Random(seed)
        data = {f"k{n}": drawn(draw, 4) for n in range(draw.randint(0, 5))}
        found = list(values_of(pool("p", data)))
        assert {v.key: v.value for v in found} == {k: v for k, v in leaves(data, "").items() if k}
        assert len(found) == len({v.key for v in found})


async def found(who: Principal, query: str, **more: Any) -> list[dict[str, Any]]:
    """The hits of a search of shared memory."""
    body = {"query": query, "tiers": ["shared"], "least": 0.0, "limit": 50, **more}
    answer = await who.http.post(SEARCH, json=body)
    assert answer.status_code == 200, answer.text
    hits: list[dict[str, Any]] = answer.json()["hits"]
    assert all(hit["tier"] == "shared" for hit in hits)
    return hits


async def test_a_value_is_found_by_meaning_with_its_path(writer: Principal, make: Make) -> None:
    await make("pottery", access_control={"public": True})
    await write(writer, "pottery", "The kiln of the pottery is hot in the morning.", "kiln.state")
    await write(writer, "pottery", "Invoices leave by post.", "invoices")
    await write(writer, "pottery", {"empty": "", "none": None}, "rest")
    hits = await found(writer, "kiln of the pottery")
    first = hits[0]
    assert (first["id"], first["untrusted"]["key"]) == ("pottery", "kiln.state")
    assert first["untrusted"]["value"].startswith("The kiln")
    shares = [hit["similarity"] for hit in hits]
    assert shares == sorted(shares, reverse=True)
    assert {hit["untrusted"]["key"] for hit in hits} <= {"kiln.state", "invoices"}
    least = await found(writer, "kiln of the pottery", least=shares[0])
    assert [hit["untrusted"]["key"] for hit in least] == ["kiln.state"]
    body = {"query": "kiln of the pottery", "least": 0.0}
    every = (await writer.http.post(SEARCH, json=body)).json()["hits"]
    assert every[0]["tier"] == "shared", "pools are looked into unless a tier is named"
    gone = await writer.http.delete("/v1/pools/pottery/data", params={"path": "kiln"})
    assert gone.status_code == 200, gone.text
    left = {hit["untrusted"]["key"] for hit in await found(writer, "kiln of the pottery")}
    assert left <= {"invoices"}


async def test_whoever_may_not_read_a_pool_never_finds_a_value_of_it(
    principal: MakePrincipal, make: Make, tenant: str
) -> None:
    draw = random.Random(16)
    scope = f"{tenant}/dev"
    agents = [await principal(scope, name=f"a{n}", role=Role.WRITER) for n in range(5)]
    agents.append(await principal(scope, name="boss", role=Role.ADMIN))
    strangers = [await principal(f"{tenant}/ops", name="b"), await principal(f"{tenant}-2/dev")]
    made: list[tuple[str, PoolType, str]] = []
    for n in range(24):
        owner = draw.choice(agents)
        kind = draw.choice([*PoolType])
        names = [agent.caller.principal for agent in agents]
        lists = {
            field: tuple(draw.sample(names, draw.randint(0, 2)))
            for field in ("agents", "read", "write")
        }
        open_kind = kind not in CLOSED
        access = AccessControl(
            **({} if kind is PoolType.AGENT_PRIVATE else lists),
            public=open_kind and draw.random() < 0.2,
            public_read=open_kind and draw.random() < 0.2,
        )
        body = {"type": kind.value, "access_control": access.model_dump(mode="json")}
        body |= {"workflow": f"run{n}"} if kind is PoolType.WORKFLOW else {}
        await make(f"pool{n}", owner, **body, data={"deep": {"v": f"Kiln {n} of the pottery."}})
        made.append((f"pool{n}", kind, owner.caller.principal))
    # Some rights are taken back, and others given, after the values are there.
    for name, kind, owner_id in draw.sample(made, 10):
        if kind is PoolType.AGENT_PRIVATE:
            continue
        owner = next(agent for agent in agents if agent.caller.principal == owner_id)
        other = draw.choice(agents).caller.principal
        if draw.random() < 0.5:
            answer = await owner.http.delete(f"/v1/pools/{name}/grants/{other}")
        else:
            grant = {"agent": other, "level": "read"}
            answer = await owner.http.post(f"/v1/pools/{name}/grants", json=grant)
        assert answer.status_code < 300, answer.text
    for agent in agents:
        may = set()
        for name, *_ in made:
            seen = await agent.http.get(f"/v1/pools/{name}/data")
            may |= {name} if seen.status_code == 200 else set()
        hits = await found(agent, "kiln of the pottery")
        assert {hit["id"] for hit in hits} == may, agent.caller.principal
        assert 0 < len(may) < len(made)
    for stranger in strangers:
        assert await found(stranger, "kiln of the pottery") == []


def test_a_long_value_of_a_pool_hides_no_other() -> None:
    def value(name: str, size: int) -> PoolValue:
        return PoolValue(pool(name, {}), (f"{name}{size}",), "x" * size, BEGAN)

    held = [value("a", 90), value("a", 20), value("a", 5), value("b", 80), value("c", 10)]
    kept = [key for key, _ in fitting(held, each=100, most=120)]
    assert kept == ["a90", "a5", "c10"], "what does not fit its pool, or all of them, is left out"
    assert fitting([], 1, 1) == []


async def test_a_large_pool_hides_no_small_one(opened: Parts, writer: Principal) -> None:
    for name, size in (("small", 10), ("large", 3000)):  # the large one was changed last
        body = {"pool_id": name, "name": name, "data": {"x": "y" * size}}
        assert (await writer.http.post("/v1/pools", json=body)).status_code == 201
    rows = await opened.graph.rows(
        Q.pools.newest, scopes=writer.caller.visible, readers=[writer.caller.principal],
        at=now(), limit=50, bytes=1000,
    )  # fmt: skip
    assert [row["pool"]["pool_id"] for row in rows] == ["small"]
