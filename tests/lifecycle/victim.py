"""A process that consolidates, condenses, remembers and erases in one scope, killed at any line.

`python -m tests.lifecycle.victim SCOPE ID,ID,…`: tells `ready` before it begins and `done` at the
end; run again, it goes on.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta

from app.access.service import operator
from app.consolidation.fast import Observation
from app.errors import LeaseLost
from app.kernel.caller import Caller
from app.lifecycle.erasure import Order, new_receipt
from app.lifecycle.model import Target
from app.settings import read_settings
from app.wiring import Parts, parts

START = datetime(2026, 3, 1, tzinfo=UTC)
HOMES = ("Aachen", "Rostock", "Mainz", "Graz", "Cottbus", "Basel")  # far from each other


async def remember(opened: Parts, caller: Caller, scope: str, count: int) -> None:
    """Another home for the same people, month after month: each revises the last."""
    for place in range(count):
        said = START + timedelta(days=place)
        text = f"Ada Berger lives in {HOMES[place]}."
        seen = Observation("fast", "user", text=text, scope=scope, said_at=said)
        await opened.fast.remember(caller, seen)


async def erase(opened: Parts, caller: Caller, ids: list[str]) -> None:
    """Erase episodes; what an earlier run erased is finished."""
    for episode in ids:
        target = Target("memory", episode)
        if await opened.erasure.exists(caller, target):
            await opened.erasure.erase(Order(caller, target, new_receipt()))
        else:
            receipt = await opened.erasure.find_receipt(caller, target)
            assert receipt is not None, episode
            await opened.erasure.finish(receipt["id"])


async def condense(opened: Parts, scope: str) -> None:
    """Notes of what is held meanwhile, several times over."""
    for _ in range(5):
        await opened.condensing.condense_all(scope)


async def consolidate(opened: Parts, scope: str) -> None:
    """Read what waits; who lost his lease, for whatever took so long, begins again, as a worker's
    lanes do."""
    while True:
        try:
            await opened.consolidation.consolidate(scope)
        except LeaseLost:
            continue
        return


async def work(scope: str, ids: list[str]) -> None:
    """All of it, from whatever an earlier run has left."""
    async with parts(read_settings()) as opened:
        caller = operator(scope.partition("/")[0], [scope])
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.gather(
            consolidate(opened, scope),
            remember(opened, caller, scope, len(HOMES)),
            condense(opened, scope),
        )
        await consolidate(opened, scope)
        await opened.condensing.condense(scope)
        await erase(opened, caller, ids)
        await opened.condensing.condense_all(scope)
        sys.stdout.write("done\n")


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2].split(",")))
