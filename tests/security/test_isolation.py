"""Whoever asks whatever, nothing of what lies out of sight comes back.

Every route that reads, every field and change of GraphQL, every resource and reading tool, every
kind of job, the streams and the webhooks are asked by one who may, who is told of something, and by
strangers in the same words, who are not; then callers, doors and things are drawn at random. Every
text of each scope carries a word of its own. An answer's head is looked at as its body is, and an
id out of sight is as bad as a word.

`LOCI_ISOLATION_TRIALS` sets how many trials there are, `LOCI_ISOLATION_SEED` which.
"""

from __future__ import annotations

import os
import random
import secrets
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import httpx
import orjson
import pytest
import pytest_asyncio
from litestar import Litestar

from app.asgi import create_app
from app.kernel.caller import Role
from app.mcp.service import ALONE, PROFILES, TOOLS
from app.settings import read_settings
from app.tasks import TASKS
from app.wiring import Parts
from bench.doors import WRITES, Draw, tools
from bench.rights import Item
from bench.rights import Principal as Known
from tests.agentmemory.conftest import bridged
from tests.events.conftest import address
from tests.mcp.conftest import port
from tests.mcp.test_listening import Listen, listen
from tests.security import addresses, keeping, listening, queries
from tests.security.asking import BLANK, Call, Door, doors
from tests.security.building import built
from tests.security.contending import DOUBTED
from tests.security.counting import NONE, answers, asked_of, differing, grow, unnamed
from tests.security.drawing import Trials
from tests.security.filling import NAMES
from tests.security.packing import intruders
from tests.security.silent import COUNTS, RESTLESS, SILENT, plain
from tests.security.trying import refused, seers, send, some, strangers, swept, wrong_with
from tests.security.worlds import Person, Place, World
from tests.security.writing import UNHEARD, writes

