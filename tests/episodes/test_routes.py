"""Capture over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.conftest import Principal

Drain = Callable[[], Awaitable[int]]


async def test_a_capture_is_found_by_keyword_before_it_is_embedded(writer: Principal) -> None:
    answer = await writer.http.post(
        "/v1/episodes", json={"content": "The wombat sleeps in hangar nine.", "session": "s"}
    )
    assert answer.status_code == 201
    found = await writer.http.post("/v1/search", json={"query": "wombat", "mode": "keyword"})
    assert [hit["id"] for hit in found.json()["hits"]] == [answer.json()["id"]]


async def test_a_capture_is_found_by_vector_once_it_is_embedded(
    writer: Principal, drain: Drain
) -> None:
    answer = await writer.http.post(
        "/v1/episodes", json={"content": "The wombat sleeps in hangar nine.", "session": "s"}
    )
    await drain()
    found = await writer.http.post("/v1/search", json={"query": "wombat hangar", "mode": "vector"})
    assert [hit["id"] for hit in found.json()["hits"]] == [answer.json()["id"]]


async def test_the_same_text_again_names_the_first_and_writes_nothing(writer: Principal) -> None:
    body = {"content": "We ship on Fridays.", "session": "s"}
    answers = [await writer.http.post("/v1/episodes", json=body) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    first, second = (answer.json() for answer in answers)
    assert (first["status"], second["status"]) == ("accepted", "duplicate")
    assert second["id"] == first["id"]
    listed = (await writer.http.get("/v1/episodes", params={"session": "s"})).json()
    assert len(listed["items"]) == 1
