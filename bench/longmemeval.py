"""LongMemEval: questions to an assistant's user, with the turns that answer them, pooled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.evals.jsonl import moment, rows
from bench.recall import Corpus, Question, Record

CUTS = (5, 10)


def load(folder: Path, *, haystack: bool = False) -> Corpus:
    """The evidence turns of all questions as one corpus, each distinct turn once.

    `haystack` adds the turns of the two complete haystacks as distractors.
    """
    pooled = {row["canonical"]: _evidence(row) for row in rows(folder / "evidence_turns.jsonl")}
    others = rows(folder / "s4_haystack_turns.jsonl") if haystack else ()
    canonical = _canonical_ids(folder)
    questions = (_question(row, canonical) for row in rows(folder / "queries.jsonl"))
    return Corpus(
        "longmemeval",
        (*pooled.values(), *(_distractor(row) for row in others)),
        tuple(question for question in questions if question.gold),
    )


def _canonical_ids(folder: Path) -> dict[str, str]:
    """The same turn occurs under several questions: its one id by every id that names it."""
    named = {}
    for row in rows(folder / "evidence_turns.jsonl"):
        named[row["turn_id"]] = named[row["canonical"]] = row["canonical"]
    return named


def _evidence(row: dict[str, Any]) -> Record:
    return Record(
        id=row["canonical"],
        text=row["text"],
        at=moment(row["session_datetime"]),
        session=row["canonical_session"],
        role=row["role"],
    )


def _distractor(row: dict[str, Any]) -> Record:
    return Record(
        id=f"{row['haystack']}/{row['turn_id']}",
        text=row["text"],
        at=moment(row["session_datetime"]),
        session=f"{row['haystack']}/{row['session']}",
        role=row["role"],
    )


def _question(row: dict[str, Any], canonical: dict[str, str]) -> Question:
    gold = frozenset(canonical[name] for name in row["evidence"])
    return Question(row["qid"], row["question"], gold, row["question_type"])
