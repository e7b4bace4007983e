"""The facade in this process: the same story, told over HTTP and over the application itself."""

from __future__ import annotations

import asyncio
from typing import Any

from app import client
from app.cli.keys import mint, revoke
from app.kernel.caller import Role
from app.settings import Settings
from app.wiring import Parts
from loci_client import LociProblem, Memory
from tests.clients.test_memory import worker

SAID = "Runa Voss works for Halden Logistics."


def settled(memory: Memory, talk: list[dict[str, str]]) -> int:
    """How many of the messages were there already, once what they say is known."""
    for _ in range(6):
        again = memory.add(talk, user="runa", wait="consolidated")
        if all(receipt.consolidated for receipt in again.receipts):
            return again.duplicates
    raise TimeoutError("what was said is not consolidated after two minutes")


def story(memory: Memory) -> list[Any]:
    """What each verb answers, without what differs by chance: ids and moments."""
    told: list[Any] = []
    talk = [{"role": "user", "content": SAID}, {"role": "assistant", "content": "I see."}]
    added = memory.add(talk, user="runa", tags=["move"])
    told += [[r.status for r in added.receipts], settled(memory, talk)]
    found = memory.search("Whom does Runa Voss work for?", user="runa", kinds=["episode"], limit=1)
    told += [[(hit.kind, hit.text, hit.role, hit.speaker) for hit in found], found.tokens]
    told.append(SAID in memory.context("Whom does Runa Voss work for?", user="runa").text)
    facts = list(memory.facts("Runa Voss", user="runa"))
    told.append([(fact.statement, fact.status, round(fact.trust, 2)) for fact in facts])
    told += [memory.forget(found.hits[0].id), memory.forget(user="runa") > 0]
    told.append(list(memory.facts(user="runa")))
    try:
        memory.search("Halden", limit=1000)
    except LociProblem as problem:
        told.append((problem.status, problem.code, problem.field))
    return told


async def test_a_story_is_the_same_in_process_and_over_http(
    address: str, opened: Parts, settings: Settings, tenant: str
) -> None:
    def here() -> list[Any]:
        with client.memory(client.Agent(f"{tenant}/near", "teller", "walk"), settings) as memory:
            return story(memory)

    def there(key: str) -> list[Any]:
        with Memory(f"{tenant}/far", session="walk", url=address, key=key) as memory:
            return story(memory)

    minted = await mint(
        opened, f"{tenant}/far", kind="agent", name="teller", role=Role.ADMIN, subtree=True
    )
    async with worker(opened, f"{tenant}/far/user:runa"):
        far = await asyncio.to_thread(there, minted.text)
    await revoke(opened, tenant, minted.id)
    near = await asyncio.to_thread(here)
    assert near == far
    assert near[-1] == (422, "InvalidInput", "limit")
    assert near[5] == [(SAID.rstrip("."), "active", near[5][0][2])]


async def test_a_program_with_a_loop_has_the_same(
    opened: Parts, settings: Settings, tenant: str
) -> None:
    agent = client.Agent(f"{tenant}/loop", "teller")
    async with client.async_memory(agent, settings) as memory:
        await memory.add("The barn door squeaks.", wait="indexed")
        assert "squeaks" in (await memory.context("What does the barn door do?")).text
    keys = await opened.access_rows.list_keys(tenant, [f"{tenant}/loop", tenant])
    assert [key["revoked_at"] is not None for key in keys] == [True]
