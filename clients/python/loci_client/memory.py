"""The memory of an agent in five verbs: add, search, context, facts, forget."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from types import TracebackType
from typing import Self, Unpack

import httpx

from loci_client import verbs
from loci_client.client import SECONDS, USUAL, AsyncLoci, Loci
from loci_client.messages import Messages
from loci_client.model import Added, Bundle, Fact, Found, Turn
from loci_client.talk import Retries
from loci_client.verbs import (
    Adding,
    BundleFilters,
    FactFilters,
    Filters,
    Forgetting,
    Home,
    TurnFilters,
    Wait,
)


class Memory:
    """The memory in one scope, such as `demo` or `demo/product`; the key's home without one.

    What is added belongs to `session`, a new one where none is named. A user's memories lie in
    a scope of his own below, which is made when something is first added to it: its calls read
    both scopes. `user` is any id that says something.
    """

    def __init__(
        self,
        scope: str | None = None,
        *,
        session: str | None = None,
        url: str | None = None,
        key: str | None = None,
        timeout: float = SECONDS,
        retries: Retries = USUAL,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.loci = Loci(url, key, timeout=timeout, retries=retries, transport=transport)
        self.home = _home(scope, session, retries)

    def add(
        self,
        messages: Messages,
        *,
        user: str | None = None,
        session: str | None = None,
        tags: Sequence[str] = (),
        wait: Wait | None = None,
    ) -> Added:
        """Store messages: each has `role` and `content`, and may have `name` and `captured_at`.

        A string is one message of the user. The same text again in a session is the same message,
        unless its `captured_at` differs. Raises MessagesRefused where one was not stored.
        """
        return self.loci.run(verbs.add(self.home, Adding(messages, user, session, tags, wait)))

    def turn(
        self,
        messages: Messages,
        *,
        user: str | None = None,
        session: str | None = None,
        tags: Sequence[str] = (),
        **how: Unpack[TurnFilters],
    ) -> Turn:
        """Store at most 64 messages, and recall what else is known for the reply: for the last
        message of the user, or for `query`. Raises as `add` does."""
        order = Adding(messages, user, session, tags)
        return self.loci.run(verbs.turn(self.home, order, dict(how)))

    def search(self, query: str, *, user: str | None = None, **how: Unpack[Filters]) -> Found:
        """Find memories by words and by meaning."""
        return self.loci.run(verbs.search(self.home, query, user, dict(how)))

    def context(
        self, query: str, *, user: str | None = None, **how: Unpack[BundleFilters]
    ) -> Bundle:
        """Find memories, as a text for a prompt: recalled words are marked as data."""
        return self.loci.run(verbs.context(self.home, query, user, dict(how)))

    def facts(
        self, about: str | None = None, *, user: str | None = None, **how: Unpack[FactFilters]
    ) -> Iterator[Fact]:
        """What is believed, of everything or about one thing by name or id; pages are fetched as
        they are needed."""
        page, further = self.loci.run(verbs.facts(self.home, about, user, dict(how)))
        while True:
            yield from map(Fact.of, page["items"])
            if further is None:
                return
            page, further = self.loci.run(verbs.page(self.home, further))

    def forget(
        self, memory: str | None = None, *, about: str | None = None, user: str | None = None
    ) -> int:
        """Hide one memory by id, all facts about a name, or all that is a user's own; how many
        memories that hid. ValueError unless exactly one is given."""
        return self.loci.run(verbs.forget(self.home, Forgetting(memory, about, user)))

    def close(self) -> None:
        """Give the connections back."""
        self.loci.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMemory:
    """The same verbs for a program with an event loop; `facts` is read with `async for`."""

    def __init__(
        self,
        scope: str | None = None,
        *,
        session: str | None = None,
        url: str | None = None,
        key: str | None = None,
        timeout: float = SECONDS,
        retries: Retries = USUAL,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.loci = AsyncLoci(url, key, timeout=timeout, retries=retries, transport=transport)
        self.home = _home(scope, session, retries)

    async def add(
        self,
        messages: Messages,
        *,
        user: str | None = None,
        session: str | None = None,
        tags: Sequence[str] = (),
        wait: Wait | None = None,
    ) -> Added:
        """Store messages, as `Memory.add` does."""
        order = Adding(messages, user, session, tags, wait)
        return await self.loci.run(verbs.add(self.home, order))

    async def turn(
        self,
        messages: Messages,
        *,
        user: str | None = None,
        session: str | None = None,
        tags: Sequence[str] = (),
        **how: Unpack[TurnFilters],
    ) -> Turn:
        """Store messages and recall, as `Memory.turn` does."""
        order = Adding(messages, user, session, tags)
        return await self.loci.run(verbs.turn(self.home, order, dict(how)))

    async def search(self, query: str, *, user: str | None = None, **how: Unpack[Filters]) -> Found:
        """Find memories by words and by meaning."""
        return await self.loci.run(verbs.search(self.home, query, user, dict(how)))

    async def context(
        self, query: str, *, user: str | None = None, **how: Unpack[BundleFilters]
    ) -> Bundle:
        """Find memories, as a text for a prompt: recalled words are marked as data."""
        return await self.loci.run(verbs.context(self.home, query, user, dict(how)))

    async def facts(
        self, about: str | None = None, *, user: str | None = None, **how: Unpack[FactFilters]
    ) -> AsyncIterator[Fact]:
        """What is believed, as `Memory.facts` tells it."""
        page, further = await self.loci.run(verbs.facts(self.home, about, user, dict(how)))
        while True:
            for item in page["items"]:
                yield Fact.of(item)
            if further is None:
                return
            page, further = await self.loci.run(verbs.page(self.home, further))

    async def forget(
        self, memory: str | None = None, *, about: str | None = None, user: str | None = None
    ) -> int:
        """Hide memories, as `Memory.forget` does."""
        return await self.loci.run(verbs.forget(self.home, Forgetting(memory, about, user)))

    async def aclose(self) -> None:
        """Give the connections back."""
        await self.loci.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _home(scope: str | None, session: str | None, retries: Retries) -> Home:
    return Home(scope, session or f"talk-{uuid.uuid4().hex[:12]}", retries)
