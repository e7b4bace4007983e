"""How memory grows with agents: bytes of Valkey and nodes of each, the tenant's bound, and whether
work by night reads what is due or all there is.

Agents hand in turns over HTTP and keep values at hand, as one that works does. Every schedule is
run here twice, at two sizes: the first run does what is due, the second one has nothing to do, so
that what it reads should not grow with the tenant. No worker may run meanwhile.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import httpx
from redis.asyncio import Redis

from app.cli.keys import mint
from app.jobs.repository import SYSTEM
from app.kernel.caller import Role
from app.kernel.cypher import Q
from app.tasks import SCHEDULES
from app.wiring import Parts
from bench.hits import counted

AT_HAND, ROUNDS = 20, 10  # values of working memory of an agent; turns between two of them
SPARE = 200  # db hits that a run with nothing to do may have more, whatever the size
STEEP = 1.5  # times as many hits at twice the size: it reads all there is
WORDS = ("crane", "pump", "lathe", "valve", "motor", "drill", "press", "belt")


@dataclass(frozen=True)
class Size:
    """What a number of agents takes, each figure of one agent."""

    agents: int
    valkey_bytes: float
    nodes: float
    labels: dict[str, float]


@dataclass(frozen=True)
class Night:
    """One schedule: seconds while something was due and while nothing was, and what the latter
    read; `worst` is the statement with most hits."""

    seconds: float
    idle_seconds: float
    idle_hits: int
    worst: str


class Growth:
    """One tenant that grows."""

    def __init__(self, opened: Parts, url: str, turns: int) -> None:
        self.opened, self.url, self.turns = opened, url, turns
        self.tenant = f"eval-growth-{secrets.token_hex(3)}"
        self.keys: list[str] = []

    async def measure(self, agents: int) -> dict[str, Any]:
        """Measure with half of the agents and with all of them."""
        half = await self.grown(agents // 2)
        first = await self.nights()
        whole = await self.grown(agents - agents // 2)
        second = await self.nights()
        bound = await self.bound()
        steep = {
            name: {"hits": [first[name].idle_hits, night.idle_hits], "worst": night.worst}
            for name, night in second.items()
            if night.idle_hits > first[name].idle_hits * STEEP + SPARE
        }
        return {
            "agents": agents, "turns": self.turns, "sizes": [vars(half), vars(whole)],
            "nights": {name: vars(night) for name, night in second.items()},
            "hits_at_half": {name: night.idle_hits for name, night in first.items()},
            "reads_all": steep, "bound": bound,
        }  # fmt: skip

    async def grown(self, more: int) -> Size:
        """Let so many agents come and work; what each of them added."""
        memory, nodes = await self._valkey(), await self._nodes()
        for number in range(more):
            await self._agent(len(self.keys) + 1, number)
        await self.opened.indexing.drain()
        bytes_, found = await self._valkey() - memory, await self._nodes() - nodes
        labels = {name: round(count / more, 1) for name, count in found.most_common(20)}
        total = found.pop("", 0)
        labels.pop("", None)
        return Size(len(self.keys), round(bytes_ / more, 1), round(total / more, 1), labels)

    async def nights(self) -> dict[str, Night]:
        """Run every schedule, and again with nothing to do."""
        done = {}
        for schedule in SCHEDULES:
            seconds = await self._run(schedule.name, schedule.task)
            with counted() as found:
                idle = await self._run(schedule.name, schedule.task)
            worst = found.most_common(1)[0] if found else ("", 0)
            text = f"{worst[1]}: {' '.join(worst[0].split())[:160]}"
            done[schedule.name] = Night(seconds, idle, found.total(), text)
        return done

    async def bound(self) -> dict[str, Any]:
        """Fill the tenant's working memory until it is full: what was taken, and what was said."""
        async with self._client(self.keys[0]) as http:
            limits = (await http.get("/v1/working-limits")).json()
        value = list(range(10_000_000, 10_000_000 + limits["value_bytes"] // 9 - 100))
        taken, refused = 0, Counter[str]()
        for key in self.keys:
            async with self._client(key) as http:
                while True:
                    path = f"/v1/working-memory/full/keys/k{taken}"
                    answer = await http.put(path, json={"value": value})
                    if not answer.is_success:
                        refused[f"{answer.status_code} {answer.json()['detail']}"] += 1
                        break
                    taken += answer.json()["bytes"]
        for key in self.keys:
            async with self._client(key) as http:
                await http.delete("/v1/working-memory/full")
        return {"limits": limits, "bytes_taken": taken, "refused": dict(refused)}

    async def _agent(self, number: int, seed: int) -> None:
        minted = await mint(self.opened, f"{self.tenant}/shop", kind="agent", name=f"a{number}",
                            role=Role.WRITER)  # fmt: skip
        self.keys.append(minted.text)
        async with self._client(minted.text) as http:
            for turn in range(self.turns):
                word = WORDS[(number + turn) % len(WORDS)]
                said = [
                    {"role": "user", "content": f"The {word} {turn} of hall {number} is loud."},
                    {"role": "assistant", "content": f"I note the {word} {turn} of {number}."},
                ]
                body = {"session": f"s{number}-{turn // 20}", "messages": said}
                (await http.post("/v1/turns", json=body)).raise_for_status()
                if turn % ROUNDS == 0:
                    await self._kept(http, turn // ROUNDS, seed)

    async def _kept(self, http: httpx.AsyncClient, at: int, seed: int) -> None:
        for slot in range(at * 2, at * 2 + 2):
            path = f"/v1/working-memory/t/keys/k{slot % AT_HAND}"
            value = {"step": slot, "seen": [seed] * 100}
            (await http.put(path, json={"value": value})).raise_for_status()

    async def _run(self, name: str, task: str) -> float:
        job = await self.opened.jobs.create(
            task, tenant=SYSTEM, scope=SYSTEM, args={"schedule": name}
        )
        start = time.perf_counter()
        state = await self.opened.runner.run(self.opened, job.id)
        if state != "done":
            raise RuntimeError(f"{name} ended as {state}")
        return round(time.perf_counter() - start, 3)

    async def _valkey(self) -> int:
        redis = Redis.from_url(self.opened.settings.redis.url)
        try:
            return int((await redis.info("memory"))["used_memory"])
        finally:
            await redis.aclose()

    async def _nodes(self) -> Counter[str]:
        """Nodes in all, by the empty name, and of each label, from the store's own counts."""
        row = await self.opened.graph.one(Q.evals.store_counts)
        counts: Counter[str] = Counter()
        for node in row["nodes"]:
            counts[node.get("label") or ""] += node["count"]
        return counts

    def _client(self, key: str) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=120)
