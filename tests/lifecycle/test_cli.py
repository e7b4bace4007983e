"""`loci erase` and `loci verify` as an operator runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from app.wiring import Parts
from tests.conftest import Principal
from tests.lifecycle.conftest import Say, Switch, facts_in
from tests.lifecycle.test_kills import ROOT, environment


def loci(opened: Parts, *arguments: str) -> tuple[int, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *arguments, "--json"],
        cwd=ROOT,
        env=environment(opened),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


@pytest.mark.slow
async def test_erase_and_verify(
    opened: Parts, admin: Principal, tenant: str, say: Say, switch: Switch
) -> None:
    episode = await say(tenant, "Ada Berger lives in Bremen.")
    code, told = loci(opened, "erase", tenant, episode, "--dry-run")
    assert code == 0, told
    assert told["episodes"] == [episode]
    code, told = loci(opened, "erase", tenant, episode)
    assert (code, "do not allow erasure" in told) == (1, True)
    await switch(tenant, erasure=True)
    code, told = loci(opened, "erase", tenant, "--session", "talk")
    assert (code, told["state"], told["counts"]["episodes"]) == (0, "done", 1)
    assert await facts_in(opened, tenant) == {}
    code, found = loci(opened, "erased", tenant, told["receipt"], "--text", "Ada Berger")
    assert (code, found["clean"], found["holders"]) == (0, True, {})
    assert found["looked_at"] > 0
    await opened.graph.raw(
        "CREATE (:Alias {id: $id, scope: $s, key: $id})", id=f"kept-{episode}", s=tenant
    )
    code, found = loci(opened, "erased", tenant, told["receipt"])
    assert (code, found["holders"]) == (1, {"Alias": [f"kept-{episode}"]}), found
    await opened.graph.raw("MATCH (a:Alias {id: $id}) DELETE a", id=f"kept-{episode}")
    assert loci(opened, "verify", tenant) == (0, {"broken": 0})
    await opened.graph.raw(
        "CREATE (:Alias {id: $id, scope: $s, key: 'nobody'})", id=f"stray-{tenant}", s=tenant
    )
    code, told = loci(opened, "verify", tenant)
    assert (code, told) == (1, {"every name names something": [f"stray-{tenant}"]})
    await opened.graph.raw("MATCH (a:Alias {id: $id}) DELETE a", id=f"stray-{tenant}")
