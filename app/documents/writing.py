"""Chunks into the graph: an edit is the difference of two lists of chunks, in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.documents.record import Difference, difference
from app.errors import Conflict, NotFound
from app.jobs.queue import Wakeup
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx

TRIES = 5  # against other writers of the same text
TOGETHER = 500  # chunks that one query writes

Step = Callable[[Tx], Awaitable[None]]
Mark = Callable[[Tx], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The row that says what went, of which several removals may write one, with the document that
    goes this time and the audit event of it."""

    row: Row
    document: str
    event: Row


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Passages of a scope that go; with a receipt, what went with them is written down."""

    scope: str
    ids: list[str]
    receipt: Receipt | None = None


class Withdraw(Protocol):
    """Takes passages out with all that rests on them alone, inside a transaction of the caller's.

    `before` and `after` run in it, in front of the removal and behind it; all may run again.
    """

    async def __call__(self, what: Withdrawal, before: Step, after: Step) -> None:
        """Remove the passages."""


class _Moved(Exception):
    """The chunks are no longer what the difference was made from."""


@dataclass(frozen=True, slots=True)
class Target:
    """Whose chunks are written: the id of a document or page, its scope, and the receipt of what
    goes where there is to be one."""

    work: str
    scope: str
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """A page that has no chunks yet, with its first ones (of `record.chunk_rows`)."""

    target: Target
    rows: list[Row]


class ChunkWriter:
    """Turns the chunks of a document or page into those of its new text."""

    def __init__(self, graph: Graph, withdraw: Withdraw, wakeup: Wakeup) -> None:
        self._graph = graph
        self._withdraw = withdraw
        self._wakeup = wakeup

    async def replace(
        self, target: Target, rows: list[Row], also: Step | None = None
    ) -> Difference:
        """Make `rows` (of `record.chunk_rows`) the chunks of a work; [] removes them all.

        Chunks of equal words keep id, vector and claims; what rested on the ones that go alone
        goes with them. `also` runs at the end of the same transaction, for what the work itself
        keeps. Raises NotFound where the work is gone, Conflict where others write it all the time.
        """
        for _ in range(TRIES):
            try:
                return await self._attempt(target, rows, also)
            except _Moved:
                continue
        raise Conflict("others are writing the same text at this moment; try again")

    async def write_first(self, fresh: Sequence[Fresh], mark: Mark) -> bool:
        """Write the first chunks of many pages in one transaction, which ends with `mark`.

        Nothing is written, and False returned, where a page is gone, has chunks by now, or `mark`
        says so.
        """
        added = [row for one in fresh for row in one.rows]

        async def work(tx: Tx) -> None:
            ids = sorted(one.target.work for one in fresh)
            locked = await tx.rows(Q.chunks.lock_pages, works=ids, at=now())
            if len(locked) < len(ids) or any(row["cut"] for row in locked):
                raise _Moved
            await _write(tx, Difference(added=added))
            if not await mark(tx):
                raise _Moved

        try:
            await self._graph.write("chunks.write_first", work)
        except _Moved:
            return False
        if added:
            self._wakeup.set()
        return True

    async def _attempt(self, target: Target, rows: list[Row], also: Step | None) -> Difference:
        made = difference(await self._stored(self._graph, target), rows)

        async def before(tx: Tx) -> None:
            if await tx.optional(Q.chunks.lock, work=target.work, at=now()) is None:
                raise NotFound(f"there is no document {target.work}")
            again = difference(await self._stored(tx, target), rows)
            if again != made:
                raise _Moved

        async def after(tx: Tx) -> None:
            await _write(tx, made)
            if also is not None:
                await also(tx)

        what = Withdrawal(target.scope, made.dropped, target.receipt)
        await self._withdraw(what, before, after)
        if made.added or made.changed:
            self._wakeup.set()
        return made

    async def _stored(self, reader: Graph | Tx, target: Target) -> list[Row]:
        found = await reader.rows(Q.chunks.stored, work=target.work, scope=target.scope)
        return [row["chunk"] for row in found]


async def _write(tx: Tx, made: Difference) -> None:
    for start in range(0, len(made.added), TOGETHER):
        await tx.rows(Q.chunks.add, rows=made.added[start : start + TOGETHER])
    for start in range(0, len(made.changed), TOGETHER):
        part = made.changed[start : start + TOGETHER]
        await tx.rows(Q.chunks.change, rows=part)
        await tx.rows(Q.chunks.mirror, rows=[{"id": row["id"]} for row in part])
