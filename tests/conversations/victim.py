"""A process that appends one message after another, killed at any line.

`python -m tests.conversations.victim KEY NAME`: tells `ready` before it begins, `.` after its first
message, and `done` at the end, after `VICTIM_MOST` messages.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace

from app.episodes.model import Capture
from app.kernel.clock import now
from app.settings import read_settings
from app.wiring import parts


async def work(key: str, name: str, most: int) -> None:
    """Append to the conversation `talk`."""
    async with parts(read_settings()) as opened:
        caller = replace(await opened.keys.resolve(key), request=name)
        tell("ready\n")
        for number in range(most):
            caller, talk = await opened.conversations.opened(caller, "talk", None)
            said = Capture(
                content=f"The {name} has number {number}.",
                session=talk.conversation,
                role="user",
                scope=talk.scope,
                captured_at=now(),
            )
            await opened.conversations.append(caller, talk, [said])
            if number == 0:
                tell(".\n")
        tell("done\n")


def tell(text: str) -> None:
    """Say something to who waits for it."""
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], int(os.environ.get("VICTIM_MOST", "100000"))))
