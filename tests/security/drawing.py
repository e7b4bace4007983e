"""Trials that are drawn at random: who asks, by which door, for what."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from bench.doors import CHANGES
from bench.rights import Item
from tests.security.asking import Call, Door, doors
from tests.security.packing import streamed
from tests.security.silent import plain
from tests.security.trying import refused, seers, send, told
from tests.security.worlds import Person, World, foreign

SHARES = {"read": 80, "again": 9, "change": 9, "stream": 2}
TRIES = 20  # things that are drawn before it is said that a door tells nobody anything
NEAR = 8  # of these, before strangers are of another tenant: the others see what short lists show


@dataclass
class Trials:
    """Draws trials and holds them against the model; the same seed draws the same from the same
    world. `silent` doors show nothing that is anybody's: strangers ask there, too."""

    world: World
    rng: random.Random
    silent: frozenset[str]
    tried: Counter[str] = field(default_factory=Counter)
    shown: dict[str, list[Item]] = field(default_factory=dict)  # of what a door has told
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.doors = [*doors(self.world).values()]

    @property
    def said(self) -> str:
        """How many trials of which kind there were, and what was wrong."""
        told = f"{len(self.shown)} of {covered(self.doors)} told somebody of something"
        return f"{dict(self.tried)}, {told}, {len(self.wrong)} wrong"

    async def one(self) -> None:
        """Draw one trial."""
        (kind,) = self.rng.choices([*SHARES], [*SHARES.values()])
        self.tried[kind] += 1
        if kind == "stream":
            self.wrong += await streamed(self.world, self.rng)
        else:
            await getattr(self, f"_{kind}")()

    async def _read(self) -> None:
        """Ask as one who may see a thing, and as a stranger: first the one is told, then the other
        is not."""
        door = self.rng.choice(self.doors)
        silent, wrong = plain(door.name) in self.silent, list[str]()
        for number, thing in enumerate(self._things(door)):
            call, stranger = door.call(thing), self._stranger(thing, far=number >= NEAR)
            if silent:
                break
            if await told(self.world, call, thing, stranger, wrong):
                self.shown.setdefault(door.name, []).append(thing)
                break
        else:
            wrong.append(f"nobody is told of anything by {door.name}")
        self.wrong += wrong + await refused(self.world, stranger, call)

    def _things(self, door: Door) -> list[Item]:
        """Things to ask for, in the end those of which a door has told before, or all of them."""
        before = self.shown.get(door.name, [])
        known = {one.kind for one in before}
        fit = [one for one in door.things if not before or one.kind in known]
        return [*self.rng.choices(fit, k=TRIES), *(before or self.rng.sample(fit, len(fit)))]

    def _stranger(self, thing: Item, *, far: bool = False) -> Person:
        """One who may not see a thing, or one of another tenant."""
        tenant = thing.scope.split("/")[0]
        unseen = [one for one in self.world.people if not thing.seen_by(one)]
        return self.rng.choice([one for one in unseen if not far or one.tenant != tenant])

    async def _again(self) -> None:
        """Send what somebody else has done, as one who may not do it."""
        while True:
            asked, who = self.rng.choice(self.world.written), self.rng.choice(self.world.people)
            if foreign(self.world, who, asked):
                break
        call = Call(asked.method, asked.path, body=asked.body, secret=True)
        self.wrong += await refused(self.world, who, call)

    async def _change(self) -> None:
        """Change a thing as its owner, and as one who may not see it."""
        things = [one for one in self.world.things if CHANGES.keys() & one.ids.keys()]
        thing = self.rng.choice(things)
        name = self.rng.choice(sorted(CHANGES.keys() & thing.ids.keys()))
        method, path, body = CHANGES[name]
        text = body(f"The harbour crane {thing.key} stands at berth {thing.marker}.")
        call = Call(method, path.format(thing.ids[name]), body=text, secret=True)
        owner = seers(self.world, thing)[0]
        answer = await send(owner, call)
        if answer.status_code in (401, 403, 404):
            self.wrong.append(f"{owner.id} may not {method} {call.asked}: {answer.text[:300]}")
        self.wrong += await refused(self.world, self._stranger(thing), call)


def covered(every: list[Door]) -> str:
    """How many doors of each kind there are."""
    kinds = Counter(one.name.split()[0] if " " in one.name else "GET" for one in every)
    return f"{len(every)} doors ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})"
