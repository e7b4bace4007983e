"""Operations on one agent's traces in any order: always what a plain model says."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.conftest import Principal
from tests.traces.conftest import URL, posted, whole

OPERATIONS = ["start", "steps", "steps", "steps", "calls", "calls", "calls", "complete"]
STATUSES = ["pending", "success", "failure"]


@dataclass
class Model:
    """What the model knows of a trace: parts by key in the order of their coming."""

    task: str
    steps: dict[str, str] = field(default_factory=dict)
    calls: dict[str, list[Any]] = field(default_factory=dict)  # tool, status, step
    outcome: str | None = None


def add_steps(held: Model, keys: list[str]) -> int:
    new = [key for key in keys if key not in held.steps]
    if new and held.outcome:
        return 409
    held.steps.update({key: f"thought {key}" for key in new})
    return 201


def add_calls(held: Model, given: list[list[Any]]) -> int:
    """`given` has key, status and step of each; one bad call stops all."""
    new = [one for one in given if one[0] not in held.calls]
    if any(step is not None and step > len(held.steps) for _, _, step in new):
        return 404
    waiting = [
        one for one in given
        if one[0] in held.calls and held.calls[one[0]][1] == "pending" != one[1]
    ]  # fmt: skip
    if held.outcome and (new or waiting):
        return 409
    for key, status, step in new:
        held.calls[key] = [f"tool-{key}", status, step]
    for key, status, _ in waiting:
        held.calls[key][1] = status
    return 201


async def perform(who: Principal, models: dict[str, Model], dice: random.Random) -> None:
    """Carry out one operation that the dice choose, and the model's own of it."""
    name = dice.choice(OPERATIONS) if models else "start"
    if name == "start":
        task = f"task {len(models)}"
        models[(await posted(who, "", {"task": task}))["id"]] = Model(task)
        return
    trace, held = dice.choice(list(models.items()))
    keys = dice.sample("abcdefghij", dice.randrange(1, 4))
    if name == "steps":
        body: dict[str, Any] = {"steps": [{"key": k, "thought": f"thought {k}"} for k in keys]}
        await posted(who, f"/{trace}/steps", body, add_steps(held, keys))
    elif name == "calls":
        given = [[k, dice.choice(STATUSES), dice.choice([None, 1, 4])] for k in keys]
        body = {
            "tool_calls": [
                {"key": k, "tool": f"tool-{k}", "status": status, "step": step}
                for k, status, step in given
            ]
        }
        await posted(who, f"/{trace}/tool-calls", body, add_calls(held, given))
    else:
        outcome = dice.choice(["success", "failure"])
        status = 200 if held.outcome in (None, outcome) else 409
        held.outcome = held.outcome or outcome
        await posted(who, f"/{trace}/complete", {"outcome": outcome}, status)


async def same(who: Principal, models: dict[str, Model]) -> None:
    """Every trace, the list and the statistics are as the model has them."""
    for name, held in models.items():
        read = await whole(who, name)
        assert (read["trace"]["untrusted"]["task"], read["trace"]["outcome"]) == (
            held.task, held.outcome
        )  # fmt: skip
        assert [(s["number"], s["key"], s["untrusted"]["thought"]) for s in read["steps"]] == [
            (place, key, thought) for place, (key, thought) in enumerate(held.steps.items(), 1)
        ]
        found = [*read["tool_calls"], *(call for s in read["steps"] for call in s["tool_calls"])]
        assert [
            (c["number"], c["key"], c["tool"], c["status"], c["step"])
            for c in sorted(found, key=lambda call: call["number"])
        ] == [(place, key, *call) for place, (key, call) in enumerate(held.calls.items(), 1)]
        assert read["trace"]["tools"] == sorted(call[0] for call in held.calls.values())
    listed = (await who.http.get(URL, params={"limit": 200})).json()["items"]
    assert [one["id"] for one in listed] == list(models)[::-1]
    rows = (await who.http.get(f"{URL}/tool-statistics")).json()["items"]
    told = {row["tool"]: (row["calls"], row["successes"], row["failures"]) for row in rows}
    every = [call for held in models.values() for call in held.calls.values()]
    assert told == {
        tool: tuple(
            sum(call[0] == tool and call[1] in (which or STATUSES) for call in every)
            for which in ((), ("success",), ("failure",))
        )
        for tool in {call[0] for call in every}
    }


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_over_http_is_what_the_model_says(writer: Principal, seed: int) -> None:
    dice = random.Random(seed)  # order, not secrets
    models: dict[str, Model] = {}
    for number in range(60):
        await perform(writer, models, dice)
        if number % 20 == 19:
            await same(writer, models)
