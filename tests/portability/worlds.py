"""Random tenants: every kind of thing that can be said, written, changed, hidden and erased."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

from app.entities.repair import repair_scope
from app.wiring import Parts
from tests.conftest import Principal
from tests.portability.beliefs import sent

NAMES = ("Ada Vogt", "Bruno Falk", "Nora Feld", "Heron GmbH", "Osprey AG", "Mia Brandt", "Heron")
TOWNS = ("Bremen", "Ulm", "Hamburg", "Oldenburg", "Kiel")
SHAPES = (
    "{a} lives in {t}.",
    "{a} works for {b}.",
    "{a} is based in {t}.",
    "{a} has moved from {t} to {u}.",
    "{a} uses Rust. {b} uses Grafana.",
    "{a} costs {n} EUR. Actually, {a} costs {m} EUR.",
    "{a} leads the project Vega.",
    "{a} wohnt in {t}.",
)


class World:
    """A tenant that grows by steps which a seed picks; steps that are refused count as tried."""

    def __init__(self, opened: Parts, people: dict[str, Principal], seed: int) -> None:
        self.opened, self.people = opened, people
        self.admin = people["admin"]
        self.tenant = self.admin.caller.tenant
        self.scopes = [f"{self.tenant}/dev", f"{self.tenant}/dev/team:red", f"{self.tenant}/ops"]
        self.rng = random.Random(seed)
        self.made: dict[str, list[str]] = {}
        self.refused: list[str] = []
        self.rounds = 0

    async def grow(self, steps: int) -> None:
        """Each kind of step once, then as the seed has it; in later rounds nothing else happens."""
        self.rounds += 1
        all_steps = list(STEPS)
        await sent(self.admin, "PUT", f"/v1/scopes/rules?scope={self.tenant}", {"erasure": True})
        for scope in self.scopes:
            await self.tried("POST", "/v1/scopes", {"scope": scope})
        picked = [*all_steps, *self.rng.choices(all_steps, k=steps)]
        for step in picked:
            await step(self)
        await self.rest()

    async def rest(self) -> None:
        """Bring everything on its way to an end."""
        for scope in (self.tenant, *self.scopes):
            await self.opened.consolidation.consolidate(scope)
        await self.opened.indexing.drain()

    async def say(self) -> None:
        """An episode, with or without a time and a speaker."""
        body = {"content": self._text(), "session": self.rng.choice("ab"), "scope": self._scope()}
        if self.rng.random() < 0.5:
            month, day = self.rng.randint(1, 9), self.rng.randint(10, 28)
            body["captured_at"] = f"2026-0{month}-{day}T09:00:00+00:00"
        who = self.rng.choice(list(self.people.values()))
        found = await self.tried("POST", "/v1/episodes", body, who)
        self._keep("memory", found)
        self._keep("episode", found)

    async def consolidate(self) -> None:
        """What waits in one scope is read."""
        await self.opened.consolidation.consolidate(self._scope())

    async def remember(self) -> None:
        """Two who disagree: what the second says waits, and is decided on or not."""
        scope, thing = self._scope(), {"name": self._name(), "type": "project"}
        for who in self.people.values():
            value = {"value": self.rng.choice(("active", "completed", "paused"))}
            body = {"statement": {"subject": thing, "predicate": "status", "object": value}}
            found = await self.tried("POST", "/v1/facts:remember", body | {"scope": scope}, who)
            for waiting in (found or {}).get("quarantined", ()):
                door = f"/v1/quarantine/{waiting}"
                verdict = self.rng.choice(("accept", "reject", "undo"))
                await self.tried("POST", f"{door}/{verdict}", {"note": "It was checked."})
                await self.tried("POST", f"/v1/facts/{waiting}/attest", None)

    async def page(self) -> None:
        """A page that is written, and edited or deleted or not."""
        text = f"# {self._name()}\n\n{self._text()} See [[{self._name()}]].\n"
        title = f"{self._name()} {self.rng.random():.6f}"
        body = {"title": title, "content": text, "scope": self._scope()}
        page = (await self.tried("POST", "/v1/pages", body))["id"]
        self._keep("memory", {"id": page})
        if self.rng.random() < 0.4:
            await self.consolidate()
            body = {"content": f"{text}\n# More\n\n{self._text()}\n"}
            await self.tried("PATCH", f"/v1/pages/{page}", body)
        if self.rng.random() < 0.2:
            await self.tried("DELETE", f"/v1/pages/{page}")

    async def document(self) -> None:
        """A document in a base, which may be archived or deleted."""
        base = await self.tried(
            "POST", "/v1/knowledge-bases", {"name": f"B{self.rng.random()}", "scope": self._scope()}
        )
        text = f"# Manual\n\n{self._text()}\n\n# Rest\n\n{self._text()} {self._text()}\n"
        body = {"knowledge_base": base["id"], "name": "manual.md", "text": text}
        found = await self.tried("POST", "/v1/documents", body)
        await self.opened.runner.run(self.opened, found["job"]["id"])
        document = found["document"]["id"]
        self._keep("memory", {"id": document})
        if self.rng.random() < 0.3:
            await self.consolidate()
            await self.tried("POST", f"/v1/documents/{document}/archive")

    async def merge(self) -> None:
        """Two entities of one scope become one, wait, or are parted again."""
        scope = self._scope()
        await self.opened.consolidation.consolidate(scope)
        await repair_scope(self.opened.graph, self.opened.merges, scope)
        found = (await sent(self.admin, "GET", f"/v1/entities?scope={scope}"))["items"]
        if len(found) > 1:
            one, other = self.rng.sample(found, 2)
            await self.tried("POST", "/v1/merges", {"left": one["id"], "right": other["id"]})
        for made in (await sent(self.admin, "GET", f"/v1/merges?scope={scope}"))["items"]:
            verdict = self.rng.choice(("accept", "reject", "accept"))
            await self.tried("POST", f"/v1/merges/{made['id']}/{verdict}")
            if self.rng.random() < 0.4:
                await self.tried("POST", f"/v1/merges/{made['id']}/undo")

    async def note(self) -> None:
        """A note, a change of it, its end."""
        title = f"{self._name()} {self.rng.random():.3f}"
        body = {"content": self._text(), "scope": self._scope(), "tags": ["ops"], "title": title}
        body["namespace"] = self.rng.choice(("knowledge", "learnings", "methods"))
        found = await self.tried(
            "POST", "/v1/notes", body, self.rng.choice([*self.people.values()])
        )
        self._keep("memory", found)
        if found and body["namespace"] == "learnings":
            self._keep("learning", found)
        if found and self.rng.random() < 0.4:
            await self.tried("PATCH", f"/v1/notes/{found['id']}", {"content": self._text()})
        if found and self.rng.random() < 0.2:
            await self.tried("DELETE", f"/v1/notes/{found['id']}")

    async def check(self) -> None:
        """A learning that some verify or disprove, and that is shared with everybody."""
        body = {"content": self._text(), "scope": self.scopes[0], "namespace": "learnings"}
        body |= {"importance": 0.8, "confidence": 0.9}
        self._keep("learning", await self.tried("POST", "/v1/notes", body))
        for note in self.made.get("learning", [])[-2:]:
            for who in self.people.values():
                body = {"holds": self.rng.random() < 0.8}
                await self.tried("POST", f"/v1/learnings/{note}/check", body, who)
            await self.opened.graph.raw("MATCH (n:Note {id: $id}) SET n.recalled = 2", id=note)
            await self.tried("POST", f"/v1/learnings/{note}/share", {"scope": self.tenant})

    async def skill(self) -> None:
        """A skill with a second version, an outcome, a copy, and an edge to another."""
        body = {
            "name": f"Ship {''.join(self.rng.choices('abdeklmnorst', k=8))}",
            "description": f"How to ship for {self._name()}.",
            "body": self._text(),
            "category": "automation",
            "scope": self._scope(),
        }
        found = await self.tried("POST", "/v1/skills", body)
        assert found, self.refused[-1]
        skill = found["id"]
        await self.tried("PATCH", f"/v1/skills/{skill}", {"body": self._text()})
        outcome = {"success": self.rng.random() < 0.6, "failure": "The disk was full."}
        await self.tried("POST", f"/v1/skills/{skill}/outcomes", outcome)
        await self.tried("POST", f"/v1/skills/{skill}/clone", {"scope": self.scopes[0]})
        for other in self.made.get("skill", [])[-1:]:
            edge = {"target": other, "type": "enhances"}
            await self.tried("POST", f"/v1/skills/{skill}/links", edge)
        self._keep("skill", found)
        self._keep("memory", found)

    async def block(self) -> None:
        """A core block, a pattern of failure, an edit of the registry."""
        body = {"content": f"You help {self._name()}.", "scope": self._scope()}
        await self.tried("PUT", "/v1/core-blocks/identity", body)
        pattern = {"content": f"Shipping {self._name()} unread.", "reason": "It lost a day."}
        await self.tried("POST", "/v1/bad-patterns", pattern | {"scope": self._scope()})
        edit = {"half_life": self.rng.randint(10, 99)}
        await self.tried("PUT", f"/v1/predicates/status?scope={self._scope()}", edit)

    async def hide(self) -> None:
        """Something is forgotten, shown again, or pinned."""
        if memories := self.made.get("memory"):
            act = self.rng.choice(("forget", "forget", "unforget", "pin"))
            await self.tried("POST", f"/v1/memories/{self.rng.choice(memories)}/{act}")

    async def erase(self) -> None:
        """Something goes for good, with what was made of it."""
        if memories := self.made.get("memory"):
            await self.tried("POST", "/v1/erasures", {"memory": self.rng.choice(memories)})

    async def learn(self) -> None:
        """Feedback on a memory, the learning log, and what is made of facts."""
        for memory in self.made.get("episode", [])[-3:]:
            verdict = self.rng.choice(("useful", "wrong"))
            await self.tried("POST", "/v1/feedback", {"memory": memory, "verdict": verdict})
        await self.opened.learning.refresh()
        await self.opened.condensing.condense_all(self._scope())

    async def tried(
        self, method: str, path: str, body: dict[str, Any] | None = None, by: Any = None
    ) -> Any:
        answer = await (by or self.admin).http.request(method, path, json=body)
        assert answer.status_code < 500, f"{method} {path}: {answer.text}"
        if not answer.is_success:
            self.refused.append(f"{method} {path}: {answer.text[:200]}")
        return answer.json() if answer.is_success and answer.content else None

    def _keep(self, kind: str, found: dict[str, Any] | None) -> None:
        if found:
            self.made.setdefault(kind, []).append(found["id"])

    def _scope(self) -> str:
        return self.rng.choice(self.scopes)

    def _name(self) -> str:
        return self.rng.choice(NAMES)

    def _text(self) -> str:
        one, other = self.rng.sample(NAMES, 2)
        town, next_town = self.rng.sample(TOWNS, 2)
        cost = self.rng.randint(10, 99)
        filled = {"a": one, "b": other, "t": town, "u": next_town, "n": cost, "m": cost + 1}
        return self.rng.choice(SHAPES).format(**filled)


Step = Callable[[World], Awaitable[None]]
STEPS: tuple[Step, ...] = (
    World.say, World.page, World.document, World.say, World.consolidate, World.remember,
    World.note, World.merge, World.skill, World.block, World.learn, World.hide, World.erase,
    World.check,
)  # fmt: skip
