"""Scopes in the graph."""

from __future__ import annotations

from typing import Any

from app.kernel.caller import Role
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row


class ScopeRepository:
    """One method a query."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def save(self, rows: list[Row], creator: str, role: Role, audit: Row) -> list[str]:
        """Make scopes, in which their creator has a role; return the paths that were new."""
        found = await self.graph.rows(
            Q.scopes.save_scopes, rows=rows, creator=creator, role=role.label, audit=audit
        )
        return [row["path"] for row in found]

    async def get(self, path: str) -> Row | None:
        return await self.graph.optional(Q.scopes.get_scope, path=path)

    async def granted(self, path: str, principal: str) -> str | None:
        """Return the role that a principal was given in a scope."""
        row = await self.graph.optional(Q.scopes.granted, path=path, principal=principal)
        return row["role"] if row else None

    async def is_principal(self, principal: str) -> bool:
        """Return whether a principal of that id was ever made."""
        row = await self.graph.one(Q.scopes.is_principal, id=principal)
        return bool(row["known"])

    async def visible(self, scopes: list[str]) -> list[Row]:
        return await self.graph.rows(Q.scopes.list_scopes, scopes=scopes)

    async def of_tenant(self, tenant: str) -> list[Row]:
        return await self.graph.rows(Q.scopes.of_tenant, tenant=tenant)

    async def policies(self, paths: list[str]) -> list[Row]:
        return await self.graph.rows(Q.scopes.policies, paths=paths)

    async def set_policy(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.scopes.set_policy, **row)

    async def rules(self, paths: list[str]) -> list[Row]:
        return await self.graph.rows(Q.scopes.rules, paths=paths)

    async def set_rules(self, **row: Any) -> Row | None:
        return await self.graph.optional(Q.scopes.set_rules, **row)
