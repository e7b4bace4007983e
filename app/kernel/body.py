"""Bodies of requests, before anything is made of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from litestar import Request
from litestar.exceptions import SerializationException

DEEPEST = 64  # lists and objects inside each other
TOO_DEEP = f"The body is nested more than {DEEPEST} deep"


class TextRequest(Request[Any, Any, Any]):
    """A request whose JSON is UTF-8, which the framework takes for granted."""

    async def json(self) -> Any:
        """The body as JSON; SerializationException, which is a 400, for what is no UTF-8 or is
        nested more than `DEEPEST` deep."""
        try:
            given = await super().json()
        except UnicodeDecodeError:
            raise SerializationException("The body is not UTF-8") from None
        except RecursionError:
            raise SerializationException(TOO_DEEP) from None
        # Few bodies have brackets enough to be looked at.
        raw = await self.body()
        if raw.count(b"[") + raw.count(b"{") > DEEPEST and deeper(given, DEEPEST):
            raise SerializationException(TOO_DEEP)
        return given


def deeper(given: Any, most: int) -> bool:
    """Whether lists and objects stand in each other more than `most` deep."""
    level = [given]
    for _ in range(most + 1):
        level = [item for each in level if isinstance(each, dict | list) for item in _inside(each)]
        if not level:
            return False
    return True


def _inside(given: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return given.values() if isinstance(given, dict) else given
