"""Readers take time in proportion to a text: a fast part of `python -m tests.readers`."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import pytest

from app.retrieval.names import title_keys
from app.values.parse import parse_value
from tests.readers.measure import GROWTH, MOST, measure
from tests.readers.registry import READERS
from tests.readers.shapes import names, shapes, text_of

LIMIT = 8.0  # seconds of processor time for one text
BESIDE = 2.0  # other tests share caches and cores with this one; what is quadratic grows by 8
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
}


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
    found = measure(reader, shape, (5_000, 40_000), LIMIT)
    assert found.growth() <= BESIDE * GROWTH, found


@pytest.mark.parametrize(("reader", "shape"), ASKED.items())
def test_questions_and_answers_are_read_in_time_too(reader: str, shape: str) -> None:
    found = measure(reader, shape, (5_000, 40_000), LIMIT)
    assert found.growth() <= BESIDE * GROWTH, found


@pytest.mark.parametrize("shape", DENSE)
def test_a_dense_text_of_a_mebibyte_is_read_in_time(shape: str) -> None:
    size = 40_000
    tries = (measure("extraction.extract", shape, (size // 8, size), LIMIT) for _ in range(3))
    taken = []
    for found in tries:  # the first may have met all that runs beside it
        taken.append(found.seconds[size] * 2**20 / size)
        if taken[-1] <= BESIDE * MOST:
            break
    assert min(taken) <= BESIDE * MOST


@pytest.mark.parametrize("end", [" x", ") x", ""])
def test_a_title_of_a_million_characters_is_read_at_once(end: str) -> None:
    start = time.process_time()
    title_keys("Page (" + " " * 1_000_000 + end)
    assert time.process_time() - start < 2.0


def test_what_is_longer_than_any_amount_is_a_text() -> None:
    value = parse_value("1" + "0" * 300)
    assert value is not None
    assert value.key.startswith("text:")
