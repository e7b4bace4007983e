"""Routes of events."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response import Stream

from app.access.guard import presented_key
from app.errors import RateLimited
from app.events.model import Place, Wanted
from app.events.service import MOST, EventService
from app.kernel.caller import Caller, Role

FULL = 5  # seconds after which a client may come again
Scopes = Annotated[
    list[str] | None, QueryParameter(description="Scopes to follow; all visible if unset.")
]
Kinds = Annotated[
    list[str] | None,
    QueryParameter(description="Kinds, whole (`fact.supersede`) or by their first word (`fact`)."),
]
After = Annotated[
    str | None,
    QueryParameter(
        description="The id of the last event that was seen; `Last-Event-ID` counts first."
    ),
]


@get(
    "/v1/events",
    operation_id="followEvents",
    opt={"requires": Role.READER},
    tags=("Events",),
    media_type="text/event-stream",
)
async def follow_events(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    events: NamedDependency[EventService],
    scopes: Scopes = None,
    kinds: Kinds = None,
    after: After = None,
) -> Stream:
    """Send what changes in the scopes that the key sees, as server-sent events, from now on or from
    an event on. The stream ends when the key does. Events tell ids, never content."""
    if events.listening >= MOST:
        raise RateLimited(f"{MOST} streams are open already", retry_after=FULL)
    seen = request.headers.get("last-event-id") or after
    wanted = Wanted(
        None if scopes is None else tuple(caller.among(scopes)),
        None if kinds is None else tuple(kinds),
    )
    place = Place.of(seen) if seen else None
    return Stream(
        events.follow(presented_key(request), caller, wanted, place),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
