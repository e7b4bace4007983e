"""What is told without being asked for each time: streams of events, webhooks, notifications."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from mcp.client.subscriptions import ResourceUpdated

from bench.rights import IDS
from tests.events.conftest import stream
from tests.mcp.test_listening import Listen, until
from tests.security import keeping
from tests.security.worlds import Person, World
from tests.webhooks.conftest import WAIT, Receiver, receiving, sender_of

BEGINNING = {"after": "0.0"}  # of a stream that tells everything


async def heard(who: Person, **params: str) -> str:
    """What a stream of events tells somebody before it ends."""
    answer = await who.http.get("/v1/events", params=params)
    assert answer.status_code == 200, answer.text
    return answer.text


def told_wrongly(world: World, who: Person, told: str) -> list[str]:
    """Things of which somebody was told the id or a word, though he may not see them."""
    ids = set(IDS.findall(told))
    return [
        f"{one.kind} of {one.owner} told to {who.id}"
        for one in world.things
        if not one.seen_by(who) and (ids.intersection(one.served) or one.marker in told)
    ]


async def from_the_beginning(world: World) -> list[str]:
    """What the streams of events tell from their beginning, to everybody."""
    wrong = []
    told = await asyncio.gather(*(heard(who, **BEGINNING) for who in world.people))
    for who, text in zip(world.people, told, strict=True):
        wrong += told_wrongly(world, who, text)
        ids = set(IDS.findall(text))
        own = [one for one in world.things if one.seen_by(who) and ids.intersection(one.served)]
        assert own, f"nothing was told to {who.id}"
    return wrong


async def from_now_on(world: World, address: str) -> None:
    """Read everybody's stream while somebody writes in each scope."""
    notes: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(stream(address, who.plain)) for who in world.people
        ]
        for home in sorted(world.dwellers, key=lambda one: "/" not in one):  # tenants last
            body = {"content": f"Low tide at {home}."}
            made = await keeping.ask(world.dwellers[home], "POST", "/v1/notes", body)
            notes[made["id"]] = home
        last = {path: note for note, path in notes.items()}
        for who, reader in zip(world.people, streams, strict=True):
            target = ""
            while target != last[who.tenant]:
                target = (await reader.next())["target"]
                assert who.sees(notes.get(target, who.home)), f"{notes[target]} told to {who.id}"


async def deliveries(world: World) -> list[str]:
    """What webhooks of each scope are sent while somebody writes in each."""
    sender, wrong = sender_of(world.opened), []
    receivers: dict[str, Receiver] = {}
    hooks: dict[str, str] = {}
    notes: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        for home, who in world.dwellers.items():
            receivers[home] = await stack.enter_async_context(receiving())
            body = {"url": receivers[home].url}
            hooks[home] = (await keeping.ask(who, "POST", "/v1/webhooks", body))["id"]
        for home, who in world.dwellers.items():
            body = {"content": f"Spring tide at {home}."}
            notes[home] = (await keeping.ask(who, "POST", "/v1/notes", body))["id"]
        async with asyncio.timeout(WAIT):
            while not all(notes[home] in one.targets for home, one in receivers.items()):
                for due in await sender.due():
                    if due.key in hooks.values():
                        await sender.turn(due)
                await asyncio.sleep(0.01)
        for home, who in world.dwellers.items():
            told = repr(receivers[home].got)
            wrong += told_wrongly(world, who, told)
            others = [other for other, note in notes.items() if note in told and other != home]
            wrong += [f"a note of {other} told to {home}" for other in others]
            await keeping.ask(who, "DELETE", f"/v1/webhooks/{hooks[home]}")
    return wrong


async def notifications(world: World, listen: Listen) -> None:
    """Read everybody's notifications while a page of each scope changes."""
    uris = {place.path: f"loci://page/{place.ids['page'][0]}" for place in world.places}
    people = [*world.dwellers.values(), *world.callers]
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(listen(who, resource_subscriptions=[*uris.values()]))
            for who in people
        ]
        for place in sorted(world.places, key=lambda one: "/" not in one.path):  # tenants last
            path, token = f"/v1/pages/{place.ids['page'][0]}", place.token
            body = {"content": f"Low tide. See [[Quay {token}]] near Dock {token}."}
            await keeping.ask(world.boss(place.path), "PATCH", path, body)
        for who, stream in zip(people, streams, strict=True):
            before = await until(stream, ResourceUpdated(uris[who.tenant]))
            seen = {uri for path, uri in uris.items() if who.sees(path)}
            assert {one.uri for one in before if isinstance(one, ResourceUpdated)} <= seen, who.id
