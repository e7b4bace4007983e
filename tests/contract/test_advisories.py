"""A locked version with a known advisory is named."""

from __future__ import annotations

import pytest

from tests.support.advisories import LOCK, advisories, pinned

pytestmark = pytest.mark.one_python  # reads what stands in files

KNOWN = {
    "Some_Package": [
        {"id": "GHSA-1", "advisory": "it breaks", "v": "<1.2||>=2.0,<2.4.1"},
        {"id": "GHSA-2", "advisory": "it breaks too", "v": "==3.0"},
    ]
}


@pytest.mark.parametrize(
    ("version", "found"),
    [("1.1.9", 1), ("1.2", 0), ("2.0", 1), ("2.4.0", 1), ("2.4.1", 0), ("3.0", 1), ("3.1", 0)],
)
def test_a_version_falls_under_its_advisories(version: str, found: int) -> None:
    lines = list(advisories(pinned(f"some.package[extra]=={version} \\\n"), KNOWN))
    assert len(lines) == found
    assert all(version in line and "GHSA-" in line for line in lines)


def test_a_range_that_cannot_be_read_is_told() -> None:
    known = {"a": [{"id": "GHSA-3", "advisory": "odd", "v": "before May"}]}
    (line,) = advisories([("a", "1.0")], known)
    assert "cannot be read" in line


def test_every_line_of_the_lock_file_is_read() -> None:
    lock = LOCK.read_text("utf-8")
    lines = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(pinned(lock)) == len(lines) > 100
