"""Real files of this machine: each is read or refused with a reason, and none loses text."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from bench.documents import evaluate

PLACES = [Path(sysconfig.get_paths()["purelib"]), Path("/usr/share/doc")]
SUFFIXES = (".html", ".pdf", ".docx", ".md")
OF_A_KIND = 4


def found(suffix: str) -> list[Path]:
    """A few files of a kind, always the same ones of the same machine."""
    every = (
        path
        for place in PLACES
        if place.is_dir()
        for path in place.rglob(f"*{suffix}")
        if path.is_file() and 500 < path.stat().st_size < 2_000_000
    )
    return sorted(every)[:OF_A_KIND]


@pytest.mark.parametrize("suffix", SUFFIXES)
async def test_real_files_are_read_or_refused_with_a_reason(suffix: str, tmp_path: Path) -> None:
    files = found(suffix)
    if not files:
        pytest.skip(f"no file of the kind {suffix} lies on this machine")
    (row,) = (await evaluate(files, OF_A_KIND, tmp_path)).values()
    assert row["files"] == len(files)
    assert row["read"] + sum(row["refused"].values()) == len(files)
    assert row["lost"] == 0
    if row["read"]:  # of Word files there may be an empty template only
        assert row["characters"] > 0
    else:
        assert row["refused"] == {"FileBroken: the file holds no text": len(files)}