__all__ = ["address", "bridged", "listen", "port"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

TRIALS = int(os.environ.get("LOCI_ISOLATION_TRIALS", "200"))
SEED = int(os.environ.get("LOCI_ISOLATION_SEED", TRIALS))
EVERY = 1_000  # trials after which it is told how far they are
GONE = {"NotFound", "Forbidden"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(opened: Parts, bridged: Litestar) -> AsyncIterator[World]:
    """The world of this module, which no test changes."""
    async with AsyncExitStack() as stack:
        yield await built(opened, bridged, stack, f"iso{secrets.token_hex(3)}")


def everything_documented() -> dict[str, Any]:
    """The document of routes, of an application that has not started."""
    made = create_app(read_settings({"LOCI_AGENT_MEMORY__BRIDGE": "true"}))
    told: dict[str, Any] = orjson.loads(orjson.dumps(made.openapi_schema.to_schema(), default=str))
    return told


def named_by_doors() -> set[str]:
    """The parameters of paths for which the doors of `bench.doors` give a value."""
    who = Known("a", "a", "a", "writer", False, httpx.AsyncClient())
    draws = Draw(who, "k", "m", [who], random.Random(1))
    told = [door(draws) for door in WRITES.values()]
    return {name for one in told for name in (one.ids | one.given)}


def test_the_world_has_something_for_every_parameter_of_a_path() -> None:
    known = {name for several in NAMES.values() for name in several} | named_by_doors()
    known |= {*addresses.WORDS, *keeping.FURTHER}
    asked = {name for path in everything_documented()["paths"] for name in addresses.names(path)}
    assert asked - known == set(), "tell `tests/security/keeping.py` how such a thing is made"


def test_every_field_and_change_of_graphql_is_asked() -> None:
    assert queries.SCHEMA.mutation_type is not None
    assert queries.CHANGES.keys() == queries.SCHEMA.mutation_type.fields.keys()
    asked = {one for name in queries.roots() for one in queries.hung(name)}
    left = {one for one in queries.HUNG - asked if one.split(".")[0] not in queries.ANSWERS}
    assert left == set()


def test_every_tool_that_reads_is_tried() -> None:
    calls = tools("k", BLANK)
    tried = {name for _, name, _ in calls}
    every = [*TOOLS.values(), *(one for each in PROFILES.values() for one in each.values())]
    assert {one.name for one in every if one.reads} - tried == set(), "tell `bench.doors.tools`"
    for profile, alone in ALONE.items():
        assert alone.keys() == {name for where, name, _ in calls if where == profile}


def lines(wrong: Iterable[str]) -> str:
    """What was wrong, a line each."""
    return "\n".join(wrong)


@pytest.mark.parametrize("kind", ["/", "POST ", "graphql ", "tool ", "prompt ", "resource "])
async def test_every_door_shows_its_own_and_nobody_elses(world: World, kind: str) -> None:
    every = [door for name, door in doors(world).items() if name.startswith(kind)]
    assert [door.name for door in every if not door.things] == [], "nothing to ask for"
    wrong: list[str] = []
    silent = set()
    for door in every:
        found, wrongly = await swept(world, door)
        wrong += wrongly
        if not found:
            silent.add(door.name)
    assert not wrong, lines(wrong)
    assert sorted(one for one in silent if plain(one) not in SILENT) == [], (
        "nobody is told anything"
    )
    listed = {one for one in SILENT if one.startswith(kind)}
    assert sorted(listed - silent) == [], "somebody is told something: take it from the list"


async def test_every_kind_of_job_is_seen_and_stopped_by_nobody_elsewhere(world: World) -> None:
    rng, wrong = random.Random(1), []
    for task in TASKS:
        place = rng.choice(world.places)
        boss = world.boss(place.path)
        job = await world.opened.jobs.create(
            task, tenant=boss.tenant, scope=place.path, args={}, job_id=secrets.token_hex(16)
        )
        world.things.append(keeping.item("started", boss, job.id, started=job.id))
        who = rng.choice([one for one in world.people if not one.sees(place.path)])
        for call in of_job(job.id):
            wrong += await refused(world, who, call)
        for path in ("/v1/jobs", "/v1/schedules"):
            if job.id in (await who.http.get(path, params={"limit": 500})).text:
                wrong.append(f"a job of {task} listed to {who.id}")
        seen = await send(boss, of_job(job.id)[0])
        assert seen.json().get("task") == task, seen.text
        stopped = await boss.http.post(f"/v1/jobs/{job.id}/cancel")
        assert stopped.json().get("state") == "cancelled", (task, stopped.text)
    world.unseen.clear()
    assert not wrong, lines(wrong)


def of_job(job: str) -> list[Call]:
    """What one asks about a job, and how one stops it and lets it run again."""
    query = f'{{ job(id: "{job}") {{ id }} }}'
    changes = [f'mutation {{ {name}(id: "{job}") {{ id }} }}' for name in ("cancelJob", "rerunJob")]
    return [
        Call("GET", f"/v1/jobs/{job}", secret=True),
        Call("POST", f"/v1/jobs/{job}/cancel", secret=True),
        Call("POST", f"/v1/jobs/{job}/rerun", secret=True),
        *(Call("POST", "/graphql", body={"query": one}, secret=True) for one in (query, *changes)),
    ]


async def test_streams_tell_nobody_more(world: World) -> None:
    wrong = await listening.from_the_beginning(world)
    assert not wrong, lines(wrong)


async def test_a_stream_from_now_on_tells_nobody_more(world: World, address: str) -> None:
    await listening.from_now_on(world, address)


async def test_webhooks_tell_nobody_more(world: World) -> None:
    wrong = await listening.deliveries(world)
    assert not wrong, lines(wrong)


async def test_notifications_of_mcp_tell_nobody_more(world: World, listen: Listen) -> None:
    await listening.notifications(world, listen)


@pytest.mark.timeout(7200)
async def test_nothing_out_of_sight_comes_back(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = Trials(world, random.Random(SEED), frozenset(SILENT))
    for number in range(1, TRIALS + 1):
        before = len(trials.wrong)
        await trials.one()
        tell(capsys, lines(trials.wrong[before:]))
        if number % EVERY == 0:
            tell(capsys, f"{number} of {TRIALS} trials of seed {SEED}: {trials.said}")
    assert not trials.wrong, lines(trials.wrong)
    assert await intruders(world) == []


def tell(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Show a line while the test runs."""
    if line:
        with capsys.disabled():
            sys.stdout.write(f"\n{line}\n")


async def test_nobody_is_told_how_much_others_have(world: World) -> None:
    quiet = await world.hire(f"{world.callers[0].tenant}r", "quiet", Role.ADMIN, kind="user")
    world.places.append(Place(quiet.home, "zqquietmf", NONE))
    boss, every = world.callers[0], await asked_of(quiet, unnamed(world))
    counts = {one for one, why in SILENT.items() if why == COUNTS}
    counting = [door for door in every if door.name in counts]
    place = Place(f"{boss.tenant}/c", "zqgrownmf")
    world.places.append(place)
    first, before = await answers(quiet, every), await answers(boss, counting, place.path)
    await grow(world, place)
    after, grown = await answers(quiet, every), await answers(boss, counting, place.path)
    assert sorted(differing(first, after) - RESTLESS.keys()) == [], "or they change by themselves"
    assert sorted(counts - differing(before, grown)) == [], "the admin himself is told no more"


async def test_no_change_of_graphql_reaches_what_is_out_of_sight(world: World) -> None:
    """It comes last: what strangers may not do, the admin does then."""
    wrong: list[str] = []
    for name, parameter in queries.CHANGES.items():
        boss = world.boss(world.callers[-1].tenant)
        among = [one for one in world.things if one.owner == boss.id]
        waits = name in queries.WAITING
        named = [one for one in among if parameter is None or parameter in one.ids]
        thing = next(one for one in reversed(named) if (one.kind == DOUBTED) == waits)
        place = world.place(thing.scope)
        query = queries.change(name, thing, place.path, place.ids["entity"][0])
        call = Call("POST", "/graphql", body={"query": query}, secret=True)
        for who in strangers(world, thing):
            wrong += await refused(world, who, call)
            codes = await codes_of(who, call)
            if not codes or not codes <= GONE:
                wrong.append(f"{codes} for {who.id}: {call.asked}")
        told = await codes_of(boss, call)
        if bool(told & GONE) != (name in queries.UNREADY):
            wrong.append(f"{told} for the admin himself: {call.asked}")
    assert not wrong, lines(wrong)


async def test_no_write_reaches_what_is_out_of_sight(world: World) -> None:
    """It comes after all else: what strangers may not do, the owner does then."""
    wrong: list[str] = []
    unheard = set()
    for door in writes(world):
        thing = max(some(door.things), key=partial(fit, door))
        call, told = door.call(thing), set()
        for who in strangers(world, thing):
            answer = await send(who, call)
            wrong += wrong_with(world, who, call, answer)
            told.add(answer.status_code)
        own = (await send(seers(world, thing)[0], call)).status_code
        if told != {404} or own in (401, 403, 404):
            unheard.add(door.name)
    assert not wrong, lines(wrong)
    assert sorted(unheard) == sorted(UNHEARD)


def fit(door: Door, one: Item) -> tuple[bool, bool, bool]:
    """Whether a thing waits as a door wants it to, is of a kind by itself, and is a learning."""
    waits = (one.kind == DOUBTED) == ("/quarantine/" in door.name)
    return waits, one.kind in NAMES, one.kind == "learning"


async def codes_of(who: Person, call: Call) -> set[str]:
    """The codes of the errors of an answer of GraphQL."""
    answer = await send(who, call)
    return {one["extensions"]["code"] for one in answer.json().get("errors", ())}
