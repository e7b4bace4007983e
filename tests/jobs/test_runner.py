"""Jobs: claimed once, retried, kept when dead, stopped, found again after the queue is lost."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app import worker
from app.errors import EmbedderUnavailable, InvalidInput
from app.jobs.model import Job, Outcome, Report, Schedule, Superseded, TaskFunction
from app.jobs.repository import SYSTEM, JobRepository
from app.jobs.runner import BACKOFF, Runner, last_due, tick
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import Command, MakePrincipal, Principal
from tests.support.waiting import eventually


class Bench:
    """Tasks that tests steer, and how often each ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.gate = asyncio.Event()
        self.started = asyncio.Event()

    def tasks(self) -> Mapping[str, TaskFunction]:
        return {"good": self.good, "away": self.away, "bad": self.bad, "bug": self.bug,
                "slow": self.slow, "tidy": self.tidy}  # fmt: skip

    async def good(self, parts: Any, job: Job, report: Report) -> Outcome:
        self.ran.append(job.id)
        await report({"done": 1})
        return Outcome({"answer": job.args["n"]}, [{"item": 1, "status": "ok"}])

    async def away(self, parts: Any, job: Job, report: Report) -> Outcome:
        self.ran.append(job.id)
        raise EmbedderUnavailable("the model sleeps")

    async def bad(self, parts: Any, job: Job, report: Report) -> Outcome:
        self.ran.append(job.id)
        raise InvalidInput("no such file", field="path")

    async def bug(self, parts: Any, job: Job, report: Report) -> Outcome:
        raise ValueError("quotes somebody's words")

    async def slow(self, parts: Any, job: Job, report: Report) -> Outcome:
        self.started.set()
        await self.gate.wait()
        await report({"step": 1})
        self.ran.append("past the report")
        return Outcome()

    async def tidy(self, parts: Any, job: Job, report: Report) -> Outcome:
        self.started.set()
        await self.gate.wait()
        return Outcome(tidy=lambda: self.ran.append("tidied"))


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def runner(bench: Bench, opened: Parts) -> Runner:
    return Runner(opened.jobs, opened.queue, bench.tasks(), max_tries=3)


async def submit(runner: Runner, caller: Principal, task: str, **args: Any) -> Job:
    home = caller.caller.home
    return await runner.submit(task, tenant=caller.caller.tenant, scope=home, args=args)


async def shown(caller: Principal, job: Job) -> dict[str, Any]:
    answer = await caller.http.get(f"/v1/jobs/{job.id}")
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


async def make_due(opened: Parts, job: Job) -> None:
    await opened.graph.raw(
        "MATCH (j:Job {id: $id}) SET j.not_before = datetime() - duration('PT1S')", id=job.id
    )


async def test_a_job_runs_and_tells_its_outcome(
    runner: Runner, bench: Bench, writer: Principal
) -> None:
    job = await submit(runner, writer, "good", n=7)
    assert (await shown(writer, job))["state"] == "queued"
    assert await runner.run(None, job.id) == "done"
    seen = await shown(writer, job)
    assert (seen["state"], seen["attempts"], seen["result"]) == ("done", 1, {"answer": 7})
    assert seen["items"] == [{"item": 1, "status": "ok"}]
    assert seen["progress"] == {"done": 1}
    assert await runner.run(None, job.id) == "elsewhere"
    assert bench.ran == [job.id]


async def test_of_many_workers_one_gets_the_job(
    runner: Runner, bench: Bench, writer: Principal
) -> None:
    job = await submit(runner, writer, "good", n=1)
    states = await asyncio.gather(*(runner.run(None, job.id) for _ in range(8)))
    assert sorted(states) == ["done"] + ["elsewhere"] * 7
    assert bench.ran == [job.id]


async def test_the_same_id_is_one_job(runner: Runner, writer: Principal) -> None:
    where = {
        "tenant": writer.caller.tenant,
        "scope": writer.caller.home,
        "job_id": secrets.token_hex(8),
    }
    first = await runner.submit("good", args={"n": 1}, **where)
    second = await runner.submit("good", args={"n": 2}, **where)
    assert (second.id, second.args) == (first.id, {"n": 1})


