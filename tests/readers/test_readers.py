"""Readers take time in proportion to a text: a fast part of `python -m tests.readers`."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import pytest

from app.retrieval.names import title_keys
from app.values.parse import parse_value
from tests.readers.measure import MOST, Measured, drawn, measure
from tests.readers.registry import READERS
from tests.readers.shapes import names, shapes, text_of
from tests.support.seeds import SEED

LIMIT = 12.0  # seconds of processor time for one text: the longest may take eight
SIZES = (
    12_500,
    100_000,
)  # characters: what is quadratic grows by eight times the text between them
LONGER = (100_000, 400_000)
PAIRS = 200  # drawn at least, and as many more as are read in ENOUGH
ENOUGH = 12.0  # seconds of processor time
BESIDE = 2.0  # other tests share caches and cores with this one
HOSTILE = (
    "blank_lines",
    "mail",
    "names_stopped",
    "distinct:stop",
    "openers",
    "initials",
    "square_lines",
    "code_indented_open",
    "turns",
    "quotes_said",
    "stops_and_close",
    "ended:stops",
    "ended:blanks",
)
# Of short sentences, names and marks: what each of them costs decides.
DENSE = (
    "prose_en",
    "prose_de",
    "blank_lines+word",
    "stops_spaced+emails_glued",
    "names_stopped",
    "turns",
    "lists",
    "mail+word",
    "tables",
    "quotes_low",
)
# Readers that went through a text again for each name, line or turn of it.
MENDED = (
    "extraction.extract",
    "extraction.mentions_en",
    "extraction.mentions_de",
    "extraction.voices",
    "extraction.sentences",
    "contradiction.read_de",
    "values.parse_value",
    "retrieval.title_keys",
    "documents.tidy",
)
# What questions and answers are read with, and a shape that made one of them quadratic.
ASKED = {
    "rag.is_overall": "asks_about",
    "rag.is_overall_asked": "asks_about",
    "rag.wanted_de": "declined",
    "rag.lacks": "distinct:blank",
    "rag.quoted": "names_stopped",
    "search.snippet": "prose_en",
    "tiers.compressed": "prose_en",
    "tables.labels": "labels_lines",
    "conversations.rewritten": "clauses",
    "embeddings.count_tokens": "blank_lines",
    "foreign.letta": "json_deep",
    "skills.titles": "word",
    "skills.structure": "ended:blank_lines",
}
SHORT = ("search.snippet", "colons_spaced")  # of very short sentences


def offence(reader: str, shape: str) -> Measured | None:
    """What was measured where a reader is bad on a shape, between longer texts too: one that goes
    another way from some length on is slower from there, and no square."""
    found = measure(reader, shape, SIZES, LIMIT, BESIDE)
    if found.bad(BESIDE):
        found = measure(reader, shape, LONGER, LIMIT, BESIDE)
    return found if found.bad(BESIDE) else None


@pytest.fixture(scope="module", autouse=True)
def only_own_garbage() -> Iterator[None]:
    """Collections of garbage leave aside what was there: a session holds millions of objects."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def test_there_are_enough_shapes() -> None:
    assert len(shapes()) >= 150
    assert all(len(text_of(name, 1000)) == 1000 for name in names())


@pytest.mark.parametrize("reader", MENDED)
@pytest.mark.parametrize("shape", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(reader: str, shape: str) -> None:
    assert reader in READERS
    assert offence(reader, shape) is None


@pytest.mark.parametrize(("reader", "shape"), [*ASKED.items(), SHORT])
def test_questions_and_answers_are_read_in_time_too(reader: str, shape: str) -> None:
    assert offence(reader, shape) is None


@pytest.mark.parametrize("shape", DENSE)
def test_a_dense_text_of_a_mebibyte_is_read_in_time(shape: str) -> None:
    size = 40_000
    tries = (measure("extraction.extract", shape, (size // 8, size), LIMIT) for _ in range(3))
    taken = []
    for found in tries:  # the first may have met all that runs beside it
        taken.append(found.seconds[size] * 2**20 / size / found.pace)
        if taken[-1] <= BESIDE * MOST:
            break
    assert min(taken) <= BESIDE * MOST


@pytest.mark.one_python  # the pairs of every day are read on all
def test_pairs_that_are_drawn_anew_each_day_are_read_in_time() -> None:
    """At least 200 of all readers and shapes, each judged at a size at which what is quadratic is
    seen; another day, or `TESTS_DRAWN`, draws others."""
    start, bad = time.process_time(), []
    for number, (reader, shape) in enumerate(drawn(SEED)):
        if number >= PAIRS and time.process_time() - start > ENOUGH:
            break
        if (found := offence(reader, shape)) is not None:
            bad.append(found)
    assert bad == [], f"TESTS_DRAWN={SEED}"


def quadratic(text: str) -> int:
    """How often letters follow their like, counted as nobody should."""
    return sum(text.count(text[at], 0, at) for at in range(0, len(text), 40))


def test_a_quadratic_reader_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that needs less than a tenth of a second for the size that is measured, too."""
    monkeypatch.setitem(READERS, "quadratic", quadratic)
    assert measure("quadratic", "word", SIZES).seconds[max(SIZES)] < 0.25
    assert offence("quadratic", "word") is not None


@pytest.mark.parametrize("end", [" x", ") x", ""])
def test_a_title_of_a_million_characters_is_read_at_once(end: str) -> None:
    start = time.process_time()
    title_keys("Page (" + " " * 1_000_000 + end)
    assert time.process_time() - start < 2.0


def test_what_is_longer_than_any_amount_is_a_text() -> None:
    value = parse_value("1" + "0" * 300)
    assert value is not None
    assert value.key.startswith("text:")
