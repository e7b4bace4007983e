from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from app.embeddings import tokens
from app.errors import Unavailable


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("Straßenbahnhaltestelle", 7)],
)
def test_counts_offline(text: str, count: int) -> None:
    assert tokens.count_tokens(text) == count


def test_spans_cover_the_text() -> None:
    text = "Grüße aus Köln 😀, 2024!"
    spans = tokens.token_spans(text)
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))


def test_an_empty_cache_is_filled_from_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "new"))
    fresh = tokens.encoding.__wrapped__()
    assert fresh.encode("hello world") == tokens.encoding().encode("hello world")
    assert len(list((tmp_path / "new").iterdir())) == 1


def test_a_cache_that_cannot_be_written_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "taken"))
    with pytest.raises(Unavailable, match="cannot be written"):
        tokens.encoding.__wrapped__()
