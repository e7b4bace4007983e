"""LoCoMo: long conversations of two people, and questions with the turns that answer them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from app.errors import InvalidInput
from app.evals.jsonl import moment, rows
from bench.recall import Corpus, Question, Record

CUTS = (5, 10, 20)
_STEP = timedelta(seconds=1)  # turns have only their session's time: the order is kept by seconds


def load(folder: Path) -> list[Corpus]:
    """One corpus for each conversation below `folder`, with the questions that have evidence.

    Raises InvalidInput (field `path`) where no conversation is found.
    """
    found = [_conversation(path) for path in sorted(folder.glob("conv-*")) if path.is_dir()]
    if not found:
        raise InvalidInput(f"no LoCoMo conversation in {folder}", field="path")
    return found


def _conversation(folder: Path) -> Corpus:
    records = tuple(_turn(row, place) for place, row in enumerate(rows(folder / "turns.jsonl")))
    known = {record.id for record in records}
    questions = (_question(row, known) for row in rows(folder / "qa.jsonl"))
    return Corpus(folder.name, records, tuple(q for q in questions if q.gold))


def _turn(row: dict[str, Any], place: int) -> Record:
    caption = row["image_caption"]
    return Record(
        id=row["dia_id"],
        text=f"{row['text']} [image: {caption}]" if caption else row["text"],
        at=moment(row["session_datetime"]) + place * _STEP,
        session=str(row["session"]),
        speaker=row["speaker"],
    )


def _question(row: dict[str, Any], known: set[str]) -> Question:
    gold = frozenset(row["evidence"]) & known
    return Question(row["qid"], row["question"], gold, row["category_name"])
