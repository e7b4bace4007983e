"""The world that isolation is tried in: two tenants of five scopes, things of every kind in each,
and callers of every role in and beside them.

What agents keep is written by every door of `bench.doors`, each by somebody at home in its scope;
all else by the admin. What was written is kept as a request too, for others to send again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import orjson
from litestar import Litestar

from app.cli.keys import mint
from app.kernel.caller import Caller, Role
from app.wiring import Parts
from bench.rights import Item
from bench.rights import Principal as Known
from tests.conftest import Principal
from tests.support.serving import Served

OK = range(200, 300)


@dataclass(frozen=True, eq=False)
class Person(Known):
    """Somebody with a key, as the service knows him."""

    caller: Caller
    key: str

    @property
    def plain(self) -> Principal:
        """The same as other tests know him."""
        return Principal(self.key, self.caller, self.http)


@dataclass(frozen=True)
class Written:
    """A request that was carried out, by whom and where."""

    by: str
    method: str
    path: str
    body: Any

    @property
    def text(self) -> str:
        """Everything that it names."""
        return f"{self.path} {orjson.dumps(self.body).decode()}"


@dataclass
class Place:
    """One scope, the word that all its texts carry, and the ids of what lies in it."""

    path: str
    token: str
    ids: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, answer: httpx.Response, *, key: str = "id") -> dict[str, Any]:
        """Take the id of what was made."""
        assert answer.status_code in OK, (kind, answer.text)
        made: dict[str, Any] = answer.json()
        self.ids.setdefault(kind, []).append(made[key])
        return made


@dataclass
class World:
    """Two tenants, their admins, and callers of each role in one workspace and beside it."""

    opened: Parts
    app: Litestar
    stack: AsyncExitStack
    places: list[Place] = field(default_factory=list)
    callers: list[Person] = field(default_factory=list)
    dwellers: dict[str, Person] = field(default_factory=dict)  # by the scope they are at home in
    things: list[Item] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    documented: dict[str, Any] = field(default_factory=dict)
    unseen: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    named: set[tuple[str, str]] = field(default_factory=set)  # a tenant that another one has named

    @property
    def people(self) -> list[Person]:
        """Everybody who has a key."""
        return [*self.callers, *self.dwellers.values()]

    def boss(self, path: str) -> Person:
        """The admin of the tenant of a scope."""
        tenant = path.split("/", maxsplit=1)[0]
        return next(one for one in self.callers if one.home == tenant)

    def place(self, path: str) -> Place:
        """The place of a scope or of the leaf of one who is at home there."""
        by_path = {one.path: one for one in self.places}
        return by_path.get(path) or by_path[path.rpartition("/")[0]]

    def hidden(self, who: Known) -> list[Place]:
        """The places out of somebody's sight."""
        return [place for place in self.places if not who.sees(place.path)]

    def needles(self, who: Known) -> list[tuple[str, str]]:
        """Words and ids that somebody may not be told of, each with what it is.

        What one keeps for oneself in a scope that others see may be named to them, as the audit
        trail does, and its text may not be shown.
        """
        if who.id not in self.unseen:
            self.unseen[who.id] = [*self._needles(who)]
        return self.unseen[who.id]

    def _needles(self, who: Known) -> Iterator[tuple[str, str]]:
        yield from ((place.token, place.path) for place in self.hidden(who))
        for thing in self.things:
            if not thing.seen_by(who):
                told = f"{thing.kind} of {thing.owner}"
                yield thing.marker, told
                if not who.sees(thing.scope):
                    yield from ((one, told) for one in (thing.key, *thing.served))

    async def hire(
        self, home: str, name: str, role: Role, *, kind: str = "agent", subtree: bool | None = None
    ) -> Person:
        """Make somebody who has a key."""
        made = await mint(self.opened, home, kind=kind, name=name, role=role, subtree=subtree)
        caller = await self.opened.keys.resolve(made.text)
        http = httpx.AsyncClient(
            transport=Served(self.app),  # type: ignore[arg-type]
            base_url="http://loci",
            headers={"Authorization": f"Bearer {made.text}"},
            event_hooks={"response": [self._keep(caller.principal)]},
        )
        await self.stack.enter_async_context(http)
        everything = role is Role.ADMIN if subtree is None else subtree
        return Person(caller.principal, name, home, role.label, everything, http, caller, made.text)

    def _keep(self, by: str) -> Callable[[httpx.Response], Awaitable[None]]:
        """Keep what one asks for while the world is made, where it is done and has a JSON body."""

        async def keep(answer: httpx.Response) -> None:
            asked = answer.request
            if self.documented or asked.method == "GET" or answer.status_code not in OK:
                return
            body = orjson.loads(asked.content) if asked.content else None
            self.written.append(Written(by, asked.method, asked.url.raw_path.decode(), body))

        return keep

    async def ready(self) -> None:
        """Look everybody's rights up as they are now, and read the document of routes."""
        self.opened.keys.forget()
        self.callers = [await self._fresh(one) for one in self.callers]
        self.dwellers = {home: await self._fresh(one) for home, one in self.dwellers.items()}
        self.documented = (await self.callers[0].http.get("/schema/openapi.json")).json()

    async def _fresh(self, one: Person) -> Person:
        return replace(one, caller=await self.opened.keys.resolve(one.key))


def leaks(world: World, who: Known, asked: str, text: str) -> Iterator[str]:
    """Words and ids out of sight that stand in an answer, and not in the question, and names of
    other tenants."""
    yield from words(world, who, asked, text)
    for tenant in {one.tenant for one in world.callers} - {who.tenant}:
        if tenant in text and tenant not in asked and (who.tenant, tenant) not in world.named:
            yield tenant


def words(world: World, who: Known, asked: str, text: str) -> Iterator[str]:
    """Words and ids out of somebody's sight that stand in an answer, and not in the question."""
    folded, named = text.casefold(), asked.casefold()
    for needle, told in world.needles(who):
        if needle in folded and needle not in named:
            yield f"{told} ({needle})"


def foreign(world: World, who: Known, asked: Written) -> bool:
    """Whether a request names an id that the service gave to something out of sight, or a scope."""
    text = asked.text
    if any(f'"{place.path}"' in text for place in world.hidden(who)):
        return True
    hidden = (one for one in world.things if not one.seen_by(who) and not who.sees(one.scope))
    return any(named in text for one in hidden for named in one.served)
