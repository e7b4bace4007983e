"""Who gets in and who may do what: 401, 403 and 404, for every role."""

from __future__ import annotations

import asyncio
import hashlib
import time
from datetime import timedelta

import httpx
import pytest
from litestar import Litestar

from app.access import guard
from app.access.limits import RateLimiter
from app.errors import RateLimited
from app.kernel.caller import Role
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.support.waiting import later

SCOPE_BODY = {"scope": "{tenant}/new"}
# (method, path, body, least role that may); `{tenant}` is the caller's.
ROUTES = [
    ("GET", "/v1/episodes", None, Role.READER),
    ("GET", "/v1/scopes", None, Role.READER),
    ("GET", "/v1/status", None, Role.READER),
    ("GET", "/v1/jobs", None, Role.READER),
    ("POST", "/v1/search", {"query": "x"}, Role.READER),
    ("POST", "/v1/episodes", {"content": "hello there", "session": "s"}, Role.WRITER),
    (
        "POST",
        "/v1/episodes:batch",
        {"episodes": [{"content": "hello again", "session": "s"}]},
        Role.WRITER,
    ),
    (
        "POST",
        "/v1/turns",
        {"messages": [{"content": "hello once more"}], "session": "s"},
        Role.WRITER,
    ),
    ("GET", "/v1/audit", None, Role.CURATOR),
    ("GET", "/v1/schedules", None, Role.CURATOR),
    ("GET", "/v1/audit/check", None, Role.ADMIN),
    ("GET", "/v1/principals", None, Role.ADMIN),
    ("GET", "/v1/keys", None, Role.ADMIN),
    ("POST", "/v1/scopes", {"scope": "{tenant}/new"}, Role.ADMIN),
    ("PUT", "/v1/scopes/policy?scope={tenant}", {"email": "tag"}, Role.ADMIN),
    (
        "POST",
        "/v1/principals",
        {"kind": "agent", "name": "bot", "home": "{tenant}"},
        Role.ADMIN,
    ),
    ("POST", "/v1/keys", {"principal": "agent:{tenant}:caller"}, Role.ADMIN),
]


def filled(value: object, tenant: str) -> object:
    if isinstance(value, str):
        return value.replace("{tenant}", tenant)
    if isinstance(value, dict):
        return {k: filled(v, tenant) for k, v in value.items()}
    return value


@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.label)
async def test_each_role_may_do_what_it_includes_and_no_more(
    principal: MakePrincipal, tenant: str, role: Role
) -> None:
    caller = await principal(tenant, role=role, name="caller", subtree=role is Role.ADMIN)
    wrong = []
    for method, path, body, least in ROUTES:
        answer = await caller.http.request(
            method, str(filled(path, tenant)), json=filled(body, tenant)
        )
        fits = answer.status_code < 300 if role >= least else answer.status_code == 403
        if not fits:
            wrong.append((method, path, answer.status_code, answer.text[:120]))
    assert wrong == []


@pytest.mark.parametrize(
    "key",
    ["", "nonsense", "loci_0123456789ab_" + "x" * 43, "loci_0123456789ab_short"],
    ids=["none", "malformed", "unknown", "short"],
)
async def test_without_a_known_key_it_is_401(app: Litestar, key: str) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci"
    ) as client:
        for method, path, body, _ in ROUTES:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            answer = await client.request(method, path, json=body, headers=headers)
            assert answer.status_code == 401, path
            assert answer.json()["code"] == "Unauthenticated"


async def test_the_other_header_is_taken_too(app: Litestar, writer: Principal) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci"
    ) as client:
        answer = await client.get("/v1/episodes", headers={"X-API-Key": writer.key})
    assert answer.status_code == 200


async def test_a_key_is_stored_as_a_hash_only(opened: Parts, writer: Principal) -> None:
    rows = await opened.graph.raw(
        "MATCH (k:ApiKey {id: $id}) RETURN k {.*} AS key", id=writer.caller.key
    )
    stored = rows[0]["key"]
    assert stored["hash"] == hashlib.sha256(writer.key.encode()).hexdigest()
    secret = writer.key.split("_", 2)[2]
    assert all(secret not in str(value) for value in stored.values())


