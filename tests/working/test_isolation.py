"""Tasks, agents, scopes and tenants never meet, and any order of operations does what a few
dictionaries do."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
from redis.asyncio import Redis

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.working.conftest import BASE, SHARES, Quick, items, lose

TRIALS = 2000
TASKS, NAMES = ("t1", "t2", "t1.x"), ("a", "b")
NAMED, SINGLE = ("keys", "results", "tools"), ("state", "conversation", "scratch-pad")


async def crowd(
    principal: MakePrincipal, quick: Quick, tenants: Sequence[str]
) -> dict[str, list[Principal]]:
    """Three agents of the same names in each tenant, who write to the same two scopes."""
    found: dict[str, list[Principal]] = {}
    for tenant in tenants:
        for scope in ("dev", "ops"):
            await principal(f"{tenant}/{scope}", name="nobody", role=Role.READER)
        made = [
            await principal(tenant, name=name, role=Role.ADMIN) for name in ("ada", "bob", "cy")
        ]
        found[tenant] = [await quick(who) for who in made]
    return found


async def test_nobody_reads_what_another_one_keeps(
    principal: MakePrincipal, quick: Quick, tenant: str
) -> None:
    chance = random.Random(7)
    tenants = (tenant, f"{tenant}-2")
    agents = await crowd(principal, quick, tenants)
    kept: dict[tuple[str, ...], str] = {}
    hits = 0
    start = time.monotonic()
    for trial in range(TRIALS):
        home, scope = chance.choice(tenants), chance.choice(("dev", "ops"))
        who = chance.choice(agents[home])
        other = chance.choice(agents[home]).caller.principal
        task, part, name = chance.choice(TASKS), chance.choice(NAMED), chance.choice(NAMES)
        place = {"scope": f"{home}/{scope}"}
        own = (home, scope, who.caller.principal, task, part, name)
        given = (home, scope, who.caller.principal, other, name)
        taken = (home, scope, other, who.caller.principal, name)
        kind = chance.choice(("put", "get", "share", "take", "list", "remove"))
        if kind in ("put", "share"):
            path = f"{BASE}/{task}/{part}/{name}" if kind == "put" else f"{SHARES}/{other}/{name}"
            said = f"{trial} {own if kind == 'put' else given}"
            answer = await who.http.put(path, json={"value": said}, params=place)
            assert answer.status_code == 200, answer.text
            kept[own if kind == "put" else given] = said
        elif kind in ("get", "take"):
            path = f"{BASE}/{task}/{part}/{name}" if kind == "get" else f"{SHARES}/{other}/{name}"
            answer = await who.http.get(path, params=place)
            wanted = kept.get(own if kind == "get" else taken)
            assert (answer.status_code == 200) == (wanted is not None)
            if wanted is not None:
                hits += 1
                assert answer.json()["untrusted"]["value"] == wanted
        elif kind == "list":
            wanted_items = sorted(f"{key[4]}/{key[5]}" for key in kept if key[:4] == own[:4])
            assert await items(who, task, **place) == wanted_items
        else:
            answer = await who.http.delete(f"{BASE}/{task}/{part}/{name}", params=place)
            assert (answer.status_code == 204) == (kept.pop(own, None) is not None)
    assert hits > TRIALS / 50
    assert time.monotonic() - start < 120  # on however busy a machine; alone it is a tenth of that


class Model:
    """What one agent's memory of a scope should hold: tasks of values, and their copies."""

    def __init__(self) -> None:
        self.tasks: dict[str, dict[str, Any]] = {}
        self.copies: dict[str, dict[str, Any]] = {}

    def put(self, task: str, path: str, value: Any) -> int:
        self.tasks.setdefault(task, {})[path] = copy.deepcopy(value)
        return 200

    def append(self, task: str, path: str, value: Any) -> int:
        held = self.tasks.setdefault(task, {})
        if path == "conversation":
            held[path] = [*held.get(path, []), value]
        else:
            held[path] = f"{held[path]}\n{value}" if held.get(path) else value
        return 200

    def remove(self, task: str, path: str) -> int:
        return 404 if self.tasks.get(task, {}).pop(path, self) is self else 204

    def clear(self, task: str) -> int:
        self.tasks.pop(task, None)
        return 200

    def persist(self, task: str) -> int:
        if not self.tasks.get(task):
            return 404
        self.copies[task] = copy.deepcopy(self.tasks[task])
        return 200

    def load(self, task: str, *, replace: bool) -> int:
        if task not in self.copies:
            return 404
        held, kept = self.tasks.setdefault(task, {}), copy.deepcopy(self.copies[task])
        self.tasks[task] = held | kept if replace else kept | held
        return 200

    def drop_copy(self, task: str) -> int:
        return 404 if self.copies.pop(task, None) is None else 204


