"""Chunking: nothing is lost at a cut, headings are kept, and an edit changes its surroundings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.chunking import cut
from app.documents.model import Chunking, Heading, Piece, Strategy
from app.documents.semantic import cut_by_meaning
from app.errors import InvalidInput

WORDS = st.sampled_from(
    ["pump", "valve.", "Die", "Straße", "open!", "\n\n", "\n", " ", "  ", "[ip]", "𝕏", "x" * 90]
)
TEXTS = st.lists(WORDS, max_size=120).map(" ".join)
CHUNKINGS = st.builds(
    Chunking,
    size=st.integers(100, 400),
    overlap=st.integers(0, 50),
)


def whole(text: str, pieces: list[Piece]) -> str:
    return "".join(text[p.own : p.end] for p in pieces)


@st.composite
def headed(draw: st.DrawFn) -> tuple[str, list[Heading]]:
    text = draw(TEXTS)
    starts = draw(st.lists(st.integers(0, max(0, len(text) - 1)), unique=True, max_size=6))
    levels = st.integers(1, 4)
    return text, [Heading(s, draw(levels), f"H{s}") for s in sorted(starts)]


@given(headed(), CHUNKINGS)
def test_chunks_without_their_overlaps_are_the_text(
    given_text: tuple[str, list[Heading]], chunking: Chunking
) -> None:
    text, headings = given_text
    pieces = cut(text, headings, chunking)
    if not text.strip():
        assert pieces == []
        return
    assert whole(text, pieces) == text
    for piece in pieces:
        assert piece.start <= piece.own < piece.end
        assert piece.end - piece.start <= chunking.size
        assert piece.own - piece.start <= chunking.overlap


def test_a_long_text_without_any_space_is_cut_all_the_same() -> None:
    text = "x" * 5000
    pieces = cut(text, [], Chunking(size=1000, overlap=0))
    assert whole(text, pieces) == text
    assert {p.end - p.start for p in pieces} == {1000}


def paragraphs(count: int) -> list[str]:
    return [
        f"Paragraph {n} tells of pump {n * 7}. It was checked by hand. " + "Then it ran on. " * 4
        for n in range(count)
    ]


def test_paragraphs_are_cut_between_before_sentences_are() -> None:
    text = "\n\n".join(paragraphs(30))
    for piece in cut(text, [], Chunking(size=600, overlap=0))[:-1]:
        assert text[: piece.end].endswith("\n\n")


def test_an_overlap_repeats_whole_sentences() -> None:
    text = " ".join(paragraphs(30))
    pieces = cut(text, [], Chunking(size=600, overlap=120))
    for piece in pieces[1:]:
        assert 0 < piece.own - piece.start <= 120
        assert text[: piece.start].rstrip().endswith(".")


@pytest.mark.parametrize("text", ["", "  \n\n ", "A short text. It has two sentences."])
def test_a_short_text_is_one_chunk_and_blanks_are_none(text: str) -> None:
    pieces = cut(text, [], Chunking())
    assert [text[p.start : p.end] for p in pieces] == ([text] if text.strip() else [])


def test_a_larger_overlap_gives_more_chunks() -> None:
    text = " ".join(paragraphs(40))
    counts = [len(cut(text, [], Chunking(size=600, overlap=o))) for o in (0, 150, 300)]
    assert counts == sorted(set(counts))


def test_an_edit_changes_only_the_chunks_around_it() -> None:
    blocks = paragraphs(200)
    before = "\n\n".join(blocks)
    blocks[40] = "Something else stands here now. It is shorter."
    blocks.insert(90, "A new paragraph came in between, of quite another length than the rest.")
    after = "\n\n".join(blocks)
    chunking = Chunking(size=1000, overlap=100)
    old = {before[p.start : p.end] for p in cut(before, [], chunking)}
    new = {after[p.start : p.end] for p in cut(after, [], chunking)}
    assert len(new - old) <= 8
    assert len(new & old) >= len(old) - 8


def test_a_chunk_stands_under_its_headings() -> None:
    parts = [("# Pumps", 1), ("## Types", 2), ("## Care", 2), ("# Valves", 1)]
    text, headings = "", []
    for title, level in parts:
        headings.append(Heading(len(text), level, title.strip("# ")))
        text += title + "\n\n" + "It has to be looked after with care. " * 12 + "\n\n"
    pieces = cut(text, headings, Chunking(size=800, overlap=0))
    assert [p.path for p in pieces] == [
        ("Pumps",), ("Pumps", "Types"), ("Pumps", "Care"), ("Valves",),
    ]  # fmt: skip


def test_a_bare_heading_is_joined_to_the_section_below_it() -> None:
    text = "Manual\n\nPumps\n\n" + "They pump. " * 60
    headings = [Heading(0, 1, "Manual"), Heading(8, 2, "Pumps")]
    pieces = cut(text, headings, Chunking(size=1000, overlap=0))
    assert [(p.start, p.end, p.path) for p in pieces] == [(0, len(text), ("Manual", "Pumps"))]


def test_a_chunk_of_several_sections_stands_under_what_they_have_in_common() -> None:
    parts = [("Manual", 1), ("Pumps", 2), ("Types", 3), ("Care", 3), ("Valves", 2), ("Index", 1)]
    text, headings = "Read this first, please.\n\n", []
    for title, level in parts:
        headings.append(Heading(len(text), level, title))
        text += f"{title}\n\nShort.\n\n"

    def path(start: str, end: str) -> tuple[str, ...]:
        low, high = text.index(start), text.index(end) if end else len(text)
        inside = [h for h in headings if h.start >= low and h.start < high]
        moved = [Heading(h.start - low, h.level, h.title) for h in inside]
        (piece,) = cut(text[low:high], moved, Chunking(size=1000, overlap=0))
        return piece.path

    assert path("Types", "Valves") == ()  # Types, Care: nothing above them is in the text
    assert path("Pumps", "Valves") == ("Pumps",)
    assert path("Manual", "Index") == ("Manual",)
    assert path("Manual", "") == ()
    assert path("Read", "") == ()
    assert path("Read", "Index") == ()


async def test_semantic_chunks_are_cut_where_the_subject_changes() -> None:
    pumps = [f"The pump number {n} moves water." for n in range(14)]
    birds = [f"A bird number {n} sings a song." for n in range(14)]
    text = " ".join(pumps + birds)

    async def embed(sentences: list[str]) -> list[list[float]]:
        return [[1.0, 0.05] if "pump" in s else [0.05, 1.0] for s in sentences]

    chunking = Chunking(Strategy.SEMANTIC, size=600, overlap=0)
    pieces = await cut_by_meaning(text, [], chunking, embed)  # type: ignore[arg-type]
    assert whole(text, pieces) == text
    border = text.index("A bird number 0")
    assert border in [p.start for p in pieces]
    assert all(p.end - p.start <= 600 for p in pieces)


@given(headed(), CHUNKINGS, st.integers(0, 1000))
async def test_semantic_chunks_lose_nothing_either(
    given_text: tuple[str, list[Heading]], chunking: Chunking, seed: int
) -> None:
    text, headings = given_text
    rng = np.random.default_rng(seed)

    async def embed(sentences: list[str]) -> list[list[float]]:
        return [list(map(float, rng.random(3))) for _ in sentences]

    pieces = await cut_by_meaning(text, headings, chunking, embed)  # type: ignore[arg-type]
    assert whole(text, pieces) == (text if text.strip() else "")


@pytest.mark.parametrize(
    ("size", "overlap", "field"),
    [(99, 0, "chunk_size"), (8001, 0, "chunk_size"), (1000, 501, "chunk_overlap")],
)
def test_sizes_that_make_no_sense_are_refused(size: int, overlap: int, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Chunking(size=size, overlap=overlap).checked()
    assert refused.value.field == field
