"""Principals, grants, keys and audit events in the graph."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx

SEAL_PAGE = 1000


class AccessRepository:
    """One method a query; the rules are in the service."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def resolve_key(self, key_hash: str) -> Row | None:
        return await self.graph.optional(Q.access.resolve_key, hash=key_hash)

    async def resolve_asker(self, key: str, principal: str) -> Row | None:
        return await self.graph.optional(Q.access.resolve_asker, key=key, principal=principal)

    async def touch_key(self, key_id: str, at: datetime) -> None:
        await self.graph.rows(Q.access.touch_key, id=key_id, at=at)

    async def save_principal(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.access.save_principal, **row)

    async def list_principals(self, tenant: str, scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.access.list_principals, tenant=tenant, scopes=scopes)

    async def grant(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.access.grant, **row)

    async def withdraw(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.access.withdraw, **row)

    async def save_key(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.access.save_key, **row)

    async def list_keys(self, tenant: str, scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.access.list_keys, tenant=tenant, scopes=scopes)

    async def revoke_key(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.access.revoke_key, **row)

    async def any_admin_key(self) -> bool:
        return bool((await self.graph.one(Q.access.any_admin_key))["found"])

    async def write_audit(self, audit: Row, *, actor: str, session: str = "") -> None:
        await self.graph.rows(Q.access.write_audit, audit=audit, session=session, actor=actor)

    async def audit_history(self, **filters: Any) -> list[Row]:
        return await self.graph.rows(Q.access.audit_history, **filters)

    async def tenants_with_unsealed(self, done: list[str], limit: int = 100) -> list[str]:
        rows = await self.graph.rows(Q.access.tenants_with_unsealed, done=done, limit=limit)
        return [row["tenant"] for row in rows]

    async def chain_head(self, tenant: str) -> Row | None:
        return await self.graph.optional(Q.access.chain_head, tenant=tenant)

    async def chain_page(self, tenant: str, after: int) -> list[Row]:
        return await self.graph.rows(
            Q.access.chain_page, tenant=tenant, after=after, limit=SEAL_PAGE
        )


async def lock_head(tx: Tx, tenant: str, at: datetime) -> Row:
    """Lock the tenant's chain and read its head."""
    return await tx.one(Q.access.lock_audit_head, tenant=tenant, at=at)


async def unsealed(tx: Tx, tenant: str) -> list[Row]:
    """Events that the chain does not hold yet, oldest first."""
    return await tx.rows(Q.access.unsealed_events, tenant=tenant, limit=SEAL_PAGE)


async def seal(tx: Tx, tenant: str, rows: list[Row]) -> None:
    """Write places and hashes, and move the head to the last row."""
    last = rows[-1]
    await tx.one(Q.access.seal_events, tenant=tenant, rows=rows, seq=last["seq"], hash=last["hash"])
