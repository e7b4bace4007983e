"""The few calls over HTTP that a measurement needs."""

from __future__ import annotations

from typing import Any

import httpx

from app.errors import LociError, Unavailable


class ApiClient:
    """The few calls that an evaluation needs, over one key; `http` is a client that has it."""

    def __init__(self, url: str, key: str, http: httpx.AsyncClient | None = None) -> None:
        self._http = http or httpx.AsyncClient(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120.0
        )

    async def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """One request's JSON; Unavailable where nothing answers, LociError on a problem."""
        return await self._told(method, path, json=body)

    async def send(self, path: str, content: bytes, kind: str) -> dict[str, Any]:
        """The same for a body of another media type."""
        return await self._told("POST", path, content=content, headers={"Content-Type": kind})

    async def _told(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        try:
            answer = await self._http.request(method, path, **request)
        except httpx.TransportError as error:
            raise Unavailable(f"nothing answers at {self._http.base_url}") from error
        told: dict[str, Any] = answer.json()
        if answer.is_error:
            raise LociError(f"{method} {path}: {told.get('detail')}")
        return told

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()
