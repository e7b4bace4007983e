from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from app.embeddings.windows import Span, split_windows

WORDS = st.lists(
    st.sampled_from(["Haus", "a", "Baum.", "Ende!", "x\n", "lang" * 9, "Über", "7,5", "…"]),
    max_size=120,
)


def tokens_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


@given(WORDS, st.integers(min_value=1, max_value=40))
def test_every_window_fits_and_none_is_lost(words: list[str], limit: int) -> None:
    text = " ".join(words)
    tokens = tokens_of(text)
    spans = split_windows(text, tokens, limit)
    assert (spans[0].start, spans[-1].end) == (0, len(text))
    for before, after in itertools.pairwise(spans):
        assert before.start < after.start <= before.end < after.end
    for span in spans:
        assert sum(span.start <= a and b <= span.end for a, b in tokens) <= limit


def test_windows_end_and_start_at_sentences() -> None:
    text = " ".join(f"Satz {n} hat genau sechs Wörter." for n in range(30))
    spans = split_windows(text, tokens_of(text), 50)
    parts = [text[span.start : span.end] for span in spans]
    assert all(part.startswith("Satz ") for part in parts)
    assert all(part.rstrip().endswith(".") for part in parts)


def test_neighbours_overlap_by_about_a_seventh() -> None:
    text = " ".join(f"w{n}" for n in range(1000))
    spans = split_windows(text, tokens_of(text), 100)
    for before, after in itertools.pairwise(spans):
        shared = len(text[after.start : before.end].split())
        assert 10 <= shared <= 16


def test_a_text_that_fits_is_one_window() -> None:
    assert split_windows("drei kurze Worte", tokens_of("drei kurze Worte"), 3) == [Span(0, 16)]
    assert split_windows("", [], 3) == [Span(0, 0)]
