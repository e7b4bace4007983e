"""What the tests of conversations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.wiring import Parts
from tests.conftest import Principal

URL = "/v1/conversations"
MID_TERM = "/v1/mid-term-memory"


def message(content: str, **more: Any) -> dict[str, Any]:
    """A message of a user, unless more is said."""
    return {"content": content, "role": "user", **more}


async def append(
    who: Principal, talk: str, *said: str | dict[str, Any], **more: Any
) -> dict[str, Any]:
    """Append messages, texts of a user or whole ones."""
    messages = [message(one) if isinstance(one, str) else one for one in said]
    body = {"messages": messages, **more}
    answer = await who.http.post(f"{URL}/{talk}/messages", json=body)
    assert answer.status_code == 201, answer.text
    done: dict[str, Any] = answer.json()
    return done


async def told(who: Principal, url: str, **query: Any) -> dict[str, Any]:
    """What a reading route answers."""
    answer = await who.http.get(url, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def buffer(who: Principal, talk: str, **query: Any) -> list[str]:
    """The texts in a buffer, oldest first."""
    return texts(await told(who, f"{URL}/{talk}/messages", **query))


async def window(who: Principal, talk: str, **query: Any) -> list[str]:
    """The texts of a window, oldest first."""
    return texts(await told(who, f"{URL}/{talk}/window", **query))


def texts(answer: dict[str, Any]) -> list[str]:
    """The texts of messages."""
    return [one["untrusted"]["content"] for one in answer["messages"]]


async def clear(who: Principal, talk: str) -> int:
    """Clear a buffer; how many messages left it."""
    answer = await who.http.delete(f"{URL}/{talk}/messages")
    assert answer.status_code == 200, answer.text
    return int(answer.json()["moved"])


async def search(who: Principal, query: str, **more: Any) -> list[str]:
    """The texts of the episodes that a search finds."""
    body = {"query": query, "kinds": ["episode"], "limit": 50, **more}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return [hit["untrusted"]["text"] for hit in answer.json()["hits"]]


async def judge(opened: Parts, who: Principal, **body: Any) -> dict[str, Any]:
    """Let what waits be judged by hand; the job as it ended."""
    answer = await who.http.post(f"{MID_TERM}/passes", json=body)
    assert answer.status_code == 202, answer.text
    identifier = answer.json()["id"]
    assert await opened.runner.run(opened, identifier) == "done"
    return await told(who, f"/v1/jobs/{identifier}")


async def verdicts(who: Principal, **query: Any) -> dict[str, dict[str, Any]]:
    """The messages in mid-term memory by the ids of their episodes."""
    listed = await told(who, MID_TERM, **query)
    return {one["memory"]: one for one in listed["items"]}


def ids(done: dict[str, Any]) -> list[str]:
    """The episodes of what was appended."""
    return [receipt["id"] for receipt in done["receipts"]]


def lines(count: int, what: str = "crate", start: int = 0) -> Sequence[str]:
    """Statements that differ by a number."""
    return [f"The {what} number {n} holds lamps." for n in range(start, start + count)]
