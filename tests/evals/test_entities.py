"""Floors for telling records of one thing from records of two."""

from pathlib import Path

import pytest

from bench import entities

BENCH = Path(__file__).parents[2].parent / "shared" / "bench"
pytestmark = [
    pytest.mark.evals,
    pytest.mark.skipif(not BENCH.is_dir(), reason="no benchmark data beside the project"),
]


def test_what_is_held_to_be_one_is_one() -> None:
    figures = entities.evaluate(BENCH)
    assert {name: row["precision"] >= 0.98 for name, row in figures.items()} == dict.fromkeys(
        figures, True
    )
    assert figures["beers test"]["recall"] >= 0.75
    assert figures["restaurants test"]["recall"] >= 0.95
    assert figures["restaurants test"]["same"] == 22
