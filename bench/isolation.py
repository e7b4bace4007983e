"""Whether anybody reads what is another's: random agents, tasks, sessions, teams and tenants.

Each value that is written holds a marker of its own; each answer is looked through for markers that
its reader may not see by `bench.rights`, a second and plainer telling of who may see what. Doors
are those of `bench.doors`, every documented GET, and the streams of events.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import orjson

from bench.doors import BACK, CHANGES, WRITES, Draw, Told, asking, tools
from bench.rights import IDS, Item, Principal, Register

SHAPE = (  # principals of a tenant: name, home below it, role, whether of everything below home
    ("boss", "", "admin", True), ("ann", "/a", "writer", False), ("bob", "/a", "writer", False),
    ("eye", "/a", "reader", False), ("kay", "/a", "curator", False),
    ("tim", "/a/team:t", "writer", False), ("ben", "/b", "writer", False),
)  # fmt: skip
SHARES = (0.2, 0.08, 0.01, 0.2, 0.25, 0.26)  # of writes, changes, streams, tools, questions, GETs
LISTENED = 3.0  # seconds that a stream of events is read
BEGINNING = "0.0"  # the place before every event
EVERY = 500  # trials after which it is told how far they are
LOADED = ("note", "own memory")  # what its owner loads into a slot
PATHS = re.compile(r"/health|/metrics|/schema|/v1/exports|/v1/events|/reveal")
SENT = {"query": "crane", "unit": "task", "limit": "50", "tier": None, "description": "crane",
        "question": "crane", "topic": "crane", "task": "crane", "q": "crane"}  # fmt: skip

Hire = Callable[[str, str, str, bool], Awaitable[Principal]]


@dataclass
class Report:
    """What was tried, what was seen, and what was wrong."""

    trials: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)  # others' values that a reader may see
    heard: int = 0  # values of which a stream told the id, to those who may see them
    wrong: list[str] = field(default_factory=list)

    @property
    def told(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        return {
            "trials": self.trials.total(), "by_kind": dict(self.trials),
            "answered": self.answered.total(), "doors_answered": len(self.answered),
            "seen_of_others": dict(self.seen), "heard_of": self.heard, "wrong": self.wrong,
        }  # fmt: skip


async def world(hire: Hire, names: tuple[str, str]) -> list[Principal]:
    """Make the principals of two tenants."""
    return [
        await hire(f"{tenant}{below}", name, role, everything)
        for tenant in names
        for name, below, role, everything in SHAPE
    ]


class Trials:
    """Draws requests, sends them, and holds the answers against the model."""

    def __init__(self, people: list[Principal], document: dict[str, Any], seed: int) -> None:
        self.people = people
        self.rng = random.Random(seed)
        self.register = Register(self.rng)
        self.report = Report()
        self.gets = [
            (path, methods["get"])
            for path, methods in document["paths"].items()
            if "get" in methods and not PATHS.search(path)
        ]
        self.writers = [one for one in people if one.role != "reader"]

    async def run(self, trials: int, tell: Callable[[str], None] = lambda _: None) -> Report:
        """Write something by each door first, then draw; `tell` hears how far it is."""
        for kind in WRITES:
            await self._write(kind)
        boss = self.people[0]
        self._hold(boss, await self._heard(boss, {"after": BEGINNING}))
        told = 0
        while (done := self.report.trials.total()) < trials:
            if done - told >= EVERY:
                told = done
                tell(f"{done} of {trials} trials, {len(self.report.wrong)} wrong")
            await self._one()
        return self.report

    async def _one(self) -> None:
        trials = (self._written, self._change, self._stream, self._tool, self._ask, self._get)
        (trial,) = self.rng.choices(trials, SHARES)
        await trial()

    async def _written(self) -> None:
        await self._write(self.rng.choice(list(WRITES)))

    async def _write(self, kind: str) -> None:
        """Write a value; its owner reads it back wherever it has an id."""
        who = self.rng.choice(self.writers)
        draw = Draw(who, self.register.word("k"), self.register.word("zq"), self.people, self.rng)
        told = WRITES[kind](draw)
        answer = await self._send("write", who, told.method, told.path, told.body)
        if not answer.is_success:
            self.report.wrong.append(f"{kind} by {who.id}: {answer.status_code} {answer.text}")
            return
        item = item_of(kind, draw, told, answer.json() if answer.content else {})
        self.register.items[item.marker] = item
        if kind in LOADED:
            await self._loaded(who, item)
        for name, path in BACK.items():
            if name in item.ids and item.kind != "share":
                back = await self._send("back", who, "GET", path.format(item.ids[name]))
                if item.marker not in back.text:
                    self.report.wrong.append(f"{kind} is not read back by {who.id}: {back.text}")

    async def _loaded(self, who: Principal, item: Item) -> None:
        """Load a value into a slot of its owner, who is told of it there."""
        path = f"/v1/slots/{item.ids['memory_id']}"
        done = await self._send("slot", who, "PUT", path, {"relevance": 0.5})
        shown = await self._send("slot", who, "GET", "/v1/slots")
        if not done.is_success or item.marker not in shown.text:
            self.report.wrong.append(f"{item.kind} is in no slot of {who.id}: {shown.text}")

    async def _change(self) -> None:
        """Change what one may not see: it is refused, and the words turn up nowhere."""
        changes = [(i, n) for i in self.register.items.values() for n in i.ids if n in CHANGES]
        item, name = self.rng.choice(changes)
        strangers = [one for one in self.writers if not item.seen_by(one)]
        if not strangers:
            return
        who, method = self.rng.choice(strangers), CHANGES[name]
        mark, key = self.register.word("zq"), self.register.word("k")
        # Asked about by a word of its own: a question is kept, and whoever governs reads it there.
        self.register.items[mark] = Item("intrusion", mark, key, "", who.id, only=frozenset())
        body = method[2](f"The crane {mark} was here.")
        path = method[1].format(item.ids[name])
        answer = await self._send("change", who, method[0], path, body)
        if answer.is_success:
            self.report.wrong.append(f"{who.id} changed {item.kind} of {item.owner}: {path}")

    async def _ask(self) -> None:
        who, item = self._pair()
        path, body = self.rng.choice(asking(item.key, item))
        await self._send("ask", who, "POST", path, body)

    async def _tool(self) -> None:
        who, item = self._pair()
        profile, name, given = self.rng.choice(tools(item.key, item))
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": name, "arguments": given}}  # fmt: skip
        await self._send("tool", who, "POST", "/mcp", call, {"tools": profile}, name)

    async def _get(self) -> None:
        who, item = self._pair()
        template, operation = self.rng.choice(self.gets)
        path = re.sub(r"{(\w+)}", lambda found: self._named(found[1], item), template)
        params = {}
        for one in operation.get("parameters", ()):
            if one["in"] == "query" and (one.get("required") or self.rng.random() < 0.4):
                params[one["name"]] = self._sent(one["name"], item)
        given = {name: value for name, value in params.items() if value}
        await self._send("get", who, "GET", path, None, given, template)

    async def _stream(self) -> None:
        """Read a stream from its beginning, or from now on while somebody writes."""
        who, item = self._pair()
        if self.rng.random() < 0.5:
            self._hold(who, await self._heard(who, {"after": BEGINNING}))
            return
        listening = asyncio.create_task(self._heard(who, {"scopes": item.scope}))
        await asyncio.sleep(LISTENED / 6)
        await self._written()
        self._hold(who, await listening)

    def _hold(self, who: Principal, told: str) -> None:
        """Hold what a stream told against the model: it tells ids, and no text."""
        for one in self.register.named(who, told, ""):
            self.report.wrong.append(f"id of {one.kind} of {one.owner} told to {who.id}: stream")
        ids = set(IDS.findall(told))
        owned = [one for one in self.register.items.values() if ids.intersection(one.served)]
        self.report.heard += len(owned)

    async def _heard(self, who: Principal, params: dict[str, str]) -> str:
        told, good = "", False
        with suppress(TimeoutError):
            async with (
                asyncio.timeout(LISTENED),
                who.http.stream("GET", "/v1/events", params=params) as answer,
            ):
                good = answer.is_success
                async for part in answer.aiter_text():
                    told += part
        self._look("stream", "/v1/events", who, told, "", good)
        return told

    def _pair(self) -> tuple[Principal, Item]:
        return self.rng.choice(self.people), self.rng.choice(list(self.register.items.values()))

    def _named(self, name: str, item: Item) -> str:
        """A value for a parameter of a path: of this item, else of any that has one."""
        if name in item.ids:
            return item.ids[name]
        having = [one.ids[name] for one in self.register.items.values() if name in one.ids]
        return self.rng.choice(having) if having else item.key

    def _sent(self, name: str, item: Item) -> str | None:
        if name in ("scope", "scopes", "team"):
            return item.scope
        if name in ("agent", "owner", "assignee", "resolver"):
            return item.owner
        if name in ("key", "session", "session_id", "text", "contains", "conversation_id"):
            return item.key
        return SENT.get(name)

    async def _send(
        self, kind: str, who: Principal, method: str, path: str, body: Any = None,
        params: dict[str, str] | None = None, door: str | None = None,
    ) -> httpx.Response:  # fmt: skip
        headers = {"Accept": "application/json, text/event-stream"} if kind == "tool" else {}
        answer = await who.http.request(method, path, json=body, params=params, headers=headers)
        asked = f"{path} {orjson.dumps(body).decode()} {params}"
        good = answer.is_success and '"isError":true' not in answer.text
        self._look(kind, door or path.split("?")[0], who, answer.text, asked, good)
        if answer.status_code >= 500 and answer.status_code != 501:
            self.report.wrong.append(f"{answer.status_code} for {who.id}: {method} {asked}")
        return answer

    def _look(
        self, kind: str, door: str, who: Principal, told: str, asked: str, good: bool
    ) -> None:
        self.report.trials[kind] += 1
        if good and kind in ("get", "tool", "ask", "stream"):
            self.report.answered[door] += 1
        for item in self.register.leaks(who, told, asked):
            self.report.wrong.append(
                f"{item.kind} of {item.owner} told to {who.id}: {kind} {asked}"
            )
        for item in self.register.within(told):
            if item.owner != who.id and item.seen_by(who):
                self.report.seen[item.kind] += 1


def item_of(kind: str, draw: Draw, told: Told, answer: Any) -> Item:
    """Return what was written as the model knows it."""
    ids = ids_of(told, answer) | told.given
    item = Item(kind, draw.marker, draw.key, draw.who.home, draw.who.id, ids,
                words=frozenset(told.given))  # fmt: skip
    if told.only == "leaf":
        leaf = f"{draw.who.home}/{'agent'}:{draw.who.name}"
        return replace(item, scope=leaf)
    if told.only is None:
        return item
    known = draw.who.id if told.only == "owner" else told.only
    return replace(item, only=frozenset({known, draw.who.id}))


def ids_of(told: Told, answer: Any) -> dict[str, str]:
    """Return the ids that an answer gave, by the parameters that take them."""
    return {name: str(_at(answer, where)) for name, where in told.ids.items()}


def _at(answer: Any, where: str) -> Any:
    for part in where.split("."):
        answer = answer[int(part)] if isinstance(answer, list) else answer[part]
    return answer
