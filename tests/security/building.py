"""How the world of isolation is made."""

from __future__ import annotations

from contextlib import AsyncExitStack

from litestar import Litestar

from app.kernel.caller import Role
from app.wiring import Parts
from tests.security.filling import filled
from tests.security.keeping import kept, measured
from tests.security.learning import learnt, logged, taught
from tests.security.worlds import OK, Person, Place, World

# Of either tenant; in a user's own scope lies what the admin puts there, and no agent is at home.
SCOPES = (("", "/a", "/a/user:u", "/a/team:t"), ("",))
BESIDE = "/b"  # a workspace of either with nothing in it but somebody
RULES = {"erasure": True, "promotion": {"enabled": True, "quorum": 2, "threshold": 0.4}}


async def built(opened: Parts, app: Litestar, stack: AsyncExitStack, tenant: str) -> World:
    """Make the world."""
    world = World(opened, app, stack)
    for number, name in enumerate((f"{tenant}p", f"{tenant}q")):
        boss = await _tenant(world, name, SCOPES[number])
        for at, below in enumerate(SCOPES[number]):
            place = Place(name + below, f"zq{'uvwxyz'[number]}{'abcdefgh'[at]}mf")
            world.places.append(place)
            world.things += await filled(opened, boss, place)
            if "/user:" not in below:
                dweller = await world.hire(place.path, f"dweller-{at}", Role.CURATOR, subtree=False)
                world.dwellers[place.path] = dweller
        await _others(world, name)
    for path in world.dwellers:
        world.things += await kept(world, world.place(path))
        world.things += await taught(world, world.dwellers[path])
    await opened.indexing.drain()
    for who in world.dwellers.values():
        world.things += [*await learnt(world, who), await measured(who)]
    world.things += await logged(world)
    await world.ready()
    return world


async def _tenant(world: World, name: str, scopes: tuple[str, ...]) -> Person:
    """Make a tenant with its scopes and its admin."""
    boss = await world.hire(name, "boss", Role.ADMIN, kind="user")
    world.callers.append(boss)
    rules = await boss.http.put("/v1/scopes/rules", params={"scope": name}, json=RULES)
    assert rules.status_code in OK, rules.text
    for below in ("/a", BESIDE, *scopes[2:]):
        made = await boss.http.post("/v1/scopes", json={"scope": name + below})
        assert made.status_code in OK, made.text
    world.opened.keys.forget()
    return boss


async def _others(world: World, name: str) -> None:
    """Callers of each role in one workspace, and some beside it."""
    boss = world.boss(name)
    for role in Role:
        of = await world.hire(f"{name}/a", role.label, role, kind="user", subtree=False)
        world.callers.append(of)
    agent = await world.hire(f"{name}/a/team:t", "scout", Role.WRITER)
    held = world.places[-1].ids["skill"][0]
    answer = await boss.http.put(f"/v1/skills/{held}/agents/{agent.id}", json={})
    assert answer.status_code in OK, answer.text
    beside = await world.hire(name + BESIDE, "beside", Role.ADMIN, kind="user")
    leaf = await world.hire(f"{name}/a/user:u", "u", Role.ADMIN, kind="user")
    world.callers += [agent, beside, leaf]
