"""What agents keep in every scope of the world: by each door of `bench.doors`, what hangs on it or
lies beside it, and what can be made once all of it has vectors."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from app.kernel.clock import now
from app.kernel.ids import new_id
from bench.doors import CHANGES, WRITES, Draw
from bench.isolation import item_of
from bench.rights import Item, Register
from tests.security.worlds import OK, Person, Place, World

# Parameters of paths that name what this module makes beside the doors.
FURTHER = ("webhook", "delivery", "edit", "row", "snapshot", "policy", "key_id", "intent", "batch")
WEEK = 8  # texts that a baseline rests on
NOWHERE = "http://127.0.0.1:9"  # where a webhook posts to, and nobody listens


async def kept(world: World, place: Place) -> list[Item]:
    """Write by every door in one scope."""
    who, rng = world.dwellers[place.path], random.Random(place.token)
    register, found = Register(rng), []
    for kind, door in WRITES.items():
        draw = Draw(who, register.word("k"), register.word("zq"), [*world.people], rng)
        told = door(draw)
        answer = await ask(who, told.method, told.path, told.body)
        found.append(item_of(kind, draw, told, answer))
    for thing in found:
        await _changed(who, thing)
    return [*found, *await _hung(who, found, register), *await _beside(world, who, register)]


async def ask(who: Person, method: str, path: str, body: Any = None) -> Any:
    """What an answer says, which is one of success."""
    answer = await who.http.request(method, path, json=body)
    assert answer.status_code in OK, (method, path, answer.text)
    return answer.json() if answer.content else {}


async def _changed(who: Person, thing: Item) -> None:
    """Change a thing to the same words, so that it has versions, events and steps."""
    for name in CHANGES.keys() & thing.ids.keys() - {"segment", "context"}:
        method, path, body = CHANGES[name]
        text = f"The harbour crane {thing.key} stands at berth {thing.marker} again."
        await ask(who, method, path.format(thing.ids[name]), body(text))


async def _hung(who: Person, found: list[Item], register: Register) -> list[Item]:
    """A row of a table, an entry and a snapshot of a context, a copy of working memory, two slots,
    a trace that has ended."""
    of = {item.kind: item for item in found}
    table, context = of["table"].ids["table"], of["context"].ids["context"]
    marks = [register.word("zq") for _ in range(4)]
    rows = {"rows": [{"crane": marks[0]}]}
    wrote = await ask(who, "POST", f"/v1/tables/{table}/rows", rows)
    entry = {"key": "berth", "content": {"text": f"The crane {marks[1]} is oiled."}}
    made = await ask(who, "POST", f"/v1/contexts/{context}/entries", entry)
    taken = await ask(who, "POST", f"/v1/contexts/{context}/snapshots", {"name": marks[2]})
    await ask(who, "PUT", f"/v1/working-memory/{of['working'].ids['task']}/copy")
    for loaded in (of["note"], of["own memory"]):
        await ask(who, "PUT", f"/v1/slots/{loaded.ids['memory_id']}", {"relevance": 0.5})
    ended = await _trace(who, marks[3])
    return [
        item("row", who, marks[0], table=table, row=wrote["ids"][0]),
        item("entry", who, marks[1], context=context, entry=made["id"]),
        item("ended trace", who, marks[3], ended=ended),
        item("context snapshot", who, marks[2], context=context, snapshot=taken["id"]),
    ]


async def _trace(who: Person, mark: str) -> str:
    """A trace with a tool's call that has ended; to one that runs steps are added."""
    task = {"task": f"The harbour crane {mark} is asked.", "session": mark}
    trace = str((await ask(who, "POST", "/v1/traces", task))["id"])
    step = {"thought": "Ask the crane.", "tool_calls": [{"tool": mark, "status": "success"}]}
    await ask(who, "POST", f"/v1/traces/{trace}/steps", {"steps": [step]})
    await ask(who, "POST", f"/v1/traces/{trace}/complete", {"outcome": "success"})
    return trace


async def _beside(world: World, who: Person, register: Register) -> list[Item]:
    """A key, a webhook with a delivery, a proposed edit of a block, a suggested policy."""
    hooked, edited = register.word("zq"), register.word("zq")
    hook = await ask(who, "POST", "/v1/webhooks", {"url": f"{NOWHERE}/{hooked}"})
    sent = await ask(who, "POST", f"/v1/webhooks/{hook['id']}/test")
    for n in range(WEEK):
        said = {"content": f"Day {n}: you watch the crane {edited}.", "session": edited}
        await ask(who, "POST", "/v1/episodes", said)
    block = "/v1/core-blocks/persona"
    await ask(who, "PUT", block, {"content": f"You watch crane {edited}."})
    await ask(who, "PUT", f"{block}/protection", {"quorum": 1})
    edit = await ask(who, "POST", f"{block}/edits", {"content": f"You watch the crane {edited}."})
    key, suggested = who.key.split("_")[1], await policy(world, who.home)
    return [
        item("webhook", who, hooked, only=keepers(world, who), webhook=hook["id"],
             delivery=sent["id"]),
        item("edit", who, edited, edit=edit["id"]),
        item("policy", who, suggested, policy=suggested),
        item("key", who, key, key_id=key),
    ]  # fmt: skip


async def measured(who: Person) -> Item:
    """The baseline of a block, which takes a week's texts with vectors."""
    made = await ask(who, "PUT", "/v1/core-blocks/persona/baseline")
    return item("baseline", who, made["id"], baseline=made["id"])


def item(
    kind: str, who: Person, marker: str, *, only: frozenset[str] | None = None, **ids: str
) -> Item:
    """A thing as the model knows it."""
    return Item(kind, marker, marker, who.home, who.id, ids, only)


def keepers(world: World, who: Person) -> frozenset[str]:
    """Who is shown a webhook: its maker, and who administers its scope."""
    return frozenset(
        one.id
        for one in world.people
        if one is who or (one.role == "admin" and one.sees(who.home) and _holds(one, who.home))
    )


def _holds(one: Person, scope: str) -> bool:
    return one.home == scope or (one.everything and scope.startswith(f"{one.home}/"))


async def policy(world: World, scope: str) -> str:
    """A policy that twenty reviews suggest, which are taken away again."""
    at, graph = now() - timedelta(days=1), world.opened.graph
    rows = [
        {"id": new_id(), "scope": scope, "at": at, "verdict": "accept", "decided_by": "user:x:iso"}
        for _ in range(20)
    ]
    await graph.raw("UNWIND $rows AS row CREATE (n:Review) SET n = row", rows=rows)
    (made,) = (await world.opened.intervening.suggest([scope], dry_run=False)).ids
    await graph.raw(
        "MATCH (n:Review {decided_by: 'user:x:iso'}) WHERE n.scope = $scope DETACH DELETE n",
        scope=scope,
    )
    return made
