"""A club moves its boathouse: a tree of work, a goal, a decision that nobody takes in time."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.scenarios.stories.house import House, Person

ITEMS = "/v1/work-items"


async def told(house: House) -> None:
    boss = await house.tenant("ruderclub")
    wiebke = await house.hire(boss, "ruderclub/move", "wiebke", role="curator", kind="user")
    packer = await house.hire(boss, "ruderclub/move", "packer")
    driver = await house.hire(boss, "ruderclub/move", "driver")
    guest = await house.hire(boss, "ruderclub/bar", "guest")
    tree = await _plan(wiebke)
    await _two_hands_for_one_thing(tree["boats"], packer, driver)
    await _what_it_rests_on(tree, wiebke, packer, driver)
    await _the_goal(tree, wiebke, driver)
    await _nobody_decides(boss, wiebke, packer)
    await _a_guest(tree, guest)


async def _plan(wiebke: Person) -> dict[str, str]:
    """Three levels are shown unless more are asked for, and a wrong way is told what ways go on."""
    tree: dict[str, str] = {}
    for name, above, title in (
        ("move", None, "Move the boathouse"), ("boats", "move", "Carry the boats"),
        ("eight", "boats", "The eight needs a long trailer"), ("straps", "eight", "Buy straps"),
        ("lamp", "straps", "A red lamp for its end"),
    ):  # fmt: skip
        body = {"title": title, "priority": "high" if above is None else "normal"}
        made = await wiebke.post(ITEMS, body | ({"parent_id": tree[above]} if above else {}))
        assert made["state"] == "todo"
        tree[name] = made["id"]
    seen = await wiebke.get(f"{ITEMS}/{tree['move']}")
    assert not seen["complete"]
    assert tree["straps"] in str(seen["below"])
    assert tree["lamp"] not in str(seen["below"])
    whole = await wiebke.get(f"{ITEMS}/{tree['move']}", depth=8)
    assert whole["complete"]
    assert tree["lamp"] in str(whole["below"])
    assert await wiebke.status("GET", f"{ITEMS}/{tree['move']}", depth=9) == 422
    wrong = await wiebke.http.post(f"{ITEMS}/{tree['lamp']}/advance", json={"to": "done"})
    assert wrong.status_code == 409
    assert "in_progress" in wrong.text
    assert await wiebke.status("GET", ITEMS) == 422, "a list without a filter"
    return tree


async def _two_hands_for_one_thing(item: str, packer: Person, driver: Person) -> None:
    """Of two agents who take the same item at once, one has it."""
    take = {"to": "in_progress", "expected_from": "todo"}
    both = await asyncio.gather(
        *(who.status("POST", f"{ITEMS}/{item}/advance", take) for who in (packer, driver))
    )
    assert sorted(both) == [200, 409]
    history = (await packer.get(f"{ITEMS}/{item}"))["history"]
    assert [(step["before"], step["to"]) for step in history] == [("todo", "in_progress")]


async def _what_it_rests_on(
    tree: dict[str, str], wiebke: Person, packer: Person, driver: Person
) -> None:
    """Work points at what was said; forgetting what was said leaves the work alone."""
    said = await packer.post("/v1/episodes", {
        "session": "yard", "speaker": "Jannek", "content": "The eight is 17 metres long.",
    })  # fmt: skip
    await packer.post(f"{ITEMS}/{tree['eight']}/links", {"memory": said["id"]})
    assert said["id"] in str((await driver.get(f"{ITEMS}/{tree['eight']}"))["links"])
    found = await driver.post("/v1/search", {"query": "long trailer", "kinds": ["work_item"]})
    assert [hit["id"] for hit in found["hits"]][:1] == [tree["eight"]]
    plain = await driver.post("/v1/search", {"query": "long trailer"})
    assert tree["eight"] not in {hit["id"] for hit in plain["hits"]}
    await wiebke.post(f"/v1/memories/{said['id']}/forget", {})
    item = await driver.get(f"{ITEMS}/{tree['eight']}")
    assert item["item"]["state"] == "todo"
    await driver.patch(f"{ITEMS}/{tree['eight']}", {"assignee": "driver"})
    mine = await driver.get(ITEMS, assignee="driver")
    assert [one["id"] for one in mine["items"]] == [tree["eight"]]


async def _the_goal(tree: dict[str, str], wiebke: Person, driver: Person) -> None:
    """A goal leads to the work, moves on, ends once, and is not stale while it moves."""
    goal = await wiebke.post("/v1/goals", {
        "title": "Row from the new jetty", "criteria": "All boats lie in the new hall.",
    })  # fmt: skip
    await wiebke.post(f"/v1/goals/{goal['id']}/links", {"memory": tree["move"]})
    moved = await wiebke.patch(f"/v1/goals/{goal['id']}", {"progress": 60})
    assert (moved["progress"], moved["state"]) == (60, "active")
    assert (await driver.get("/v1/goals", stale=True))["items"] == []
    await wiebke.post(f"/v1/goals/{goal['id']}/advance", {"to": "completed"})
    again = await wiebke.status("POST", f"/v1/goals/{goal['id']}/advance", {"to": "abandoned"})
    assert again == 409
    shown = await driver.get(f"/v1/goals/{goal['id']}")
    assert shown["goal"]["state"] == "completed"
    assert tree["move"] in str(shown["links"])


async def _nobody_decides(boss: Person, wiebke: Person, packer: Person) -> None:
    """What waits too long climbs by one level, once, and only whoever is named resolves it."""
    asked = await packer.post("/v1/escalations", {
        "title": "Which haulier?", "reason": "Two offers, one trailer.", "resolver": wiebke.id,
        "due_at": "2026-01-05T12:00:00Z",
    })  # fmt: skip
    one = f"/v1/escalations/{asked['id']}"
    dry = await boss.post("/v1/escalations/check", {"dry_run": True})
    assert asked["id"] in dry["ids"]
    assert (await packer.get(one))["level"] == 1
    for _ in range(2):
        await boss.post("/v1/escalations/check", {"dry_run": False})
    climbed: dict[str, Any] = await packer.get(one)
    assert (climbed["state"], climbed["level"]) == ("escalated", 2)
    assert await packer.status("POST", f"{one}/resolve", {"resolution": "Any."}) == 403
    done = await wiebke.post(f"{one}/resolve", {"resolution": "The one from Plön."})
    assert done["state"] == "resolved"
    assert (await packer.get(one))["untrusted"]["resolution"] == "The one from Plön."
    assert await wiebke.status("POST", f"{one}/resolve", {}) == 409


async def _a_guest(tree: dict[str, str], guest: Person) -> None:
    """Who is at the bar sees nothing of the move."""
    assert await guest.status("GET", f"{ITEMS}/{tree['move']}") == 404
    assert await guest.status("POST", f"{ITEMS}/{tree['lamp']}/advance", {"to": "dropped"}) == 404
    for path, asked in ((ITEMS, {"roots": True}), ("/v1/goals", {}), ("/v1/escalations", {})):
        assert (await guest.get(path, **asked))["items"] == []
