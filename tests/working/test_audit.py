"""What the audit trail tells of values that are written."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from app.errors import GraphUnavailable
from app.wiring import Parts
from app.working.copies import CopyRepository
from app.working.model import Part, Place, Slot
from app.working.service import Given, WorkingService
from tests.conftest import Principal
from tests.working.conftest import BASE, put


async def told(admin: Principal) -> list[dict[str, Any]]:
    """The events of writing, newest first."""
    answer = await admin.http.get("/v1/audit", params={"kind": "working.write", "limit": 50})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_what_is_written_is_told_once_a_day_by_task_and_part(
    writer: Principal, admin: Principal, tenant: str
) -> None:
    for name in ("secret-name", "other"):
        for value in ("secret value", 2):
            await put(writer, f"quirin/keys/{name}", value)
    for _ in range(2):
        body = {"value": "a line of Quirin"}
        assert (await writer.http.post(f"{BASE}/quirin/scratch-pad", json=body)).status_code == 200
    await put(writer, "second/keys/a", 1)
    await writer.http.post(f"{BASE}/quirin/conversation", json={"value": "no message"})
    note = {"content": "Otters are fed.", "scope": writer.caller.home}
    memory = (await writer.http.post("/v1/notes", json=note)).json()["id"]
    for _ in range(2):
        assert (await writer.http.put(f"/v1/slots/{memory}", json={})).status_code == 200
    events = await told(admin)
    first, second = (
        Place(tenant, writer.caller.home, writer.caller.principal, task).id
        for task in ("quirin", "second")
    )
    slots = Place.of_slots(tenant, writer.caller.home, writer.caller.principal).id
    assert sorted((e["payload"]["place"], e["payload"]["part"]) for e in events) == sorted(
        [(first, "keys"), (first, "scratch-pad"), (second, "keys"), (slots, "slots")]
    )
    assert {e["actor"] for e in events} == {writer.caller.principal}
    said = str(events).lower()
    assert not any(word in said for word in ("quirin", "secret", memory))


async def test_another_process_and_many_at_once_write_it_once(
    opened: Parts, writer: Principal, admin: Principal
) -> None:
    await asyncio.gather(*(put(writer, f"t/keys/k{n}", n) for n in range(8)))
    assert len(await told(admin)) == 1
    before = await told(admin)
    other = WorkingService(replace(opened.working._parts))
    place = Place(writer.caller.tenant, writer.caller.home, writer.caller.principal, "t")
    await other.wrote(writer.caller, place, "keys")
    assert await told(admin) == before, "neither another event nor another moment"


class Failing(CopyRepository):
    """Copies in a graph that takes no event."""

    async def wrote(self, event: dict[str, Any]) -> None:
        raise GraphUnavailable("the graph is away")


async def test_a_line_is_appended_once_where_its_event_failed_at_first(
    opened: Parts, writer: Principal
) -> None:
    failing = WorkingService(
        replace(opened.working._parts, copies=Failing(opened.graph, opened.working.limits))
    )
    who = writer.caller
    place = Place(who.tenant, who.home, who.principal, "t")
    slot = Slot(Part.SCRATCH_PAD)
    with pytest.raises(GraphUnavailable):
        await failing.append(who, place, slot, Given("a line"))
    await opened.working.append(who, place, slot, Given("a line"))
    assert (await opened.working.retrieve(place, slot)).value == "a line"
