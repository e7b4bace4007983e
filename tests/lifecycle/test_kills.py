"""kill -9 at random points of consolidation, revision and erasure: the end is the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.lifecycle.invariants import broken
from app.wiring import Parts
from tests.conftest import Principal
from tests.lifecycle.conftest import Switch

ROOT = Path(__file__).resolve().parents[2]
KILLS = 4
LONGEST = 1.2  # seconds after it began
TOWNS = ("Bremen", "Ulm", "Kiel", "Jena", "Halle", "Celle")
PEOPLE = ("Ada Berger", "Ole Petersen", "Pia Kranich")


def environment(opened: Parts) -> dict[str, str]:
    """What a process of its own needs to find the servers of this test."""
    given = opened.settings
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("LOCI_")},
        "NEO4J_URI": given.graph.uri,
        "NEO4J_USER": given.graph.user,
        "NEO4J_PASSWORD": given.graph.password,
        "REDIS_URL": given.redis.url,
        "LOCI_EMBEDDING__PROVIDER": "hash",
        "LOCI_EMBEDDING__ALLOW_TEST": "true",
        "LOCI_API__IMPORT_DIR": str(given.api.import_dir),
        "LOCI_TELEMETRY__LOG_LEVEL": "error",
    }


def texts() -> list[dict[str, Any]]:
    """What people say of each other over the months; some of it will be erased."""
    said = []
    for place in range(24):
        who, town = PEOPLE[place % 3], TOWNS[place % 6]
        said.append(
            {
                "session": f"talk-{place % 4}",
                "role": "user",
                "content": f"{who} lives in {town}. {who} works for Heron GmbH. {who} uses Rust.",
                "captured_at": f"2026-{1 + place // 3:02d}-{1 + place % 3:02d}T08:00:00Z",
            }
        )
    return said


async def capture(admin: Principal, scope: str) -> list[str]:
    ids = []
    for body in texts():
        answer = await admin.http.post("/v1/episodes", json={**body, "scope": scope})
        assert answer.status_code == 201, answer.text
        ids.append(answer.json()["id"])
    return ids


def run(env: dict[str, str], scope: str, gone: list[str]) -> subprocess.Popen[str]:
    """The victim, past its start."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.lifecycle.victim", scope, ",".join(gone)],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first == "ready\n", first + child.stdout.read()
    return child


async def expire_leases(opened: Parts, scope: str) -> None:
    """As if the time of a dead worker's lease had passed."""
    await opened.graph.raw(
        "MATCH (c:ConsolidationCursor {scope: $s}) SET c.lease_until = c.created_at", s=scope
    )
    await opened.graph.raw(
        "MATCH (e:Episode {scope: $s, consolidation_state: 'in_progress'}) "
        "SET e.lease_until = e.ingested_at",
        s=scope,
    )


async def shape(opened: Parts, scope: str) -> dict[str, list[Any]]:
    """What is believed and known in a scope, without the ids that cover it."""
    facts = await opened.graph.raw(
        "MATCH (f:Fact {scope: $s}) RETURN f.statement AS statement, f.status AS status, "
        "f.evidence AS evidence, f.valid_from AS valid_from, f.valid_to AS valid_to, "
        "COLLECT { MATCH (f)-[a:ABOUT]->() "
        "          WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') "
        "          RETURN [a.valid_from, a.valid_to, a.standing, a.reason] AS held "
        "          ORDER BY held } AS held ORDER BY statement, valid_from",
        s=scope,
    )
    entities = await opened.graph.raw(
        "MATCH (e:Entity {scope: $s}) RETURN e.canonical_name AS name, e.keys AS keys, "
        "e.mention_count AS mentions, "
        "COLLECT { MATCH (e)<-[:MENTIONS]-(p:Passage) RETURN DISTINCT p.content AS c "
        "          ORDER BY c } AS mentioned ORDER BY name",
        s=scope,
    )
    episodes = await opened.graph.raw(
        "MATCH (e:Episode {scope: $s}) RETURN e.content AS content, "
        "e.consolidation_state AS state ORDER BY content, e.captured_at",
        s=scope,
    )
    notes = await opened.graph.raw(
        "MATCH (n:Note {scope: $s, standing: 'held'}) RETURN n.content AS content ORDER BY content",
        s=scope,
    )
    return {"facts": facts, "entities": entities, "episodes": episodes, "notes": notes}


@pytest.mark.slow
@pytest.mark.timeout(280)
async def test_kills_change_nothing(
    opened: Parts, admin: Principal, tenant: str, switch: Switch
) -> None:
    chance = random.Random(17)
    env = environment(opened)
    await switch(tenant, erasure=True)
    killed, calm = f"{tenant}/killed", f"{tenant}/calm"
    for scope in (killed, calm):
        made = await admin.http.post("/v1/scopes", json={"scope": scope})
        assert made.status_code == 201, made.text
    ids = {scope: await capture(admin, scope) for scope in (killed, calm)}
    gone = {scope: ids[scope][5:20:3] for scope in ids}

    child = run(env, calm, gone[calm])
    out, _ = child.communicate(timeout=120)
    assert out.endswith("done\n"), out
    hits = 0
    for _ in range(KILLS):
        child = run(env, killed, gone[killed])
        time.sleep(chance.uniform(0.02, LONGEST))  # noqa: ASYNC251 - nothing else runs here
        hits += child.poll() is None
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert await broken(opened.graph, tenant) == []
        await expire_leases(opened, killed)
    assert hits >= KILLS // 2, "the victim was too quick"
    child = run(env, killed, gone[killed])
    out, _ = child.communicate(timeout=120)
    assert out.endswith("done\n"), out

    assert await broken(opened.graph, tenant) == []
    one, other = await shape(opened, killed), await shape(opened, calm)
    assert one == other
    assert len(one["episodes"]) == 24 - 5 + 6
    assert len(one["notes"]) == len(PEOPLE)
    open_homes = [
        f for f in one["facts"] if "lives in" in f["statement"] and f["status"] == "active"
    ]
    assert len(open_homes) == 3  # one belief each
    receipts = await opened.graph.raw(
        "MATCH (r:ErasureReceipt {tenant: $t}) RETURN r.state AS state, count(*) AS n", t=tenant
    )
    assert receipts == [{"state": "done", "n": 10}]
