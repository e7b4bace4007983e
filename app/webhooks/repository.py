"""Webhooks in the graph: found by whose they are, locked, written with an audit event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.kind import Kind
from app.webhooks.model import Delivery, DeliveryState, Line, Webhook


@dataclass(frozen=True, slots=True)
class Known:
    """A webhook with how far it is."""

    webhook: Webhook
    line: Line

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Known:
        """Read a node."""
        return cls(Webhook.of(row), Line.of(row))


class WebhookRepository:
    """One method a query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def find(self, caller: Caller, identifier: str) -> Known:
        """Return a webhook of the caller's own, or of a scope that it administers; NotFound."""
        row = await self.graph.optional(
            Q.webhooks.find,
            id=identifier,
            scopes=caller.visible,
            administered=administered(caller),
            principal=caller.principal,
        )
        if row is None:
            raise missing(identifier)
        return Known.of(row["webhook"])

    async def page(
        self, caller: Caller, within: list[str] | None, after: str, limit: int
    ) -> list[Known]:
        """Return webhooks by id, which is the order of their making."""
        rows = await self.graph.rows(
            Q.webhooks.page,
            scopes=caller.among(within),
            administered=administered(caller),
            principal=caller.principal,
            after=after,
            limit=limit,
        )
        return [Known.of(row["webhook"]) for row in rows]

    async def locked(self, tx: Tx, webhook: Webhook) -> Known:
        """Return a webhook with its lock held; NotFound where it went meanwhile."""
        row = await tx.optional(Q.webhooks.lock, id=webhook.id, scopes=[webhook.scope], at=now())
        if row is None:
            raise missing(webhook.id)
        return Known.of(row["webhook"])

    async def deliveries(
        self, webhook: Webhook, state: DeliveryState | None, before: int, limit: int
    ) -> list[Delivery]:
        """Return deliveries, newest first."""
        return await self.graph.many(
            Q.webhooks.deliveries,
            Delivery,
            id=webhook.id,
            scopes=[webhook.scope],
            state=state,
            before=before,
            limit=limit,
        )

    async def delivery(self, webhook: Webhook, identifier: str) -> Delivery:
        """Return one delivery of a webhook; NotFound."""
        row = await self.graph.optional(
            Q.webhooks.delivery, id=identifier, webhook=webhook.id, scopes=[webhook.scope]
        )
        if row is None:
            raise NotFound(f"there is no delivery {identifier}", field="delivery")
        return Delivery.of(row["delivery"])


def administered(caller: Caller) -> list[str]:
    """Return the scopes of which a caller is admin."""
    return [scope for scope in caller.visible if caller.may(scope, Role.ADMIN)]


def missing(identifier: str) -> NotFound:
    """Return the error for what is not there or not seen."""
    return NotFound(f"there is no webhook {identifier}", field="id")


async def tell(tx: Tx, who: Caller, name: str, webhook: Webhook, **told: Any) -> None:
    """Write the audit event of a change: ids and words of ours, no address and no secret."""
    event = audit.event(who, f"webhook.{name}", webhook.scope, id=webhook.id, **told)
    await tx.rows(Q.webhooks.tell, events=[event])


async def store(tx: Tx, kind: Kind[Any], value: Any) -> None:
    """Write a value that is new."""
    await tx.rows(Q.kinds.restore, rows=[kind.new(value)])


async def set_on(tx: Tx, webhook: Webhook, properties: Row) -> Known:
    """Set properties of a webhook whose lock is held."""
    row = await tx.one(Q.webhooks.set, id=webhook.id, properties=properties)
    return Known.of(row["webhook"])
