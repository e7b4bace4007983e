"""An import holds a few batches at a time, however long its files are."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

from app.portability.chunks import WHOLE_LINES, chunks
from app.portability.kind import Rules
from app.portability.kinds import BY_NAME
from app.portability.package import PackedFile
from app.portability.prepare import prepare_chunk
from app.portability.progress import Mark

TAKEN = datetime(2026, 1, 1, tzinfo=UTC)
RULES = Rules(run="r", moment=TAKEN)


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


@pytest.mark.one_python  # memory is no matter of Python
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


def copies(path: Path, tasks: list[str]) -> PackedFile:
    """A file of a copied value for each of some tasks, in their order."""
    record = {
        "scope": "acme", "agent": "agent:acme:scout", "value": 1, "ingested_at": TAKEN,
        "expires_at": TAKEN,
    }  # fmt: skip
    lines = [record | {"task": t, "key": f"keys:k{n}"} for n, t in enumerate(tasks)]
    path.write_bytes(b"\n".join([*map(orjson.dumps, lines), b"no json", b""]))
    return PackedFile(path, BY_NAME["working_copy"])


def test_what_belongs_together_is_one_chunk_wherever_it_stands(tmp_path: Path) -> None:
    tasks = [f"t{n % 3}" for n in range(360)] + [f"u{n}" for n in range(150)]
    file = copies(tmp_path / "a.jsonl", tasks)
    with file.path.open("rb") as source:
        found = list(chunks(source, file, Mark(), rules=RULES))
        assert [(chunk.first, len(chunk.lines)) for chunk in found] == [
            (1, 120), (121, 120), (241, 120), (361, 100), (461, 51),
        ]  # fmt: skip
        assert found[1].numbers == tuple(range(2, 361, 3))
        assert sorted(n for chunk in found for n in chunk.numbered) == list(range(1, 512))
        assert found[-1].end == file.path.stat().st_size
        assert list(chunks(source, file, Mark(241, 0), rules=RULES)) == found[2:]
    done = [prepare_chunk(chunk, RULES, {}) for chunk in found]
    assert sum(len(one.rows) for one in done) == 510
    assert [reject.line for one in done for reject in one.rejects] == [511]


def test_a_whole_beyond_all_bounds_is_refused_unless_it_is_restored(tmp_path: Path) -> None:
    file = copies(tmp_path / "a.jsonl", ["t"] * (WHOLE_LINES + 1))
    bounded = replace(RULES, keeps=False)
    with file.path.open("rb") as source:
        refused, rest = chunks(source, file, Mark(), rules=bounded)
        assert all(len(chunk.lines) <= 100 for chunk in chunks(source, file, Mark(), rules=RULES))
    done = prepare_chunk(refused, bounded, {})
    assert (done.rows, len(done.rejects)) == ([], WHOLE_LINES + 1)
    assert done.rejects[0].reason == "TooLarge"
    assert rest.numbered == (WHOLE_LINES + 2,)
