"""A model that a test scripts, and consolidation with it behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from app.consolidation.reader import Limits, ModelReader, Parts, ReadTally
from app.consolidation.service import ConsolidationService
from app.kernel.clock import now
from app.llm.client import LanguageModel
from app.llm.model import LlmConfig
from app.llm.repository import ReadingRepository, day_of, usage_id
from app.wiring import Parts as Opened
from tests.conftest import Principal
from tests.consolidation.conftest import Said, beliefs, capture, query
from tests.embeddings.scripted_server import ScriptedServer, scripted_server


@pytest.fixture
def endpoint() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server


@dataclass(frozen=True)
class Desk:
    """Consolidation with a model behind it, on one scope."""

    opened: Opened
    service: ConsolidationService
    reader: ModelReader
    scope: str
    principal: Principal

    async def say(self, *told: Said) -> list[str]:
        """Capture and consolidate by rules."""
        ids = [await capture(self.opened, self.principal.caller, said) for said in told]
        await self.consolidate()
        return ids

    async def consolidate(self) -> None:
        """By rules, and by what the model has said; a pass that failed says why."""
        await self.service.consolidate(self.scope)
        for row in (await self.episodes()).values():
            assert row["consolidation_state"] != "raw", row

    async def read(self) -> ReadTally:
        """Let the model read what is due, and consolidate what it adds."""
        tally = await self.reader.read_scope(self.scope)
        await self.consolidate()
        return tally

    async def facts(self) -> dict[tuple[str, str], str]:
        """Status by predicate and object of what is so: neither negated, nor what happened, which
        the rules read of the same turns by themselves."""
        return {
            (f[1], f[2]): f[4]
            for f in await beliefs(self.opened, self.scope)
            if not f[3] and not f[1].startswith("did:")
        }

    async def episodes(self) -> dict[str, dict[str, Any]]:
        rows = await query(
            self.opened.graph, "MATCH (e:Episode {scope: $scope}) RETURN e", scope=self.scope
        )
        return {row["e"]["id"]: row["e"] for row in rows}

    async def wait_over(self) -> None:
        """As if the wait for another try were over."""
        await query(
            self.opened.graph,
            "MATCH (e:Episode {scope: $scope, model_state: 'due'}) SET e.model_due_at = $at",
            scope=self.scope,
            at=now() - timedelta(seconds=1),
        )

    async def usage(self) -> dict[str, Any]:
        rows = await query(
            self.opened.graph,
            "MATCH (u:ModelUsage {id: $id}) RETURN u",
            id=usage_id(self.scope, day_of(now())),
        )
        return rows[0]["u"] if rows else {}


MakeDesk = Callable[..., Desk]


@pytest_asyncio.fixture(loop_scope="session")
async def desks(
    opened: Opened, endpoint: ScriptedServer, writer: Principal
) -> AsyncIterator[MakeDesk]:
    made: list[ModelReader] = []

    def make(principal: Principal = writer, **more: Any) -> Desk:
        limits = {"budget": 1_000_000, "concurrency": 2, "longest": 2000, "patience": 0}
        limits |= {name: more.pop(name) for name in list(more) if name in limits}
        config = LlmConfig("scripted", endpoint.url, retries=0, timeout_s=60, answer_tokens=200)
        service = ConsolidationService(replace(opened.consolidation._parts, asks=True))
        model = LanguageModel.build(replace(config, **more))
        reader = ModelReader(
            Parts(ReadingRepository(opened.graph), service, opened.scopes, model, Limits(**limits))
        )
        made.append(reader)
        return Desk(opened, service, reader, principal.caller.home, principal)

    yield make
    for reader in made:
        await reader.aclose()


@pytest_asyncio.fixture(loop_scope="session")
async def desk(desks: MakeDesk) -> Desk:
    return desks()
