"""Hostile files harm the process that reads them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.documents.media import Media
from app.documents.parsing import MIB, Limits
from app.documents.sandbox import parse_apart
from app.errors import FileEncrypted, FileRefused, FileTooLarge
from tests.documents.files import locked, pdf, word, word_of_entities


async def test_a_file_is_read_apart_as_it_is_read_here(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(word("Manual", [("Pumps", ["A pump moves water."])]))
    parsed = await parse_apart(path, Media.DOCX, Limits())
    assert parsed.title == "Manual"
    assert [h.title for h in parsed.headings] == ["Manual", "Pumps"]
    assert parsed.text.endswith("A pump moves water.")


@pytest.mark.parametrize(
    ("data", "media", "error", "limits"),
    [
        (locked([["x"]]), Media.PDF, FileEncrypted, Limits()),
        (pdf([["x"]] * 10_000), Media.PDF, FileTooLarge, Limits()),
        (word_of_entities(), Media.DOCX, FileRefused, Limits()),
        (b"x" * 100, Media.TEXT, FileTooLarge, Limits(size=99)),
        # More text than the memory that is left holds many times over.
        (b"<p>" + b"<b>x</b>" * 4_000_000, Media.HTML, FileRefused, Limits(memory=300 * MIB)),
        (b"> " * 40_000, Media.MARKDOWN, FileRefused, Limits(seconds=1)),
    ],
    ids=["encrypted", "10,000 pages", "entities", "size", "memory", "nesting"],
)
async def test_a_hostile_file_is_refused_with_a_reason(
    tmp_path: Path, data: bytes, media: Media, error: type[FileRefused], limits: Limits
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(error) as refused:
        await parse_apart(path, media, limits)
    assert refused.value.detail


async def test_time_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"[a](" * 200_000)
    with pytest.raises(FileTooLarge, match="seconds"):
        await parse_apart(path, Media.MARKDOWN, Limits(seconds=1))
