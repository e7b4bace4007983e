"""Point 7: a replay is answered only to who may ask now, counts against the limit, and what the
layer of `Idempotency-Key` refuses is logged and counted by its own status."""

from __future__ import annotations

import asyncio

import httpx

from tests.conftest import MakePrincipal, Principal

BODY = {"content": "We moved the meeting to Tuesday.", "session": "s"}
KEYED = {"Idempotency-Key": "k"}


async def minted(admin: Principal, who: Principal, **more: object) -> dict[str, str]:
    """Headers of a further key of `who`, and of the request that is repeated."""
    body = {"principal": who.caller.principal, **more}
    key = (await admin.http.post("/v1/keys", json=body)).json()["key"]
    return {**KEYED, "Authorization": f"Bearer {key}"}


async def counted(client: httpx.AsyncClient, status: int) -> float:
    """Requests of `POST /v1/episodes` that were answered with `status`, by the metrics."""
    text = (await client.get("/metrics")).text
    wanted = ('route="/v1/episodes"', 'method="POST"', f'status="{status}"')
    return sum(
        float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line.startswith("loci_requests_total{") and all(part in line for part in wanted)
    )


async def test_a_reader_gets_no_writers_answer(
    admin: Principal, writer: Principal, principal: MakePrincipal
) -> None:
    assert (await writer.http.post("/v1/episodes", json=BODY, headers=KEYED)).status_code == 201
    reader = await minted(admin, writer, role="reader")
    answer = await writer.http.post("/v1/episodes", json=BODY, headers=reader)
    assert (answer.status_code, answer.json()["code"]) == (403, "Forbidden")


async def test_a_right_that_was_withdrawn_shows_no_former_answer(
    admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scout = await principal(f"{tenant}/dev")
    await principal(f"{tenant}/ops", name="other")
    grants = f"/v1/principals/{scout.caller.principal}/grants"
    given = await admin.http.post(grants, json={"scope": f"{tenant}/ops", "role": "writer"})
    assert given.status_code == 201
    body = {**BODY, "scope": f"{tenant}/ops"}
    first = await scout.http.post("/v1/episodes", json=body, headers=KEYED)
    again = await scout.http.post("/v1/episodes", json=body, headers=KEYED)
    assert (first.status_code, again.status_code) == (201, 201)
    assert "idempotency-replayed" in again.headers
    gone = await admin.http.delete(grants, params={"scope": f"{tenant}/ops"})
    assert gone.status_code == 200
    late = await scout.http.post("/v1/episodes", json=body, headers=KEYED)
    assert (late.status_code, late.json()["code"]) == (404, "NotFound")


async def test_replays_count_against_the_limit(admin: Principal, writer: Principal) -> None:
    slow = await minted(admin, writer, rate_per_minute=3)
    answers = [
        (await writer.http.post("/v1/episodes", json=BODY, headers=slow)).status_code
        for _ in range(12)
    ]
    assert answers.count(429) >= 6  # a new minute may begin in between
    assert answers[:3] == [201, 201, 201]


async def test_what_the_layer_refuses_is_counted_by_its_status(writer: Principal) -> None:
    before = {status: await counted(writer.http, status) for status in (409, 500)}
    await writer.http.post("/v1/episodes", json=BODY, headers=KEYED)
    other = {**BODY, "content": "We moved it to Wednesday."}
    answer = await writer.http.post("/v1/episodes", json=other, headers=KEYED)
    assert (answer.status_code, answer.json()["code"]) == (409, "IdempotencyMismatch")
    assert answer.headers["x-request-id"]
    assert answer.headers["content-type"] == "application/problem+json"
    assert await counted(writer.http, 409) == before[409] + 1
    assert await counted(writer.http, 500) == before[500]


async def test_a_refusal_of_the_layer_stands_in_the_audit_as_any_other(
    admin: Principal, writer: Principal
) -> None:
    reader = await minted(admin, writer, role="reader")
    assert (await writer.http.post("/v1/episodes", json=BODY, headers=reader)).status_code == 403
    events = (await admin.http.get("/v1/audit", params={"kind": "refused"})).json()["items"]
    assert any(event["actor"] == writer.caller.principal for event in events)


async def test_equal_requests_at_once_leave_no_server_error(writer: Principal) -> None:
    before = await counted(writer.http, 500)
    headers = {"Idempotency-Key": "pair"}
    answers = await asyncio.gather(
        *(writer.http.post("/v1/episodes", json=BODY, headers=headers) for _ in range(6))
    )
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert await counted(writer.http, 500) == before
