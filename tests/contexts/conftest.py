"""What the tests of contexts share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Principal

Make = Callable[..., Awaitable[str]]
URL = "/v1/contexts"


@pytest.fixture
def make(writer: Principal) -> Make:
    """`await make("Notes", type="shared_context")`: the id of a context of the writer, or of
    `by`."""

    async def call(name: str, by: Principal | None = None, **more: Any) -> str:
        answer = await (by or writer).http.post(URL, json={"name": name, **more})
        assert answer.status_code == 201, answer.text
        made: str = answer.json()["id"]
        return made

    return call


async def add(who: Principal, context: str, key: str, content: Any, **more: Any) -> dict[str, Any]:
    """Write an entry; its wire form."""
    body = {"key": key, "content": content, **more}
    answer = await who.http.post(f"{URL}/{context}/entries", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def update(who: Principal, context: str, entry: str, content: Any) -> dict[str, Any]:
    """Give an entry another content; its wire form."""
    url = f"{URL}/{context}/entries/{entry}/content"
    answer = await who.http.put(url, json={"content": content})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def listed(who: Principal, context: str, **query: Any) -> list[dict[str, Any]]:
    """The entries that a list holds, all pages."""
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        asked = {**query, **({"cursor": cursor} if cursor else {})}
        answer = await who.http.get(f"{URL}/{context}/entries", params=asked)
        assert answer.status_code == 200, answer.text
        found += answer.json()["items"]
        cursor = answer.json()["next"]
        if cursor is None:
            return found


async def held(who: Principal, context: str) -> dict[str, Any]:
    """Contents of the entries in use by key."""
    items = [each["untrusted"] for each in await listed(who, context)]
    assert len({each["key"] for each in items}) == len(items), "a key stands once"
    return {each["key"]: each["content"] for each in items}


async def posted(who: Principal, path: str, body: Any = None, status: int = 200) -> dict[str, Any]:
    """What a POST answers with that status."""
    answer = await who.http.post(path, json=body if body is not None else {})
    assert answer.status_code == status, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def refused(who: Principal, method: str, path: str, **how: Any) -> tuple[int, str | None]:
    """Status and field of a refusal."""
    answer = await who.http.request(method, path, **how)
    assert answer.status_code >= 400, answer.text
    errors = answer.json().get("errors") or [{}]
    return answer.status_code, errors[0].get("field")
