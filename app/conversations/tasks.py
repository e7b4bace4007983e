"""Judging as tasks of a worker: one job an agent, and the schedule that submits these."""

from __future__ import annotations

from typing import Any

from app.jobs.access import Access
from app.jobs.model import Job, Outcome, Report, is_dry

JUDGE = "conversations.judge"
JUDGE_ALL = "conversations.judge_all"
SORT = "conversations.sort"


async def judge_agent(parts: Any, job: Job, report: Report) -> Outcome:
    """Judge what one agent's buffers have let go; a dry run tells what it would do."""
    agent, scopes = job.args["agent"], job.args["scopes"]
    if job.args.get("dry_run"):
        receipt, items = await parts.judging.preview(agent, scopes)
    else:
        receipt, items = await parts.judging.run(agent, scopes, report)
    return Outcome(receipt.told(), items)


async def judge_all(parts: Any, job: Job, report: Report) -> Outcome:
    """Submit a job for each agent that has something waiting; run again, the jobs are the same."""
    waiting = await parts.judging.agents()
    for one in waiting:
        await parts.runner.submit(
            JUDGE,
            tenant=one["tenant"],
            scope=one["scopes"][0],
            args={"agent": one["agent"], "scopes": one["scopes"]},
            job_id=f"{job.id}:{one['agent']}",
            access=Access(owner=one["agent"]),
        )
        await report({"agents": len(waiting)})
    return Outcome({"agents": len(waiting)})


async def sort_answers(parts: Any, job: Job, report: Report) -> Outcome:
    """Sort what agents answered since the last run into notes of the four namespaces."""
    return Outcome((await parts.sorting.run(None, dry_run=is_dry(job))).told())
