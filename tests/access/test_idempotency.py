"""The same request sent again is answered again and not done again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.access.idempotency import without_secrets
from app.kernel.ids import digest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

BODY = {"content": "We moved the meeting to Tuesday.", "session": "s"}


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


async def test_the_same_request_gets_the_same_bytes(writer: Principal) -> None:
    first = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k1"))
    again = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k1"))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert again.json()["status"] == "accepted"  # not `duplicate`: it is the first answer
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers


async def test_another_body_under_the_same_key_is_a_conflict(
    writer: Principal, opened: Parts
) -> None:
    await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k2"))
    other = {**BODY, "content": "We moved it to Wednesday."}
    answer = await writer.http.post("/v1/episodes", json=other, headers=keyed("k2"))
    assert answer.status_code == 409
    assert answer.json()["code"] == "IdempotencyMismatch"
    listed = (await writer.http.get("/v1/episodes", params={"session": "s"})).json()["items"]
    assert len(listed) == 1


async def test_another_query_string_is_another_request(writer: Principal) -> None:
    await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k3"))
    answer = await writer.http.post("/v1/episodes?wait=x", json=BODY, headers=keyed("k3"))
    assert answer.status_code == 409


async def test_keys_belong_to_their_caller_and_route(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    mine = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k4"))
    theirs = await other.http.post("/v1/episodes", json=BODY, headers=keyed("k4"))
    assert mine.json()["id"] != theirs.json()["id"]
    batch = {"episodes": [BODY]}
    elsewhere = await writer.http.post("/v1/episodes:batch", json=batch, headers=keyed("k4"))
    assert elsewhere.json()["duplicates"] == 1


async def test_two_at_once_do_the_work_once(writer: Principal) -> None:
    # A given moment makes repeats distinct, so doing it twice would make two episodes only if the
    # text differed; without one, scope creation and capture are told apart by the listing below.
    body = {**BODY, "session": "pair"}
    answers = await asyncio.gather(
        *(writer.http.post("/v1/episodes", json=body, headers=keyed("k5")) for _ in range(6))
    )
    good = [a for a in answers if a.status_code == 201]
    assert {a.status_code for a in answers} <= {201, 409}
    assert good
    assert len({a.content for a in good}) == 1
    assert all(a.json()["code"] == "Conflict" for a in answers if a.status_code == 409)


async def test_a_request_that_failed_may_be_sent_again(writer: Principal) -> None:
    bad = {**BODY, "role": "system"}
    for _ in range(2):
        answer = await writer.http.post("/v1/episodes", json=bad, headers=keyed("k6"))
        assert answer.status_code == 403
    answer = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k6"))
    assert answer.status_code == 201


def record_id(writer: Principal, key: str) -> str:
    return digest("idempotency", writer.caller.principal, "POST", "/v1/episodes", key)


async def test_a_claim_that_a_crash_left_is_taken_over_when_its_lease_ends(
    writer: Principal, opened: Parts
) -> None:
    first = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k7"))
    # As it stands after a crash between the claim and the answer: claimed, not completed.
    await opened.graph.raw(
        "MATCH (r:IdempotencyRecord {id: $id}) REMOVE r.status, r.body",
        id=record_id(writer, "k7"),
    )
    waiting = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k7"))
    assert (waiting.status_code, waiting.json()["code"]) == (409, "Conflict")
    await opened.graph.raw(
        "MATCH (r:IdempotencyRecord {id: $id}) SET r.lease = datetime() - duration('PT1S')",
        id=record_id(writer, "k7"),
    )
    again = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k7"))
    assert again.status_code == 200  # it was captured before the crash
    assert (again.json()["status"], again.json()["id"]) == ("duplicate", first.json()["id"])


async def test_a_secret_is_shown_once_and_not_stored(admin: Principal, opened: Parts) -> None:
    body = {"principal": admin.caller.principal}
    first = await admin.http.post("/v1/keys", json=body, headers=keyed("k8"))
    again = await admin.http.post("/v1/keys", json=body, headers=keyed("k8"))
    assert first.json()["key"].startswith("loci_")
    assert again.json() == {**first.json(), "key": None}
    rows = await opened.graph.raw(
        "MATCH (r:IdempotencyRecord {tenant: $tenant}) RETURN r.body AS body",
        tenant=admin.caller.tenant,
    )
    secret = first.json()["key"].split("_", 2)[2]
    assert rows
    assert all(secret not in (row["body"] or "") for row in rows)


@pytest.mark.parametrize("key", ["", "x" * 201])
async def test_a_key_that_is_none_is_refused(writer: Principal, key: str) -> None:
    answer = await writer.http.post("/v1/episodes", json=BODY, headers=keyed(key))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


async def test_a_body_over_the_limit_is_refused_with_a_key_too(writer: Principal) -> None:
    body = {**BODY, "content": "x" * 1_100_000}
    answer = await writer.http.post("/v1/episodes", json=body, headers=keyed("k9"))
    assert (answer.status_code, answer.json()["code"]) == (413, "TooLarge")


async def test_old_records_are_dropped(writer: Principal, opened: Parts) -> None:
    await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k10"))
    await opened.graph.raw(
        "MATCH (r:IdempotencyRecord {id: $id}) SET r.expires_at = datetime('2020-01-01T00:00:00Z')",
        id=record_id(writer, "k10"),
    )
    answer = await writer.http.post("/v1/episodes", json=BODY, headers=keyed("k10"))
    assert answer.json()["status"] == "duplicate"  # done anew: the record was too old


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'{"key":"s","id":1}', b'{"key":null,"id":1}'),
        (b'{"id":1}', b'{"id":1}'),
        (b"not json", b"not json"),
        (b"[1]", b"[1]"),
    ],
)
def test_secrets_are_taken_out(body: Any, kept: bytes) -> None:
    assert without_secrets(body) == kept
