"""What was learnt of late and is near a core block counts half, where a scope's rules say so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.kernel.clock import now
from app.search.model import Fade
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.search.test_fading import switch_on

BLOCK = "You never tell customers the addresses of other customers."
NEAR = "Customers are told the addresses of other customers."
FAR = "Addresses stand in the red ledger."
QUERY = "Are customers told the addresses of other customers?"


def test_what_is_cooled_counts_half_of_its_lead() -> None:
    assert Fade(1.0, 0.9, 0.1, cooled=True).score == pytest.approx(0.1 + 0.5 * 0.8)
    assert Fade(0.0, 0.9, 0.1, cooled=True).factor == pytest.approx(0.35)


async def asked(who: Principal, **more: Any) -> dict[str, dict[str, Any]]:
    """The hits of a search by their texts."""
    body = {"query": QUERY, "kinds": ["note"], **more}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return {hit["untrusted"]["text"]: hit for hit in answer.json()["hits"]}


def cooled(hits: dict[str, dict[str, Any]]) -> set[str]:
    """The texts that are cooled."""
    return {text for text, hit in hits.items() if (hit["fade"] or {}).get("cooled")}


async def test_what_is_new_and_near_a_core_block_counts_half(
    admin: Principal, principal: MakePrincipal, opened: Parts
) -> None:
    scope = admin.caller.home
    put = await admin.http.put("/v1/core-blocks/redline", json={"content": BLOCK, "scope": scope})
    assert put.is_success, put.text
    for text in (NEAR, FAR):
        made = await admin.http.post("/v1/notes", json={"content": text, "scope": scope})
        assert made.is_success, made.text

    async def change(**values: Any) -> None:
        await opened.graph.raw(
            "MATCH (n:Note {scope: $s, content: $t}) SET n += $v", s=scope, t=NEAR, v=values
        )

    await change(trust=0.7)
    await opened.indexing.drain()
    before = await asked(admin)
    assert cooled(before) == set()
    assert before[NEAR]["rank"] == 1
    await switch_on(admin, scope, cooling=True)
    after = await asked(admin)
    assert cooled(after) == {NEAR}
    assert after[NEAR]["fade"] == {"left": 1.0, "factor": 0.5, "cooled": True}
    assert cooled(await asked(admin, as_of=now().isoformat())) == set(), "of now alone"
    whole = await admin.http.post(
        "/v1/search", json={"query": QUERY, "kinds": ["note"], "form": "relevant_context"}
    )
    assert whole.is_success, whole.text
    await change(trust=0.69)
    assert cooled(await asked(admin)) == set()
    await change(trust=0.9)
    assert cooled(await asked(admin)) == {NEAR}
    await change(ingested_at=now() - timedelta(days=7, minutes=1))
    assert cooled(await asked(admin)) == set(), "a week is over"
    await change(ingested_at=now())
    assert cooled(await asked(admin)) == {NEAR}
    # A block that is over cools nothing.
    await opened.graph.raw(
        "MATCH (b:CoreBlock {id: $id}) SET b.expired_at = $at", id=put.json()["id"], at=now()
    )
    assert cooled(await asked(admin)) == set()
