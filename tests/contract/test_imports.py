"""What a test imports from the app is there. Whole suites are long: a name that moved is told at
once, not after an hour."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python  # reads what stands in files

TESTS = Path(__file__).parents[1]
OURS = {"app", "bench", "loci_client"}


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every module of ours and name that a file imports from it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        if node.module.partition(".")[0] in OURS:
            yield from ((node.module, name.name) for name in node.names)


def is_there(module: str, name: str) -> bool:
    found = importlib.import_module(module)
    if hasattr(found, name):
        return True
    try:
        importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


def test_every_name_that_a_test_imports_is_there() -> None:
    files = sorted(TESTS.rglob("*.py"))
    assert len(files) > 300
    asked = {found: path for path in files for found in imported(path)}
    missing = [
        f"{path.relative_to(TESTS)}: {module}.{name}"
        for (module, name), path in asked.items()
        if not is_there(module, name)
    ]
    assert missing == []
