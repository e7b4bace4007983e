"""Every numbered demand of the protocol is shown by a test, and the guide tells by which."""

from __future__ import annotations

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
GUIDE = HERE.parents[1] / "docs" / "guides" / "agent-memory-protocol.md"
BEGIN, END = "<!-- demands: begin -->\n", "<!-- demands: end -->"
DEMAND = re.compile(r"\b(?:SPEC|V)-\d+\.\d+\.\d+\b")
# How many demands each chapter of the specification and of its kit has.
CHAPTERS = {
    "SPEC-1.1": 14, "SPEC-1.2": 8, "SPEC-1.3": 2, "SPEC-1.4": 2,
    "SPEC-2.1": 16, "SPEC-2.2": 12, "SPEC-2.3": 7, "SPEC-2.4": 8, "SPEC-2.5": 9, "SPEC-2.6": 5,
    "SPEC-2.7": 7, "SPEC-2.8": 3,
    "SPEC-3.1": 12, "SPEC-3.2": 7, "SPEC-3.3": 5, "SPEC-3.4": 4, "SPEC-3.5": 4, "SPEC-3.6": 2,
    "SPEC-3.7": 4,
    "SPEC-4.1": 2, "SPEC-4.2": 6, "SPEC-4.3": 8, "SPEC-4.4": 2, "SPEC-4.5": 3, "SPEC-4.6": 4,
    "SPEC-4.7": 4,
    "SPEC-5.1": 6, "SPEC-5.2": 4, "SPEC-5.3": 2, "SPEC-5.4": 3, "SPEC-5.5": 3,
    "V-5.1": 4, "V-5.2": 2, "V-5.3": 4, "V-5.4": 4, "V-5.5": 1,
}  # fmt: skip


def shown() -> dict[str, list[str]]:
    """The tests that show each demand, by what their docstrings name."""
    found: dict[str, list[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for demand in DEMAND.findall(ast.get_docstring(node) or ""):
                    found.setdefault(demand, []).append(f"{path.stem}::{node.name}")
    return found


def table() -> str:
    """The table of the guide: demands in their order, those of one test in one row."""
    rows: dict[str, list[str]] = {}
    for demand, tests in sorted(shown().items(), key=lambda item: _order(item[0])):
        rows.setdefault(", ".join(f"`{test}`" for test in tests), []).append(demand)
    lines = [f"| {', '.join(demands)} | {tests} |" for tests, demands in rows.items()]
    return "\n".join(["| Demands | Shown by, under `tests/agentmemory` |", "| --- | --- |", *lines])


def _order(demand: str) -> tuple[bool, list[int]]:
    return demand.startswith("V"), [int(number) for number in re.findall(r"\d+", demand)]


def test_every_demand_is_shown() -> None:
    wanted = {f"{chapter}.{n}" for chapter, most in CHAPTERS.items() for n in range(1, most + 1)}
    assert wanted ^ shown().keys() == set()


def test_the_guide_tells_what_shows_each_demand() -> None:
    told = GUIDE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert told.strip() == table(), "copy what `table()` gives into the guide"
