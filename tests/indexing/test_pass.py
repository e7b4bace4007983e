"""The indexing pass: batches that overlap in time change nothing, a failure leaves nothing out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.embeddings.model import Embedder, Role
from app.embeddings.windows import Span
from app.episodes.model import Capture
from app.errors import EmbedderUnavailable
from app.indexing.service import IndexService, shared_out
from app.indexing.spaces import Spaces
from app.wiring import Parts
from tests.conftest import Principal

START = datetime(2024, 5, 3, 10, tzinfo=UTC)
STATE = (
    "MATCH (e:Episode {scope: $scope}) RETURN e.content AS content, e.context_terms AS context, "
    "e.embed_hash AS hash, e.index_state AS state ORDER BY e.captured_at, e.content"
)
AGAIN = (
    "MATCH (e:Episode {scope: $scope}) SET e.index_state = 'pending', e.context_terms = '', "
    "e.embed_hash = null, e.embedding = null"
)


class Failing:
    """The model of the tests, away at its third call."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.info = real.info
        self.calls = 0

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """As the model does, but for the third call."""
        self.calls += 1
        if self.calls == 3:
            raise EmbedderUnavailable("the model is away")
        return await self._real.embed(texts, role)

    def windows(self, text: str) -> list[Span]:
        """As the model does."""
        return self._real.windows(text)

    async def aclose(self) -> None:
        """Nothing of its own to free."""


async def _told(opened: Parts, writer: Principal, scope: str) -> None:
    """Three talks of 11 turns each; a third of the turns share their moment with the one before."""
    talks = [
        Capture(
            content=f"Turn {turn} of talk {talk}: the kiln number {turn * talk} is warm",
            scope=scope,
            session=f"talk {talk}",
            role="user",
            captured_at=START + timedelta(minutes=turn - (turn % 3 == 2)),
        )
        for talk in (1, 2, 3)
        for turn in range(11)
    ]
    await opened.episodes.capture_batch(writer.caller, talks)


async def _state(opened: Parts, scope: str) -> list[dict[str, Any]]:
    return await opened.graph.raw(STATE, scope=scope)


async def test_batches_abreast_leave_what_one_batch_leaves(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await _told(opened, writer, scope)
    await opened.indexing.drain()
    whole = await _state(opened, scope)
    assert {row["state"] for row in whole} == {"done"}
    assert all(row["context"] and row["hash"] for row in whole)
    await opened.graph.raw(AGAIN, scope=scope)
    small = IndexService(opened.indexing._repository, opened.spaces, batch=4)
    assert await small.drain()
    assert await _state(opened, scope) == whole


async def test_a_model_that_goes_away_leaves_the_rest_waiting(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await _told(opened, writer, scope)
    failing = Failing(opened.spaces.default)
    spaces = Spaces(opened.graph, failing, {})
    with pytest.raises(EmbedderUnavailable):
        await IndexService(opened.indexing._repository, spaces, batch=4).drain()
    states = [row["state"] for row in await _state(opened, scope)]
    assert 0 < states.count("pending") < 33
    await opened.indexing.drain()
    assert {row["state"] for row in await _state(opened, scope)} == {"done"}


async def test_a_small_tenant_is_indexed_while_a_large_ones_backlog_lasts(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    """What is in the midst of the waiting, by time, has its turn in the first batches."""
    rows = opened.indexing._repository
    await opened.indexing.drain()
    for other, count in ((f"{tenant}", 40), (f"{tenant}x", 1), (f"{tenant}", 40)):
        await opened.graph.raw(
            "MERGE (s:Scope {path: $tenant}) SET s.tenant = $tenant "
            "WITH s UNWIND range(1, $count) AS n "
            "CREATE (e:Memory {id: randomUUID(), tenant: $tenant, index_state: 'pending', "
            "ingested_at: datetime.realtime()})",
            tenant=other,
            count=count,
        )
    taken = [shared_out(await end(8), 8) for end in (rows.oldest, rows.newest)]
    small = await opened.graph.raw(
        "MATCH (e:Memory {tenant: $tenant}) RETURN e.id AS id", tenant=f"{tenant}x"
    )
    await opened.graph.raw(
        "MATCH (e:Memory) WHERE e.tenant IN $tenants DETACH DELETE e",
        tenants=[tenant, f"{tenant}x"],
    )
    assert all(small[0]["id"] in batch for batch in taken)


def test_a_batch_is_shared_out_in_turn() -> None:
    assert shared_out([["a1", "a2", "a3"], ["b1"], ["c1", "c2"]], 5) == [
        "a1", "b1", "c1", "a2", "c2",
    ]  # fmt: skip
    assert shared_out([], 5) == []
