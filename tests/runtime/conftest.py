"""A runtime of its own for each test: folders and ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.runtime.config import RuntimeConfig, make_folders
from app.runtime.machine import free_port


def make_config(folder: Path) -> RuntimeConfig:
    """A home below `folder`, on free ports."""
    made = RuntimeConfig(
        home=folder / "home",
        cache=folder / "cache",
        api_port=free_port(),
        bolt_port=free_port(),
        browser_port=free_port(),
        valkey_port=free_port(),
    )
    make_folders(made)
    return made


@pytest.fixture
def config(tmp_path: Path) -> RuntimeConfig:
    """A home of the test's own."""
    return make_config(tmp_path)
