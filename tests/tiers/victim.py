"""A process that promotes what one agent's sessions were asked for often, killed at any line.

`python -m tests.tiers.victim SCOPE`: tells `ready` before it begins, and `done` at the end.
"""

from __future__ import annotations

import asyncio
import sys

from app.settings import read_settings
from app.tiers.receipt import Wanted
from app.wiring import parts


async def work(scope: str) -> None:
    """Promote what is due in a scope."""
    async with parts(read_settings()) as opened:
        tell("ready\n")
        await opened.tier_promotion.run(Wanted([scope]), dry_run=False)
        tell("done\n")


def tell(text: str) -> None:
    """Say something to who waits for it."""
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
