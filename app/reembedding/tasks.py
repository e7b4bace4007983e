"""Filling a space and clearing one, as jobs; both may run twice."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from app.indexing.spaces import NAMED
from app.jobs.model import Job, Outcome, Report

FILL = "embedding.fill"
CLEAR = "embedding.clear"
MEND = "embedding.mend"
INDEXING = "indexing.drain"
LOOK_SECONDS = 1.0


async def fill_space(parts: Any, job: Job, report: Report) -> Outcome:
    """Have the indexing pass give every memory a vector in the space; ends when none lacks one."""
    scope, space = job.args["scope"], NAMED[job.args["space"]]
    while True:
        place = await parts.reembedding.members(scope)
        if place.choice.beside != space.name:
            return Outcome({"given_up": True})
        await parts.reembedding.let_wait(place.members, space)
        filling = await parts.reembedding.filling(place, space)
        await report(asdict(filling))
        if not filling.lacking:
            return Outcome(asdict(filling))
        await parts.queue.enqueue(INDEXING, INDEXING)
        await asyncio.sleep(LOOK_SECONDS)


async def clear_space(parts: Any, job: Job, report: Report) -> Outcome:
    """Take out the vectors of a space that a scope gave up."""
    cleared = await parts.reembedding.clear(job.args["scope"], NAMED[job.args["space"]])
    return Outcome({"cleared": cleared})


async def mend_spaces(parts: Any, job: Job, report: Report) -> Outcome:
    """Let whatever lacks a vector in a space of its scope wait for one."""
    return Outcome({"waiting": await parts.reembedding.mend()})
