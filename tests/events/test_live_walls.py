"""While rights change: each stream that is open, and each webhook, has what its maker may see at
the time, of both sorts of events, once and in order, and nothing else."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.events.conftest import Reader, stream
from tests.webhooks.conftest import Deliver, Receiver, deliver, hook, receiving

__all__ = ["deliver"]

LOOK = 0.2  # seconds after which a stream looks at its key
LEAVES = ("dev", "ops", "lab")
ROUNDS = 4
EVENTS = 10  # of a round


@dataclass
class Listener:
    """Somebody with a stream and a webhook, and what a small model says that he sees: his home,
    what was granted to him, and what lies above both."""

    who: Principal
    reader: Reader
    receiver: Receiver
    granted: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.who.caller.principal

    @property
    def sees(self) -> set[str]:
        places = {self.who.caller.home, *self.granted}
        return places | {place.partition("/")[0] for place in places}

    @property
    def hooked(self) -> set[str]:
        """The scopes of his webhook: his home and what lies below it, as far as he sees it."""
        home = self.who.caller.home
        return {place for place in self.sees if place == home or place.startswith(f"{home}/")}

    async def heard(self, marks: dict[str, str]) -> list[str]:
        """What the stream tells until every mark has come that lies in a scope that he sees."""
        left = {mark for mark, scope in marks.items() if scope in self.sees}
        found: list[str] = []
        while left:
            found.append((await self.reader.next())["target"])
            left.discard(found[-1])
        return [target for target in found if target not in marks]

    def posted(self, marks: dict[str, str]) -> list[str]:
        """What was posted since this was asked last."""
        found = [target for target in self.receiver.targets if target not in marks]
        self.receiver.got.clear()
        return found


@dataclass(frozen=True)
class Happened:
    """An event: what it is about, where, who alone may see it, and whether it is of an open kind;
    `sealed` ones stand in the audit trail, the others beside it."""

    target: str
    scope: str
    sealed: bool
    readers: frozenset[str] | None = None
    is_open: bool = True

    def reaches(self, name: str, scopes: Iterable[str]) -> bool:
        return (
            self.is_open and self.scope in scopes and (self.readers is None or name in self.readers)
        )


def split(targets: Iterable[str], made: Iterable[Happened]) -> list[list[str]]:
    """The same by sort, each in the order in which it came."""
    sealed = {one.target: one.sealed for one in made}
    assert sealed.keys() >= {*targets}
    return [[t for t in targets if sealed[t] is sort] for sort in (True, False)]


@dataclass
class World:
    opened: Parts
    boss: Principal
    tenant: str
    chance: random.Random

    @property
    def scopes(self) -> list[str]:
        return [self.tenant, *(f"{self.tenant}/{leaf}" for leaf in LEAVES), f"{self.tenant}x/dev"]

    async def happen(self, name: str, folk: list[Listener], abroad: Principal) -> Happened:
        scope = self.chance.choice(self.scopes)
        if self.chance.random() < 0.4:
            return Happened(await self.capture(scope, name, abroad), scope, sealed=True)
        names = [one.name for one in folk]
        some = self.chance.choice([None, None, self.chance.sample(names, 2), []])
        kind = self.chance.choice(["job.done", "fact.opened", "memory_pool_key_write", "key.mint"])
        await self.put(kind, scope, name, some)
        readers = None if some is None else frozenset(some)
        return Happened(name, scope, sealed=False, readers=readers, is_open=kind != "key.mint")

    async def capture(self, scope: str, name: str, abroad: Principal) -> str:
        who = self.boss if scope in self.boss.caller.roles else abroad
        body = {"content": f"Word {name}.", "session": "s", "scope": scope}
        answer = await who.http.post("/v1/episodes", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def mark(self, number: int, abroad: Principal) -> dict[str, str]:
        """End a round: one event of each sort in each scope; the scopes of their targets."""
        marks = {}
        for place, scope in enumerate(self.scopes):
            await self.put("job.done", scope, f"mark {number} {place}")
            marks[f"mark {number} {place}"] = scope
            marks[await self.capture(scope, f"mark {number}", abroad)] = scope
        return marks

    async def put(self, kind: str, scope: str, name: str, readers: list[str] | None = None) -> None:
        rows = [told(kind, scope, name, now(), readers=readers)]
        await self.opened.graph.rows(Q.events.put, rows=rows)

    async def change_rights(self, folk: list[Listener]) -> None:
        """Grant somebody a leaf, or take one away, twice."""
        access, boss = self.opened.access, await self.opened.keys.resolve(self.boss.key)
        for one in self.chance.sample(folk, 2):
            leaf = f"{self.tenant}/{self.chance.choice(LEAVES)}"
            if leaf in one.granted:
                await access.withdraw(boss, one.name, leaf)
                one.granted.remove(leaf)
            elif leaf != one.who.caller.home:
                await access.grant(boss, one.name, leaf, Role.WRITER)
                one.granted.add(leaf)
        await asyncio.sleep(2 * LOOK)


@pytest.mark.parametrize("seed", range(2))
async def test_streams_and_webhooks_follow_rights(
    opened: Parts,
    principal: MakePrincipal,
    tenant: str,
    address: str,
    deliver: Deliver,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    monkeypatch.setattr("app.events.service.HEARTBEAT", LOOK)
    homes = [tenant, *(f"{tenant}/{leaf}" for leaf in LEAVES)]
    people = [await principal(home, name=f"n{n}") for n, home in enumerate(homes)]
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user", subtree=True)
    world = World(opened, boss, tenant, random.Random(seed))
    abroad = await principal(f"{tenant}x/dev", name="abroad")
    async with AsyncExitStack() as stack:
        folk: list[Listener] = []
        for who in people:
            receiver = await stack.enter_async_context(receiving())
            await hook(who, receiver, below=True)
            reader = await stack.enter_async_context(stream(address, who))
            folk.append(Listener(who, reader, receiver))
        for number in range(ROUNDS):
            made = [await world.happen(f"{number}-{n}", folk, abroad) for n in range(EVENTS)]
            marks = await world.mark(number, abroad)
            await deliver()
            for one in folk:
                case = (seed, number, one.name)
                wanted = [e.target for e in made if e.reaches(one.name, one.sees)]
                assert split(await one.heard(marks), made) == split(wanted, made), case
                wanted = [e.target for e in made if e.reaches(one.name, one.hooked)]
                assert split(one.posted(marks), made) == split(wanted, made), case
            await world.change_rights(folk)
