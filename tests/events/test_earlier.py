"""Clients who come back at once, each from another place, have the rest of what came: each event
once, whatever the others have read."""

from __future__ import annotations

import asyncio
import random

from app.events.repository import PAGE
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.wiring import Parts
from tests.conftest import Principal
from tests.events.conftest import stream
from tests.events.test_stream import say

CAPTURES = 12
BETWEEN = PAGE // 4  # events beside the audit trail, between two captures


async def test_everybody_who_comes_back_has_the_rest_once(
    opened: Parts, writer: Principal, address: str
) -> None:
    home, chance = writer.caller.home, random.Random(7)
    wanted: set[str] = set()
    for turn in range(CAPTURES):
        wanted.add(await say(writer, f"Turn {turn} of the watch."))
        names = [f"e{turn}-{n}" for n in range(BETWEEN)]
        rows = [told("job.done", home, name, now()) for name in names]
        await opened.graph.rows(Q.events.put, rows=rows)
        wanted.update(names)

    async def read(last: str, count: int) -> list[tuple[str, str]]:
        """The ids of so many events, each with what it is about."""
        async with stream(address, writer, last, kinds=["job.done", "capture"]) as reader:
            return [((await reader.next())["target"], reader.last) for _ in range(count)]

    async def come_back(first: list[tuple[str, str]]) -> None:
        """Go away after some events, once more after some others, and read the rest."""
        known = first[: chance.randrange(1, len(first) - 10)]
        more = await read(known[-1][1], chance.randrange(1, len(first) - len(known) - 1))
        known = [*known, *more]
        known += await read(known[-1][1], len(wanted) - len(known))
        assert len(known) == len(wanted)
        assert {target for target, _ in known} == wanted

    whole = await read("0.0", len(wanted))
    assert {target for target, _ in whole} == wanted
    await asyncio.gather(*(come_back(whole) for _ in range(12)))
    # What comes now is told to one who has read everything, though the pages before it are kept.
    late = await say(writer, "The watch is over.")
    assert [target for target, _ in await read(whole[-1][1], 1)] == [late]
