"""Loci over HTTP, sync and async: what carries conversations out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from loci_client.place import Place
from loci_client.talk import Ask, Pause, Retries, Talk, Told, exchange, reading, writing

T = TypeVar("T")
SECONDS = 30.0  # of one request; a wait takes up to 20
USUAL = Retries()


class Loci:
    """A connection to Loci; close it, or use it in a `with` block.

    `transport` is httpx's, for what lies between: a proxy, a certificate of one's own.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = SECONDS,
        retries: Retries = USUAL,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        place = Place.of(url, key)
        self.retries = retries
        self._http = httpx.Client(
            base_url=place.url, headers=place.headers, timeout=timeout, transport=transport
        )

    def get(self, path: str, **params: Any) -> Any:
        """The JSON of a route that is read."""
        return self.run(exchange(reading("GET", path, **params), self.retries))

    def post(self, path: str, body: Mapping[str, Any], **params: Any) -> Any:
        """The JSON of a route that changes something; however often it is sent, it is done once."""
        return self.run(exchange(writing("POST", path, body, **params), self.retries))

    def delete(self, path: str, **params: Any) -> Any:
        """The JSON, if any, of a route that takes something out."""
        return self.run(exchange(writing("DELETE", path, **params), self.retries))

    def items(self, path: str, **params: Any) -> Iterator[Any]:
        """Every item of a list, page by page as they are taken."""
        ask: Ask | None = reading("GET", path, **params)
        while ask is not None:
            page = self.run(exchange(ask, self.retries))
            yield from page["items"]
            ask = ask.after(page)

    def run(self, talk: Talk[T]) -> T:
        """Carry a conversation out; what comes of it."""
        told: Told = None
        while True:
            try:
                step = talk.send(told)
            except StopIteration as done:
                result: T = done.value
                return result
            told = self._do(step)

    def _do(self, step: Ask | Pause) -> Told:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            return self._http.request(
                step.method,
                step.path,
                json=step.body,
                params=dict(step.params),
                headers=step.headers(),
            )
        except httpx.TransportError as error:
            return error

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncLoci:
    """The same for a program with an event loop; close it, or use it in an `async with` block."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = SECONDS,
        retries: Retries = USUAL,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        place = Place.of(url, key)
        self.retries = retries
        self._http = httpx.AsyncClient(
            base_url=place.url, headers=place.headers, timeout=timeout, transport=transport
        )

    async def get(self, path: str, **params: Any) -> Any:
        """The JSON of a route that is read."""
        return await self.run(exchange(reading("GET", path, **params), self.retries))

    async def post(self, path: str, body: Mapping[str, Any], **params: Any) -> Any:
        """The JSON of a route that changes something; however often it is sent, it is done once."""
        return await self.run(exchange(writing("POST", path, body, **params), self.retries))

    async def delete(self, path: str, **params: Any) -> Any:
        """The JSON, if any, of a route that takes something out."""
        return await self.run(exchange(writing("DELETE", path, **params), self.retries))

    async def items(self, path: str, **params: Any) -> AsyncIterator[Any]:
        """Every item of a list, page by page as they are taken."""
        ask: Ask | None = reading("GET", path, **params)
        while ask is not None:
            page = await self.run(exchange(ask, self.retries))
            for item in page["items"]:
                yield item
            ask = ask.after(page)

    async def run(self, talk: Talk[T]) -> T:
        """Carry a conversation out; what comes of it."""
        told: Told = None
        while True:
            try:
                step = talk.send(told)
            except StopIteration as done:
                result: T = done.value
                return result
            told = await self._do(step)

    async def _do(self, step: Ask | Pause) -> Told:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self._http.request(
                step.method,
                step.path,
                json=step.body,
                params=dict(step.params),
                headers=step.headers(),
            )
        except httpx.TransportError as error:
            return error

    async def aclose(self) -> None:
        """Give the connections back."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
