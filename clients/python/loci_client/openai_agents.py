"""A session of the OpenAI Agents SDK that Loci keeps: `loci-client[openai-agents]`.

Its items lie in short-term memory, which this agent alone reads. They are sanitised on their way
in, so what Loci redacts comes back redacted; an item whose ids it would change is refused.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from typing import Any

from loci_client.client import AsyncLoci
from loci_client.problems import LociError
from loci_client.sessions import Kept, letters, value_of

EXACT = ("id", "call_id", "encrypted_content")  # what the model's API compares with what it gave


class LociSession:
    """The history of one session, as `Runner.run(…, session=…)` takes it.

    An item lives `ttl` seconds, or until the session is cleared; `scope` is where it lies, the
    key's home by default.
    """

    session_settings: Any = None

    def __init__(
        self,
        session_id: str,
        loci: AsyncLoci | None = None,
        *,
        scope: str | None = None,
        ttl: int | None = None,
    ) -> None:
        self.session_id = session_id
        self._loci = loci or AsyncLoci()
        self._kept = Kept(session_id, scope, ttl, self._loci.retries)
        self._turn = asyncio.Lock()  # the items of two calls do not mix

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The last `limit` items, or all, oldest first."""
        rows = await self._loci.run(self._kept.rows())
        first = 0 if limit is None else max(0, len(rows) - limit)
        return [value_of(row) for row in rows[first:]]

    async def add_items(self, items: Sequence[Any]) -> None:
        """Add items behind those that there are."""
        async with self._turn:
            for item in items:
                key = letters(self.session_id, uuid.uuid4().hex)
                row = await self._loci.run(self._kept.keep(key, item))
                if changed := _changed(item, value_of(row)):
                    await self._loci.run(self._kept.drop(row))
                    raise LociError(f"the scope's policy has changed the {changed} of an item")

    async def pop_item(self) -> Any | None:
        """Take the last item out; None where there is none."""
        for row in reversed(await self._loci.run(self._kept.rows())):
            if await self._loci.run(self._kept.drop(row)):
                return value_of(row)
        return None

    async def clear_session(self) -> None:
        """Take all items out."""
        for row in await self._loci.run(self._kept.rows()):
            await self._loci.run(self._kept.drop(row))


def _changed(item: Any, kept: Any) -> str | None:
    """The field of an item that has to come back as it was, and does not."""
    if not isinstance(item, dict):
        return None
    return next((name for name in EXACT if item.get(name) != kept.get(name)), None)