async def test_a_part_that_is_away_is_tried_again_later_and_then_given_up(
    runner: Runner, bench: Bench, writer: Principal, opened: Parts
) -> None:
    job = await submit(runner, writer, "away")
    waits = []
    for expected in ("queued", "queued", "dead"):
        before = now()
        assert await runner.run(None, job.id) == expected
        if expected == "queued":
            assert await runner.run(None, job.id) == "elsewhere"  # not before its time
            rows = await opened.graph.raw(
                "MATCH (j:Job {id: $id}) RETURN j.not_before AS at", id=job.id
            )
            waits.append((rows[0]["at"] - before).total_seconds())
            await make_due(opened, job)
    assert waits == [pytest.approx(BACKOFF, abs=2), pytest.approx(2 * BACKOFF, abs=2)]
    assert len(bench.ran) == 3
    seen = await shown(writer, job)
    assert (seen["state"], seen["error"]) == ("dead", "EmbedderUnavailable: the model sleeps")


async def test_a_fault_of_the_request_is_not_tried_again(runner: Runner, writer: Principal) -> None:
    job = await submit(runner, writer, "bad")
    assert await runner.run(None, job.id) == "dead"
    assert (await shown(writer, job))["error"] == "InvalidInput: no such file"


async def test_a_bug_s_words_are_not_kept(runner: Runner, writer: Principal) -> None:
    job = await submit(runner, writer, "bug")
    assert await runner.run(None, job.id) == "queued"
    assert (await shown(writer, job))["error"] == "ValueError"


async def test_an_unknown_task_is_dead_at_once(runner: Runner, writer: Principal) -> None:
    job = await submit(runner, writer, "none.such")
    assert await runner.run(None, job.id) == "dead"


async def test_a_dead_letter_is_listed_and_runs_again(
    runner: Runner, bench: Bench, writer: Principal
) -> None:
    job = await submit(runner, writer, "bad")
    await runner.run(None, job.id)
    listed = (await writer.http.get("/v1/jobs", params={"status": "dead"})).json()["items"]
    assert [item["id"] for item in listed] == [job.id]
    answer = await writer.http.post(f"/v1/jobs/{job.id}/rerun")
    assert (answer.status_code, answer.json()["attempts"]) == (202, 0)
    assert await runner.run(None, job.id) == "dead"
    assert len(bench.ran) == 2
    done = await submit(runner, writer, "good", n=1)
    await runner.run(None, done.id)
    assert (await writer.http.post(f"/v1/jobs/{done.id}/rerun")).status_code == 404


async def test_a_waiting_job_is_stopped_at_once_a_running_one_at_its_next_step(
    runner: Runner, bench: Bench, writer: Principal
) -> None:
    waiting = await submit(runner, writer, "good", n=1)
    answer = await writer.http.post(f"/v1/jobs/{waiting.id}/cancel")
    assert answer.json()["state"] == "cancelled"
    assert await runner.run(None, waiting.id) == "elsewhere"
    running = await submit(runner, writer, "slow")
    work = asyncio.create_task(runner.run(None, running.id))
    await bench.started.wait()
    answer = await writer.http.post(f"/v1/jobs/{running.id}/cancel")
    assert answer.json()["state"] == "running"
    bench.gate.set()
    assert await work == "cancelled"
    assert bench.ran == []
    assert (await shown(writer, running))["state"] == "cancelled"


