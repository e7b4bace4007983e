"""What users of memory services complain of, where no other test shows it: over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.wiring import Parts
from tests.conftest import Principal

Drain = Callable[[], Awaitable[int]]


async def test_what_an_agent_repeats_is_no_new_memory(
    opened: Parts, writer: Principal, drain: Drain
) -> None:
    """A loop of recall and repetition makes no second fact, and none that is surer."""
    http = writer.http
    said = {"role": "user", "speaker": "Ottokar Ringwald", "session": "first"}
    first = {**said, "content": "Ottokar Ringwald lives in Apolda."}
    assert (await http.post("/v1/episodes", json=first)).status_code == 201
    await opened.consolidation.consolidate(f"{writer.caller.home}")
    query = {"query": "Where does Ottokar Ringwald live?", "kinds": ["fact"]}
    before = (await http.post("/v1/search", json=query)).json()["hits"]
    assert len(before) == 1
    for turn in range(12):
        recalled = before[0]["untrusted"]["text"]
        body = {
            "session": f"loop-{turn}",
            "messages": [{"role": "assistant", "content": f"I remember: {recalled}."}],
        }
        assert (await http.post("/v1/turns", json=body)).is_success
    await opened.consolidation.consolidate(f"{writer.caller.home}")
    await drain()
    after = (await http.post("/v1/search", json=query)).json()["hits"]
    assert [hit["id"] for hit in after] == [before[0]["id"]]
    for measure in ("principals", "trust", "status"):
        assert after[0]["fact"][measure] == before[0]["fact"][measure], measure
    notes = (await http.get("/v1/notes")).json()["items"]
    assert sum("Apolda" in str(note) for note in notes) <= 1


async def test_a_vague_question_finds_what_there_is(writer: Principal, drain: Drain) -> None:
    """A question that holds no word of any memory is answered all the same, the likest first."""
    text = "The ferry to Hallig Südfall leaves at six on Sundays."
    body = {"content": text, "session": "s"}
    known = (await writer.http.post("/v1/episodes", json=body)).json()["id"]
    await drain()
    for question in ("Anything else?", "tell me more", "?", "Und sonst?"):
        answer = await writer.http.post("/v1/search", json={"query": question})
        assert answer.status_code == 200, answer.text
        assert [hit["id"] for hit in answer.json()["hits"]] == [known], question
