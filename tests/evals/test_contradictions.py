"""Floors for contradictions between two texts."""

from pathlib import Path

import pytest

from app.evals.jsonl import rows
from bench import contradictions

ROOT = Path(__file__).parents[2]
BENCH = ROOT.parent / "shared" / "bench"
GERMAN = ROOT / "seed" / "contradictions" / "de.jsonl"


def test_german_pairs_are_told_apart() -> None:
    pairs = list(rows(GERMAN))
    near = sum(row["label"] == "none" for row in pairs)
    figures = contradictions.score(pairs, "de", lambda row: row["kind"])
    assert len(pairs) >= 200
    assert near / len(pairs) >= 0.4
    assert figures["precision"] >= 0.97
    assert figures["recall"] >= 0.9
    assert figures["wrong"] < 0.01


@pytest.mark.evals
@pytest.mark.skipif(not BENCH.is_dir(), reason="no benchmark data beside the project")
def test_english_pairs_are_told_apart() -> None:
    figures = contradictions.evaluate(BENCH, GERMAN)
    for part in ("sick", "sick held out"):
        assert figures[part]["precision"] >= 0.97
        assert figures[part]["recall"] >= 0.7
        assert figures[part]["wrong"] < 0.005
    assert all(language["wrong"] == 0 for language in figures["alike"].values())