def value_of(chance: random.Random, part: str) -> Any:
    """A value of a kind that the part holds."""
    words = [f"w{chance.randrange(99)}", "", "Grüße", "two words"]
    message = {"role": "user", "content": chance.choice(words), "at": chance.randrange(9)}
    if part == "conversation":
        return [message] * chance.randrange(3)
    if part == "scratch-pad":
        return chance.choice(words)
    nested = {"list": [1, None, chance.random()], "in": {"text": chance.choice(words)}}
    return chance.choice([chance.randrange(-99, 99), None, True, [], {}, *words, nested])


async def step(who: Principal, model: Model, chance: random.Random, valkey: Redis) -> None:
    """One operation on both sides."""
    task, part = chance.choice(TASKS), chance.choice((*NAMED, *SINGLE))
    path = part if part in SINGLE else f"{part}/{chance.choice(NAMES)}"
    kinds = ("put",) * 5 + ("append",) * 5 + ("remove",) * 2
    kind = chance.choice((*kinds, "clear", "persist", "load", "drop_copy", "lose"))
    url, value = f"{BASE}/{task}/{path}", value_of(chance, part)
    if kind == "put":
        answer = await who.http.put(url, json={"value": value})
        wanted = model.put(task, path, value)
    elif kind == "append":
        path = chance.choice(("conversation", "scratch-pad"))
        value = value_of(chance, path)
        value = {"content": "x"} if path == "conversation" else value
        answer = await who.http.post(f"{BASE}/{task}/{path}", json={"value": value})
        wanted = model.append(task, path, value)
    elif kind == "remove":
        answer, wanted = await who.http.delete(url), model.remove(task, path)
    elif kind == "clear":
        answer, wanted = await who.http.delete(f"{BASE}/{task}"), model.clear(task)
    elif kind == "persist":
        answer, wanted = await who.http.put(f"{BASE}/{task}/copy"), model.persist(task)
    elif kind == "load":
        replace = chance.random() < 0.5
        answer = await who.http.post(f"{BASE}/{task}/copy/load", json={"replace": replace})
        wanted = model.load(task, replace=replace)
    elif kind == "drop_copy":
        answer, wanted = await who.http.delete(f"{BASE}/{task}/copy"), model.drop_copy(task)
    else:
        await lose(valkey, who.caller.tenant)
        model.tasks.clear()
        return
    assert answer.status_code == wanted, (kind, task, path, answer.text)


async def check(who: Principal, model: Model) -> None:
    """That both sides hold the same."""
    filled = {task for task, held in model.tasks.items() if held}
    assert set((await who.http.get(BASE)).json()["items"]) >= filled
    for task in TASKS:
        held = model.tasks.get(task, {})
        assert await items(who, task) == sorted(held)
        for path, value in held.items():
            answer = await who.http.get(f"{BASE}/{task}/{path}")
            assert answer.json()["untrusted"]["value"] == value
    used = [(await who.http.get(f"{BASE}/{task}")).json()["bytes"] for task in TASKS]
    assert (await who.http.get(BASE)).json()["agent_bytes"] == sum(used)


@pytest.mark.parametrize("seed", range(6))
async def test_any_order_of_operations_does_what_dictionaries_do(
    opened: Parts, writer: Principal, quick: Quick, valkey: Redis, seed: int
) -> None:
    chance, model, who = random.Random(seed), Model(), await quick(writer)
    for number in range(60):
        await step(who, model, chance, valkey)
        if number % 6 == 5:
            await check(who, model)
    await check(who, model)
