"""A process that lets the model read one scope and consolidates what it adds, killed at any line.

`python -m tests.llm.victim SCOPE`: tells `ready` before it begins and `done` at the end.
"""

from __future__ import annotations

import asyncio
import sys

from app.settings import read_settings
from app.wiring import parts


async def work(scope: str) -> None:
    """Read and consolidate until nothing is due."""
    async with parts(read_settings()) as opened:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while (await opened.model_reader.read_scope(scope)).taken:
            await opened.consolidation.consolidate(scope)
        sys.stdout.write("done\n")


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
