"""What one agent keeps, no other reads: a small run of `python -m bench isolation`."""

from __future__ import annotations

import os
from dataclasses import replace

import httpx
import pytest
from litestar import Litestar

from app.kernel.caller import Role
from app.wiring import Parts
from bench import isolation
from bench.doors import WRITES
from bench.rights import Item
from bench.rights import Principal as Known
from tests.agentmemory.conftest import bridged
from tests.conftest import MakePrincipal
from tests.support.serving import Served

__all__ = ["bridged"]

TRIALS = int(os.environ.get("LOCI_MEMORY_ISOLATION_TRIALS", "120"))


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_nothing_of_anothers_memory_comes_back(
    opened: Parts, bridged: Litestar, principal: MakePrincipal, tenant: str
) -> None:
    async def hire(home: str, name: str, role: str, everything: bool) -> Known:
        made = await principal(home, role=Role.named(role), name=name, subtree=everything)
        http = httpx.AsyncClient(
            transport=Served(bridged),  # type: ignore[arg-type]
            base_url="http://loci",
            headers=made.http.headers,
        )
        return Known(made.caller.principal, name, home, role, everything, http)

    people = await isolation.world(hire, (f"{tenant}y", f"{tenant}z"))
    document = (await people[0].http.get("/schema/openapi.json")).json()
    trials = isolation.Trials(people, document, seed=TRIALS)
    await trials.run(TRIALS // 4)
    await opened.indexing.drain()
    report = await trials.run(TRIALS)
    assert not report.wrong, "\n".join(report.wrong)
    assert report.trials.total() >= TRIALS
    assert {item.kind for item in trials.register.items.values()} >= set(WRITES)
    assert len(report.seen) >= 5, "hardly anything that may be seen was seen"
    assert report.heard, "no stream told of anything"
    _the_model_can_say_no(trials)


def _the_model_can_say_no(trials: isolation.Trials) -> None:
    """An answer with somebody's private value is told apart from one with a public one."""
    private = next(i for i in trials.register.items.values() if i.kind == "working")
    stranger = next(one for one in trials.people if one.id != private.owner)
    assert trials.register.leaks(stranger, f"…{private.marker.upper()}…", "") == [private]
    assert trials.register.leaks(stranger, private.marker, private.marker) == []
    shared: Item = replace(private, only=None, scope=stranger.home)
    trials.register.items[private.marker] = shared
    assert trials.register.leaks(stranger, private.marker, "") == []
