"""The demo seed: an invented company's talk, with questions in its two languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.evals.jsonl import moment, rows
from bench.recall import Corpus, Question, Record

CUTS = (5, 10, 20)


def load(folder: Path) -> Corpus:
    """Every episode of the seed, and the questions about it by whether they change the language.

    Raises InvalidInput (field `path`) where a file is missing.
    """
    return Corpus(
        "demo",
        tuple(_record(row) for row in rows(folder / "episodes.jsonl")),
        tuple(_question(row) for row in rows(folder / "gold" / "questions.jsonl")),
    )


def _record(row: dict[str, Any]) -> Record:
    return Record(
        id=row["id"],
        text=row["content"],
        at=moment(row["captured_at"]),
        # The package has one scope a place, the measurement one for all of it.
        session=f"{row['scope']} {row['session']}",
        speaker=row["speaker"],
        role=row["role"],
    )


def _question(row: dict[str, Any]) -> Question:
    across = "across languages" if row["cross_lingual"] else "same language"
    return Question(row["id"], row["question"], frozenset(row["gold"]), across)
