"""Seven stories of agent memory over HTTP, in one running product with the model that ships."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType

import httpx
import pytest
import pytest_asyncio

from app.settings import read_settings
from app.wiring import parts
from tests.scenarios.stories import (
    chat,
    consultant,
    desktop,
    neighbours,
    operations,
    project,
    twice,
)
from tests.scenarios.stories.house import House, opened
from tests.support.processes import service, until_ready
from tests.support.server import EmbeddedPair

STORIES = (operations, consultant, project, twice, desktop, chat, neighbours)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def house(model_folder: Path) -> AsyncIterator[House]:
    """API and worker as processes, over servers of their own that a story may kill."""
    model = {
        "LOCI_EMBEDDING__PROVIDER": "e5",
        "LOCI_EMBEDDING__CACHE": str(model_folder.parent),
        # Not behind the tests that run beside: how long tenants wait for each other is timed.
        "LOCI_WORKER__NICE": "0",
    }
    with EmbeddedPair() as pair, service(pair, **model) as running:
        running.start_api()
        running.start_worker()
        async with parts(read_settings(running.environment)) as store:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{running.port}") as http:
                await until_ready(http, running)
            async with opened(running, store) as made:
                yield made


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__.rsplit(".")[-1])
async def test_a_story(house: House, story: ModuleType) -> None:
    await story.told(house)
