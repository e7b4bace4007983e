"""The same trouble twice: the second time an agent asks how it was solved, and is done at once.

The first one works in German; the second one, another agent, asks in its own words, in English.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.scenarios.stories.house import House, Person, eventually

TOOLS = ("neustart", "netz_pruefen", "rechte_pruefen", "zertifikat_erneuern")
CURE = "zertifikat_erneuern"  # the tool that helps; nothing tells it to an agent


@dataclass
class Worker:
    """An agent with tools that it tries one after the other, those first that helped before."""

    who: Person
    tried: list[str] = field(default_factory=list)

    async def solve(self, task: str, session: str) -> str:
        """Solve a task, and leave a trace of it; its id."""
        trace: str = (await self.who.post("/v1/traces", {"task": task, "session": session}))["id"]
        begun = await self.who.post("/v1/segments", {"task": task, "trace": trace})
        for tool in await self._order(task):
            works = tool == CURE
            call = {
                "tool": tool, "key": tool, "status": "success" if works else "failure",
                "arguments": {"host": "shop", "token": "hunter2-geheim"}, "duration_ms": 900,
            }  # fmt: skip
            step = {"key": tool, "action": f"versuche {tool}", "tool_calls": [call]}
            await self.who.post(f"/v1/traces/{trace}/steps", {"steps": [step]})
            self.tried.append(tool)
            if works:
                break
        told = {"outcome": "success", "result": "Das Zertifikat war abgelaufen und ist erneuert."}
        await self.who.post(f"/v1/traces/{trace}/complete", told)
        ended = await self.who.post(f"/v1/segments/{begun['id']}/end", {
            "checks": [{"kind": "health", "passed": True}], "reply": "Danke, jetzt geht es.",
        })  # fmt: skip
        assert ended["label"] == "resolved"
        return trace

    async def _order(self, task: str) -> Sequence[str]:
        """What helped with tasks alike comes first."""
        helped: list[str] = []
        for one in (await self.who.post("/v1/traces/similar", {"task": task}))["items"]:
            whole = await self.who.get(f"/v1/traces/{one['trace']['id']}")
            calls = whole["tool_calls"] + [c for s in whole["steps"] for c in s["tool_calls"]]
            helped += [call["tool"] for call in calls if call["status"] == "success"]
        return list(dict.fromkeys([*helped, *TOOLS]))


async def told(house: House) -> None:
    boss = await house.tenant("kramladen")
    first = Worker(await house.hire(boss, "kramladen/betrieb", "fridolin"))
    second = Worker(await house.hire(boss, "kramladen/betrieb", "nightwatch"))
    outside = await house.hire(await house.tenant("nachbarladen"), "nachbarladen/betrieb", "x")

    trouble = "Der Webshop meldet ein ungültiges TLS-Zertifikat, behebe das"
    trace = await first.solve(trouble, "montag")
    assert first.tried == list(TOOLS)

    again = "The web shop says that its TLS certificate is not valid, fix that"
    found = await eventually("the trace by a task alike", lambda: _alike(second.who, again))
    assert [one["trace"]["id"] for one in found] == [trace]
    await second.solve(again, "night")
    assert second.tried == [CURE]

    assert await _alike(second.who, "Übersetze das Handbuch ins Französische") == []
    assert await _alike(outside, again) == []
    assert await outside.status("GET", f"/v1/traces/{trace}") == 404
    await _what_was_learnt(boss, first.who, trace)
    await _in_a_prompt(second.who, again)


async def _alike(who: Person, task: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await who.post("/v1/traces/similar", {"task": task}))["items"]
    return items


async def _what_was_learnt(boss: Person, first: Person, trace: str) -> None:
    """No secret stays in a trace; figures tell which tool helps; each task is scored once."""
    whole = await first.http.get(f"/v1/traces/{trace}")
    assert "hunter2" not in whole.text
    assert whole.json()["trace"]["tools"] == sorted(TOOLS)
    figures = (await first.get("/v1/traces/tool-statistics"))["items"]
    rates = {one["tool"]: (one["calls"], one["rate"]) for one in figures}
    assert rates == {CURE: (2, 1.0), **{tool: (1, 0.0) for tool in TOOLS if tool != CURE}}
    scored = (await boss.get("/v1/learned", type="resolution_scored"))["items"]
    assert len(scored) == 2


async def _in_a_prompt(who: Person, task: str) -> None:
    """A context for such a task tells how it went."""

    async def context() -> Any:
        text = str((await who.post("/v1/tiers/context", {"query": task}))["untrusted"])
        return "Das Zertifikat war abgelaufen" in text

    await eventually("what helped, in a context", context)
