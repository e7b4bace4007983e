"""A task is solved twice, and the second time is shorter, since the trace was found."""

from __future__ import annotations

from typing import Any

from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.traces.conftest import Start, calls, complete, posted, whole

# What an agent may try, and what the shop's system answers.
SHELF: dict[str, dict[str, Any]] = {
    "backup.restart": {"error": "the disk is full"},
    "disk.enlarge": {"error": "no room in the rack"},
    "logs.rotate": {"result": {"freed_gb": 40}},
}


async def solve(who: Principal, start: Start, task: str) -> tuple[str, list[str]]:
    """Solve a task: what worked before is tried first, then everything there is, until it works.

    The agent knows only what similar traces tell it.
    """
    trace = await start(task, by=who)
    plan: list[str] = []
    for found in (await posted(who, "/similar", {"task": task}, 200))["items"]:
        read = await whole(who, found["trace"]["id"])
        plan += [call["tool"] for call in read["tool_calls"] if call["status"] == "success"]
    tried: list[str] = []
    for tool in dict.fromkeys([*plan, *SHELF]):
        told = SHELF[tool]
        await calls(who, trace, {"tool": tool, "duration_ms": 1000, **told})
        tried.append(tool)
        if "result" in told:
            await complete(who, trace, "success", f"{tool} helped.")
            break
    return trace, tried


async def test_a_task_is_solved_faster_the_second_time(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, start: Start
) -> None:
    first, tried = await solve(writer, start, "find out why the nightly backup failed")
    assert tried == ["backup.restart", "disk.enlarge", "logs.rotate"]
    await opened.indexing.drain()
    colleague = await principal(f"{tenant}/dev", name="colleague")
    second, again = await solve(colleague, start, "find out why the nightly backup failed again")
    assert again == ["logs.rotate"]
    spent = [
        sum(call["duration_ms"] for call in (await whole(colleague, trace))["tool_calls"])
        for trace in (first, second)
    ]
    assert spent == [3000, 1000]
    stranger = await principal(f"{tenant}/ops", name="stranger")
    _, alone = await solve(stranger, start, "find out why the nightly backup failed")
    assert alone == tried, "who does not see the trace begins from nothing"
    answer = await colleague.http.get("/v1/traces/tool-statistics")
    rates = {row["tool"]: row["rate"] for row in answer.json()["items"]}
    assert rates == {"logs.rotate": 1.0, "backup.restart": 0.0, "disk.enlarge": 0.0}
