"""A stream of notifications of the newer revision, as the API and `loci mcp` send it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.subscriptions import (
    SUBSCRIPTION_ID_META_KEY,
    ServerEvent,
    event_to_notification,
)
from mcp.types import (
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
)

SESSION: Final = "mcp-session-id"  # the header of the older revision's session
Context = ServerRequestContext[Any, Any]


class Told:
    """One stream: what it follows, and what it has been sent."""

    def __init__(self, context: Context, wanted: SubscriptionFilter) -> None:
        self._context = context
        self._acknowledged = False
        self.wanted = wanted
        self.meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}

    async def acknowledge(self) -> None:
        """Send what is followed, once, before anything else."""
        if self._acknowledged:
            return
        self._acknowledged = True
        params = SubscriptionsAcknowledgedNotificationParams(
            notifications=self.wanted, _meta=self.meta
        )
        await self._context.session.send_notification(
            SubscriptionsAcknowledgedNotification(params=params),
            related_request_id=self._context.request_id,
        )

    async def send(self, changes: Iterable[ServerEvent]) -> None:
        """Send notifications with the id of the stream."""
        for change in changes:
            await self._context.session.send_notification(
                event_to_notification(change, self.meta),
                related_request_id=self._context.request_id,
            )
