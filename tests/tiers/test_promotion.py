"""What is asked for often goes into long-term memory: once, weighed, merged with its like."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest

from app.contexts.entries import Entry, MemoryType
from app.embeddings.e5 import E5Embedder
from app.indexing.likeness import Likeness
from app.jobs.model import Job
from app.kernel.clock import now
from app.kernel.graph import Tx
from app.lifecycle.invariants import broken
from app.settings import Settings
from app.shortterm.model import Kind
from app.shortterm.tasks import EXPIRE_ENTRIES
from app.tasks import SCHEDULES, TASKS
from app.tiers.formulas import joined, promoted_importance
from app.tiers.receipt import Wanted
from app.tiers.tasks import PROMOTE_OFTEN_READ
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.test_kills import ROOT, environment
from tests.tiers.conftest import URL, consolidate, kept, noted, read, write

ALIKE = Settings().tiers.alike

JOB = Job("j", PROMOTE_OFTEN_READ, "_system", "_system", "running", {}, 1, now(), now())
TOPICS = ("kiln", "ferry", "violin", "glacier", "orchard", "parliament", "tunnel", "beetle")


async def _unreported(progress: Any) -> None:
    """Say nothing."""


def told_of(topic: str, number: int = 0) -> str:
    """A sentence; those of one topic are the same but for their beginning."""
    return f"{'Now ' * number}the {topic} of {topic} stands beside the {topic}."


@pytest.mark.parametrize(
    ("reads", "kind", "weight"),
    [
        (3, Kind.GENERAL, 0.3),
        (5, Kind.OBSERVATION, 0.6),
        (12, Kind.PLAN, 0.9),
        (8, Kind.GENERAL, 0.8),
        (100, Kind.GENERAL, 0.8),
        (7, Kind.TOOL_RESULT, 0.8),
        (8, Kind.STATE, 0.9),
        (3, Kind.TASK_CONTEXT, 0.4),
    ],
)
def test_importance_is_as_the_table_says(reads: int, kind: Kind, weight: float) -> None:
    assert promoted_importance(reads, kind) == weight


def entry(name: str, importance: float | None, **more: Any) -> Entry:
    """An entry of a context."""
    given = {
        "context_id": "c", "scope": "t/dev", "key": name, "value": name, "importance": importance,
        "based_at": now(), "created_at": now(), "created_by": "a", "changed_at": now(),
        "changed_by": "a", **more,
    }  # fmt: skip
    return Entry(id=name, **given)


def test_of_two_that_say_the_same_the_more_important_one_is_kept() -> None:
    at = now()
    old = entry("old", 0.5, confidence=0.9, access_count=4, tags=["a", "b"])
    new = entry("new", 0.6, confidence=0.7, access_count=3, tags=["b", "c"])
    kept_one, gone = joined(old, new, at)
    assert (kept_one.id, kept_one.importance, kept_one.confidence) == ("new", 0.63, 0.9)
    assert (kept_one.access_count, set(kept_one.tags)) == (7, {"a", "b", "c"})
    assert (kept_one.merged, kept_one.active) == (("old",), True)
    assert (gone.id, gone.active, gone.reason) == ("old", False, "merged")
    assert joined(old, new.weighed(0.5, at), at)[0].id == "old", "of two alike the old one"
    assert joined(entry("old", None), new.weighed(0.4, at), at)[0].importance == 0.53
    assert joined(old.weighed(0.99, at), new, at)[0].importance == 1.0
    fact = old.model_copy(update={"memory_type": MemoryType.FACTUAL})
    assert joined(fact, new, at)[0].id == "old", "a fact stays a fact"


async def test_what_was_read_three_times_is_kept_for_long(
    writer: Principal, opened: Parts, drain: Any
) -> None:
    cases = {"general": (3, 0.3), "observation": (5, 0.6), "plan": (12, 0.9)}
    ids = {}
    for topic, (kind, (reads, _)) in zip(TOPICS, cases.items(), strict=False):
        ids[kind] = await noted(writer, kind, told_of(topic), reads, type=kind)
    await noted(writer, "twice", told_of("beetle"), 1)
    dry = await consolidate(writer, dry_run=True)
    assert (dry["dry_run"], dry["counts"], await kept(opened, writer)) == (
        True,
        {"promoted": 3},
        [],
    )
    done = await consolidate(writer, session_id="s1")
    assert done["counts"] == {"promoted": 3}
    assert {(i["short_memory"], i["importance"]) for i in done["items"]} == {
        (ids[kind], weight) for kind, (_, weight) in cases.items()
    }
    await drain()
    rows = {row["key"]: row for row in await kept(opened, writer)}
    assert {key: (row["access_count"], row["importance"]) for key, row in rows.items()} == cases
    for kind, row in rows.items():
        assert (row["confidence"], row["promoted_from"], row["task_id"]) == (0.7, ids[kind], "s1")
        assert row["embedding"], "it has a vector"
        assert (await read(writer, kind, tier="short_term"))["found"] is False, "it has run out"
        assert (await read(writer, kind))["tier"] == "long_term"
    assert {row["entry_type"] for row in rows.values()} == {"fact", "observation", "plan"}
    assert (await read(writer, "twice"))["tier"] == "short_term"
    again = await consolidate(writer)
    assert (again["counts"], again["items"]) == ({}, [])
    events = await opened.graph.raw(
        "MATCH (a:AuditEvent {request: $receipt}) RETURN a.kind AS kind", receipt=done["receipt"]
    )
    assert [row["kind"] for row in events].count("context.entry.create") == 3
    hits = await writer.http.post("/v1/search", json={"query": told_of("kiln"), "mode": "vector"})
    assert rows["general"]["id"] in {hit["id"] for hit in hits.json()["hits"]}


async def test_the_third_reading_is_told_once(
    writer: Principal, opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    short = (await write(writer, "k", "v"))["id"]
    await asyncio.gather(*(read(writer, "k", tier="short_term") for _ in range(9)))
    rows = await opened.graph.raw("MATCH (e:FeedEvent {target: $id}) RETURN e {.*} AS e", id=short)
    (event,) = (row["e"] for row in rows)
    assert (event["kind"], event["readers"]) == ("short_memory.ready", [writer.caller.principal])
    assert "v" not in orjson.loads(event["payload"]).values()
    # The entry that takes its place once it has run out has a third reading of its own.
    await opened.graph.raw(
        "MATCH (m:ShortMemory {id: $id}) SET m.expires_at = $at", id=short, at=now()
    )
    assert not (await read(writer, "k", tier="short_term"))["found"], "what ran out is not read"
    await noted(writer, "k", "w", 4)
    rows = await opened.graph.raw("MATCH (e:FeedEvent {target: $id}) RETURN e.id AS id", id=short)
    assert len(rows) == 2


async def outrun(opened: Parts, *ids: str, days: float = 0.0) -> None:
    """Let the time of entries be over, for so many days."""
    await opened.graph.raw(
        "MATCH (m:ShortMemory) WHERE m.id IN $ids SET m.expires_at = $at",
        ids=list(ids),
        at=now() - timedelta(days=days),
    )


async def left(opened: Parts, who: Principal) -> set[str]:
    """The keys of the short-term entries that are stored."""
    rows = await opened.graph.raw(
        "MATCH (m:ShortMemory {author: $who}) RETURN m.key AS key", who=who.caller.principal
    )
    return {row["key"] for row in rows}


async def former(who: Principal, row: dict[str, Any]) -> list[Any]:
    """The contents that an entry had before, newest first."""
    path = f"/v1/contexts/{row['context_id']}/entries/{row['id']}/versions"
    items = (await who.http.get(path)).json()["items"]
    assert [item["version"] for item in items] == sorted({i["version"] for i in items})[::-1]
    assert all(item["version"] < row["version"] for item in items)
    return [item["untrusted"]["content"] for item in items]


async def expire(opened: Parts) -> None:
    """Run the job that removes what ran out."""
    await TASKS[EXPIRE_ENTRIES](opened, JOB, _unreported)


async def test_what_ran_out_is_promoted_before_it_goes(writer: Principal, opened: Parts) -> None:
    often = [await noted(writer, topic, told_of(topic), 3) for topic in TOPICS[:3]]
    seldom = await noted(writer, "seldom", "The mill of the mill stands by the mill.", 2)
    live = await noted(writer, "live", told_of("violin"), 3)
    await outrun(opened, *often, seldom)
    assert not (await read(writer, TOPICS[0], tier="short_term"))["found"]
    await asyncio.gather(expire(opened), expire(opened))
    rows = await kept(opened, writer)
    assert {row["key"] for row in rows} == set(TOPICS[:3]), "and what lives waits for the night"
    assert {row["promoted_from"] for row in rows} == set(often)
    await expire(opened)
    assert await left(opened, writer) == {"live"}
    assert live


async def test_a_dry_run_of_the_clean_up_tells_what_goes_and_leaves_it(
    writer: Principal, opened: Parts
) -> None:
    dry = replace(JOB, args={"dry_run": True})

    async def figures(job: Job) -> dict[str, Any]:
        outcome = await TASKS[EXPIRE_ENTRIES](opened, job, _unreported)
        return outcome.result

    before = await figures(dry)
    await outrun(opened, await noted(writer, "often", told_of("kiln"), 3))
    await outrun(opened, await noted(writer, "seldom", told_of("ferry"), 1))
    told = await figures(dry)
    assert told["dry_run"] is True
    assert told["entries"] >= before["entries"] + 2
    assert told["promotion"]["promoted"] >= 1
    assert await left(opened, writer) == {"often", "seldom"}
    assert await kept(opened, writer) == []
    assert (await figures(JOB))["promotion"]["promoted"] >= 1
    assert await left(opened, writer) == set()


async def test_what_waits_to_be_promoted_is_not_written_over(
    writer: Principal, opened: Parts
) -> None:
    await outrun(opened, await noted(writer, "plan", told_of("tunnel"), 3))
    await noted(writer, "plan", told_of("beetle"), 3)
    await expire(opened)
    await consolidate(writer)
    (row,) = await kept(opened, writer)
    assert orjson.loads(row["value"]) == told_of("beetle")
    assert await former(writer, row) == [told_of("tunnel")]


async def test_what_cannot_be_promoted_goes_once_it_was_looked_at(
    writer: Principal, opened: Parts
) -> None:
    empty = await noted(writer, "empty", {}, 3)
    await outrun(opened, empty)
    await expire(opened)
    assert await left(opened, writer) == set()
    assert await kept(opened, writer) == []


async def test_killed_while_entries_run_out_each_is_promoted_once(
    writer: Principal, opened: Parts
) -> None:
    ids = [await noted(writer, topic, told_of(topic), 3) for topic in TOPICS]
    await outrun(opened, *ids)
    env, dice = environment(opened), random.Random(3)  # when to kill, not secrets
    child = _victim(env, writer.caller.home)
    assert child.stdout
    assert child.stdout.readline() == "ready\n"
    await asyncio.sleep(dice.uniform(0.05, 0.4))
    child.kill()
    child.communicate()
    await expire(opened)
    await expire(opened)
    rows = await kept(opened, writer)
    assert sorted(row["key"] for row in rows) == sorted(TOPICS)
    assert await left(opened, writer) == set()


async def test_what_says_the_same_is_merged(writer: Principal, opened: Parts) -> None:
    await noted(writer, "first", told_of("kiln"), 3)
    await noted(writer, "other", told_of("ferry"), 4)
    await consolidate(writer)
    await noted(writer, "second", told_of("kiln"), 2 + 1, session_id="s2")
    dry = await consolidate(writer, dry_run=True)
    done = await consolidate(writer)
    assert (dry["counts"], done["counts"]) == ({"merged": 1}, {"merged": 1})
    rows = {row["key"]: row for row in await kept(opened, writer)}
    assert (rows["first"]["importance"], rows["first"]["access_count"]) == (0.33, 6)
    assert rows["other"]["importance"] == 0.4
    (gone,) = await kept(opened, writer, "archived")
    assert (gone["key"], gone["reason"]) == ("second", "merged")
    assert rows["first"]["merged"] == [gone["id"]]
    # The more important one takes the place of what was there.
    await noted(writer, "third", told_of("kiln"), 9, session_id="s3")
    assert (await consolidate(writer))["counts"] == {"merged": 1}
    rows = {row["key"]: row for row in await kept(opened, writer)}
    assert set(rows) == {"third", "other"}
    assert (rows["third"]["importance"], rows["third"]["access_count"]) == (0.83, 15)
    assert len(rows["third"]["merged"]) == 2


async def test_two_of_one_run_are_merged_too(writer: Principal, opened: Parts) -> None:
    for number in range(3):
        await noted(writer, f"k{number}", told_of("glacier"), 3 + number)
    await noted(writer, "far", told_of("violin"), 3)
    dry = await consolidate(writer, dry_run=True)
    done = await consolidate(writer)
    assert dry["counts"] == done["counts"] == {"promoted": 2, "merged": 2}
    assert len(await kept(opened, writer)) == 2
    assert len(await kept(opened, writer, "archived")) == 2


async def test_a_key_that_is_taken_by_something_else_is_kept_beside_it(
    writer: Principal, opened: Parts
) -> None:
    await write(writer, "plan", told_of("orchard"), tier="long_term")
    short = await noted(writer, "plan", told_of("tunnel"), 3)
    await consolidate(writer)
    keys = {row["key"]: orjson.loads(row["value"]) for row in await kept(opened, writer)}
    assert keys == {"plan": told_of("orchard"), f"plan:{short[:8]}": told_of("tunnel")}
    # The same entry of the session, the next day, is the same entry for long with another value,
    # although its time is over by then.
    await noted(writer, "plan", told_of("beetle"), 3)
    early = now() + timedelta(hours=23)
    scope = Wanted([writer.caller.home])
    assert not (await opened.tier_promotion.run(scope, dry_run=False, moment=early)).items
    late = now() + timedelta(hours=25)
    done = await opened.tier_promotion.run(scope, dry_run=False, moment=late)
    assert done.counts == {"updated": 1}
    keys = {row["key"]: orjson.loads(row["value"]) for row in await kept(opened, writer)}
    assert keys == {"plan": told_of("orchard"), f"plan:{short[:8]}": told_of("beetle")}


@pytest.mark.parametrize("seed", range(3))
async def test_a_key_of_several_sessions_has_what_was_kept_last(
    writer: Principal, opened: Parts, seed: int
) -> None:
    dice = random.Random(seed)  # order, not secrets
    values = [told_of(topic) for topic in TOPICS[:4]]
    for number, value in enumerate(values):
        await noted(writer, "route", value, 3 + number, session_id=f"s{number}")
    passes = [f"s{number}" for number in range(len(values))] * 2
    dice.shuffle(passes)
    for session in passes:
        dry = await consolidate(writer, session_id=session, dry_run=True)
        done = await consolidate(writer, session_id=session)
        assert dry["counts"] == done["counts"]
    (row,) = await kept(opened, writer)
    assert (row["key"], row["access_count"], row["importance"]) == ("route", 18, 0.6)
    assert (row["version"], row["task_id"]) == (4, "s3")
    assert await former(writer, row) == values[2::-1]
    assert (await read(writer, "route", session_id="another"))["untrusted"]["value"] == values[3]
    assert await broken(opened.graph, writer.caller.tenant) == []


async def test_what_somebody_wrote_under_a_key_stays(writer: Principal, opened: Parts) -> None:
    await noted(writer, "route", told_of("kiln"), 3)
    await consolidate(writer)
    await write(writer, "route", told_of("orchard"), tier="long_term")
    short = await noted(writer, "route", told_of("ferry"), 3, session_id="s2")
    done = await consolidate(writer, session_id="s2")
    assert done["counts"] == {"promoted": 1}
    rows = {row["key"]: orjson.loads(row["value"]) for row in await kept(opened, writer)}
    assert rows == {"route": told_of("orchard"), f"route:{short[:8]}": told_of("ferry")}
    told = await read(writer, "route", session_id="another")
    assert told["untrusted"]["value"] == told_of("orchard")


async def test_what_is_said_again_under_a_key_weighs_more(writer: Principal, opened: Parts) -> None:
    for session in ("s1", "s2"):
        await noted(writer, "route", told_of("violin"), 3, session_id=session)
    dry = await consolidate(writer, dry_run=True)
    done = await consolidate(writer)
    assert dry["counts"] == done["counts"] == {"promoted": 1, "updated": 1}
    (row,) = await kept(opened, writer)
    assert (row["importance"], row["access_count"], row["version"]) == (0.33, 6, 1)


async def test_what_cannot_be_kept_for_long_stays_and_rests_a_day(
    writer: Principal, opened: Parts
) -> None:
    await noted(writer, "none", None, 3, ttl=200_000)
    await noted(writer, "wide", "x" * 150_000, 3, ttl=200_000)
    assert (await consolidate(writer, dry_run=True))["counts"] == {"refused": 2}
    assert (await consolidate(writer))["counts"] == {"refused": 2}
    assert (await consolidate(writer))["counts"] == {}
    assert (await read(writer, "none", tier="short_term"))["found"] is True
    assert await kept(opened, writer) == []


async def test_by_hand_it_is_an_admins_and_by_night_everybodys(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str, opened: Parts
) -> None:
    other = await principal(f"{tenant}/ops", name="ops")
    await noted(writer, "mine", told_of("kiln"), 3)
    await noted(other, "mine", told_of("kiln"), 3)
    assert (await consolidate(writer, session_id="s9"))["counts"] == {}, "another session"
    dry = (await admin.http.post(f"{URL}/promote", json={})).json()
    assert (dry["dry_run"], dry["counts"]) == (True, {"promoted": 2})
    body = {"scope": f"{tenant}/ops", "dry_run": False}
    done = (await admin.http.post(f"{URL}/promote", json=body)).json()
    assert done["counts"] == {"promoted": 1}
    assert (len(await kept(opened, other)), len(await kept(opened, writer))) == (1, 0)
    schedule = next(one for one in SCHEDULES if one.task == PROMOTE_OFTEN_READ)
    assert schedule.cron == "0 4 * * *"
    outcome = await TASKS[schedule.task](opened, JOB, _unreported)
    assert outcome.result["promoted"] >= 1
    assert len(await kept(opened, writer)) == 1


@pytest.mark.parametrize("seed", range(2))
async def test_any_order_is_what_the_model_says(
    writer: Principal, opened: Parts, seed: int
) -> None:
    dice = random.Random(seed)  # order, not secrets
    short: dict[str, list[Any]] = {}  # by key: topic, readings, kind
    long: dict[str, list[Any]] = {}  # by topic: importance, readings
    for step in range(30):
        key = f"k{step}" if dice.random() < 0.4 or not short else dice.choice([*short])
        act = dice.random()
        if key not in short:
            kind = dice.choice(["general", "plan", "observation"])
            short[key] = [dice.choice(TOPICS[:4]), dice.choice([2, 3, 5]), kind]
            await noted(writer, key, told_of(short[key][0]), short[key][1], type=kind)
        elif act < 0.5:
            await read(writer, key, tier="short_term")
            short[key][1] += 1
        elif act < 0.8:
            await asyncio.gather(consolidate(writer), consolidate(writer))
            _promote(short, long)
    await consolidate(writer)
    _promote(short, long)
    rows = {orjson.loads(row["value"]): row for row in await kept(opened, writer)}
    found = {text: (row["importance"], row["access_count"]) for text, row in rows.items()}
    readings = {told_of(topic): count for topic, (_, count) in long.items()}
    assert {text: count for text, (_, count) in found.items()} == readings
    assert all(0.3 <= weight <= 1 for weight, _ in found.values())
    left = (await writer.http.get(f"{URL}/stats")).json()["short_term"]
    assert (left["entries"], left["ready"]) == (len(short), 0)
    assert await broken(opened.graph, writer.caller.tenant) == []


def _promote(short: dict[str, list[Any]], long: dict[str, list[Any]]) -> None:
    """Two of one topic say the same, whichever of them goes first; all their readings are there."""
    for key in [key for key, (_, count, _) in short.items() if count >= 3]:
        topic, count, kind = short.pop(key)
        weight = promoted_importance(count, Kind(kind))
        held = long.setdefault(topic, [weight, 0])
        held[1] += count


async def test_a_run_that_breaks_off_at_any_statement_has_done_all_or_nothing(
    writer: Principal, opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await noted(writer, "first", told_of("kiln"), 3)
    await consolidate(writer)
    await noted(writer, "again", told_of("kiln"), 3)
    rows, broke = Tx.rows, 0
    scope = Wanted([writer.caller.home])
    for most in range(40):
        left = most

        async def counted(self: Tx, query: Any, /, **params: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise RuntimeError("broke off")
            return await rows(self, query, **params)

        monkeypatch.setattr(Tx, "rows", counted)
        try:
            await opened.tier_promotion.run(scope, dry_run=False)
            break
        except RuntimeError:
            broke += 1
        finally:
            monkeypatch.setattr(Tx, "rows", rows)
        found = await kept(opened, writer)
        assert [(row["importance"], row["access_count"]) for row in found] == [(0.3, 3)]
        assert await kept(opened, writer, "archived") == []
        assert (await writer.http.get(f"{URL}/stats")).json()["short_term"]["ready"] == 1
    assert broke >= 4, "it was broken off between each two steps"
    found = await kept(opened, writer)
    assert [(row["importance"], row["access_count"]) for row in found] == [(0.33, 6)]


@pytest.mark.slow
async def test_killed_and_run_by_two_at_once_nothing_is_promoted_twice(
    writer: Principal, opened: Parts
) -> None:
    for number, topic in enumerate(TOPICS * 4):
        await noted(writer, f"k{number}", told_of(topic), 3)
    dice = random.Random(1)  # when to kill, not secrets
    env = environment(opened)
    for _ in range(2):
        pair = [_victim(env, writer.caller.home) for _ in range(2)]
        assert all(child.stdout and child.stdout.readline() == "ready\n" for child in pair)
        await asyncio.sleep(dice.uniform(0.05, 0.8))
        for child in pair:
            child.kill()
            child.communicate()
    await asyncio.gather(consolidate(writer), consolidate(writer), consolidate(writer))
    rows = await kept(opened, writer)
    assert {orjson.loads(row["value"]) for row in rows} == {told_of(topic) for topic in TOPICS}
    assert {row["access_count"] for row in rows} == {12}
    assert len(await kept(opened, writer, "archived")) == 4 * len(TOPICS) - len(TOPICS)
    assert len(rows) == len(TOPICS)


def _victim(env: dict[str, str], scope: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.tiers.victim", scope],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )


SAME = [
    ("The deploy runs every Friday at noon.", "The deploy runs each Friday at noon."),
    ("The report is due in May, and Nora sends it.", "The report is due in May and Nora sends it."),
    ("Der Server läuft auf Port 8080.", "Der Server läuft auf dem Port 8080."),
]
APART = [
    ("The deploy runs every Friday at noon.", "The cafeteria closes at two."),
    ("Der Server läuft auf Port 8080.", "Die Kantine schließt um zwei Uhr."),
    ("The server listens on port 8080.", "The billing team moved to Leeds in March."),
    ("The server listens on port 8080.", "Das Team der Buchhaltung ist nach Leeds gezogen."),
    ("The server listens on port 8080.", "The server listens on port 9090."),
    ("The deploy runs every Friday at noon.", "The deploy runs every Monday at noon."),
    ("The bakery opens at seven and sells rye bread.", "The bakery lost its oven in the fire."),
]


async def test_the_threshold_parts_what_says_the_same_from_what_is_related(
    e5: E5Embedder,
) -> None:
    likeness = Likeness(e5)
    for one, other in SAME:
        assert await likeness.texts(one, other) >= ALIKE, (one, other)
    for one, other in APART:
        assert await likeness.texts(one, other) < ALIKE, (one, other)
    # By vectors alone; words decide besides (tests/similarity/test_twins.py).
    # Texts that begin alike and go on differently are not the same.
    begin = "The ferry leaves at nine from the north quay. " * 60
    end = "Astronomy is what the harbour master reads about at length. " * 60
    assert await likeness.texts(begin + end, begin + end) == 1.0
    assert await likeness.texts(begin + end, begin + "Rye bread is baked at five. " * 60) < ALIKE
