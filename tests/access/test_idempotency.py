"""The same request sent again is answered again and not done again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from litestar.exceptions import LitestarException

from app.access.idempotency import LEASE, IdempotencyRecords, without_secrets
from app.errors import GraphUnavailable
from app.kernel.clock import now
from app.kernel.ids import digest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.support.waiting import eventually

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
    # It was captured before the crash, by the same request: its answer is the one that was lost.
    assert (again.status_code, again.content) == (201, first.content)


@pytest.mark.parametrize(
    ("path", "body", "label"),
    [
        ("/v1/work-items", {"title": "Paint the gate"}, "WorkItem"),
        ("/v1/goals", {"title": "Open the house"}, "Goal"),
        ("/v1/notes", {"content": "The gate is green."}, "Note"),
        ("/v1/contexts", {"name": "Gates"}, "PersistentContext"),
        ("/v1/traces", {"task": "Paint the gate"}, "ReasoningTrace"),
        ("/v1/segments", {"task": "Paint the gate"}, "TaskSegment"),
        ("/v1/exports", {}, "Job"),
        ("/v1/conversations/talk/messages",
         {"messages": [{"role": "user", "content": "The gate is green."}]}, "Episode"),
    ],
)  # fmt: skip
async def test_what_a_killed_request_had_made_is_made_once(
    admin: Principal, opened: Parts, monkeypatch: pytest.MonkeyPatch, path: str, body: Any,
    label: str,
) -> None:  # fmt: skip
    async def killed(*given: Any) -> None:
        raise RuntimeError("killed")

    async def made() -> set[str]:
        rows = await opened.graph.raw(
            f"MATCH (n:{label}) WHERE n.scope STARTS WITH $scope RETURN n.id AS id",
            scope=admin.caller.home,
        )
        return {row["id"] for row in rows}

    with monkeypatch.context() as dying:
        dying.setattr(IdempotencyRecords, "complete", killed)
        with suppress(RuntimeError, LitestarException):
            await admin.http.post(path, json=body, headers=keyed("dies"))
    before = await made()
    assert len(before) == 1
    record = digest("idempotency", admin.caller.principal, "POST", path, "dies")
    await opened.graph.raw(
        "MATCH (r:IdempotencyRecord {id: $id}) SET r.lease = datetime() - duration('PT1S')",
        id=record,
    )
    again = await admin.http.post(path, json=body, headers=keyed("dies"))
    assert again.status_code in (200, 201, 202), again.text
    assert next(iter(before)) in again.text
    assert await made() == before
    replayed = await admin.http.post(path, json=body, headers=keyed("dies"))
    assert replayed.content == again.content
    other = await admin.http.post(path, json=body, headers=keyed("lives"))
    assert other.status_code in (200, 201, 202, 409), other.text


async def test_a_request_whose_answer_was_lost_goes_on_under_its_key(
    writer: Principal, opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = type(opened.work).create

    async def lost(*given: Any, **more: Any) -> Any:
        await create(*given, **more)
        raise GraphUnavailable("the answer was lost")

    body, headers = {"title": "Paint the gate"}, keyed("lost")
    with monkeypatch.context() as away:
        away.setattr(type(opened.work), "create", lost)
        answer = await writer.http.post("/v1/work-items", json=body, headers=headers)
        assert answer.status_code == 503
    again = await writer.http.post("/v1/work-items", json=body, headers=headers)
    assert again.status_code == 201, again.text
    rows = await opened.graph.raw(
        "MATCH (n:WorkItem {scope: $scope}) RETURN n.id AS id", scope=writer.caller.home
    )
    assert [row["id"] for row in rows] == [again.json()["id"]]


async def test_a_request_that_takes_long_keeps_its_claim(opened: Parts) -> None:
    records, at = IdempotencyRecords(opened.graph), now()
    await records.claim("long", "f", "t")
    await opened.graph.raw(
        "MATCH (r:IdempotencyRecord {id: 'long'}) SET r.lease = $at", at=at - LEASE
    )
    keeper = asyncio.create_task(records.keep("long", every=0.05))

    async def kept() -> bool:
        rows = await opened.graph.raw(
            "MATCH (r:IdempotencyRecord {id: 'long'}) RETURN r.lease > $at AS kept", at=at
        )
        return bool(rows[0]["kept"])

    await eventually("the claim is renewed", kept)
    keeper.cancel()
    assert not (await records.claim("long", "f", "t"))["mine"]


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
