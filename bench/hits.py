"""How many db hits statements cost, counted by the database itself (PROFILE)."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from neo4j import AsyncManagedTransaction, AsyncResult, AsyncSession, Query, Record


class Fetched:
    """The records of a result that was read to its end, so that its plan could be read as well."""

    def __init__(self, keys: tuple[str, ...], records: list[Record]) -> None:
        self._keys, self._records = keys, records

    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self._keys

    async def __aiter__(self) -> AsyncIterator[Record]:
        for record in self._records:
            yield record


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Let every statement of this process be profiled meanwhile: the db hits of each, by its text.

    Nothing else may run in the process.
    """
    hits: Counter[str] = Counter()
    session_run, tx_run = AsyncSession.run, AsyncManagedTransaction.run

    async def read(text: str, result: AsyncResult) -> Fetched:
        found = Fetched(result.keys(), [record async for record in result])
        hits[text] += _hits((await result.consume()).profile)
        return found

    async def in_session(self: AsyncSession, query: Any, *given: Any, **named: Any) -> Fetched:
        text = str(getattr(query, "text", query))
        asked = Query(f"PROFILE {text}", timeout=getattr(query, "timeout", None))
        return await read(text, await session_run(self, asked, *given, **named))

    async def in_tx(
        self: AsyncManagedTransaction, query: Any, *given: Any, **named: Any
    ) -> Fetched:
        return await read(str(query), await tx_run(self, f"PROFILE {query}", *given, **named))

    for kind, run in ((AsyncSession, in_session), (AsyncManagedTransaction, in_tx)):
        setattr(kind, "run", run)  # noqa: B010 -- a method of the driver's, put back below
    try:
        yield hits
    finally:
        for kind, former in ((AsyncSession, session_run), (AsyncManagedTransaction, tx_run)):
            setattr(kind, "run", former)  # noqa: B010


def _hits(plan: Mapping[str, Any] | None) -> int:
    """Return the hits of a plan with all that stands below it."""
    if plan is None:
        return 0
    below = sum(_hits(child) for child in plan.get("children", ()))
    return int(plan.get("args", {}).get("DbHits", 0)) + below
