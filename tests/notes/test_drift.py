"""Baselines of core blocks: what is said moves away from a block, which is told once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.embeddings.calibration import Kinds
from app.embeddings.hashing import HashEmbedder
from app.errors import ModelMismatch
from app.indexing.spaces import Spaces
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.ids import new_id
from app.lifecycle.invariants import broken
from app.notes.drift import (
    ALARM,
    LEAST,
    WINDOWS,
    BlockBaseline,
    DriftState,
    Measure,
    closeness,
    drifted,
)
from app.notes.drifting import DriftService
from app.notes.tasks import DRIFT
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

URL = "/v1/core-blocks/identity"
BLOCK = "We plan the sailing trip to the harbour, and look at the weather for the sailing trip."
AT = datetime(2026, 6, 1, tzinfo=UTC)
HASH = "a" * 64


def baseline(value: float, **more: Any) -> BlockBaseline:
    return BlockBaseline(
        id="b", scope="t", block_kind="identity", block="x", block_hash=HASH, model="m",
        closeness=value, sample=LEAST, taken_by="user:a", taken_at=AT, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "now_", "sample", "state", "drift"),
    [
        (0.6, 0.6, 8, DriftState.STEADY, 0.0),
        (0.6, 0.4501, 8, DriftState.STEADY, 0.1499),
        (0.6, 0.45, 8, DriftState.DRIFTED, ALARM),
        (0.2, 0.9, 256, DriftState.STEADY, 0.0),
        (0.6, 0.0, 7, DriftState.TOO_FEW, None),
    ],
)
def test_the_drift_is_what_is_lost_of_the_baseline(
    before: float, now_: float, sample: int, state: DriftState, drift: float | None
) -> None:
    found = drifted(baseline(before), Measure(HASH, "m", now_, sample), AT)
    assert (found.state, found.drift) == (state, drift)


def test_another_block_or_model_does_not_compare() -> None:
    for measure in (Measure("b" * 64, "m", 0.1, 99), Measure(HASH, "n", 0.1, 99)):
        found = drifted(baseline(0.9), measure, AT)
        assert (found.state, found.drift, found.closeness) == (DriftState.STALE, None, None)


def test_a_baseline_of_the_first_window_does_not_compare_with_one_of_all() -> None:
    found = drifted(baseline(0.9), Measure(HASH, "m", 0.95, 99, windows=2), AT)
    assert (found.state, found.drift) == (DriftState.STALE, None)
    found = drifted(baseline(0.9, windows=2), Measure(HASH, "m", 0.9, 99, windows=2), AT)
    assert found.state is DriftState.STEADY


def test_the_closeness_is_the_mean() -> None:
    assert closeness([0.2, 0.4]) == pytest.approx(0.3)
    assert closeness([]) == 0.0


async def said(opened: Parts, who: Principal, texts: list[str], at: datetime) -> None:
    for text in texts:
        body = {"content": text, "captured_at": at.isoformat(), "session": "s"}
        answer = await who.http.post("/v1/episodes", json=body)
        assert answer.status_code == 201, answer.text
    await opened.indexing.drain()


async def told(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


async def without_others(opened: Parts) -> None:
    """Drop the baselines that tests before have left: the check counts those of the whole store."""
    async with opened.graph.driver.session() as session:
        await session.run("MATCH (n:Declared {kind: 'block_baseline'}) DETACH DELETE n")


async def alarms(opened: Parts, scope: str) -> list[dict[str, Any]]:
    rows = await opened.graph.raw(
        "MATCH (a:AuditEvent {scope: $s, kind: 'block.drift'}) RETURN a.payload AS payload",
        s=scope,
    )
    return list(rows)


SAILING = [
    f"We planned the sailing trip to harbour {n}, and looked at the weather." for n in range(8)
]
TAXES = [f"Client {n} lacks receipts; his tax return is overdue since March." for n in range(8)]


async def test_a_drift_is_told_once_until_it_has_gone_back(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    await without_others(opened)
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="ida")
    await told(await curator.http.get(f"{URL}/baseline"), 404)
    await told(await curator.http.put(f"{URL}/baseline"), 404)
    await told(await curator.http.put(URL, json={"content": BLOCK}))
    refused = await told(await curator.http.put(f"{URL}/baseline"), 409)
    assert "0 texts" in refused["detail"]

    start = now() - timedelta(days=6)
    await said(opened, curator, SAILING, start)
    taken = await told(await curator.http.put(f"{URL}/baseline"))
    assert (taken["sample"], taken["alarmed_at"]) == (8, None)
    found = await told(await curator.http.get(f"{URL}/baseline"))
    assert (found["state"], found["drift"]) == ("steady", 0.0)
    assert found["closeness"] == taken["closeness"]

    late = now() + timedelta(days=8)  # what was said before is out of the week by then
    few = await opened.drifting.check(dry_run=False, moment=late)
    assert (few["too_few"], few["told"]) == (1, 0)
    await said(opened, curator, TAXES, now())
    after = start + timedelta(days=7, minutes=5)
    dry = await opened.drifting.check(dry_run=True, moment=after)
    assert (dry["drifted"], dry["told"], await alarms(opened, scope)) == (1, 1, [])
    first = await opened.drifting.check(dry_run=False, moment=after)
    again = await opened.drifting.check(dry_run=False, moment=after)
    assert (first["told"], again["told"], len(await alarms(opened, scope))) == (1, 0, 1)
    seen = await told(await curator.http.get(f"{URL}/baseline"))
    assert seen["baseline"]["alarmed_at"] is not None

    back = await opened.drifting.check(dry_run=False, moment=start + timedelta(hours=1))
    assert (back["steady"], back["told"]) == (1, 0)
    assert (await opened.drifting.check(dry_run=False, moment=after))["told"] == 1
    assert await broken(opened.graph, tenant) == []


async def test_a_long_block_is_compared_by_all_of_its_windows(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """Its end is about what is said; a comparison by its beginning alone does not see that."""
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="ida")
    short = HashEmbedder(opened.embedder.info.dimension, 64)
    spaces = Spaces(opened.graph, short, {})
    drifting = DriftService(opened.graph, spaces)
    block = f"{'Client seven lacks receipts; the return is overdue since March. ' * 30}{BLOCK}"
    part, vectors = await spaces.compared_whole(block, scope, WINDOWS)
    assert 2 < len(vectors) < WINDOWS
    assert len((await spaces.compared_whole(block, scope, 2))[1]) == 2
    await told(await curator.http.put(URL, json={"content": block}))
    await said(opened, curator, SAILING, now())
    taken = await drifting.take(curator.caller, scope, "identity")
    assert taken.windows == len(vectors)
    rows = await opened.graph.rows(
        part.space.over(query=Q.blocks.lately),
        scope=scope, vectors=[vectors[0]], since=now() - timedelta(days=1), until=now(), limit=9,
    )  # fmt: skip
    begins = [part.similarity(r["cosine"], Kinds.TEXTS, r["language"] or "en") for r in rows]
    assert taken.closeness > closeness(begins) + ALARM
    found = await drifting.read(curator.caller, scope, "identity")
    assert (found.state, found.drift) == (DriftState.STEADY, 0.0)
    await opened.graph.raw(
        "MATCH (n:BlockBaseline {scope: $s}) REMOVE n.windows RETURN n.id AS id", s=scope
    )
    old = await drifting.read(curator.caller, scope, "identity")
    assert old.state is DriftState.STALE, "what an older version took is taken anew"


class _Broken(Spaces):
    """Spaces of which one scope's model does not answer."""

    def __init__(self, whole: Spaces, scope: str) -> None:
        self._whole, self._scope = whole, scope

    async def compared_whole(self, text: str, scope: str, most: int) -> Any:
        if scope == self._scope:
            raise ModelMismatch("stored vectors come from another model")
        return await self._whole.compared_whole(text, scope, most)