async def test_use_of_a_key_is_noted_once_an_hour(opened: Parts, writer: Principal) -> None:
    read = "MATCH (k:ApiKey {id: $id}) RETURN k.last_used_at AS at"
    await writer.http.get("/v1/episodes")
    first = (await opened.graph.raw(read, id=writer.caller.key))[0]["at"]
    await writer.http.get("/v1/episodes")
    assert (await opened.graph.raw(read, id=writer.caller.key))[0]["at"] == first
    assert now() - first < timedelta(minutes=1)


async def test_an_expired_key_answers_no_more(
    admin: Principal, principal: MakePrincipal, tenant: str, app: Litestar, opened: Parts
) -> None:
    agent = await principal(f"{tenant}/dev")
    soon = (now() + timedelta(seconds=30)).isoformat()
    made = await admin.http.post(
        "/v1/keys", json={"principal": agent.caller.principal, "expires_at": soon}
    )
    headers = {"Authorization": f"Bearer {made.json()['key']}"}
    assert (await agent.http.get("/v1/episodes", headers=headers)).status_code == 200
    await opened.graph.raw(
        "MATCH (k:ApiKey {id: $id}) SET k.expires_at = datetime() - duration('PT1S')",
        id=made.json()["id"],
    )
    assert (await agent.http.get("/v1/episodes", headers=headers)).status_code == 401


async def test_an_expiry_in_the_past_is_refused(admin: Principal) -> None:
    past = (now() - timedelta(seconds=1)).isoformat()
    answer = await admin.http.post(
        "/v1/keys", json={"principal": admin.caller.principal, "expires_at": past}
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "expires_at"


async def test_a_revoked_key_answers_no_more_and_keeps_its_first_moment(
    admin: Principal, writer: Principal
) -> None:
    path = f"/v1/keys/{writer.caller.key}"
    first = await admin.http.delete(path)
    again = await admin.http.delete(path)
    assert first.json()["revoked_at"] == again.json()["revoked_at"]
    assert (await writer.http.get("/v1/episodes")).status_code == 401


async def test_a_key_s_role_is_a_ceiling(
    admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    agent = await principal(f"{tenant}/dev", role=Role.CURATOR)
    made = await admin.http.post(
        "/v1/keys", json={"principal": agent.caller.principal, "role": "reader"}
    )
    headers = {"Authorization": f"Bearer {made.json()['key']}"}
    body = {"content": "may I write", "session": "s"}
    refused = await agent.http.post("/v1/episodes", json=body, headers=headers)
    assert refused.status_code == 403
    assert (await agent.http.get("/v1/episodes", headers=headers)).status_code == 200


async def test_too_many_requests_are_429_and_say_when(
    admin: Principal, principal: MakePrincipal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await principal(f"{tenant}/dev")
    made = await admin.http.post(
        "/v1/keys", json={"principal": agent.caller.principal, "rate_per_minute": 3}
    )
    headers = {"Authorization": f"Bearer {made.json()['key']}"}
    later(monkeypatch, guard, 65 - time.time() % 60)  # a window begins: none ends in between
    codes = [(await agent.http.get("/v1/episodes", headers=headers)).status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]
    answer = await agent.http.get("/v1/episodes", headers=headers)
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert (await agent.http.get("/v1/episodes")).status_code == 200  # another key of the same


async def test_processes_share_a_limit_that_they_take_in_parts(
    opened: Parts, writer: Principal
) -> None:
    limiters = [RateLimiter(opened.queue, 1000) for _ in range(3)]
    moment = 120_000.0

    async def allowed(place: int) -> bool:
        try:
            await limiters[place % 3].count(writer.caller, moment)
        except RateLimited:
            return False
        return True

    burst = await asyncio.gather(*(allowed(place) for place in range(900)))
    assert all(burst)
    rest = [await allowed(place) for place in range(300)]
    assert sum(burst) + sum(rest) == 1000
    pool = await opened.queue.pool()
    taken = int(await pool.get(f"loci:rate:{writer.caller.key}:{int(moment // 60)}"))
    assert 1000 < taken <= 1000 + 10 * 300  # in parts of ten; what came too late was refused


async def test_a_new_minute_counts_anew(opened: Parts, writer: Principal) -> None:
    limiter = RateLimiter(opened.queue, 1)
    await limiter.count(writer.caller, 60_000.0)
    with pytest.raises(RateLimited) as refused:
        await limiter.count(writer.caller, 60_001.0)
    assert refused.value.retry_after == pytest.approx(59.0)
    await limiter.count(writer.caller, 60_060.0)
