"""A figure of the benchmarks says where it comes from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python  # reads what stands in files

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
COMMIT = re.compile(r"[0-9a-f]{7}")
# What was said of figures that nobody could make again.
UNMADE = re.compile(r"no command for it|by hand|by a script|not been run yet|by the same function")


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


def test_the_commits_are_in_the_history() -> None:
    if _git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("this is no checkout with its history")
    named = set(re.findall(r"^\|.* ([0-9a-f]{7}) \|$", PAGE.read_text("utf-8"), re.MULTILINE))
    assert named
    assert [commit for commit in sorted(named) if _git("cat-file", "-t", commit) != "commit"] == []


@pytest.mark.parametrize("section", [pytest.param(s, id=s.splitlines()[0]) for s in SECTIONS])
def test_every_figure_can_be_made_again(section: str) -> None:
    assert UNMADE.findall(section) == []


def _git(*words: str) -> str:
    """What git says; nothing where there is no git or no repository."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip()
