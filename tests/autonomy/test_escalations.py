"""Escalations: over HTTP, once for each due moment, and against a plain model in any order."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.escalations.model import next_due
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.ids import new_id
from app.wiring import Parts
from tests.autonomy.conftest import listed, make, read, refused, told
from tests.conftest import MakePrincipal, Principal

URL = "/v1/escalations"
NOON = datetime(2027, 3, 2, 12, tzinfo=UTC)


def minutes(count: float) -> datetime:
    """A moment so many minutes after noon."""
    return NOON + timedelta(minutes=count)


async def raised(opened: Parts, scope: str, moment: datetime) -> list[str]:
    """Run the check as of a moment; the ids that it raised."""
    receipt = await opened.escalations.raise_due([scope], dry_run=False, moment=moment)
    return receipt.ids


@pytest.mark.parametrize(
    ("due", "repeat", "at", "next_one"),
    [
        (0, None, 5, 0),
        (0, 600, 5, 10),
        (0, 600, 10, 20),
        (0, 600, 9.99, 10),
        (0, 600, 60 * 24 * 365, 60 * 24 * 365 + 10),
        (20, 600, 5, 20),
    ],
)
def test_the_next_due_moment_lies_ahead(
    due: float, repeat: int | None, at: float, next_one: float
) -> None:
    assert next_due(minutes(due), repeat, minutes(at)) == minutes(next_one)


async def test_an_escalation_is_made_changed_listed_and_resolved(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    chief = await principal(f"{tenant}/dev", name="chief")
    made = await make(
        writer, "escalations", title="Which supplier?", reason="Two offers.", resolver="chief",
        due_at=minutes(0).isoformat(),
    )  # fmt: skip
    open_one = await make(
        writer, "escalations", title="Any", due_at=minutes(90).isoformat(), most_level=2
    )
    assert (made["state"], made["level"], made["most_level"]) == ("open", 1, 5)
    assert made["pending_at"] == made["due_at"] == "2027-03-02T12:00:00Z"
    assert made["untrusted"] == {
        "title": "Which supplier?", "reason": "Two offers.", "resolution": None
    }  # fmt: skip
    for query, ids in (
        ({"resolver": "chief"}, [made["id"]]),
        ({"due_before": "2027-03-02T13:00:00Z"}, [made["id"]]),
        ({"state": "open"}, [made["id"], open_one["id"]]),
        ({"level": 2}, []),
        ({"state": "resolved"}, []),
    ):
        assert [one["id"] for one in await listed(writer, "escalations", **query)] == ids, query
    answer = await writer.http.post(f"{URL}/{made['id']}/resolve", json={})
    await refused(answer, 403, "Forbidden", "id")
    changed = await told(
        await writer.http.patch(f"{URL}/{made['id']}", json={"due_at": minutes(30).isoformat()})
    )
    assert (changed["due_at"], changed["version"]) == ("2027-03-02T12:30:00Z", 2)
    body = {"resolution": "The nearer one."}
    done = await told(await chief.http.post(f"{URL}/{made['id']}/resolve", json=body))
    assert (done["state"], done["pending_at"]) == ("resolved", None)
    assert done["untrusted"]["resolution"] == "The nearer one."
    assert [(s["before"], s["to"], s["by"]) for s in done["history"]] == [
        ("open", "resolved", chief.caller.principal)
    ]
    again = await chief.http.post(f"{URL}/{made['id']}/resolve", json={})
    await refused(again, 409, "StateRefused")
    late = await writer.http.patch(f"{URL}/{made['id']}", json={"title": "Other"})
    await refused(late, 409, "StateRefused")
    assert await read(writer, "escalations", made["id"]) == done
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator")
    await told(await curator.http.post(f"{URL}/{open_one['id']}/resolve", json={}))


async def test_what_is_wrong_is_refused_by_name(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    due = minutes(0).isoformat()
    for body, name in (
        ({"title": "x"}, "due_at"),
        ({"title": "x", "due_at": "2027-03-02T12:00:00"}, "due_at"),
        ({"title": "x", "due_at": due, "most_level": 6}, "most_level"),
        ({"title": "x", "due_at": due, "repeat_seconds": 59}, "repeat_seconds"),
        ({"title": "x", "due_at": due, "resolver": "agent:other:x"}, "resolver"),
        ({"title": "x", "due_at": due, "level": 3}, "level"),
    ):
        answer = await writer.http.post(URL, json=body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, name)
    for query, name in (({"state": "odd"}, "state"), ({"due_before": "2027-01-01"}, "due_before")):
        answer = await writer.http.get(URL, params=query)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, name)
    assert await listed(writer, "escalations") == []
    made = await make(writer, "escalations", title="Ours", due_at=due)
    stranger = await principal(f"{tenant}/far", name="far")
    assert (await stranger.http.get(f"{URL}/{made['id']}")).status_code == 404
    answer = await stranger.http.post(f"{URL}/{made['id']}/resolve", json={})
    assert answer.status_code == 404


# --- the check --------------------------------------------------------------------------------


async def test_a_due_moment_raises_the_level_once(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    made = (await make(writer, "escalations", title="x", due_at=minutes(0).isoformat()))["id"]
    assert await raised(opened, scope, minutes(-0.01)) == []
    assert await raised(opened, scope, minutes(0)) == [made]
    for moment in (minutes(0), minutes(15), minutes(60 * 24 * 400), minutes(-30)):
        assert await raised(opened, scope, moment) == []
    found = await read(writer, "escalations", made)
    assert (found["state"], found["level"], found["pending_at"]) == ("escalated", 2, None)

    async def due(moment: datetime) -> Any:
        body = {"due_at": moment.isoformat()}
        return await told(await writer.http.patch(f"{URL}/{made}", json=body))

    assert (await due(minutes(20)))["pending_at"] == "2027-03-02T12:20:00Z"
    assert await raised(opened, scope, minutes(21)) == [made]
    assert (await due(minutes(0)))["pending_at"] is None, "that moment has raised it already"
    assert await raised(opened, scope, minutes(60)) == []
    assert (await read(writer, "escalations", made))["level"] == 3


async def test_one_that_repeats_is_raised_once_however_far_the_clock_jumps(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    body = {"title": "x", "due_at": minutes(0).isoformat(), "repeat_seconds": 600}
    made = (await make(writer, "escalations", body))["id"]
    levels = []
    for moment in (1, 2, 10, 11, 500, 505, 509.9, 510, 3, 520, 530, 540):
        await raised(opened, scope, minutes(moment))
        levels.append((await read(writer, "escalations", made))["level"])
    assert levels == [2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5], "and not above the highest level"
    found = await read(writer, "escalations", made)
    assert (found["pending_at"], found["due_at"]) == (None, "2027-03-02T20:40:00Z")
    assert len(found["history"]) == 4


async def test_checks_at_once_raise_each_once(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    body = {"due_at": (now() - timedelta(minutes=1)).isoformat(), "repeat_seconds": 3600}
    ids = [(await make(writer, "escalations", {"title": str(n), **body}))["id"] for n in range(5)]
    dry = await make(admin, "escalations/check", status=200)
    assert (dry["ids"], dry["counts"]) == (ids, {scope: 5})
    at = now()
    runs = await asyncio.gather(*(raised(opened, scope, at) for _ in range(3)))
    assert sorted(one for run in runs for one in run) == ids
    assert (await make(admin, "escalations/check", status=200, dry_run=False))["ids"] == []
    for one in await listed(writer, "escalations"):
        assert (one["level"], one["state"]) == (2, "escalated")
        assert [step["by"] for step in one["history"]] == ["loci"]


async def test_the_schedule_raises(opened: Parts, writer: Principal) -> None:
    due = (now() - timedelta(hours=1)).isoformat()
    made = (await make(writer, "escalations", title="late", due_at=due))["id"]
    for _ in range(2):
        where = {"tenant": "_system", "scope": "_system", "args": {}}
        job = await opened.runner.submit("escalations.check", job_id=new_id(), **where)
        assert await opened.runner.run(opened, job.id) == "done"
    assert (await read(writer, "escalations", made))["level"] == 2


# --- any order --------------------------------------------------------------------------------


@dataclass
class Model:
    """What the model knows of an escalation; moments are minutes after noon."""

    due: int
    repeat: int | None
    most: int
    level: int = 1
    state: str = "open"
    raised: set[int] = field(default_factory=set)


def check(held: Model, at: int) -> bool:
    """Raise what is due in the model."""
    if held.state == "resolved" or held.level >= held.most or held.due in held.raised:
        return False
    if held.due > at:
        return False
    held.raised.add(held.due)
    held.level, held.state = held.level + 1, "escalated"
    while held.repeat is not None and held.due <= at:
        held.due += held.repeat
    return True


@pytest.mark.parametrize("seed", range(3))
async def test_any_order_is_what_the_model_says(
    opened: Parts, writer: Principal, tenant: str, seed: int
) -> None:
    dice = random.Random(seed)  # order, not secrets
    models: dict[str, Model] = {}
    for _ in range(60):
        name = dice.choice(["create", "due", "check", "check", "check", "resolve"])
        if name == "create" or not models:
            held = Model(dice.randrange(0, 50), dice.choice([None, 7]), dice.choice([2, 5]))
            body = {
                "title": "x", "due_at": minutes(held.due).isoformat(), "most_level": held.most,
                "repeat_seconds": held.repeat and held.repeat * 60,
            }  # fmt: skip
            models[(await make(writer, "escalations", body))["id"]] = held
            continue
        one = dice.choice(list(models))
        held = models[one]
        if name == "check":
            at = dice.randrange(-5, 60)
            expected = sorted(each for each, model in models.items() if check(model, at))
            assert await raised(opened, f"{tenant}/dev", minutes(at)) == expected
        elif name == "due":
            due = dice.randrange(0, 50)
            body = {"due_at": minutes(due).isoformat()}
            answer = await writer.http.patch(f"{URL}/{one}", json=body)
            refused_now = held.state == "resolved" and due != held.due
            assert answer.status_code == (409 if refused_now else 200)
            held.due = held.due if refused_now else due
        else:
            answer = await writer.http.post(f"{URL}/{one}/resolve", json={})
            assert answer.status_code == (409 if held.state == "resolved" else 200)
            held.state = "resolved"
    for one, held in models.items():
        found = await read(writer, "escalations", one)
        assert (found["level"], found["state"]) == (held.level, held.state)
        assert datetime.fromisoformat(found["due_at"]) == minutes(held.due)
