"""Tests wait for what comes, with a limit, and never for a time to pass."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python  # reads what stands in files

ROOT = Path(__file__).parents[1]
LEAST, MOST = 0.25, 30  # seconds that count as waiting; for longer sleeps what is to be broken off
# Waits that are themselves what is tested, by file: that nothing comes meanwhile, that something
# takes so long, or that a killed server is away for a while. The list only becomes shorter.
WAITED = {
    "clients/test_retries.py": 2,
    "consolidation/test_fast.py": 1,
    "documents/test_fetch.py": 1,
    "kernel/test_departures.py": 1,
    "kernel/test_rests.py": 1,
    "mcp/test_edges.py": 1,
    "portability/test_kill.py": 1,
    "scenarios/test_event_kills.py": 1,
    "scenarios/test_import_kills.py": 1,
}


def naps(tree: ast.AST, looping: bool = False) -> int:
    """How often code sleeps for a fixed time, other than between two looks."""
    found = 0
    for node in ast.iter_child_nodes(tree):
        loops = looping or isinstance(node, ast.While | ast.For | ast.AsyncFor)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            loops = False
        if isinstance(node, ast.Call) and not loops and _sleeps(node):
            found += 1
        found += naps(node, loops)
    return found


def _sleeps(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return (
        name == "sleep"
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, int | float)
        and LEAST <= call.args[0].value < MOST
    )


def test_no_test_waits_for_a_time_to_pass() -> None:
    found = {
        str(file.relative_to(ROOT)): count
        for file in sorted(ROOT.rglob("*.py"))
        if (count := naps(ast.parse(file.read_text("utf-8"))))
    }
    assert found == WAITED


def test_a_nap_is_seen_and_a_look_is_none() -> None:
    assert naps(ast.parse("async def f():\n    await asyncio.sleep(1.1)\n")) == 1
    assert naps(ast.parse("async def f():\n    while not done():\n        time.sleep(0.5)\n")) == 0
    assert naps(ast.parse("asyncio.sleep(0.02)")) == 0
