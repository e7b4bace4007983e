"""Whether anybody is being answered: the API says so on Valkey, and workers look.

A Valkey that is away means that nobody is: work in the background then takes what it can get.
"""

from __future__ import annotations

from redis.exceptions import RedisError

from app.errors import QueueUnavailable
from app.jobs.queue import Queue
from app.kernel.periodic import Periodic

KEY = "loci:answering"
PROMPT = "prompt"  # what a route says of itself whose callers wait for the answer
EVERY = 0.5  # seconds between two words of an API, and between two looks of a worker
LASTS = 2000  # milliseconds for which one word holds


class Foreground:
    """What one process says and knows of it."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._seen = False
        self.answering = False
        self.saying = Periodic("foreground said", EVERY, self.say)
        self.looking = Periodic("foreground looked at", EVERY, self.look)

    def seen(self) -> None:
        """Somebody waits for an answer of this process. Returns at once."""
        self._seen = True

    async def say(self) -> None:
        """Tell all workers, where anybody was seen since the last time."""
        if not self._seen:
            return
        self._seen = False
        try:
            await (await self._queue.pool()).set(KEY, 1, px=LASTS)
        except (RedisError, OSError, QueueUnavailable):
            return  # workers take what they can get

    async def look(self) -> None:
        """Read whether any API has said so within the last two seconds."""
        try:
            self.answering = bool(await (await self._queue.pool()).exists(KEY))
        except (RedisError, OSError, QueueUnavailable):
            self.answering = False
