"""kill -9 in the midst of the model's pass: nothing is lost, told twice, or asked for nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from app.lifecycle.invariants import broken
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.consolidation.conftest import Said, beliefs, query
from tests.embeddings.scripted_server import ScriptedServer
from tests.lifecycle.test_kills import ROOT, environment, expire_leases
from tests.llm.chat import proposals
from tests.llm.conftest import Desk, MakeDesk
from tests.llm.test_reader import QUOTE, ROTTERDAM, VEILED

TOLD = [Said(n, f"{VEILED} That was told {n} times.", session=f"s{n}") for n in range(1, 7)]
KILLED_AT = (1, 4)  # questions asked, when the process dies


def victim(env: dict[str, str], scope: str) -> subprocess.Popen[str]:
    """A process of its own, past its start."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.llm.victim", scope],
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


def killed_at(child: subprocess.Popen[str], endpoint: ScriptedServer, requests: int) -> bool:
    """Whether the process still ran when the endpoint was asked so often; it is killed then."""
    while child.poll() is None and len(endpoint.requests) < requests:
        time.sleep(0.001)
    ran = child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.communicate()
    return ran


async def states(desk: Desk) -> set[str]:
    return {str(e["model_state"]) for e in (await desk.episodes()).values()}


@pytest.mark.slow
async def test_a_killed_pass_is_taken_up_where_it_was(
    desks: MakeDesk,
    opened: Parts,
    endpoint: ScriptedServer,
    principal: MakePrincipal,
    tenant: str,
) -> None:
    calm = desks(await principal(f"{tenant}/calm", name="one"))
    killed = desks(await principal(f"{tenant}/killed", name="one"))
    for desk in (calm, killed):
        await desk.say(*TOLD)
        assert await states(desk) == {"due"}
    endpoint.replies = [proposals(ROTTERDAM)]
    await calm.read()
    asked_in_peace = len(endpoint.requests)
    env = environment(opened) | {
        "LOCI_LLM__MODEL": "scripted",
        "LOCI_LLM__BASE_URL": endpoint.url,
        "LOCI_LLM__API_KEY": "none",
        "LOCI_LLM__CONCURRENCY": "1",
        "LOCI_LLM__PATIENCE_SECONDS": "0",
    }
    for count in KILLED_AT:
        child = victim(env, killed.scope)
        assert killed_at(child, endpoint, asked_in_peace + count), "the process was too quick"
        assert await broken(opened.graph, tenant) == []
        await expire_leases(opened, killed.scope)
        await killed.wait_over()
    await killed.service.consolidate(killed.scope)
    while (await killed.read()).taken:
        pass

    assert await states(killed) == {"read"}
    assert await beliefs(opened, killed.scope) == await beliefs(opened, calm.scope)
    assert await killed.facts() == {("lives_in", "rotterdam"): "active"}
    rows = await query(
        opened.graph,
        "MATCH (e:Episode {scope: $s})-[u:SUPPORTS]->() RETURN e.content AS text, u.start AS start",
        s=killed.scope,
    )
    assert len(rows) == len(TOLD), "one claim of each text"
    assert all(row["text"][row["start"] :].startswith(QUOTE) for row in rows)
    again = len(endpoint.requests) - asked_in_peace - len(TOLD)
    assert 0 <= again <= len(KILLED_AT), "only a question whose answer was lost is asked again"
