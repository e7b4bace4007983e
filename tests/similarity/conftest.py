"""A service with the model that ships, over the session's servers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from litestar import Litestar

from app.asgi import create_app, fill_state
from app.embeddings.e5 import E5Embedder, E5Model
from app.wiring import Parts, assemble


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def opened(opened: Parts, e5_model: E5Model) -> AsyncIterator[Parts]:
    """The parts of a process that embeds by the model that ships; its vectors are as long as those
    of the other tests, and tenants are their own."""
    embedder = E5Embedder(e5_model, threads=2)
    yield assemble(opened.settings, opened.graph, embedder)
    await embedder.aclose()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def app(opened: Parts) -> Litestar:
    """The application over those parts."""
    made = create_app(opened.settings)
    fill_state(made, opened)
    return made
