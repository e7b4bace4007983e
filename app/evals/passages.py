"""Multi-hop questions over encyclopedia passages: 2WikiMultihopQA, MuSiQue, HotpotQA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.evals.jsonl import rows
from app.evals.recall import Corpus, Question, Record

CUTS = (2, 5, 10)


def load(folder: Path, *, hidden: bool = False) -> Corpus:
    """The passages of one data set and its questions; `folder` is for instance `2wiki`.

    With `hidden` titles, nothing but the text says what a passage is about.
    """
    records = tuple(
        Record(id=row["id"], text=row["text"], title="" if hidden else row["title"])
        for row in rows(folder / "corpus.jsonl")
    )
    questions = (_question(row) for row in rows(folder / "queries.jsonl"))
    name = f"{folder.name}-hidden" if hidden else folder.name
    return Corpus(name, records, tuple(question for question in questions if question.gold))


def _question(row: dict[str, Any]) -> Question:
    return Question(row["id"], row["question"], frozenset(row["gold"]), row["type"])
