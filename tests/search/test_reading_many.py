"""Up to 16 memories read at once, within caps."""

from __future__ import annotations

from typing import Any

from tests.conftest import MakePrincipal, Principal

URL = "/v1/memories"


async def read(who: Principal, ids: list[str], status: int = 200, **caps: int) -> Any:
    """What an answer of that status says."""
    answer = await who.http.get(URL, params={"id": ids, **caps})
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_several_memories_are_read_in_order_within_caps(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    note = (await writer.http.post("/v1/notes", json={"content": "n" * 900})).json()["id"]
    body = {"content": "e" * 700, "session": "s"}
    episode = (await writer.http.post("/v1/episodes", json=body)).json()["id"]
    stranger = await principal(f"{tenant}x/dev", name="stranger")
    theirs = (await stranger.http.post("/v1/notes", json={"content": "secret"})).json()["id"]

    found = await read(writer, [episode, "none", note, theirs, note])
    assert [one["id"] for one in found["items"]] == [episode, note]
    assert found["missing"] == ["none", theirs], "what is not there and not seen look alike"
    assert [len(one["untrusted"]["text"]) for one in found["items"]] == [480, 480]
    assert found["characters"] == 960

    found = await read(writer, [note, episode], characters=800, total=1000)
    assert [len(one["untrusted"]["text"]) for one in found["items"]] == [800, 200]
    assert [one["truncated"] for one in found["items"]] == [True, True]
    assert [one["characters"] for one in found["items"]] == [900, 700]
    found = await read(writer, [note, episode], characters=900, total=900)
    assert [len(one["untrusted"]["text"]) for one in found["items"]] == [900, 0]
    assert [one["truncated"] for one in found["items"]] == [False, True]


async def test_caps_and_the_number_of_ids_are_bounded(writer: Principal) -> None:
    for ids, caps in (
        (["a"] * 17, {}),
        ([], {}),
        (["a"], {"characters": 0}),
        (["a"], {"total": 0}),
    ):
        await read(writer, ids, 422, **caps)
