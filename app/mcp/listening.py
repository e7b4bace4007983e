"""Notifications of the protocol: streams of what a key may see.

The newer revision asks for a stream by `subscriptions/listen`; the older one subscribes to each
resource, and has one stream for all. Events are those of the feed. A notification tells that
something changed, never what: its client reads the resource again, with the key that it has.
Nothing is told again after a stream has ended.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any

import orjson
from mcp import MCPError
from mcp.shared.subscriptions import (
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
    event_to_notification,
)
from mcp.types import INVALID_REQUEST, SubscriptionFilter, SubscriptionsListenResult

from app.access.guard import presented_key
from app.errors import InvalidInput, RateLimited, Unauthenticated
from app.events.model import ALSO_OPEN, Event, Wanted
from app.events.service import MOST, EventService
from app.kernel.caller import Caller
from app.mcp import resources
from app.mcp.stream import Context, Told
from app.mcp.subscribing import Subscriptions

MOST_RESOURCES = 256  # that one stream follows
FULL = 5.0  # seconds after which a client may come again
# By their first word, events that add something to read, change it, or take it out of sight.
READABLE = frozenset(("capture", "document", "entity", "fact", "merge", "note", "page", "skill"))
# What a payload names beside what the event is about.
BESIDE = ("facts", "older")
Names = Callable[[Caller], frozenset[str]]


class Listening:
    """Serves the streams of both revisions."""

    def __init__(self, events: EventService, subscriptions: Subscriptions) -> None:
        self._events = events
        self.subscriptions = subscriptions

    async def serve(
        self, context: Context, asked: SubscriptionFilter, caller: Caller, names: Names
    ) -> SubscriptionsListenResult:
        """Acknowledge what is followed, then tell of it until the client or the key is gone, or the
        stream has lasted as long as streams do. `names` gives the tools that a caller is shown.

        Raises RateLimited where too many streams are open, InvalidInput for too many resources.
        """
        if context.request_id is None:
            raise MCPError(INVALID_REQUEST, "subscriptions/listen is a request with an id")
        self._room()
        told = Told(context, followed(asked))
        request: Any = context.request
        shown = names(caller)
        try:
            async with aclosing(
                self._events.watch(presented_key(request), caller, Wanted())
            ) as changes:
                async for whose, found in changes:
                    await told.acknowledge()
                    if told.wanted.tools_list_changed and (now := names(whose)) != shown:
                        shown = now
                        await told.send([ToolsListChanged()])
                    await told.send(await self._of(told, whose, found))
        except Unauthenticated:
            pass  # the key was revoked: the stream ends as any other
        return SubscriptionsListenResult(_meta=told.meta)

    def stream(self, key: str, caller: Caller, session: str) -> AsyncIterator[bytes]:
        """Return the stream of a session of the older revision; RateLimited as above."""
        self._room()
        return self._stream(key, caller, session)

    async def _stream(self, key: str, caller: Caller, session: str) -> AsyncIterator[bytes]:
        try:
            async with aclosing(self._events.watch(key, caller, Wanted())) as changes:
                async for whose, found in changes:
                    uris = await self.subscriptions.of(whose, session) if found else []
                    for uri in await self._updated(uris, whose, found):
                        yield _frame(ResourceUpdated(uri))
                    if not found:
                        yield b": alive\n\n"
        except Unauthenticated:
            return

    def _room(self) -> None:
        if self._events.listening >= MOST:
            raise RateLimited(f"{MOST} streams are open already", retry_after=FULL)

    async def _updated(
        self, uris: Iterable[str], caller: Caller, found: Sequence[Event]
    ) -> list[str]:
        """Return those of some URIs that events are about."""
        by_id = {uri.rpartition("/")[2]: uri for uri in uris}
        if not (by_id and found):
            return []
        ids = touched(found)
        ids |= await self._events.rows.about(sorted(ids), caller.visible)
        return [uri for id, uri in by_id.items() if id in ids]

    async def _of(self, told: Told, caller: Caller, found: Sequence[Event]) -> list[ServerEvent]:
        """Return what some events say to a stream, each notification once."""
        changes: list[ServerEvent] = []
        if told.wanted.resources_list_changed and any(map(readable, found)):
            changes.append(ResourcesListChanged())
        uris = await self._updated(told.wanted.resource_subscriptions or (), caller, found)
        return [*changes, *map(ResourceUpdated, uris)]


def _frame(change: ServerEvent) -> bytes:
    """Return a notification as the older revision's stream sends it."""
    told = event_to_notification(change, {}).model_dump(
        by_alias=True, mode="json", exclude_none=True
    )
    told["params"].pop("_meta", None)
    return b"event: message\ndata: %b\n\n" % orjson.dumps({"jsonrpc": "2.0", **told})


def followed(asked: SubscriptionFilter) -> SubscriptionFilter:
    """Return what of a wish is followed: prompts never change, and other URIs name nothing.

    A URI of what the key does not see is followed, and nothing is ever told of it.
    """
    uris = [uri for uri in asked.resource_subscriptions or () if resources.URI.match(uri)]
    if len(uris) > MOST_RESOURCES:
        raise InvalidInput(
            f"a stream follows at most {MOST_RESOURCES} resources", field="resourceSubscriptions"
        )
    return SubscriptionFilter(
        tools_list_changed=asked.tools_list_changed or None,
        resources_list_changed=asked.resources_list_changed or None,
        resource_subscriptions=uris or None,
    )


def readable(event: Event) -> bool:
    """Return whether an event changes what there is to read."""
    return event.kind in ALSO_OPEN or event.kind.partition(".")[0] in READABLE


def touched(events: Iterable[Event]) -> set[str]:
    """Return the ids that events name."""
    ids = set()
    for event in events:
        named = [event.payload.get(name) for name in BESIDE]
        lists = [each if isinstance(each, list) else [each] for each in named]
        ids |= {event.target, *(each for one in lists for each in one if isinstance(each, str))}
    return ids - {""}
