from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.embeddings import e5_files
from app.embeddings.e5 import E5Embedder, E5Model
from tests.embeddings.scripted_server import ScriptedServer, scripted_server


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversion made by this run."""
    return e5_files.ensure_model(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def e5_model(model_folder: Path) -> E5Model:
    return E5Model(model_folder)


@pytest.fixture
async def e5(e5_model: E5Model) -> AsyncIterator[E5Embedder]:
    embedder = E5Embedder(e5_model, threads=1)
    yield embedder
    await embedder.aclose()


@pytest.fixture
def endpoint() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server
