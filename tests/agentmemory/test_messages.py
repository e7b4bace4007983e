"""The demands of the protocol on conversations, its tier Bronze, over the bridge."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from app.wiring import Parts
from tests.agentmemory.conftest import Bridge

NESTED = {
    "source": "kit",
    "tags": ["a", "b"],
    "deep": {"er": {"est": [1, {"x": None}]}},
    "n": 42,
    "on": True,
}
SIGNS = "Hello 世界 🌍 éèê üöä ☃️ ❤️\u200d🔥"
MARKS = "Line1\nLine2\tTabbed \"quoted\" 'single' back\\slash"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def test_a_message_is_told_as_it_was_given(bridge: Bridge) -> None:
    """SPEC-1.1.11 SPEC-1.1.12 SPEC-1.1.13 SPEC-1.1.14 SPEC-2.1.1 SPEC-2.1.2 SPEC-2.1.3 SPEC-2.1.4
    SPEC-2.1.14 SPEC-2.1.15 SPEC-2.2.9"""
    before = datetime.now(UTC) - timedelta(seconds=1)
    for role in ("system", "user", "assistant"):
        (told,) = await bridge.said("roles", f"I speak as {role}", role=role)
        assert (told["role"], told["content"]) == (role, f"I speak as {role}")
        assert str(UUID(told["id"])) == told["id"]
        assert before <= moment(told["timestamp"]) <= datetime.now(UTC) + timedelta(seconds=1)
    found = await bridge("get_conversation", session_id="roles")
    assert [m["role"] for m in found["messages"]] == ["system", "user", "assistant"]


async def test_words_stay_as_they_are(bridge: Bridge) -> None:
    """SPEC-2.1.7 SPEC-2.1.8 SPEC-2.1.9 SPEC-2.1.10 SPEC-2.2.7"""
    given = ["", "x" * 10_000, SIGNS, MARKS]
    told = await bridge.said("words", *given)
    assert [message["content"] for message in told] == given
    assert await bridge.texts("words") == given


async def test_metadata_stays_nested(bridge: Bridge) -> None:
    """SPEC-2.1.5 SPEC-2.1.11 SPEC-2.1.12 SPEC-2.1.13 SPEC-2.2.8"""
    call: dict[str, Any] = {"session_id": "meta", "role": "user", "content": "hello there"}
    told = [await bridge("add_message", **call, metadata=meta) for meta in (NESTED, {})]
    told.append(await bridge("add_message", **call))
    assert [message["metadata"] for message in told] == [NESTED, {}, {}]
    found = await bridge("get_conversation", session_id="meta")
    assert [message["metadata"] for message in found["messages"]] == [NESTED, {}, {}]


async def test_a_session_is_one_conversation(bridge: Bridge) -> None:
    """SPEC-1.1.1 SPEC-1.1.2 SPEC-1.1.3 SPEC-1.1.5 SPEC-1.1.6 SPEC-1.1.7 SPEC-1.1.8 SPEC-1.1.9
    SPEC-2.1.6 SPEC-2.2.3 SPEC-2.2.4 SPEC-2.2.11 SPEC-2.2.12"""
    before = datetime.now(UTC) - timedelta(seconds=1)
    ids = set()
    for count, session in enumerate(("alpha", "beta", "gamma"), 1):
        await bridge.said(session, *(f"{session} {n}" for n in range(count)))
        found = await bridge("get_conversation", session_id=session)
        again = await bridge("get_conversation", session_id=session)
        assert found["id"] == again["id"]
        assert (found["session_id"], found["title"]) == (session, None)
        assert moment(found["created_at"]) >= before
        assert await bridge.texts(session) == [f"{session} {n}" for n in range(count)]
        ids.add(UUID(found["id"]))
    assert len(ids) == 3
    assert await bridge.texts("nobody spoke here") == []


async def test_messages_keep_their_order(bridge: Bridge) -> None:
    """SPEC-2.1.16 SPEC-2.2.1 SPEC-2.2.2 SPEC-2.2.5 SPEC-2.2.6 SPEC-2.2.10 SPEC-2.7.1 SPEC-2.7.2
    SPEC-2.7.3 SPEC-2.7.4 SPEC-2.7.6 SPEC-2.7.7"""
    given = [f"Message {n:03d}" for n in range(100)]
    for at, text in enumerate(given):
        await bridge.said("order", text, role=("user", "assistant", "system")[at % 3])
        if at < 2:
            assert await bridge.texts("order") == given[: at + 1]
    assert await bridge.texts("order") == given
    assert await bridge.texts("order", limit=2) == given[-2:]
    assert await bridge.texts("order", limit=1) == given[-1:]
    assert await bridge.texts("order", limit=500) == given
    found = await bridge("get_conversation", session_id="order")
    times = [moment(message["timestamp"]) for message in found["messages"]]
    assert times == sorted(times)


async def test_equal_messages_are_separate(bridge: Bridge) -> None:
    """SPEC-2.8.1 SPEC-2.8.2"""
    told = await bridge.said("equal", *["Duplicate"] * 3)
    assert len({message["id"] for message in told}) == 3
    assert await bridge.texts("equal") == ["Duplicate"] * 3


async def test_two_who_write_at_once_lose_nothing(bridge: Bridge) -> None:
    await asyncio.gather(*(bridge.said("both", f"said {n}") for n in range(12)))
    found = await bridge("get_conversation", session_id="both")
    times = [moment(message["timestamp"]) for message in found["messages"]]
    assert sorted(await bridge.texts("both")) == sorted(f"said {n}" for n in range(12))
    assert times == sorted(times)


async def test_a_deleted_message_is_gone(bridge: Bridge) -> None:
    """SPEC-1.1.4 SPEC-1.1.10 SPEC-2.5.1 SPEC-2.5.2 SPEC-2.5.3 SPEC-2.5.4 SPEC-2.5.5 SPEC-2.5.6
    SPEC-2.5.7 SPEC-2.5.8 SPEC-2.5.9 SPEC-2.7.5 SPEC-2.4.7"""
    await bridge.said("beside", "X", "Y")
    told = await bridge.said("gone", *"ABCDE")
    left = list("ABCDE")
    for letter in "CAEBD":  # a middle one, the first, the last, and the rest
        call = {"message_id": told["ABCDE".index(letter)]["id"]}
        assert await bridge("delete_message", **call) == {"deleted": True}
        assert await bridge("delete_message", **call) == {"deleted": False}
        left.remove(letter)
        assert await bridge.texts("gone") == left
        counts = {one["session_id"]: one["message_count"] for one in await bridge("list_sessions")}
        assert counts == {"gone": len(left), "beside": 2}
    assert await bridge("delete_message", message_id=str(uuid4())) == {"deleted": False}
    assert await bridge("delete_message", message_id="no uuid") == {"deleted": False}
    await bridge.said("gone", "F")
    assert await bridge.texts("gone") == ["F"]


async def test_a_session_is_cleared(bridge: Bridge) -> None:
    """SPEC-2.6.1 SPEC-2.6.2 SPEC-2.6.3 SPEC-2.6.4 SPEC-2.6.5 SPEC-2.8.3"""
    for session in ("one", "two", "three"):
        await bridge.said(session, "before", "still before")
    for _ in range(2):
        assert await bridge("clear_session", session_id="two") is None
        assert await bridge.texts("two") == []
    assert await bridge("clear_session", session_id="never there") is None
    assert await bridge.texts("one") == await bridge.texts("three") == ["before", "still before"]
    await bridge.said("two", "after")
    assert await bridge.texts("two") == ["after"]


async def test_messages_are_found(bridge: Bridge) -> None:
    """SPEC-2.3.1 SPEC-2.3.2 SPEC-2.3.3 SPEC-2.3.4 SPEC-2.3.5 SPEC-2.3.6 SPEC-2.3.7"""
    asked = {"query": "Python programming", "threshold": 0.0}
    assert await bridge("search_messages", **asked) == []
    await bridge.said("a", "I love programming in Python", "The weather is sunny today")
    await bridge.said("b", "Python programming is taught on Mondays")
    both = {message["content"] for message in await bridge("search_messages", **asked)}
    assert {"I love programming in Python", "Python programming is taught on Mondays"} <= both
    one = await bridge("search_messages", **asked, session_id="a")
    assert [m["content"] for m in one if "Python" in m["content"]] == [
        "I love programming in Python"
    ]
    assert all("Mondays" not in message["content"] for message in one)
    assert len(await bridge("search_messages", **asked, limit=1)) == 1
    none = {"query": "quantum cryptography", "threshold": 0.99}
    assert await bridge("search_messages", **none) == []
    assert await bridge("search_messages", **asked, session_id="c") == []


async def test_messages_are_found_beside_a_busy_scope(bridge: Bridge, opened: Parts) -> None:
    """A hundred nearer texts that are no messages hide none."""
    episodes = [
        {"content": f"Python programming, lesson {n} of many.", "session": f"s{n}"}
        for n in range(110)
    ]
    for start in (0, 55):
        batch = {"episodes": episodes[start : start + 55]}
        assert (await bridge.who.http.post("/v1/episodes:batch", json=batch)).is_success
    await bridge.said("a", "My snake is a python, and it sleeps.")
    await opened.indexing.drain()
    found = await bridge("search_messages", query="Python programming", threshold=0.0)
    assert [message["content"] for message in found] == ["My snake is a python, and it sleeps."]


async def test_sessions_are_listed(bridge: Bridge) -> None:
    """SPEC-2.4.1 SPEC-2.4.2 SPEC-2.4.3 SPEC-2.4.4 SPEC-2.4.5 SPEC-2.4.6 SPEC-2.4.8"""
    assert await bridge("list_sessions") == []
    for count, session in enumerate(("first", "second", "third"), 1):
        await bridge.said(session, *(f"{session} {n}" for n in range(count)))
        found = await bridge("list_sessions")
        assert len(found) == count
    counts = {one["session_id"]: one["message_count"] for one in found}
    assert counts == {"first": 1, "second": 2, "third": 3}
    assert all(moment(one["created_at"]) <= moment(one["updated_at"]) for one in found)
    newest = await bridge("list_sessions", limit=2)
    assert [one["session_id"] for one in newest] == ["third", "second"]
