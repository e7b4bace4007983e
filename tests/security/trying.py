"""What a trial is: one call by somebody who may see a thing, who is told of it, and the same call
by a stranger, who is not."""

from __future__ import annotations

from collections.abc import Iterable

import httpx

from bench.rights import Item
from tests.security.asking import Call, Door
from tests.security.silent import SILENT, plain
from tests.security.worlds import OK, Person, World, leaks, words

ACCEPT = {"accept": "application/json, text/event-stream"}
NOT_OFFERED = 501  # what a protocol has and Loci does not do
ASKED = 3  # of those who may see a thing, before it is said that nobody is told of it


async def send(who: Person, call: Call) -> httpx.Response:
    """The answer to a call."""
    headers = ACCEPT if call.path == "/mcp" else {}
    return await who.http.request(
        call.method, call.path, params=call.params, json=call.body, headers=headers
    )


def whole(answer: httpx.Response) -> str:
    """An answer with its head."""
    return f"{answer.status_code} {answer.headers.multi_items()}\n{answer.text}"


def done(call: Call, answer: httpx.Response) -> bool:
    """Whether something was read or done."""
    if answer.status_code not in OK or answer.text == "null":
        return False
    if call.path == "/graphql":
        told = answer.json()
        return not told.get("errors") and None not in told["data"].values()
    if call.path == "/mcp":
        told = answer.json()
        if "error" in told or told["result"].get("isError"):
            return False
        return not (told["result"].get("structuredContent") or {}).get("missing")
    return True


def wrong_with(world: World, who: Person, call: Call, answer: httpx.Response) -> list[str]:
    """What an answer tells that its reader may not be told, and whether the service broke."""
    told = f"{who.id}: {call.method} {call.asked}"
    found = [f"{one} told to {told}" for one in leaks(world, who, call.asked, whole(answer))]
    if answer.status_code >= 500 and answer.status_code != NOT_OFFERED:
        found.append(f"{answer.status_code} {answer.text[:300]} for {told}")
    return found


async def refused(world: World, who: Person, call: Call) -> list[str]:
    """What is wrong with the answer to a stranger: one who names a thing that he may not see is
    told that there is none."""
    answer = await send(who, call)
    wrong = wrong_with(world, who, call, answer)
    if call.secret and done(call, answer):
        wrong.append(f"done for {who.id}: {call.method} {call.asked}: {answer.text[:300]}")
    return wrong


async def told(world: World, call: Call, thing: Item, stranger: Person, wrong: list[str]) -> bool:
    """Whether somebody who may see a thing is told, by this call, of what a stranger may not."""
    for who in seers(world, thing)[:ASKED]:
        answer = await send(who, call)
        wrong += wrong_with(world, who, call, answer)
        if done(call, answer) and any(words(world, stranger, call.asked, whole(answer))):
            return True
    return False


def seers(world: World, thing: Item) -> list[Person]:
    """Who may see a thing: its owner, admins, others."""
    found = [one for one in world.people if thing.seen_by(one)]
    return sorted(found, key=lambda one: (one.id != thing.owner, one.role != "admin", one.id))


def strangers(world: World, thing: Item) -> list[Person]:
    """Who may not see a thing, admins where there are: one of its scope, of its tenant, and of
    another."""
    found = [one for one in world.people if not thing.seen_by(one)]
    found.sort(key=lambda one: (one.role != "admin", one.id))
    tenant = thing.scope.split("/")[0]
    beside = [one for one in found if one.sees(thing.scope)]
    near = [one for one in found if one.tenant == tenant and one not in beside]
    return [*beside[:1], *near[:1], *[one for one in found if one.tenant != tenant][:1]]


async def swept(world: World, door: Door) -> tuple[bool, list[str]]:
    """Whether a door tells those who may see something of what strangers may not be told, and what
    is wrong with its answers, for a thing of each kind that it is asked for; a list is asked for
    until it tells something."""
    wrong: list[str] = []
    found = False
    wide = door.named or (door.wide and plain(door.name) not in SILENT)
    for thing in some(door.things) if wide else either(door.things):
        call, others = door.call(thing), strangers(world, thing)
        found = await told(world, call, thing, others[-1], wrong) or found
        for who in others:
            wrong += await refused(world, who, call)
        if found and not door.named:
            break
    return found, wrong


def either(found: list[Item]) -> list[Item]:
    """A thing that somebody at home in a workspace has made, one that the admin has, and one of an
    agent's own leaf there; of another place where there are none in a workspace."""
    here = [one for one in found if one.scope.endswith("/a")] or found
    by_owner = {one.owner.startswith("user:"): one for one in here}
    own = [one for one in found if "/a/agent:" in one.scope]
    return [*by_owner.values(), *own[-1:]]


def some(found: Iterable[Item]) -> list[Item]:
    """One thing of each kind, of a workspace where there is one: those who are at home in the
    tenant, and beside the workspace, stand before it."""
    by_kind: dict[str, Item] = {}
    for one in found:
        if one.kind not in by_kind or one.scope.endswith("/a"):
            by_kind[one.kind] = one
    return [*by_kind.values()]
