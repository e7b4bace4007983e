"""A trading floor runs on pools and bulletins: what one agent posts, the others act upon.

Nobody sends messages; agents read boards. What a desk reads again and again by day is its own
long-term memory the next morning.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tests.scenarios.stories.house import House, Person

BOARD = "/v1/pools/trading_ops"


async def told(house: House) -> None:
    boss = await house.tenant("harfeld")
    watcher = await house.hire(boss, "harfeld/floor", "watcher")
    desk = await house.hire(boss, "harfeld/floor", "desk")
    risk = await house.hire(boss, "harfeld/floor", "risk")
    clerk = await house.hire(boss, "harfeld/payroll", "clerk")
    await _the_board(watcher, desk, clerk)
    await _many_hands(watcher, desk, risk)
    await _rights(watcher, desk, risk)
    await _at_hand(watcher, desk, risk)
    await _from_day_to_night(desk, risk)


async def _the_board(watcher: Person, desk: Person, clerk: Person) -> None:
    """A bulletin is told to whoever follows the board, and to nobody next door."""
    made = await watcher.post("/v1/pools", {
        "pool_id": "trading_ops", "name": "Trading Operations Shared State", "type": "shared",
        "access_control": {"public": True},
        "retention_policy": {"ttl_seconds": 604_800, "max_size_bytes": 5_000},
    })  # fmt: skip
    assert made["version"] == 1
    regime = {"regime": "risk_off", "confidence": 0.82}
    path = {"path": "agent_bulletin.market_regime"}
    assert (await watcher.put(f"{BOARD}/data", {"value": regime}, **path))["version"] == 2
    assert (await desk.get(f"{BOARD}/data", **path))["untrusted"]["value"] == regime
    whole = (await desk.get(f"{BOARD}/data"))["untrusted"]["value"]
    assert whole == {"agent_bulletin": {"market_regime": regime}}
    await watcher.put(f"{BOARD}/data", {"value": 3}, path="open_orders")
    events = (await desk.get(f"{BOARD}/events"))["items"]
    assert [(e["untrusted"]["key"], e["is_bulletin"], e["writer"]) for e in events] == [
        ("agent_bulletin.market_regime", True, watcher.id), ("open_orders", False, watcher.id),
    ]  # fmt: skip
    assert {e["event"] for e in events} == {"memory_pool_key_write"}
    assert await clerk.status("GET", f"{BOARD}/data") == 404
    assert await clerk.status("GET", f"{BOARD}/events") == 404
    assert (await clerk.get("/v1/pools"))["items"] == []


async def _many_hands(watcher: Person, desk: Person, risk: Person) -> None:
    """Three who write at once lose nothing; who computes from an old reading is told so."""
    before = await desk.get(f"{BOARD}/data")
    await asyncio.gather(*(
        who.patch(f"{BOARD}/data", {"data": {f"seen.{name}{turn}": turn}})
        for name, who in (("w", watcher), ("d", desk), ("r", risk)) for turn in range(4)
    ))  # fmt: skip
    after = await desk.get(f"{BOARD}/data")
    assert len(after["untrusted"]["value"]["seen"]) == 12
    assert after["version"] == before["version"] + 12
    late = {"If-Match": str(before["version"])}
    answer = await desk.http.put(f"{BOARD}/data?path=open_orders", json={"value": 4}, headers=late)
    assert answer.status_code == 412
    assert await desk.status("PATCH", f"{BOARD}/data", {"data": {"log": "x" * 6_000}}) == 413
    assert (await desk.get(f"{BOARD}/data"))["untrusted"] == after["untrusted"]


async def _rights(watcher: Person, desk: Person, risk: Person) -> None:
    """What is private is not there for others, and a team is a list of names."""
    private = {"pool_id": "stops", "name": "Stops", "type": "agent_private", "data": {"eur": 1.08}}
    await risk.post("/v1/pools", private)
    assert await watcher.status("GET", "/v1/pools/stops/data") == 404
    team = {"pool_id": "limits", "name": "Limits", "type": "team_shared", "data": {"desk": 20}}
    await risk.post("/v1/pools", team)
    assert await desk.status("GET", "/v1/pools/limits/data") == 404
    await risk.post("/v1/pools/limits/grants", {"agent": "desk", "level": "read"})
    assert (await desk.get("/v1/pools/limits/data"))["untrusted"]["value"] == {"desk": 20}
    assert await desk.status("PATCH", "/v1/pools/limits/data", {"data": {"desk": 99}}) == 403
    assert (await risk.get("/v1/pools/limits/data"))["untrusted"]["value"] == {"desk": 20}
    assert await watcher.status("GET", "/v1/pools/limits/data") == 404
    figures = await risk.get("/v1/pools/limits/statistics")
    assert (figures["entries"], figures["writers"]) == (1, 1)
    assert await risk.status("DELETE", "/v1/pools/default") in (403, 409)


async def _at_hand(watcher: Person, desk: Person, risk: Person) -> None:
    """A task's state is the agent's; what it hands over is the other one's, and no third's."""
    task = "/v1/working-memory/open-bell"
    await watcher.put(f"{task}/state", {"value": {"phase": "scan", "symbols": ["DAX", "SMI"]}})
    for line in ("Gap of 1.2 % in Zurich.", "Volume is thin."):
        await watcher.post(f"{task}/scratch-pad", {"value": line})
    pad = (await watcher.get(f"{task}/scratch-pad"))["untrusted"]["value"]
    assert pad.splitlines() == ["Gap of 1.2 % in Zurich.", "Volume is thin."]
    assert await desk.status("GET", f"{task}/state") == 404
    await watcher.put("/v1/working-shares/desk/levels", {"value": {"SMI": 11_870}})
    shared = await desk.get("/v1/working-shares/watcher/levels")
    assert shared["untrusted"]["value"] == {"SMI": 11_870}
    assert await risk.status("GET", "/v1/working-shares/watcher/levels") == 404


async def _from_day_to_night(desk: Person, risk: Person) -> None:
    """What was read three times is kept; what nobody asked for again is not."""
    for key, value in (("broker", "Orders in SMI futures go through Rieter & Sons."),
                       ("lunch", "Soup on Tuesday.")):  # fmt: skip
        await desk.put("/v1/tiers/value", {"key": key, "value": value, "session_id": "monday"})
    for _ in range(3):
        found = await desk.get("/v1/tiers/value", key="broker", session_id="monday")
        assert found["tier"] == "short_term"
    done = await desk.post("/v1/tiers/consolidate", {"session_id": "monday"})
    assert [(one["fate"], one["importance"]) for one in done["items"]] == [("promoted", 0.3)]
    next_day: dict[str, Any] = await desk.get("/v1/tiers/value", key="broker", session_id="tuesday")
    assert (next_day["found"], next_day["tier"]) == (True, "long_term")
    assert "Rieter" in str(next_day["untrusted"])
    assert not (await desk.get("/v1/tiers/value", key="lunch", session_id="tuesday"))["found"]
    assert not (await risk.get("/v1/tiers/value", key="broker", session_id="monday"))["found"]
    stats = await desk.get("/v1/tiers/stats")
    assert stats["long_term"]["promoted"] == 1
