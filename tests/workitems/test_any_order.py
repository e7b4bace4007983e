"""Several agents at one tree over HTTP, in any order: always what a plain model says."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.conftest import MakePrincipal, Principal
from tests.workitems.conftest import advance, tree
from tests.workitems.test_routes import URL, WAYS

WORDS = ["plan", "build", "ship"]
OPERATIONS = ["create", "create", "below", "title", "tags", "advance", "advance", "advance", "link"]
OPERATIONS += ["unlink", "delete", "cut"]


@dataclass
class Item:
    """What the model knows of an item."""

    title: str
    parent: str | None
    tags: list[str] = field(default_factory=list)
    state: str = "todo"
    version: int = 1
    history: list[tuple[str, str, str]] = field(default_factory=list)
    links: set[str] = field(default_factory=set)


Model = dict[str, Item]


def below(model: Model, item: str) -> list[str]:
    """Everything below an item."""
    found = [name for name, each in model.items() if each.parent == item]
    return [*found, *(deeper for name in found for deeper in below(model, name))]


async def put(who: Principal, model: Model, item: str, **change: Any) -> None:
    """Change a field, here and there."""
    answer = await who.http.patch(f"{URL}/{item}", json=change)
    held = model.get(item)
    assert answer.status_code == (200 if held else 404)
    for name, value in change.items() if held else ():
        assert held is not None
        held.version += getattr(held, name) != value
        setattr(held, name, value)


async def go(who: Principal, model: Model, item: str, to: str) -> None:
    """Advance, here and there."""
    status, held = await advance(who, item, to), model.get(item)
    assert status == (404 if held is None else 200 if to in WAYS[held.state] else 409)
    if held is not None and status == 200:
        held.history.append((held.state, to, who.caller.principal))
        held.state, held.version = to, held.version + 1


async def perform(who: Principal, model: Model, dice: random.Random, notes: list[str]) -> None:
    """Carry out one operation that the dice choose, and the model's own of it."""
    name, word = dice.choice(OPERATIONS), dice.choice(WORDS)
    item = dice.choice([*model, "none"]) if name not in ("create",) else None
    note = dice.choice(notes)
    if name in ("create", "below"):
        body = {"title": word, **({"parent_id": item} if item else {})}
        answer = await who.http.post(URL, json=body)
        assert answer.status_code == (201 if item is None or item in model else 404)
        if answer.status_code == 201:
            model[answer.json()["id"]] = Item(word, item)
        return
    assert item is not None
    held = model.get(item)
    if name == "title":
        await put(who, model, item, title=word)
    elif name == "tags":
        await put(who, model, item, tags=dice.sample(WORDS, 2))
    elif name == "advance":
        await go(who, model, item, dice.choice(list(WAYS)))
    elif name == "link":
        answer = await who.http.post(f"{URL}/{item}/links", json={"memory": note})
        assert answer.status_code == (201 if held else 404)
        if held:
            held.links.add(note)
    elif name == "unlink":
        answer = await who.http.delete(f"{URL}/{item}/links/{note}")
        assert answer.status_code == (204 if held and note in held.links else 404)
        if held:
            held.links.discard(note)
    else:
        deep = below(model, item)
        query = {"subtree": name == "cut"}
        answer = await who.http.delete(f"{URL}/{item}", params=query)
        refused = bool(deep) and name == "delete"
        assert answer.status_code == (404 if held is None else 409 if refused else 204)
        if answer.status_code == 204:
            for gone in (item, *deep):
                del model[gone]


async def same(who: Principal, model: Model) -> None:
    """Every item, every tree and the list are as the model has them."""
    for name, held in model.items():
        read = await tree(who, name, depth=8)
        item = read["item"]
        assert (item["untrusted"]["title"], item["untrusted"]["tags"]) == (held.title, held.tags)
        assert (item["state"], item["version"], item["parent_id"]) == (
            held.state, held.version, held.parent
        )  # fmt: skip
        assert [(s["before"], s["to"], s["by"]) for s in read["history"]] == held.history
        assert {link["memory"] for link in read["links"]} == held.links
        if read["complete"]:
            assert {each["id"] for each in read["below"]} == {*below(model, name)}
    for state in WAYS:
        page = await who.http.get(URL, params={"state": state, "limit": 200})
        listed = [item["id"] for item in page.json()["items"]]
        assert listed == sorted(name for name, held in model.items() if held.state == state)


@pytest.mark.parametrize("seed", range(4))
async def test_any_order_over_http_is_what_the_model_says(
    writer: Principal, principal: MakePrincipal, tenant: str, seed: int
) -> None:
    dice = random.Random(seed)  # order, not secrets
    other = await principal(f"{tenant}/dev", name="other")
    notes = []
    for word in ("The store moves in March.", "The lease ends in May."):
        notes.append((await writer.http.post("/v1/notes", json={"content": word})).json()["id"])
    model: Model = {}
    for number in range(60):
        await perform(dice.choice([writer, other]), model, dice, notes)
        if number % 10 == 9:
            await same(dice.choice([writer, other]), model)


async def test_agents_at_once_end_where_one_order_would(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    """Each agent advances one item along legal ways as fast as it can: the history is one walk."""
    made = (await writer.http.post(URL, json={"title": "walk"})).json()["id"]
    crew = [await principal(f"{tenant}/dev", name=f"w{number}") for number in range(4)]
    dice = random.Random(3)  # order, not secrets
    plans = [dice.choices(["todo", "in_progress", "blocked"], k=10) for _ in crew]

    async def work(who: Principal, plan: list[str]) -> int:
        return sum([await advance(who, made, to) == 200 for to in plan])

    won = await asyncio.gather(*map(work, crew, plans))
    read = await tree(writer, made)
    assert read["item"]["version"] == 1 + sum(won) == 1 + len(read["history"])
    state = "todo"
    for step in read["history"]:
        assert step["before"] == state
        assert step["to"] in WAYS[state]
        state = step["to"]
    assert read["item"]["state"] == state