async def test_another_s_job_is_not_seen_stopped_or_run(
    runner: Runner, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    job = await submit(runner, writer, "good", n=1)
    for scope in (f"{tenant}/ops", f"{tenant}-b/dev"):
        stranger = await principal(scope, name="stranger")
        for method, path in (("GET", ""), ("POST", "/cancel"), ("POST", "/rerun")):
            answer = await stranger.http.request(method, f"/v1/jobs/{job.id}{path}")
            assert answer.status_code == 404
    assert (await shown(writer, job))["state"] == "queued"


async def test_a_worker_that_died_is_followed_by_another(
    runner: Runner, bench: Bench, writer: Principal, opened: Parts
) -> None:
    job = await submit(runner, writer, "good", n=1)
    assert await opened.jobs.claim(job.id) is not None  # claimed, and then its worker is gone
    assert await runner.run(None, job.id) == "elsewhere"
    await expire(opened, job)
    assert job.id in {turn.id for turn in await opened.jobs.due()}
    assert await runner.run(None, job.id) == "done"
    assert (await shown(writer, job))["attempts"] == 2


async def expire(opened: Parts, job: Job) -> None:
    """As if the job's worker had been silent for longer than its lease."""
    await opened.graph.raw(
        "MATCH (j:Job {id: $id}) SET j.lease_until = datetime() - duration('PT1S')", id=job.id
    )


async def lease_of(opened: Parts, job: Job) -> int:
    """When the lease of a job's worker ends, in milliseconds since 1970."""
    query = "MATCH (j:Job {id: $id}) RETURN j.lease_until.epochMillis AS until"
    (row,) = await opened.graph.raw(query, id=job.id)
    return int(row["until"])


async def test_who_lost_its_job_to_another_writes_nothing_more(
    runner: Runner, bench: Bench, writer: Principal, opened: Parts
) -> None:
    job = await submit(runner, writer, "tidy")
    late = asyncio.create_task(runner.run(None, job.id))
    await bench.started.wait()
    await expire(opened, job)
    second = await opened.jobs.claim(job.id)
    assert second is not None
    await opened.jobs.progress(second, {"by": "the second"})
    bench.gate.set()
    assert await late == "elsewhere"
    seen = await shown(writer, job)
    assert (seen["state"], seen["attempts"]) == ("running", 2)
    assert seen["progress"] == {"by": "the second"}
    assert bench.ran == [], "what the second one works on was cleared away"
    first = replace(second, attempts=1)
    with pytest.raises(Superseded):
        await opened.jobs.progress(first, {})
    await opened.jobs.hand_back(first)
    assert (await shown(writer, job))["state"] == "running"
    await expire(opened, job)
    assert await runner.run(None, job.id) == "done"
    assert bench.ran == ["tidied"]


async def test_a_long_step_does_not_lose_the_job(
    bench: Bench, writer: Principal, opened: Parts
) -> None:
    jobs = JobRepository(opened.graph, timedelta(seconds=2))
    runner = Runner(jobs, opened.queue, bench.tasks(), max_tries=3)
    job = await submit(runner, writer, "slow")
    work = asyncio.create_task(runner.run(None, job.id))
    await bench.started.wait()
    begun = await lease_of(opened, job)
    for milliseconds in (1, 2_000):  # it is renewed, and again beyond the whole of the first lease

        async def renewed(least: int = begun + milliseconds) -> bool:
            return await lease_of(opened, job) >= least

        await eventually("the lease is renewed", renewed)
        assert await runner.run(None, job.id) == "elsewhere"
    bench.gate.set()
    assert await work == "done"
    assert (await shown(writer, job))["attempts"] == 1


async def test_a_worker_that_stops_hands_its_job_back(
    runner: Runner, bench: Bench, writer: Principal
) -> None:
    job = await submit(runner, writer, "slow")
    work = asyncio.create_task(runner.run(None, job.id))
    await bench.started.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    seen = await shown(writer, job)
    assert (seen["state"], seen["attempts"]) == ("queued", 0)
    bench.gate.set()
    assert await runner.run(None, job.id) == "done"
    assert (await shown(writer, job))["attempts"] == 1


async def test_a_job_that_takes_every_worker_down_is_a_dead_letter(
    runner: Runner, bench: Bench, writer: Principal, opened: Parts
) -> None:
    job = await submit(runner, writer, "good", n=1)
    for _ in range(3):
        assert await opened.jobs.claim(job.id) is not None  # and its worker is gone
        await expire(opened, job)
    assert await runner.run(None, job.id) == "dead"
    assert bench.ran == []
    seen = await shown(writer, job)
    assert seen["error"] == "each worker that ran it was lost"
    assert (await writer.http.post(f"/v1/jobs/{job.id}/rerun")).status_code == 202
    assert await runner.run(None, job.id) == "done"


async def test_a_job_that_is_run_again_is_not_taken_for_the_one_a_dead_worker_left(
    runner: Runner, writer: Principal, opened: Parts
) -> None:
    job = await submit(runner, writer, "bad")
    pool = await opened.queue.pool()
    assert await pool.zscore(opened.queue.name, job.turn.name) is not None  # and stays there
    await runner.run(None, job.id)
    assert (await writer.http.post(f"/v1/jobs/{job.id}/rerun")).status_code == 202
    names = {name.decode() for name in await pool.zrange(opened.queue.name, 0, -1)}
    assert len([name for name in names if name.startswith(f"{job.id}:0:")]) == 2


async def test_a_lost_queue_loses_no_job(
    runner: Runner, bench: Bench, writer: Principal, opened: Parts
) -> None:
    job = await submit(runner, writer, "good", n=1)
    pool = await opened.queue.pool()
    await pool.delete(opened.queue.name)
    async for key in pool.scan_iter("arq:job:*"):
        await pool.delete(key)
    assert await opened.queue.depth() == 0
    assert job.id in {due.key for due in await runner.due()}


async def test_an_import_is_heavy_unless_its_file_is_small(
    bench: Bench, writer: Principal, opened: Parts
) -> None:
    runner = Runner(opened.jobs, opened.queue, bench.tasks(), 3, heavy={"slow"})
    sized = [await submit(runner, writer, "slow", bytes=size) for size in (200, 50_000_000)]
    unsized, other = await submit(runner, writer, "slow"), await submit(runner, writer, "good", n=1)
    heavy = {due.key: due.heavy for due in await runner.due()}
    assert [heavy[job.id] for job in (*sized, unsized, other)] == [False, True, True, False]


async def test_a_tenant_with_many_jobs_hides_no_other_tenants(
    runner: Runner, writer: Principal, opened: Parts
) -> None:
    for n in range(5):
        await submit(runner, writer, "good", n=n)
    last = await opened.jobs.create("good", tenant="elsewhere", scope="elsewhere", args={"n": 1})
    few = await opened.jobs.due(each=2)
    assert last.id in {job.id for job in few}
    assert sum(job.tenant == writer.caller.tenant for job in few) == 2


# --- schedules --------------------------------------------------------------------------------

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("cron", "zone", "moment", "due"),
    [
        ("0 3 * * *", "UTC", (2026, 1, 5, 2, 59), (2026, 1, 4, 3, 0)),
        ("0 3 * * *", "UTC", (2026, 1, 5, 3, 0), (2026, 1, 5, 3, 0)),
        ("0 3 * * *", "Europe/Berlin", (2026, 1, 5, 2, 30), (2026, 1, 5, 2, 0)),
        ("0 3 * * *", "Europe/Berlin", (2026, 7, 5, 1, 30), (2026, 7, 5, 1, 0)),
        ("*/5 * * * *", "Asia/Kolkata", (2026, 1, 5, 2, 59), (2026, 1, 5, 2, 55)),
    ],
)
def test_a_cron_expression_holds_in_its_time_zone(
    cron: str, zone: str, moment: tuple[int, ...], due: tuple[int, ...]
) -> None:
    at = datetime(*moment, tzinfo=UTC)  # type: ignore[arg-type, misc]
    assert last_due(cron, ZoneInfo(zone), at) == datetime(*due, tzinfo=UTC)  # type: ignore[arg-type, misc]


