"""A figure of the benchmarks says where it comes from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
COMMIT = re.compile(r"[0-9a-f]{7}")


@pytest.mark.parametrize("section", [pytest.param(s, id=s.splitlines()[0]) for s in SECTIONS])
def test_a_section_has_its_command_and_says_whether_the_set_was_seen(section: str) -> None:
    assert re.match(r".+\n\nSeen while building: .+\.\n", section)
    assert re.search(r"`(?:python -m bench|loci page|pytest) ?[^`]*`", section)


@pytest.mark.parametrize("section", [pytest.param(s, id=s.splitlines()[0]) for s in SECTIONS])
def test_a_row_has_the_commit_that_it_was_measured_on(section: str) -> None:
    for table in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
        head, _, *rows = [line.strip("| \n").split("|") for line in table.splitlines()]
        assert head[-1].strip() == "commit", head
        for row in rows:
            assert COMMIT.fullmatch(row[-1].strip()), row
