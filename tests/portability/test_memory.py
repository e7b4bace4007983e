"""An import holds a few batches at a time, however long its files are."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import orjson

from app.portability.importer import chunks
from app.portability.kind import Rules
from app.portability.kinds import BY_NAME
from app.portability.package import PackedFile
from app.portability.prepare import prepare_chunk
from app.portability.progress import Mark

RULES = Rules(run="r", moment=datetime(2026, 1, 1, tzinfo=UTC))


def grown(path: Path, count: int) -> PackedFile:
    """A file of so many short episodes."""
    with path.open("wb") as out:
        for number in range(count):
            record = {"scope": "acme", "session": "s", "content": f"Line {number}."}
            out.write(orjson.dumps(record) + b"\n")
    return PackedFile(path, BY_NAME["episode"])


def peak(file: PackedFile, every: int) -> int:
    """Most bytes held while a file is read, and each so many chunks prepared."""
    tracemalloc.start()
    try:
        with file.path.open("rb") as source:
            for number, chunk in enumerate(chunks(source, file, Mark())):
                if number % every == 0:
                    prepare_chunk(chunk, RULES, {})
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_ten_times_the_records_need_no_more_memory(tmp_path: Path) -> None:
    first = grown(tmp_path / "warm.jsonl", 500)
    peak(first, 1)
    small = peak(grown(tmp_path / "a.jsonl", 5_000), 5)
    large = peak(grown(tmp_path / "b.jsonl", 50_000), 50)
    assert large < 1.5 * small + (1 << 20)


def test_lines_are_counted_and_marks_lead_to_the_same_line(tmp_path: Path) -> None:
    file = grown(tmp_path / "a.jsonl", 1234)
    with file.path.open("rb") as source:
        found = list(chunks(source, file, Mark()))
    assert [chunk.first for chunk in found] == [1, 501, 1001]
    assert found[-1].end == file.path.stat().st_size
    with file.path.open("rb") as source:
        (last,) = chunks(source, file, Mark(1001, found[1].end))
    assert last == found[-1]
