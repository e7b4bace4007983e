"""Steps over the kinds that declare themselves and those that take two, for random tenants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tests.agentmemory.conftest import Bridge
from tests.autonomy.test_interventions import clear, decided
from tests.portability.beliefs import promoted
from tests.portability.worlds import World

DUE = "2027-03-02T12:00:00Z"
COLUMNS = [{"name": "name", "type": "text"}, {"name": "revenue", "type": "decimal"}]


class Desk:
    """Two who work in a tenant, each in a scope of its own; the second scope is no other's."""

    def __init__(self, world: World, hands: tuple[Bridge, Bridge]) -> None:
        self.world, self.hands = world, hands
        self.hand = hands[0]
        self.count = 0

    async def grow(self, steps: int) -> None:
        """Each kind of step once in both scopes, then as the seed has it."""
        for hand in self.hands:
            for step in STEPS:
                await self._turn(hand, step)
        for step in self.world.rng.choices(STEPS, k=steps):
            await self._turn(self.world.rng.choice(self.hands), step)
        await self.world.opened.consolidation.consolidate(self.hands[1].who.caller.home)
        await self.world.rest()

    async def settings(self) -> None:
        """A setting of the scope."""
        body = {"pools": {"per_scope": self.world.rng.randint(50, 99)}}
        path = f"/v1/scopes/settings?scope={self.home}"
        await self.world.tried("PATCH", path, body, self.world.admin)

    async def block(self) -> None:
        """A core block that is protected, with an edit that another attests or not."""
        url, ada = "/v1/core-blocks/identity", self.world.people["ada"]
        await self.send("PUT", url, {"content": f"You help {self.word()}.", "scope": self.home})
        await self.send("PUT", f"{url}/protection", {"scope": self.home})
        body = {"content": f"You serve {self.word()}.", "scope": self.home}
        edit = await self.send("POST", f"{url}/edits", body)
        if edit and self.world.rng.random() < 0.6:
            seen = {"old_hash": edit["old_hash"], "new_hash": edit["new_hash"]}
            await self.world.tried("POST", f"/v1/core-block-edits/{edit['id']}/attest", seen, ada)

    async def baseline(self) -> None:
        """How alike a core block and what was said lately are."""
        for _ in range(8):
            text = f"We have welded the gate of {self.word()} today."
            said = {"content": text, "session": "weld", "scope": self.home}
            assert await self.send("POST", "/v1/episodes", said), self.world.refused[-1]
        await self.world.opened.indexing.drain()
        url = "/v1/core-blocks/persona"
        await self.send("PUT", url, {"content": "You weld.", "scope": self.home})
        taken = await self.world.tried(
            "PUT", f"/v1/core-blocks/persona/baseline?scope={self.home}", None, self.world.admin
        )
        assert taken, self.world.refused[-1]

    async def rate(self) -> None:
        """A note that somebody has rated."""
        url = f"/v1/notes/{await self.note()}/rating"
        assert await self.send("PUT", url, {"stars": 4}), self.world.refused[-1]

    async def at_hand(self) -> None:
        """An entry of short-term memory, and a copy of working memory."""
        entry = {"session": "s", "key": self.word(), "value": {"n": [1, None]}, "ttl": 7200}
        await self.made("/v1/short-term-memory", entry)
        task = f"/v1/working-memory/{self.word()}"
        assert await self.send("PUT", f"{task}/keys/plan", {"value": self.word()})
        assert await self.send("PUT", f"{task}/copy"), self.world.refused[-1]

    async def pool(self) -> None:
        """A pool with a history."""
        name = self.word()
        body = {"pool_id": name, "name": name, "data": {"n": [1, None]}}
        await self.made("/v1/pools", body)
        data = f"/v1/pools/{name}/data"
        await self.send("PUT", f"{data}?path=state", {"value": self.word()})
        await self.send("PATCH", data, {"data": {"weather": {"größe": "1,5 m"}}})

    async def work(self) -> None:
        """Work items, of which one may go later, and a link."""
        root = await self.made("/v1/work-items", {"title": f"Move {self.word()}", "due_at": DUE})
        low = await self.made("/v1/work-items", {"title": "Pack", "parent_id": root})
        await self.send("POST", f"/v1/work-items/{low}/advance", {"to": "in_progress"})
        await self.made(f"/v1/work-items/{root}/links", {"memory": await self.note()})
        single = await self.made("/v1/work-items", {"title": f"Sweep {self.word()}"})
        self.world.made.setdefault("memory", []).append(single)

    async def goal(self) -> None:
        """Goals and a link."""
        top = await self.made("/v1/goals", {"title": f"Open {self.word()}", "criteria": "Open."})
        low = await self.made("/v1/goals", {"title": "Find rooms", "parent_id": top})
        await self.send("PATCH", f"/v1/goals/{low}", {"progress": self.world.rng.randint(1, 99)})
        await self.made(f"/v1/goals/{top}/links", {"memory": await self.note()})

    async def watch(self) -> None:
        """An escalation, observations, and what is suggested of decisions."""
        body = {"title": f"Which {self.word()}?", "reason": "Two offers.", "due_at": DUE}
        late = await self.made("/v1/escalations", body)
        if self.world.rng.random() < 0.4:
            await self.send("POST", f"/v1/escalations/{late}/resolve", {"resolution": "That."})
        items = [{"sensor": "door", "key": self.word(), "payload": {"open": True, "n": [1.5]}}]
        await self.send("POST", "/v1/observations", {"items": items})
        if self.hand is self.hands[1]:
            # Nobody decides on merges there: these stand for twenty decisions of people.
            await decided(self.world.opened, self.home, "merge", (20, 0))
            await self.world.opened.intervening.suggest([self.home], dry_run=False)
            await clear(self.world.opened, self.home)

    async def trace(self) -> None:
        """How a task was solved."""
        trace = await self.made("/v1/traces", {"task": f"Frame {self.word()}", "session": "s"})
        url = f"/v1/traces/{trace}"
        await self.send("POST", f"{url}/steps", {"steps": [{"thought": f"Ask {self.word()}."}]})
        call = {"tool": "phone", "step": 1, "arguments": {"to": "x"}, "result": [None, 1.5]}
        await self.send("POST", f"{url}/tool-calls", {"tool_calls": [call]})
        await self.send("POST", f"{url}/links", {"memories": [await self.note()], "step": 1})
        await self.send("POST", f"{url}/complete", {"outcome": "success", "result": "Framed."})

    async def table(self) -> None:
        """A table with a row that was changed."""
        name = f"t{self.word()}"
        await self.made("/v1/tables", {"name": name, "columns": COLUMNS, "keys": ["name"]})
        for revenue in ("12.50", "13"):
            rows = [{"name": "Aurel", "revenue": revenue}]
            await self.send("POST", f"/v1/tables/{name}/rows", {"rows": rows})

    async def talk(self) -> None:
        """Messages of a conversation."""
        messages = [{"content": f"Line {n} on {self.word()}."} for n in range(3)]
        await self.send("POST", "/v1/conversations/talk/messages", {"messages": messages})

    async def context(self) -> None:
        """A context with versions and a snapshot."""
        body = {"name": f"Pumps {self.word()}", "type": "shared_context"}
        url = f"/v1/contexts/{await self.made('/v1/contexts', body)}"
        entry = await self.made(f"{url}/entries", {"key": "k", "content": {"n": [1, None]}})
        await self.send("POST", f"{url}/snapshots", {"name": "first"})
        await self.send("PUT", f"{url}/entries/{entry}/content", {"content": self.word()})

    async def learn(self) -> None:
        """Tasks of one intent, the first of which used a note."""
        task, done = f"tune {self.word()}", {"checks": [{"kind": "test", "passed": True}]}
        first = await self.made("/v1/segments", {"task": task})
        used = {"tools": [True], "used": [{"memory": await self.note()}]}
        await self.send("POST", f"/v1/segments/{first}/end", used)
        for _ in range(2):
            segment = await self.made("/v1/segments", {"task": task})
            await self.send("POST", f"/v1/segments/{segment}/end", done)
        await self.world.opened.indexing.drain()
        body = {"scope": self.home, "dry_run": False}
        await self.world.tried("POST", "/v1/intents/find", body, self.world.admin)

    async def hook(self) -> None:
        """A webhook that rests."""
        hook = await self.made("/v1/webhooks", {"url": "http://127.0.0.1:9/hook"})
        await self.send("POST", f"/v1/webhooks/{hook}/pause")

    async def transcript(self) -> None:
        """What is said, known and preferred over the protocol of agents' memory."""
        await self.hand.said(f"s{self.count}", f"The {self.word()} was painted.")
        thing = await self.hand("add_entity", name=f"{self.word()} Verlag", entity_type="OBJECT")
        url = f"/agent-memory/v1/entities/{thing['id']}/feedback"
        assert await self.send("PUT", url, {"userScore": 0.5}), self.world.refused[-1:]
        text = f"Prefers {self.word()} over the harbour"
        await self.hand("add_preference", category="art", preference=text, context="at home")

    async def gainsay(self) -> None:
        """Two notes, the later of which takes the place of the other."""
        name = self.word()
        for verb in ("is", "is no longer"):
            content = f"The deploy host of {name} {verb} hydra-2."
            await self.made("/v1/notes", {"content": content, "title": "Hosts"})

    async def craft(self) -> None:
        """Two skills that need each other, which is a conflict, and a proposal."""
        body = {"category": "automation", "description": f"How to weld {self.word()}."}
        one, two = [
            await self.made("/v1/skills", body | {"name": f"Weld {self.word()}", "body": "Weld."})
            for _ in range(2)
        ]
        for source, target in ((one, two), (two, one)):
            link = {"target": target, "weight": 0.5}
            assert await self.send("POST", f"/v1/skills/{source}/links", link)
        scan = {"scope": self.home, "dry_run": False}
        assert await self.send("POST", "/v1/skill-chores/conflict-scan", scan)
        await self.made("/v1/skill-proposals", body | {"name": self.word(), "body": "Weld twice."})

    async def promote(self) -> None:
        """Two who disagree, and what a promotion of the later word leaves behind."""
        thing, found = {"name": self.word(), "type": "project"}, None
        for who, value in zip(("ada", "bob"), ("active", "completed"), strict=True):
            stated = {"subject": thing, "predicate": "status", "object": {"value": value}}
            body, by = {"statement": stated, "scope": self.home}, self.world.people[who]
            found = await self.world.tried("POST", "/v1/facts:remember", body, by)
        assert found, self.world.refused[-1]
        told = (found["quarantined"][0], found["episode"])
        await promoted(self.world.opened, self.world.admin, told, self.home)

    @property
    def home(self) -> str:
        """The scope of who works."""
        return self.hand.who.caller.home

    async def note(self) -> str:
        """A note that nothing takes away."""
        return await self.made("/v1/notes", {"content": f"The fence of {self.word()} is blue."})

    async def made(self, path: str, body: dict[str, Any]) -> str:
        """The id of something new; every one of these is taken."""
        found = await self.send("POST", path, body)
        assert found, self.world.refused[-1]
        return str(found["id"]) if "id" in found else ""

    async def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the answer says; None where it refuses."""
        return await self.world.tried(method, path, body, self.hand.who)

    def word(self) -> str:
        """A word that was not there before."""
        self.count += 1
        letters = "".join(self.world.rng.choices("abdeklmnorst", k=6))
        return f"{letters}{self.count}"

    async def _turn(self, hand: Bridge, step: Step) -> None:
        self.hand = hand
        await step(self)


Step = Callable[[Desk], Awaitable[None]]
STEPS: tuple[Step, ...] = (
    Desk.settings, Desk.block, Desk.pool, Desk.work, Desk.goal, Desk.watch, Desk.trace, Desk.table,
    Desk.talk, Desk.context, Desk.learn, Desk.hook, Desk.transcript, Desk.gainsay, Desk.craft,
    Desk.promote, Desk.baseline, Desk.rate, Desk.at_hand,
)  # fmt: skip