async def test_missed_runs_are_caught_up_once(runner: Runner, opened: Parts) -> None:
    name = f"nightly-{secrets.token_hex(4)}"
    schedule = [Schedule(name, "*/5 * * * *", "good", "Every five minutes.")]
    assert await tick(runner, schedule, BERLIN) == []  # seen for the first time: the next one
    await opened.jobs.close_schedule(name, now() - timedelta(days=3))  # three days nobody was up
    both = await asyncio.gather(*(tick(runner, schedule, BERLIN) for _ in range(4)))
    assert any(both)
    rows = await opened.graph.raw(
        "MATCH (j:Job) WHERE j.id STARTS WITH $name RETURN j.id AS id, j.scope AS scope", name=name
    )
    assert [row["scope"] for row in rows] == [SYSTEM]
    assert await tick(runner, schedule, BERLIN) == []


async def test_a_look_at_which_none_is_due_asks_once(
    runner: Runner, opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = [
        Schedule(f"{n}-{secrets.token_hex(4)}", "0 3 1 1 *", "good", "Once a year.")
        for n in range(9)
    ]
    assert await tick(runner, schedule, BERLIN) == []
    asked: list[str] = []
    rows = opened.graph.rows

    async def counted(query: Any, **params: Any) -> Any:
        asked.append(query.key)
        return await rows(query, **params)

    monkeypatch.setattr(opened.graph, "rows", counted)
    assert await tick(runner, schedule, BERLIN) == []
    assert asked == ["jobs.list_schedules"]


async def test_looks_do_not_pile_up_where_one_is_slow(
    opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, gate = [], asyncio.Event()

    async def slow(*given: Any) -> list[str]:
        looks.append(given)
        await gate.wait()
        return []

    monkeypatch.setattr(worker, "tick", slow)
    woken: list[tuple[str, ...]] = []
    desk = SimpleNamespace(wake=lambda *names: woken.append(names))
    context: dict[str, Any] = {"parts": opened, "desk": desk}
    first = asyncio.create_task(worker.sweep(context))
    await asyncio.sleep(0)
    await worker.sweep(context)
    await worker.sweep(context)
    assert (len(looks), woken) == (1, [])
    gate.set()
    await first
    await worker.sweep(context)
    assert (len(looks), len(woken)) == (2, 2)


async def test_a_schedule_records_how_it_went(runner: Runner, opened: Parts) -> None:
    name = f"weekly-{secrets.token_hex(4)}"
    await opened.jobs.open_schedules({name: now()})
    for task, outcome in (("good", "done"), ("bad", "dead")):
        job = await runner.submit(
            task, tenant=SYSTEM, scope=SYSTEM, args={"schedule": name, "n": 1}
        )
        await runner.run(None, job.id)
        assert (await opened.jobs.list_schedules())[name]["last_outcome"] == outcome


async def test_schedules_are_shown_and_run_by_hand(
    admin: Principal, opened: Parts, command: Command
) -> None:
    listed = (await admin.http.get("/v1/schedules")).json()["items"]
    assert {"audit.seal", "upkeep.purge"} <= {item["name"] for item in listed}
    assert {item["timezone"] for item in listed} == {"UTC"}
    ran = await command("schedules", "run", "audit.seal", "--json")
    assert ran.exit_code == 0, ran.output
    assert await opened.runner.run(opened, json.loads(ran.stdout)["job"]) == "done"
    assert (await admin.http.get("/v1/audit/check")).json()["events"] >= 1
    dry = await command("schedules", "run", "audit.seal", "--dry-run")
    assert dry.exit_code == 1
    assert "audit.seal has no dry run" in str(dry.exception)
    unknown = await command("schedules", "run", "none")
    assert (unknown.exit_code, str(unknown.exception)) == (1, "there is no schedule none")


async def test_what_ended_well_long_ago_is_dropped_and_dead_letters_stay(
    runner: Runner, writer: Principal, opened: Parts
) -> None:
    jobs = {}
    for task in ("good", "bad"):
        jobs[task] = await submit(runner, writer, task, n=1)
        await runner.run(None, jobs[task].id)
    recent = await submit(runner, writer, "good", n=1)
    await runner.run(None, recent.id)
    await opened.graph.raw(
        "MATCH (j:Job) WHERE j.id IN $ids SET j.finished_at = datetime('2020-01-01T00:00:00Z')",
        ids=[job.id for job in jobs.values()],
    )
    assert await opened.jobs.purge(now() - timedelta(days=30)) >= 1
    codes = {
        name: (await writer.http.get(f"/v1/jobs/{job.id}")).status_code
        for name, job in {**jobs, "recent": recent}.items()
    }
    assert codes == {"good": 404, "bad": 200, "recent": 200}