async def test_a_broken_model_of_one_scope_does_not_stop_the_check_of_others(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    for name in ("a", "b"):
        curator = await principal(f"{tenant}/{name}", role=Role.CURATOR, name="ida")
        await told(await curator.http.put(URL, json={"content": BLOCK}))
        await said(opened, curator, SAILING, now())
        await told(await curator.http.put(f"{URL}/baseline"))
    whole = await opened.drifting.check(dry_run=True)
    spaces = _Broken(opened.drifting._spaces, f"{tenant}/a")
    found = await DriftService(opened.graph, spaces).check(dry_run=True)
    assert (whole["failed"], found["failed"]) == (0, 1)
    assert found["steady"] == whole["steady"] - 1


async def test_a_changed_block_makes_it_stale_and_it_goes_with_the_block(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="ida")
    block = await told(await curator.http.put(URL, json={"content": BLOCK}))
    await said(opened, curator, SAILING, now())
    await told(await curator.http.put(f"{URL}/baseline"))
    await told(await curator.http.put(URL, json={"content": "You do the books."}))
    found = await told(await curator.http.get(f"{URL}/baseline"))
    assert (found["state"], found["drift"]) == ("stale", None)
    again = await told(await curator.http.put(f"{URL}/baseline"))
    assert (await told(await curator.http.get(f"{URL}/baseline")))["state"] == "steady"
    assert again["id"] == found["baseline"]["id"]

    reader = await principal(scope, role=Role.READER, name="uta")
    assert (await told(await reader.http.get(f"{URL}/baseline")))["sample"] == 8
    await told(await reader.http.put(f"{URL}/baseline"), 403)
    await told(await reader.http.delete(f"{URL}/baseline"), 403)
    stranger = await principal(f"{tenant}/other", role=Role.CURATOR, name="odo")
    await told(await stranger.http.get(f"{URL}/baseline", params={"scope": scope}), 404)

    rules = {"erasure": True}
    await told(await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json=rules))
    answer = await admin.http.post("/v1/erasures", json={"memory": block["id"]})
    assert answer.status_code in (200, 202), answer.text
    await told(await curator.http.get(f"{URL}/baseline"), 404)
    left = await opened.graph.raw("MATCH (n:BlockBaseline {scope: $s}) RETURN n.id AS id", s=scope)
    assert left == []


async def test_the_schedule_checks_and_a_baseline_is_given_up(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="ida")
    await told(await curator.http.put(URL, json={"content": BLOCK}))
    await said(opened, curator, SAILING, now())
    await told(await curator.http.put(f"{URL}/baseline"))
    where = {"tenant": "_system", "scope": "_system", "args": {}}
    job = await opened.runner.submit(DRIFT, job_id=new_id(), **where)
    assert await opened.runner.run(opened, job.id) == "done"
    await told(await curator.http.delete(f"{URL}/baseline"), 204)
    await told(await curator.http.delete(f"{URL}/baseline"), 404)
