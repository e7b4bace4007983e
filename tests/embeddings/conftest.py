from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embeddings.scripted_server import ScriptedServer, scripted_server


@pytest.fixture
def endpoint() -> Iterator[ScriptedServer]:
    with scripted_server() as server:
        yield server
