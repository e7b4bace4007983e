"""Nobody reads what is not theirs: random callers over every read, each scope's words marked."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litestar import Litestar

from app.access.service import NewKey, NewPrincipal, operator, principal_id
from app.cli.keys import mint, operator_of
from app.episodes.schemas import EpisodeIn
from app.kernel.caller import Role
from app.kernel.scope import parse_scope
from app.wiring import Parts
from tests.conftest import MakePrincipal

SHAPE = ["", "/a", "/b", "/a/user:u", "/a/agent:g", "/b/team:m", "/user:v"]
MODES = ["keyword", "vector", "hybrid"]


@dataclass
class Marked:
    """One scope of the world and what carries its token."""

    path: str
    token: str
    ids: dict[str, str] = field(default_factory=dict)


@dataclass
class World:
    """Two tenants of the same shape; the names of sessions, tags and people say whose they are."""

    scopes: dict[str, Marked]
    tenants: tuple[str, str]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(opened: Parts) -> World:
    tenants = (f"w{secrets.token_hex(3)}", f"w{secrets.token_hex(3)}")
    scopes = {}
    for tenant in tenants:
        for below in SHAPE:
            path = tenant + below
            scopes[path] = await _fill(opened, Marked(path, f"zq{secrets.token_hex(6)}"))
    await opened.indexing.drain()
    return World(scopes, tenants)


async def _fill(opened: Parts, scope: Marked) -> Marked:
    token = scope.token
    minted = await mint(
        opened, scope.path, kind="agent", name=f"n{token}", role=Role.WRITER, subtree=False
    )
    caller = await opened.keys.resolve(minted.text)
    from_wire = {
        "content": f"The harbour report {token} counts the cranes again.",
        "session": f"s-{token}",
        "speaker": f"Speaker {token}",
        "tags": ["harbour", f"t{token}"],
    }
    receipt = await opened.episodes.capture(caller, _capture(from_wire))
    assert receipt.id is not None
    assert receipt.session_id is not None
    job = await opened.jobs.create(
        "none.such", tenant=caller.tenant, scope=scope.path, args={}, job_id=f"job-{token}"
    )
    scope.ids = {
        "episodes": receipt.id,
        "memories": receipt.id,
        "sessions": receipt.session_id,
        "jobs": job.id,
    }
    return scope


def _capture(body: dict[str, Any]) -> Any:

    return EpisodeIn.model_validate(body).to_capture("http")


grants = st.lists(
    st.tuples(st.sampled_from(SHAPE), st.sampled_from(list(Role)), st.booleans()), max_size=3
)


def expected(tenant: str, home: tuple[str, bool], given_: list[tuple[str, Role, bool]]) -> set[str]:
    """What the rules of scopes say is visible, told apart from how the service finds it."""
    everything = [tenant + below for below in SHAPE]
    seen = {tenant + home[0]} | {str(a) for a in parse_scope(tenant + home[0]).ancestors}
    for below, _, subtree in [*given_, (home[0], Role.READER, home[1])]:
        seen.add(tenant + below)
        if subtree:
            seen |= {path for path in everything if path.startswith(f"{tenant}{below}/")}
    return seen


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    side=st.integers(0, 1),
    home=st.tuples(st.sampled_from(SHAPE), st.booleans()),
    role=st.sampled_from(list(Role)),
    given_=grants,
)
async def test_a_random_caller_reads_its_own_and_nothing_else(
    opened: Parts, app: Litestar, world: World, side: int, home: tuple[str, bool], role: Role,
    given_: list[tuple[str, Role, bool]],
) -> None:  # fmt: skip
    tenant = world.tenants[side]
    key = await _caller(opened, tenant, home, role, given_)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://loci",
        headers={"Authorization": f"Bearer {key}"},
    ) as http:
        seen = expected(tenant, home, given_)
        assert {s["scope"] for s in (await http.get("/v1/scopes")).json()["items"]} == seen
        await _lists(http, world, seen)
        await _single_reads(http, world, seen)
        await _searches(http, world, seen)


async def _caller(
    opened: Parts,
    tenant: str,
    home: tuple[str, bool],
    role: Role,
    given_: list[tuple[str, Role, bool]],
) -> str:
    everything = [tenant + below for below in SHAPE]
    boss, name = operator(tenant, everything), f"c{secrets.token_hex(6)}"
    await operator_of(opened, tenant)
    await opened.access.save_principal(
        boss, NewPrincipal("agent", name, tenant + home[0], role, subtree=home[1])
    )
    named = principal_id("agent", tenant, name)
    merged: dict[str, tuple[Role, bool]] = {}
    for below, held, subtree in given_:
        merged[below] = (held, subtree or merged.get(below, (held, False))[1])
    for below, (held, subtree) in merged.items():
        await opened.access.grant(boss, named, tenant + below, held, subtree=subtree)
    minted, _ = await opened.access.mint_key(boss, NewKey(named, Role.ADMIN))
    return minted.text


def check(text: str, world: World, seen: set[str], where: str) -> None:
    leaked = [s.path for s in world.scopes.values() if s.path not in seen and s.token in text]
    assert leaked == [], where


async def _lists(http: httpx.AsyncClient, world: World, seen: set[str]) -> None:
    for path in (
        "/v1/episodes?limit=500",
        "/v1/jobs?limit=500",
        "/v1/audit?limit=500",
        "/v1/principals",
        "/v1/keys",
        "/v1/status",
    ):
        answer = await http.get(path)
        assert answer.status_code in (200, 403), path
        check(answer.text, world, seen, path)
        if path.startswith(("/v1/episodes", "/v1/jobs")):
            missing = [p for p in seen if world.scopes[p].token not in answer.text]
            assert missing == [], path
        if path == "/v1/status":
            assert answer.json()["census"] == {"Episode": len(seen), "MemSession": len(seen)}


async def _single_reads(http: httpx.AsyncClient, world: World, seen: set[str]) -> None:
    for scope in world.scopes.values():
        for kind, identifier in scope.ids.items():
            answer = await http.get(f"/v1/{kind}/{identifier}")
            assert answer.status_code == (200 if scope.path in seen else 404), kind
            check(answer.text.replace(identifier, ""), world, seen, kind)
        named = await http.get(f"/v1/sessions/s-{scope.token}")
        assert named.status_code == (200 if scope.path in seen else 404)
        within = await http.get("/v1/episodes", params={"scope": scope.path})
        assert within.status_code == (200 if scope.path in seen else 404)


async def _searches(http: httpx.AsyncClient, world: World, seen: set[str]) -> None:
    question = {"query": "harbour report cranes", "limit": 50}
    strict: list[dict[str, Any]] = [
        {},
        {"tags": ["harbour"]},
        {"as_of": "2200-01-01T00:00:00Z"},
        {"known_at": "2200-01-01T00:00:00Z"},
        {"roles": ["user"], "since": "2000-01-01T00:00:00Z"},
        {"diversity": "mmr"},
        {"form": "bundle"},
    ]
    for mode in MODES:
        for extra in strict:
            answer = await http.post("/v1/search", json={**question, **extra, "mode": mode})
            assert answer.status_code == 200, answer.text
            check(answer.text, world, seen, f"{mode} {extra}")
            if not extra.get("diversity"):
                assert answer.json()["count"] == len(seen), f"{mode} {extra}"
    for scope in world.scopes.values():
        for extra in ({"session": f"s-{scope.token}"}, {"tags": [f"t{scope.token}"]}):
            answer = await http.post("/v1/search", json={**question, **extra})
            assert answer.json()["count"] == (1 if scope.path in seen else 0), extra


Drain = Callable[[], Awaitable[int]]


async def test_a_small_tenant_is_not_starved_beside_a_large_one(
    principal: MakePrincipal, drain: Drain, tenant: str
) -> None:
    large = await principal(f"{tenant}-large/dev", name="large")
    small = await principal(f"{tenant}/dev", name="small")
    for start in range(0, 400, 50):
        lines = [
            {"content": f"The wombat sleeps in hangar nine, count {n}.", "session": f"s{n}"}
            for n in range(start, start + 50)
        ]
        done = await large.http.post("/v1/episodes:batch", json={"episodes": lines})
        assert done.json()["accepted"] == 50
    body = {"content": "A wombat was seen near some hangar.", "session": "s"}
    known = (await small.http.post("/v1/episodes", json=body)).json()["id"]
    await drain()
    for mode in MODES:
        question = {"query": "The wombat sleeps in hangar nine", "mode": mode, "limit": 5}
        found = (await small.http.post("/v1/search", json=question)).json()
        assert [hit["id"] for hit in found["hits"]] == [known], mode
        theirs = (await large.http.post("/v1/search", json=question)).json()
        assert len(theirs["hits"]) == 5
        assert known not in {hit["id"] for hit in theirs["hits"]}
