"""What the tests of belief share: a place to remember in, and two people who do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.conftest import Principal

Remember = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def remember(writer: Principal) -> Remember:
    """Remember one statement as the writer; the answer's body."""

    async def call(
        subject: str, predicate: str, value: str, by: Principal | None = None, **more: Any
    ) -> dict[str, Any]:
        statement = {
            "subject": {"name": subject, "type": more.pop("type", "person")},
            "predicate": predicate,
            "object": {"name": value} if more.pop("entity", False) else {"value": value},
            **{
                k: more.pop(k)
                for k in ("mode", "valid_from", "valid_to", "precision", "replaces")
                if k in more
            },
        }
        for key in ("valid_from", "valid_to"):
            if isinstance(statement.get(key), datetime):
                statement[key] = statement[key].isoformat()
        body = {"statement": statement, **more}
        answer: httpx.Response = await (by or writer).http.post("/v1/facts:remember", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    return call
