"""A buffer under any order of operations, by several at once, and killed: as a plain model says."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from dataclasses import dataclass, field

import pytest

from app.lifecycle.invariants import broken
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.conversations.conftest import URL, append, buffer, clear, search, told, window
from tests.lifecycle.test_kills import ROOT, environment

MOST = 10
KILLS = 3


@dataclass
class Model:
    """What is in a buffer, what is in mid-term memory, and what was said since the beginning."""

    buffer: list[str] = field(default_factory=list)
    mid_term: set[str] = field(default_factory=set)
    since: list[str] = field(default_factory=list)

    def append(self, said: list[str], *, begins: bool) -> None:
        """Let messages come in."""
        if begins:
            self.clear()
        for text in said:
            self.buffer.append(text)
            self.since.append(text)
            if len(self.buffer) > MOST:
                self.mid_term.add(self.buffer.pop(0))

    def clear(self) -> int:
        """Let all of them leave."""
        moved = len(self.buffer)
        self.mid_term |= set(self.buffer)
        self.buffer, self.since = [], []
        return moved


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_is_what_the_model_says(writer: Principal, seed: int) -> None:
    dice = random.Random(seed)  # order, not secrets
    talks = {name: Model() for name in ("one", "two")}
    number = 0
    for step in range(24):
        name = dice.choice([*talks])
        model = talks[name]
        if dice.random() < 0.15:
            assert await clear(writer, name) == model.clear()
        else:
            count = dice.choice([1, 1, 2, 3, 12])
            said = [f"The parcel number {number + n} of {name} is here." for n in range(count)]
            number += count
            begins = dice.random() < 0.1
            done = await append(writer, name, *said, begins=begins)
            model.append(said, begins=begins)
            assert done["buffered"] == len(model.buffer)
        if step % 6 == 5:
            await same(writer, talks)


async def same(who: Principal, talks: dict[str, Model]) -> None:
    """Buffer, window, figures and what is found are as the models have them."""
    for name, model in talks.items():
        assert await buffer(who, name) == model.buffer
        assert await window(who, name) == model.since[-50:]
        figures = await told(who, f"{URL}/{name}")
        assert (figures["buffered"], figures["mid_term"]) == (
            len(model.buffer),
            len(model.mid_term),
        )
    found = set(await search(who, "parcel here", limit=100))
    assert found <= set().union(*(model.mid_term for model in talks.values()))
    if sum(len(model.mid_term) for model in talks.values()) <= 50:
        assert found == set().union(*(model.mid_term for model in talks.values()))


async def test_those_who_append_at_once_lose_and_double_nothing(writer: Principal) -> None:
    async def work(name: str) -> None:
        for number in range(8):
            await append(writer, "talk", f"{name} says {number}.", f"{name} adds {number}.")

    await asyncio.gather(*(work(name) for name in ("Anvil", "Bellows", "Chisel")))
    said = await window(writer, "talk")
    figures = await told(writer, f"{URL}/talk")
    assert len(said) == len(set(said)) == figures["messages"] == 48
    assert (figures["buffered"], figures["mid_term"]) == (10, 38)
    assert await buffer(writer, "talk") == said[-10:]
    for name in ("Anvil", "Bellows", "Chisel"):
        own = [text for text in said if text.startswith(name)]
        assert own == [f"{name} {verb} {n}." for n in range(8) for verb in ("says", "adds")]


def victim(env: dict[str, str], who: Principal, name: str) -> subprocess.Popen[str]:
    """A process that appends, past its start."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.conversations.victim", who.key, name],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first == "ready\n", first + child.stdout.read()
    return child


async def whole(opened: Parts, who: Principal) -> list[str]:
    """What was said, after a look that nothing is lost, twice, or in two places."""
    rows = await opened.graph.raw(
        "MATCH (e:Episode {author: $who}) OPTIONAL MATCH (m:ConversationMessage {refers: e.id}) "
        "WITH e, collect(m) AS messages ORDER BY e.captured_at, e.id "
        "RETURN e.content AS text, size(messages) AS places, messages[0].state AS state",
        who=who.caller.principal,
    )
    assert all(row["places"] == 1 for row in rows), "each message is in one place"
    said, inside = await window(who, "talk"), await buffer(who, "talk")
    assert len(said) == min(len(rows), 50)
    assert said[-10:] == inside
    assert sorted(inside) == sorted(r["text"] for r in rows if r["state"] == "buffered")
    assert len(inside) == min(MOST, len(rows))
    return [row["text"] for row in rows]


@pytest.mark.slow
async def test_a_process_that_is_killed_moves_each_message_once(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", name="doomed")
    await append(who, "talk", *(f"The start has number {n}." for n in range(MOST)))
    env, dice, before = environment(opened), random.Random(7), MOST
    for kill in range(KILLS):
        child = victim(env, who, f"run{kill}")
        assert child.stdout is not None
        child.stdout.readline()  # one append is through
        await asyncio.sleep(dice.random() * 0.4)
        assert child.poll() is None, "the process was too quick"
        child.kill()
        child.communicate()
        said = await whole(opened, who)
        assert len(said) > before, "each run appended something"
        before = len(said)
        for run in range(kill + 1):
            own = [text for text in said if f"run{run} " in text]
            assert own == [f"The run{run} has number {n}." for n in range(len(own))]
    assert await broken(opened.graph, tenant) == []


async def test_two_processes_append_at_once(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", name="twin")
    env = environment(opened) | {"VICTIM_MOST": "25"}
    children = [victim(env, who, name) for name in ("left", "right")]
    ends = [await asyncio.to_thread(child.communicate) for child in children]
    assert all(out.endswith("done\n") for out, _ in ends), ends
    said = await whole(opened, who)
    assert sorted(said) == sorted(
        f"The {name} has number {n}." for name in ("left", "right") for n in range(25)
    )
