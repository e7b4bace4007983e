"""The slots of an agent: the pure rules, and the routes before the real Valkey."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from app.kernel.caller import Role
from app.tiers.slots import Slots, dumped, held, text_of
from app.wiring import Parts
from app.working.model import Eviction
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, switch
from tests.lifecycle.test_person import erased

__all__ = ["switch"]

URL = "/v1/slots"
LRU, RELEVANCE = Eviction.LRU, Eviction.RELEVANCE
AT = "2026-01-01T00:00:00+00:00"


def filled(size: int, eviction: Eviction, relevances: list[float]) -> Slots:
    slots = Slots(size, eviction)
    for n, relevance in enumerate(relevances):
        slots, _ = slots.load(f"m{n}", relevance, AT)
    return slots


def test_the_same_memory_twice_is_one_slot_with_the_later_relevance() -> None:
    slots, gone = filled(8, RELEVANCE, [0.5]).load("m0", 0.9, AT)
    assert [(s.index, s.memory, s.relevance) for s in slots.loaded] == [(0, "m0", 0.9)]
    assert gone == ()


@pytest.mark.parametrize(
    ("eviction", "relevances", "leaves"),
    [
        (RELEVANCE, [0.9, 0.2, 0.8, 0.2], "m1"),  # the first loaded of the least relevant
        (LRU, [0.9, 0.2, 0.8, 0.2], "m0"),  # the first loaded, whatever its relevance
    ],
)
def test_what_leaves_for_another(eviction: Eviction, relevances: list[float], leaves: str) -> None:
    slots, gone = filled(4, eviction, relevances).load("new", 0.0, AT)
    assert gone == (leaves,)
    assert sorted(s.index for s in slots.loaded) == [0, 1, 2, 3]
    new = slots.of("new")
    assert new is not None, "what is loaded is there, however little it is worth"
    assert new.index == int(leaves[1:])


def test_what_was_used_stays_longer() -> None:
    slots = filled(3, LRU, [0.5, 0.5, 0.5]).use("m0", AT)
    assert slots.load("new", 0.5, AT)[1] == ("m1",)
    again, _ = slots.load("m1", 0.1, AT)
    assert again.load("new", 0.5, AT)[1] == ("m2",)


def test_fewer_slots_keep_what_is_worth_most() -> None:
    slots = filled(4, RELEVANCE, [0.1, 0.4, 0.3, 0.9])
    fewer, gone = Slots(2, RELEVANCE, slots.loaded).fitted()
    assert sorted((s.index, s.memory) for s in fewer.loaded) == [(0, "m3"), (1, "m1")]
    assert set(gone) == {"m0", "m2"}
    assert held(dumped(fewer.loaded)) == fewer.loaded


@pytest.mark.parametrize("eviction", [RELEVANCE, LRU])
def test_what_is_loaded_again_stays_where_there_are_fewer_slots(eviction: Eviction) -> None:
    slots = Slots(4, eviction, filled(8, eviction, [0.9] * 8).loaded)
    fewer, gone = slots.load("m0", 0.0, AT)
    again = fewer.of("m0")
    assert again is not None
    assert (again.index, again.relevance) == (0, 0.0)
    assert (len(fewer.loaded), len(gone)) == (4, 4)
    assert {s.index for s in fewer.loaded} == {0, 1, 2, 3}


def test_any_order_is_what_a_list_says() -> None:
    for seed in range(300):
        draw = random.Random(seed)
        size, eviction = draw.randint(1, 16), draw.choice([LRU, RELEVANCE])
        slots, model, turn = Slots(size, eviction), {}, 0
        for _ in range(60):
            memory, turn = f"m{draw.randint(0, 20)}", turn + 1
            match draw.choice(["load", "load", "use", "unload"]):
                case "load":
                    relevance = draw.choice([0.0, 0.3, 0.7, 1.0])
                    slots, gone = slots.load(memory, relevance, AT)
                    first = model[memory][1] if memory in model else turn
                    expected: tuple[str, ...] = ()
                    if memory not in model and len(model) == size:
                        by = 2 if eviction is LRU else 0
                        worst = min(model, key=lambda m: (model[m][by], model[m][1]))
                        expected = (worst,)
                        del model[worst]
                    model[memory] = (relevance, first, turn)
                    assert gone == expected, seed
                case "use":
                    slots = slots.use(memory, AT)
                    if memory in model:
                        model[memory] = (*model[memory][:2], turn)
                case _:
                    slots = slots.unload(memory)
                    model.pop(memory, None)
            assert {s.memory: s.relevance for s in slots.loaded} == {
                m: v[0] for m, v in model.items()
            }
            assert len({s.index for s in slots.loaded}) == len(slots.loaded) <= size
            assert all(0 <= s.index < size for s in slots.loaded)


def test_no_slot_is_no_text() -> None:
    assert text_of([]) == ""
    slot = filled(8, LRU, [0.5]).loaded[0]
    assert text_of([(slot, "note", "Otters.")]) == (
        "## Loaded memories\n\n[0] note (relevance 0.50)\nOtters."
    )


async def notes(who: Principal, count: int, first: int = 0) -> list[str]:
    made = []
    for n in range(first, first + count):
        answer = await who.http.post("/v1/notes", json={"content": f"Otter {n} is fed at {n}."})
        made.append(answer.json()["id"])
    return made


async def load(who: Principal, memory: str, relevance: float, status: int = 200) -> Any:
    answer = await who.http.put(f"{URL}/{memory}", json={"relevance": relevance})
    assert answer.status_code == status, answer.text
    return answer.json()


async def slots(who: Principal, **query: Any) -> Any:
    answer = await who.http.get(URL, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def memories(who: Principal) -> list[str | None]:
    return [item["memory"] for item in (await slots(who))["items"]]


async def test_the_ninth_memory_takes_the_place_of_the_least_relevant(writer: Principal) -> None:
    empty = await slots(writer)
    assert [(i["index"], i["memory"]) for i in empty["items"]] == [(n, None) for n in range(8)]
    assert (empty["size"], empty["eviction"], empty["untrusted"]["text"]) == (8, "relevance", "")
    ids = await notes(writer, 9)
    for n, memory in enumerate(ids[:8]):
        told = await load(writer, memory, 0.2 if n == 5 else 0.6)
        assert (told["slot"]["index"], told["evicted"]) == (n, [])
    told = await load(writer, ids[0], 0.9)
    assert (told["slot"]["index"], told["slot"]["relevance"], told["evicted"]) == (0, 0.9, [])
    told = await load(writer, ids[8], 0.1)
    assert (told["slot"]["index"], told["evicted"]) == (5, [ids[5]])
    assert await memories(writer) == [*ids[:5], ids[8], *ids[6:8]]
    text = (await slots(writer))["untrusted"]["text"]
    assert "[0] note (relevance 0.90)\nOtter 0 is fed at 0." in text
    assert "Otter 5" not in text
    assert (await slots(writer, characters=5))["items"][1]["untrusted"]["text"] == "Otter"
    assert (await writer.http.get("/v1/working-memory")).json()["items"] == []  # it is no task


async def test_by_setting_what_was_used_longest_ago_leaves(
    writer: Principal, admin: Principal, tenant: str
) -> None:
    where = {"scope": f"{tenant}/dev"}
    for patch, status in (
        ({"slots": 0}, 422), ({"slots": 17}, 422), ({"eviction": "random"}, 422),
        ({"slots": 2, "eviction": "lru"}, 200),
    ):  # fmt: skip
        answer = await admin.http.patch(
            "/v1/scopes/settings", params=where, json={"working": patch}
        )
        assert answer.status_code == status, answer.text
    a, b, c, d = await notes(writer, 4)
    await load(writer, a, 1.0)
    await load(writer, b, 0.1)
    assert (await load(writer, c, 0.1))["evicted"] == [a], "the first loaded, whatever it is worth"
    read = await writer.http.get(f"{URL}/{b}")
    assert (read.status_code, read.json()["untrusted"]["text"]) == (200, "Otter 1 is fed at 1.")
    assert (await load(writer, d, 0.1))["evicted"] == [c]
    assert await memories(writer) == [d, b]
    more = {"working": {"slots": 1}}
    await admin.http.patch("/v1/scopes/settings", params=where, json=more)
    assert await memories(writer) == [d]


async def test_fewer_slots_than_are_loaded_are_the_same_for_every_operation(
    writer: Principal, admin: Principal, tenant: str
) -> None:
    ids = await notes(writer, 5)
    for memory in ids:
        await load(writer, memory, 0.6)
    fewer = {"working": {"slots": 3}}
    where = {"scope": f"{tenant}/dev"}
    await admin.http.patch("/v1/scopes/settings", params=where, json=fewer)
    left = {memory for memory in await memories(writer) if memory}
    assert left == set(ids[2:])
    for method in ("get", "delete"):
        assert (await getattr(writer.http, method)(f"{URL}/{ids[0]}")).status_code == 404
    told = await load(writer, ids[1], 0.0)  # it is loaded, and there is no room for it
    assert (told["slot"]["memory"], told["slot"]["relevance"]) == (ids[1], 0.0)
    assert ids[1] in await memories(writer)
    assert (await writer.http.delete(URL)).json() == {"removed": 3}


async def test_slots_are_freed_and_show_nothing_that_is_gone(
    writer: Principal, admin: Principal, tenant: str
) -> None:
    a, b, c = await notes(writer, 3)
    for memory in (a, b, c):
        await load(writer, memory, 0.5)
    assert (await writer.http.delete(f"{URL}/{a}")).status_code == 204
    for method in ("get", "delete"):
        assert (await getattr(writer.http, method)(f"{URL}/{a}")).status_code == 404
    assert (await load(writer, a, 0.5))["slot"]["index"] == 0, "a freed slot is taken again"
    await admin.http.patch(
        "/v1/scopes/settings",
        params={"scope": f"{tenant}/dev"},
        json={"working": {"slots": 3}},
    )
    assert (await writer.http.delete(f"/v1/notes/{b}")).status_code == 204
    assert await memories(writer) == [a, None, c]
    assert "Otter 1" not in (await slots(writer))["untrusted"]["text"]
    (d,) = await notes(writer, 1, first=3)
    told = await load(writer, d, 0.0)
    assert (told["slot"]["index"], told["evicted"]) == (1, []), "what is gone leaves first"
    assert (await writer.http.delete(URL)).json() == {"removed": 3}
    assert await memories(writer) == [None] * 3


async def test_nobody_sees_anothers_slots_and_nobody_loads_what_he_cannot_read(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    (memory,) = await notes(writer, 1)
    await load(writer, memory, 0.5)
    peer = await principal(f"{tenant}/dev", name="peer", role=Role.ADMIN)
    assert await memories(peer) == [None] * 8
    assert (await peer.http.get(f"{URL}/{memory}")).status_code == 404
    stranger = await principal(f"{tenant}/ops", name="stranger")
    refused = await load(stranger, memory, 0.5, 404)
    assert (
        refused["detail"].replace(memory, "none")
        == ((await load(stranger, "none", 0.5, 404))["detail"])
    )
    assert (await stranger.http.get(URL, params={"scope": f"{tenant}/dev"})).status_code == 404
    reader = await principal(f"{tenant}/dev", name="reads", role=Role.READER)
    assert (await load(reader, memory, 0.5, 403))["code"] == "Forbidden"
    assert (await load(writer, memory, 1.5, 422))["errors"][0]["field"] == "relevance"


async def test_loads_at_once_lose_nothing(writer: Principal) -> None:
    ids = await notes(writer, 8)
    await asyncio.gather(*(load(writer, memory, 0.5) for memory in ids))
    assert sorted(filter(None, await memories(writer))) == sorted(ids)


async def test_slots_go_with_their_author(
    opened: Parts, writer: Principal, admin: Principal, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    body = {"content": "Otters are fed.", "scope": writer.caller.home}
    memory = (await admin.http.post("/v1/notes", json=body)).json()["id"]
    await load(writer, memory, 0.5)
    await erased(opened, admin, {"author": writer.caller.principal, "scope": writer.caller.home})
    assert await memories(writer) == [None] * 8
