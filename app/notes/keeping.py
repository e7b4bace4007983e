"""What edits and baselines of core blocks share: nodes written, changed and dropped with the lock
of their scope held, and what is told of it."""

from __future__ import annotations

from app.errors import NotFound
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.kind import Kind, S


async def lock_scope(tx: Tx, scope: str) -> None:
    """Take the lock of a scope; NotFound (`scope`) where it is not there."""
    if await tx.optional(Q.scopes.lock_scope, path=scope, at=now()) is None:
        raise NotFound(f"there is no scope {scope}", field="scope")


async def add(tx: Tx, kind: Kind[S], value: S) -> None:
    """Write a new node."""
    await tx.rows(Q.kinds.restore, rows=[kind.new(value)])


async def change(tx: Tx, kind: Kind[S], value: S) -> None:
    """Write what a node is from now on."""
    await tx.rows(Q.kinds.change, rows=[kind.row(value)])


async def drop(tx: Tx, identifier: str) -> None:
    """Take a node out."""
    await tx.rows(Q.kinds.drop, ids=[identifier])


async def tell(tx: Tx, event: Row, target: str) -> None:
    """Write an audit event about a node."""
    await tx.rows(Q.scopes.tell, events=[{**event, "target": target}])
