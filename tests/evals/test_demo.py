"""The demo seed as a corpus to measure on."""

from __future__ import annotations

from pathlib import Path

from bench import demo

SEED = Path(__file__).parents[2] / "seed" / "demo"


def test_every_question_is_answered_by_a_record_of_the_corpus() -> None:
    corpus = demo.load(SEED)
    known = {record.id for record in corpus.records}
    assert len(known) == len(corpus.records)
    assert all(question.gold and question.gold <= known for question in corpus.questions)
    assert {q.category for q in corpus.questions} == {"same language", "across languages"}


def test_records_keep_their_moment_and_who_spoke() -> None:
    first = demo.load(SEED).records[0]
    assert first.at is not None
    assert first.at.isoformat() == "2026-03-02T08:05:00+00:00"
    assert (first.speaker, first.role) == ("Femke Oldag", "user")
