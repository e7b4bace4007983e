"""An agent of a desktop: it has `loci mcp`, a program, and nothing else; the worker reads what was
said, and the story only waits for that."""

from __future__ import annotations

from functools import partial

from mcp import Client

from tests.mcp.talking import TURNS, Talk, converse, speaking
from tests.mcp.test_bridge import program
from tests.scenarios.stories.house import House, eventually


async def told(house: House) -> None:
    boss = await house.tenant("desktop")
    agent = await house.hire(boss, "desktop/nora", "helper")

    async def settle() -> None:
        ids = [item["id"] for item in (await agent.get("/v1/episodes"))["items"]]
        for aim in ("consolidated", "indexed"):
            read = partial(house.store.episodes.wait, ids, aim)
            await eventually(f"{ids} to be {aim}", read)

    key = agent.http.headers["Authorization"].removeprefix("Bearer ")
    async with speaking() as model, Client(program(house.running.port, key), mode="auto") as memory:
        await converse(Talk(TURNS), memory, model, settle)
