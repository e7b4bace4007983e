"""Tests that the pages of operations name are there, and so is all that a promise names besides."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python  # reads what stands in files

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = ROOT / "docs" / "operations"
NAMED = re.compile(r"`([a-z_/]+)(?:::(\w+))?`")
ROUTE = re.compile(r"`((?:GET|POST|PUT|PATCH|DELETE) /v1/[^`]+)`")
COMMAND = re.compile(r"`(loci [^`]+)`")
TOOL = re.compile(r"tool `([a-z_]+)`")
OTHERWISE = re.compile(r"decided otherwise: \[(\d{4})\]\((\.\./decisions/(\d{4})-[a-z0-9-]+\.md)\)")
MEASURED = re.compile(r"measured: \[benchmarks\]\(\.\./benchmarks\.md#[a-z-]+\)")
TESTS = re.compile(r"`[^`]+`(, `[^`]+`)*")
KINDS = (TESTS, OTHERWISE, MEASURED)
SLICES = (
    "contexts|conversations|escalations|goals|intents|intervention-policies|learned|learnings"
    "|mid-term-memory|notes|observations|own-memory|pools|scopes/settings|segments|short-term-memory"
    "|snapshots|tables|tiers|traces|turns|work-items|working-limits|working-memory|working-shares"
)
WITHOUT = ("no test", "not built", "not measured")


def rows_of(page: str, head: str) -> list[list[str]]:
    """The cells of all rows below a head; a cell holds no bar."""
    lines = (OPERATIONS / page).read_text("utf-8").splitlines()
    rows = [line.removeprefix("| ").removesuffix(" |") for line in lines if line.startswith("| ")]
    return [row.split(" | ") for row in rows if not row.startswith(("---", head))]


@cache
def functions_of(file: str) -> frozenset[str]:
    """The names that a file of tests defines."""
    tree = ast.parse((ROOT / "tests" / f"{file}.py").read_text("utf-8"))
    return frozenset(getattr(node, "name", "") for node in ast.walk(tree))


def absent(shown: str) -> list[str]:
    """The tests of a cell that are not there."""
    return [
        f"{file}::{function}"
        for file, function in NAMED.findall(shown)
        if not (ROOT / "tests" / f"{file}.py").is_file()
        or (function and function not in functions_of(file))
    ]


def reference(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def test_every_complaint_has_a_test_that_exists() -> None:
    complaints = rows_of("complaints.md", "Complaint ")
    assert len(complaints) > 25
    for complaint, shown in complaints:
        assert NAMED.findall(shown), complaint
        assert absent(shown) == [], complaint


def test_every_promise_has_a_test_that_exists_or_says_that_it_has_none() -> None:
    promises = rows_of("agent-memory.md", "Promise ")
    assert len(promises) > 200
    for promise, _, shown in promises:
        assert shown in WITHOUT or any(kind.fullmatch(shown) for kind in KINDS), promise
        assert all(function for _, function in NAMED.findall(shown)), promise
        assert absent(shown) == [], promise
    said = [promise for promise, _, _ in promises]
    assert [one for one in said if not one.endswith((".", ")."))] == []


@pytest.mark.parametrize(
    ("pattern", "page", "as_told"),
    [
        (ROUTE, "reference/http.md", "| `{}` |"),
        (COMMAND, "reference/cli.md", "## {}\n"),
        (TOOL, "guides/mcp.md", "\n| {} | `"),
    ],
    ids=["routes", "commands", "tools"],
)
def test_where_a_promise_is_found_is_there(
    pattern: re.Pattern[str], page: str, as_told: str
) -> None:
    told, whole = (
        reference(page),
        "\n".join(row[1] for row in rows_of("agent-memory.md", "Promise ")),
    )
    named = set(pattern.findall(whole))
    assert len(named) >= 8
    assert {one for one in named if as_told.format(one) not in told} == set()


def test_each_decision_that_says_otherwise_is_there() -> None:
    found = OTHERWISE.findall(reference("operations/agent-memory.md"))
    assert found
    for number, path, named in found:
        assert number == named
        assert (OPERATIONS / path).resolve().is_file(), path


def test_each_operation_of_agent_memory_is_promised() -> None:
    page = reference("operations/agent-memory.md")
    offered = re.findall(
        rf"^\| `(\w+ /v1/(?:{SLICES})(?:/[^`]*)?)` \|", reference("reference/http.md"), re.M
    )
    assert len(offered) > 120
    assert [one for one in offered if f"`{one}`" not in page] == []
