"""What a client of the older revision has subscribed to: URIs by session and key, in Valkey.

That revision has a request for each resource and one stream for all that is told. The two meet in
whichever processes they reach, and nothing else of a session is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, cast

from arq import ArqRedis
from redis.exceptions import RedisError

from app.errors import InvalidInput, NotFound, QueueUnavailable
from app.jobs.queue import Queue
from app.kernel.caller import Caller
from app.kernel.ids import digest
from app.mcp import resources

LASTS = 86_400  # seconds after the last subscription
MOST = 256  # resources of a session
LONGEST = 128  # characters of a session's id


class Subscriptions:
    """One set of URIs a session, which only the key that it began with reaches."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    async def add(self, caller: Caller, session: str | None, uri: str) -> None:
        """Follow a resource; NotFound (`uri`) for no URI of ours, InvalidInput without a session
        or for too many."""
        if not session:
            raise InvalidInput("subscribe at `/mcp?notifications=true`", field="uri")
        if not resources.URI.match(uri):
            raise NotFound("a URI has the form loci://KIND/ID", field="uri")
        name = _name(caller, session)
        if len(await self._asked(lambda pool: pool.smembers(name))) >= MOST:
            raise InvalidInput(f"a session follows at most {MOST} resources", field="uri")
        await self._asked(lambda pool: pool.sadd(name, uri))
        await self._asked(lambda pool: pool.expire(name, LASTS))

    async def drop(self, caller: Caller, session: str | None, uri: str) -> None:
        """Follow a resource no more."""
        name = _name(caller, session or "")
        await self._asked(lambda pool: pool.srem(name, uri))

    async def end(self, caller: Caller, session: str) -> None:
        """Follow nothing more."""
        await self._asked(lambda pool: pool.delete(_name(caller, session)))

    async def of(self, caller: Caller, session: str) -> list[str]:
        """Return what is followed, in the order of the URIs."""
        found: set[bytes] = await self._asked(lambda pool: pool.smembers(_name(caller, session)))
        return sorted(uri.decode() for uri in found)

    async def _asked(self, ask: Any) -> Any:
        try:
            pool: ArqRedis = await self._queue.pool()
            return await cast(Awaitable[Any], ask(pool))
        except (RedisError, OSError) as error:
            raise QueueUnavailable("Valkey does not answer") from error


def _name(caller: Caller, session: str) -> str:
    """The name of a session's set, which tells neither key nor session."""
    return f"loci:mcp:{digest('mcp', caller.tenant, caller.key, session[:LONGEST])}"
