"""A runtime of its own for each test: folders and ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.runtime.config import RuntimeConfig, make_folders
from app.runtime.machine import free_port


@pytest.fixture
def config(tmp_path: Path) -> RuntimeConfig:
    """A home of its own, on free ports."""
    made = RuntimeConfig(
        home=tmp_path / "home",
        cache=tmp_path / "cache",
        api_port=free_port(),
        bolt_port=free_port(),
        browser_port=free_port(),
        valkey_port=free_port(),
    )
    make_folders(made)
    return made
