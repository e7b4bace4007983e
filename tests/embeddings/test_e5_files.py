from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.embeddings import e5_files
from app.errors import EmbedderUnavailable

pytestmark = pytest.mark.one_python  # what the model says is no matter of Python


@pytest.fixture
def cache(model_folder: Path, tmp_path: Path) -> Path:
    shutil.copytree(model_folder, tmp_path / model_folder.name)
    return tmp_path


def test_a_second_conversion_gives_the_same_bytes(model_folder: Path, tmp_path: Path) -> None:
    again = e5_files.ensure_model(tmp_path)
    marker = model_folder / e5_files.MARKER
    assert (again / e5_files.MARKER).read_bytes() == marker.read_bytes()


def test_a_damaged_file_is_noticed_and_made_again(cache: Path) -> None:
    folder = e5_files.ensure_model(cache)
    with (folder / e5_files.WORDS).open("r+b") as handle:
        handle.seek(4096)
        handle.write(b"\xff\x00\xff")
    assert not e5_files.is_complete(folder)
    assert e5_files.is_complete(e5_files.ensure_model(cache))


@pytest.mark.parametrize("marker", ["", "[]", '{"source": 1}', '{"files": {}}'])
def test_a_broken_marker_counts_as_absent(cache: Path, marker: str) -> None:
    folder = e5_files.ensure_model(cache)
    (folder / e5_files.MARKER).write_text(marker)
    assert not e5_files.is_complete(folder)


def test_two_starts_at_once_leave_one_model(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(e5_files.ensure_model, [tmp_path, tmp_path])
    assert first == second
    assert e5_files.is_complete(first)
    assert not list(tmp_path.glob(".e5-*"))


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(e5_files, "SOURCE_SHA256", "0" * 64)
    with pytest.raises(EmbedderUnavailable, match="not the weight file"):
        e5_files.ensure_model(tmp_path)
    assert not list(tmp_path.glob("*/"))


def test_a_cache_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder should be")
    with pytest.raises(EmbedderUnavailable, match="cannot write the model cache"):
        e5_files.ensure_model(tmp_path / "taken")


def test_a_failed_conversion_gives_its_reason(tmp_path: Path) -> None:
    source = tmp_path / "weights"
    source.write_bytes(b"no weights at all")
    with pytest.raises(EmbedderUnavailable, match="does not start as expected"):
        e5_files._convert(source, tmp_path)
