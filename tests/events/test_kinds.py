"""What the guide says is told, is told: each kind by what really happens, and for a day."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import InvalidInput
from app.events.model import ALSO_OPEN, OPEN
from app.jobs.access import ADMINISTERED, ANYBODY, Access
from app.jobs.model import Job, Outcome, Report
from app.jobs.runner import Runner
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.feed import told
from app.kernel.ids import new_id
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.events.conftest import stream
from tests.events.test_stream import say
from tests.facts.constructed import Told, believe

GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/events.md"


@dataclass(frozen=True)
class World:
    """Who does what: two users and an agent of one scope, and an admin above it."""

    opened: Parts
    admin: Principal
    writer: Principal
    users: tuple[Principal, Principal]

    @property
    def home(self) -> str:
        return self.writer.caller.home

    async def post(self, path: str, by: Principal | None = None, **body: Any) -> Any:
        answer = await (by or self.writer).http.post(path, json=body)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()

    async def remember(self, **statement: Any) -> Any:
        """State something, in a conversation of its own; the first fact that it is of."""
        body = {"statement": statement, "session": new_id()}
        return (await self.post("/v1/facts:remember", **body))["facts"][0]

    async def facts(self) -> dict[str, str]:
        """The ids of what is held, by what is said of it."""
        items = (await self.writer.http.get("/v1/facts")).json()["items"]
        return {item["untrusted"]["object"]: item["id"] for item in items}


Event = dict[str, Any]  # of an event its kind, and what else it has to say


async def doubt(world: World) -> list[Event]:
    facts = []
    for who, value in zip(world.users, ("active", "completed"), strict=True):
        statement = {
            "subject": {"name": "Kranichhof", "type": "project"},
            "predicate": "status",
            "object": {"value": value},
        }
        found = await world.post("/v1/facts:remember", who, statement=statement, scope=world.home)
        facts.append(found["facts"][0]["id"])
    accepted = await world.post(f"/v1/quarantine/{facts[1]}/accept", world.admin)
    assert accepted["status"] == "active"
    return [
        {"kind": "fact.opened", "target": facts[0]},
        {"kind": "fact.quarantine", "target": facts[1]},
        {"kind": "fact.review", "target": facts[1]},
    ]


async def change_by_a_fact(world: World) -> list[Event]:
    home = Told(0, "Friedlinde Asmus", "lives_in", "Bremen")
    moved = Told(5, "Friedlinde Asmus", "lives_in", "Oldenburg", rest="they say")
    await believe(world.opened, {"one": world.writer.caller}, [home, moved])
    old = (await world.facts())["Bremen"]
    return [{"kind": "possible_change", "target": old, "facts": [old]}]


LIVES: Event = {
    "subject": {"name": "Friedlinde Asmus", "type": "person"},
    "predicate": "lives_in",
}


async def move(world: World) -> list[Event]:
    """Somebody has lived somewhere for longer than was known, and moves, to where she never was."""
    bremen, kiel = ({"name": name, "type": "place"} for name in ("Bremen", "Kiel"))
    fact = (await world.remember(**LIVES, object=bremen, valid_from="2024-01-01T00:00:00Z"))["id"]
    again = await world.remember(**LIVES, object=bremen, valid_from="2022-01-01T00:00:00Z")
    assert again["id"] == fact
    body = {"fact": fact, "object": kiel, "session": "moved"}
    moved = (await world.post("/v1/facts:supersede", **body))["facts"][0]["id"]
    bonn = {"name": "Bonn", "type": "place"}
    await world.remember(**LIVES, object=bonn, replaces=kiel, mode="correct")
    return [
        {"kind": "fact.opened", "facts": [fact]},
        {"kind": "fact.changed", "target": fact, "facts": [fact]},
        {"kind": "fact.ended", "facts": [fact]},
        {"kind": "fact.opened", "facts": [moved]},
        {"kind": "fact.supersede", "target": fact, "by": moved},
        {"kind": "fact.withdrawn", "target": moved, "facts": [moved]},
    ]


async def speak(world: World) -> list[Event]:
    said = await say(world.writer, "The ferry leaves at nine.")
    return [{"kind": "capture", "target": said}]


async def file(world: World) -> list[Event]:
    base = (await world.post("/v1/knowledge-bases", name="Shelf"))["id"]
    given = {"knowledge_base": base, "name": "ferry.md", "text": "The ferry leaves at nine."}
    taken = await world.post("/v1/documents", **given)
    document, job = taken["document"]["id"], taken["job"]["id"]
    assert await world.opened.runner.run(world.opened, job) == "done"
    gone = (await world.writer.http.delete(f"/v1/documents/{document}")).json()["id"]
    assert await world.opened.runner.run(world.opened, gone) == "done"
    return [
        {"kind": "knowledge_base.create"},
        {"kind": "document.take", "target": document},
        {"kind": "document.index", "target": document},
        {"kind": "job.done", "target": job, "task": "documents.take"},
        {"kind": "document.delete", "document": document},
    ]


async def pursue(world: World) -> list[Event]:
    goal = (await world.post("/v1/goals", title="Paint the boat", criteria="It is red."))["id"]
    await world.post(f"/v1/goals/{goal}/advance", to="completed")
    kinds = ("goal.create", "goal.advance")
    return [{"kind": kind, "target": goal} for kind in kinds]


async def work(world: World) -> list[Event]:
    async def fail(parts: Any, job: Job, report: Report) -> Outcome:
        raise InvalidInput("no such file", field="path")

    runner = Runner(world.opened.jobs, world.opened.queue, {"fail": fail}, max_tries=1)
    where = {"tenant": world.writer.caller.tenant, "scope": world.home}
    dead, dropped = [await runner.submit("fail", **where, args={}) for _ in range(2)]
    assert await runner.run(None, dead.id) == "dead"
    await world.post(f"/v1/jobs/{dropped.id}/cancel")
    return [
        {"kind": "job.dead", "target": dead.id, "task": "fail"},
        {"kind": "job.cancelled", "target": dropped.id, "task": "fail"},
    ]


async def announce(world: World) -> list[Event]:
    pool = {"pool_id": "board", "name": "board", "access_control": {"public": True}}
    await world.post("/v1/pools", type="shared", **pool)
    for path in ("agent_bulletin.tide", "plain"):
        put = await world.writer.http.put(
            "/v1/pools/board/data", json={"value": 1}, params={"path": path}
        )
        assert put.status_code == 200, put.text
    version = (await world.writer.http.get("/v1/pools/board")).json()["version"]
    return [
        {"kind": "memory_pool_update", "version": version},
        {"kind": "memory_pool_key_write", "is_bulletin": True},
        {"kind": "memory_pool_key_write", "is_bulletin": False},
    ]


async def write(world: World) -> list[Event]:
    """One of each thing that an agent keeps."""
    made: list[tuple[str, str, Event]] = [
        ("page.write", "/v1/pages", {"title": "Berths", "content": "# Berths\n\nThere are four."}),
        ("skill.save", "/v1/skills",
         {"name": "Moor", "category": "operations", "body": "Two ropes.",
          "description": "Moor a boat."}),
        ("work.create", "/v1/work-items", {"title": "Oil the crane"}),
        ("context.create", "/v1/contexts", {"name": "Harbour", "type": "shared_context"}),
        ("table.create", "/v1/tables", {"name": "berths", "columns": [{"name": "length"}]}),
        ("trace.start", "/v1/traces", {"task": "Find the leak"}),
        ("task_segment.begin", "/v1/segments", {"task": "Find the leak"}),
        ("escalation.create", "/v1/escalations",
         {"title": "The lock is stuck", "due_at": "2030-01-01T00:00:00Z"}),
        ("observation.create", "/v1/observations",
         {"items": [{"sensor": "gauge", "payload": {"metres": 2}}]}),
    ]  # fmt: skip
    for _, path, body in made:
        await world.post(path, **body)
    await world.post("/v1/snapshots", world.admin, scope=world.home, dry_run=False)
    return [{"kind": kind} for kind, _, _ in made] + [{"kind": "snapshot.take"}]


async def learn(world: World) -> list[Event]:
    body = {"content": "Deploys go out on Tuesdays.", "namespace": "learnings"}
    note = (await world.post("/v1/notes", **body))["id"]
    await world.post(f"/v1/learnings/{note}/check", world.users[0], holds=True)
    for verb in ("forget", "unforget"):
        await world.post(f"/v1/memories/{note}/{verb}")
    kinds = ("note.write", "learning.verified", "memory.forget", "memory.unforget")
    return [{"kind": kind, "target": note} for kind in kinds]


async def name(world: World) -> list[Event]:
    """Who is who, by a curator."""
    for called in ("Friedlinde Asmus", "F. Asmus"):
        fact = LIVES | {"subject": {"name": called, "type": "person"}}
        await world.remember(**fact, object={"name": "Bremen", "type": "place"})
    items = (await world.admin.http.get("/v1/entities", params={"scope": world.home})).json()
    people = [one["id"] for one in items["items"] if one["type"] == "person"]
    body = {"attributes": {"office": "lock keeper"}}
    edited = await world.admin.http.patch(f"/v1/entities/{people[0]}", json=body)
    assert edited.is_success, edited.text
    await world.post("/v1/merges", world.admin, left=people[0], right=people[1])
    return [{"kind": "entity.edit"}, {"kind": "merge.propose"}]


async def intend(world: World) -> list[Event]:
    """Tasks that are alike become an intent."""
    for _ in range(3):
        made = (await world.post("/v1/segments", task="renew the tls certificate"))["id"]
        await world.post(f"/v1/segments/{made}/end")
    await world.opened.indexing.drain()
    await world.post("/v1/intents/find", world.admin, dry_run=False)
    return [{"kind": "intent.find"}]


async def drift(world: World) -> list[Event]:
    """A core block gets a baseline, of a week of texts."""
    for day in range(8):
        await say(world.writer, f"Day {day}: you watch the crane.", session="week")
    path, body = "/v1/core-blocks/persona", {"content": "You watch the crane.", "scope": world.home}
    answer = await world.admin.http.put(path, json=body)
    assert answer.is_success, answer.text
    await world.opened.indexing.drain()
    answer = await world.admin.http.put(f"{path}/baseline", params={"scope": world.home})
    assert answer.is_success, answer.text
    return [{"kind": "block.baseline"}]


async def advise(world: World) -> list[Event]:
    """Twenty reviews that were decided alike suggest a rule."""
    at = now() - timedelta(days=1)
    rows = [
        {"id": new_id(), "scope": world.home, "at": at, "verdict": "accept", "decided_by": "u"}
        for _ in range(20)
    ]
    await world.opened.graph.raw("UNWIND $rows AS row CREATE (n:Review) SET n = row", rows=rows)
    await world.opened.intervening.suggest([world.home], dry_run=False)
    return [{"kind": "intervention.create"}]


Act = Callable[[World], Awaitable[list[Event]]]
# What is told of each act, the kinds in the order of the alphabet.
ACTS: dict[Act, str] = {
    speak: "capture",
    doubt: "fact.opened fact.quarantine fact.review",
    change_by_a_fact: "possible_change",
    move: "fact.changed fact.ended fact.opened fact.supersede fact.withdrawn",
    file: "document.delete document.index document.take job.done knowledge_base.create",
    pursue: "goal.advance goal.create",
    work: "job.cancelled job.dead",
    announce: "memory_pool_key_write memory_pool_update",
    write: "context.create escalation.create observation.create page.write skill.save "
    "snapshot.take table.create task_segment.begin trace.start work.create",
    learn: "learning.verified memory.forget memory.unforget note.write",
    name: "entity.edit merge.propose",
    intend: "intent.find",
    drift: "block.baseline",
    advise: "intervention.create",
}
ALONE = {"short_memory.ready", "scope.create"}  # each has a test of its own
KINDS = {*ALONE, *(kind for kinds in ACTS.values() for kind in kinds.split())}


def test_each_open_kind_is_in_the_guide_and_has_an_act() -> None:
    first_words = {kind.partition(".")[0] for kind in KINDS}
    assert first_words == {*OPEN, *(kind.partition(".")[0] for kind in ALSO_OPEN)}
    assert KINDS >= ALSO_OPEN
    rows = re.findall(r"^\| (`.+?) \| ", GUIDE.read_text(encoding="utf-8"), re.M)
    named = {kind for row in rows for kind in re.findall(r"`([^`]+)`", row)}
    some = {kind.removesuffix(".…") for kind in named if kind.endswith(".…")}
    assert named - {f"{word}.…" for word in some} <= KINDS, "no act of a kind that is named"
    told_of = some | {kind.partition(".")[0] for kind in named}
    assert first_words - told_of == set(), "told, and not named in the guide"


@pytest.mark.parametrize("act", ACTS)
async def test_what_happens_is_told_to_who_sees_it(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    principal: MakePrincipal,
    tenant: str,
    address: str,
    act: Act,
) -> None:
    """Once, and in the order in which each of its like was done."""
    first, second = [await principal(writer.caller.home, name=n, kind="user") for n in "ab"]
    abroad = await principal(f"{tenant}x/dev", name="abroad")
    world = World(opened, admin, writer, (first, second))
    async with stream(address, admin) as reader, stream(address, abroad) as outside:
        wanted = await act(world)
        assert sorted({event["kind"] for event in wanted}) == ACTS[act].split()
        last = await say(writer, "That is all.", session="end")
        end = told("job.end", writer.caller.home, "end", now())
        await opened.graph.rows(Q.events.put, rows=[end])
        heard, ends = list[Event](), {"end", last}
        while ends:
            heard.append(await reader.next())
            ends.discard(heard[-1]["target"])
        theirs = await say(abroad, "Nothing else is heard abroad.")
        assert (await outside.next())["target"] == theirs
    for event in wanted:
        same = [one for one in heard if event.items() <= one.items()]
        assert len(same) == 1, (event, "\n".join(f"{e['kind']} {e['target']}" for e in heard))
        assert same[0]["scope"] == event.get("scope", world.home)
    for row in heard:
        assert "untrusted" not in row, "ids, and nothing that somebody wrote"


@pytest.mark.parametrize("access", [ANYBODY, ADMINISTERED])
async def test_what_is_done_about_a_job_is_told_to_who_sees_the_job(
    opened: Parts,
    writer: Principal,
    admin: Principal,
    principal: MakePrincipal,
    tenant: str,
    address: str,
    access: Access,
) -> None:
    """The audit trail holds who stopped it and had it run again, and is not told to readers."""
    home = writer.caller.home
    reader = await principal(home, name="reed", role=Role.READER)
    where = {"tenant": tenant, "scope": home, "access": access}
    job = await opened.jobs.create("upkeep.purge", args={}, **where)
    seen = (await reader.http.get(f"/v1/jobs/{job.id}")).status_code
    assert seen == (200 if access is ANYBODY else 404)
    async with stream(address, reader, kinds=("job", "capture")) as heard:
        for act in ("cancel", "rerun"):
            answer = await admin.http.post(f"/v1/jobs/{job.id}/{act}")
            assert answer.status_code in (200, 201, 202), answer.text
        ends = {await say(writer, "That is all."), "end"}
        await opened.graph.rows(Q.events.put, rows=[told("job.end", home, "end", now())])
        events = []
        while ends:
            events.append(await heard.next())
            ends.discard(events[-1]["target"])
    kinds = [event["kind"] for event in events if event["target"] == job.id]
    others = {event["kind"] for event in events if event["target"] != job.id}
    assert kinds == (["job.cancelled"] if access is ANYBODY else [])
    assert others == {"capture", "job.end"}


async def test_an_entry_that_is_read_often_is_told_to_its_agent_alone(
    opened: Parts, writer: Principal, admin: Principal, address: str
) -> None:
    body = {"session": "s", "key": "berth", "value": {"metres": 12}}
    entry = (await writer.http.post("/v1/short-term-memory", json=body)).json()["id"]
    async with (
        stream(address, writer, kinds="short_memory") as mine,
        stream(address, admin, kinds=("short_memory", "job")) as above,
    ):
        for _ in range(3):
            read = await writer.http.get(f"/v1/short-term-memory/{entry}")
            assert read.status_code == 200, read.text
        heard = await mine.next()
        assert (heard["kind"], heard["target"]) == ("short_memory.ready", entry)
        end = told("job.end", writer.caller.home, "end", now())
        await opened.graph.rows(Q.events.put, rows=[end])
        assert (await above.next())["target"] == "end", "nothing came before it"


async def test_a_scope_that_was_made_is_told_to_who_sees_it(admin: Principal, address: str) -> None:
    home = admin.caller.home
    answer = await admin.http.post("/v1/scopes", json={"scope": f"{home}/lab"})
    assert answer.is_success, answer.text
    async with stream(address, admin, "0.0", kinds="scope") as reader:
        while (heard := await reader.next())["scope"] != f"{home}/lab":
            assert heard["event"] in ("gap", "scope.create")
        assert heard["kind"] == "scope.create"


async def test_events_are_kept_for_a_day(opened: Parts, writer: Principal, address: str) -> None:
    """What the audit trail does not hold: 23 hours, and not 25."""
    home, at = writer.caller.home, now()
    ages = {"before": 25, "after": 23, "fresh": 0}
    rows = [told("job.done", home, name, at - timedelta(hours=age)) for name, age in ages.items()]
    await opened.graph.rows(Q.events.put, rows=rows)
    async with stream(address, writer, "0.0", kinds="job") as reader:
        assert [(await reader.next())["target"] for _ in ages] == list(ages)
        seen = reader.last
    job = await opened.runner.submit("upkeep.purge", tenant="_", scope="_", args={})
    assert await opened.runner.run(opened, job.id) == "done"
    async with stream(address, writer, "0.0", kinds="job") as reader:
        assert (await reader.next())["event"] == "gap"
        assert [(await reader.next())["target"] for _ in range(2)] == ["after", "fresh"]
    await opened.graph.rows(Q.events.put, rows=[told("job.done", home, "next", now())])
    async with asyncio.timeout(60), stream(address, writer, seen, kinds="job") as reader:
        assert (await reader.next())["target"] == "next", "nothing is missing of what was seen"
