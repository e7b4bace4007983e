"""What an empty tenant is told before and after others write: counts, too, are its own."""

from __future__ import annotations

import re

from app.kernel.caller import Role
from bench.rights import IDS, Item
from tests.security import queries
from tests.security.asking import Door, doors
from tests.security.filling import filled
from tests.security.keeping import kept
from tests.security.learning import learnt, taught
from tests.security.silent import plain
from tests.security.trying import send
from tests.security.worlds import OK, Person, Place, World

# The moment of an answer, how long it took and the ids that it gave are no counts.
MOMENT = re.compile(
    IDS.pattern + r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?"
    r"|\"\w*(?:_ms|seconds)\":[\d.e-]+|milliseconds[^}]*}"
)
NONE = {"entity": ["0" * 32], "base": ["0" * 32]}  # ids that name nothing
EMPTY = '"nodes":[]'  # how GraphQL tells of a list with nothing in it
ENTITIES = ("?entity", "?about", "?subject", "?knowledge_base", "?base", "?memory")


def unnamed(world: World) -> list[Door]:
    """Doors that are asked for lists and counts, and need nothing of a tenant's to be asked."""
    every = [door for door in doors(world).values() if not door.named]
    return [door for door in every if not door.name.endswith(ENTITIES)]


async def asked_of(who: Person, every: list[Door]) -> list[Door]:
    """Those of some doors that may tell somebody anything: on an empty list nothing hangs.

    Each is asked for the first time here, when some make something.
    """
    lists = [door for door in every if not door.name.endswith((*queries.HUNG,))]
    told = await answers(who, lists)
    return [one for one in every if one in lists or EMPTY not in told[plain(one.name)]]


async def answers(who: Person, every: list[Door], scope: str = "") -> dict[str, str]:
    """What somebody is told by each door, which names his own scope or another if it names any."""
    blank = Item("any", "none", "harbour", scope or who.home, who.id, {})
    found = {}
    for door in every:
        found[door.name] = MOMENT.sub("", (await send(who, door.call(blank))).text)
    return found


async def grow(world: World, place: Place) -> None:
    """Put something of everything into a new workspace of a tenant."""
    boss = world.boss(place.path)
    made = await boss.http.post("/v1/scopes", json={"scope": place.path})
    assert made.status_code in OK, made.text
    world.opened.keys.forget()
    await filled(world.opened, boss, place)
    newcomer = await world.hire(place.path, "newcomer", Role.CURATOR, subtree=False)
    world.dwellers[place.path] = newcomer
    await kept(world, place)
    await taught(world, newcomer)
    await world.opened.indexing.drain()
    await learnt(world, newcomer)


def differing(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Doors that told something else."""
    return {name for name, text in before.items() if after[name] != text}
