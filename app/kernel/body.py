"""Bodies of requests, before anything is made of them."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.exceptions import SerializationException


class TextRequest(Request[Any, Any, Any]):
    """A request whose JSON is UTF-8, which the framework takes for granted."""

    async def json(self) -> Any:
        """The body as JSON; SerializationException, which is a 400, for what is no UTF-8."""
        try:
            return await super().json()
        except UnicodeDecodeError:
            raise SerializationException("The body is not UTF-8") from None
