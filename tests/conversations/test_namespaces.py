"""Sentences of answers go where they belong: by cues, and as far as cues go."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.conversations.namespaces import (
    MOST,
    SHORTEST_ANSWER,
    Sorted,
    namespace_of,
    sorted_out,
)
from app.notes.model import Namespace

HERE = Path(__file__).parent
Row = dict[str, str]


def rows(name: str) -> list[Row]:
    """The sentences of a file."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


FIRST, LATER = rows("namespaces.jsonl"), rows("namespaces_later.jsonl")
# Written when the rules were done: the first 50 of these shaped them once more, by one half of
# them; the other 40 have no usual cue, and shaped nothing but what is left out as talk.
SHAPED, UNSEEN = LATER[:50], LATER[50:]


def halves(some: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The sentences that were looked at, and those that were not."""
    parts: tuple[list[Row], list[Row]] = ([], [])
    for row in some:
        parts[hashlib.sha256(row["text"].encode()).digest()[0] % 2].append(row)
    return parts


def got(row: Row) -> str:
    """Where the rules put a sentence."""
    return str(namespace_of(row["text"]) or "none")


def right(some: Sequence[Row]) -> int:
    """How many sentences are where they belong."""
    return sum(got(row) == row["is"] for row in some)


def test_the_half_that_was_looked_at_goes_where_it_belongs() -> None:
    seen, _ = halves(FIRST)
    assert right(seen) == len(seen) == 30  # 28 at first
    seen, _ = halves(SHAPED)
    assert right(seen) == len(seen) == 23  # 6 at first


def test_so_does_most_of_the_half_that_was_not() -> None:
    _, held_out = halves(FIRST)
    assert (right(held_out), len(held_out)) == (30, 30)
    _, held_out = halves(SHAPED)
    assert (right(held_out), len(held_out)) == (26, 27)  # 11 at first


def test_what_has_no_cue_is_knowledge_or_left_out() -> None:
    assert right(UNSEEN) >= 17  # of 40
    for row in UNSEEN:
        assert got(row) in (row["is"], "knowledge", "none"), row
    talk = [row for row in UNSEEN if row["is"] == "none"]
    assert right(talk) >= 7  # of 8


def test_an_answer_is_cut_into_its_sentences() -> None:
    answer = (
        "Here is what I found. The billing module runs on PostgreSQL 16.\n\n"
        "- **Use** the read replica for reports.\n"
        "- It turned out that the lock was held by the old job.\n\n"
        "```\nimport os\n```\n"
        "I have merged the fix. The billing module runs on PostgreSQL 16. Would you like more?"
    )
    assert sorted_out(answer) == [
        Sorted(Namespace.KNOWLEDGE, "The billing module runs on PostgreSQL 16."),
        Sorted(Namespace.METHODS, "Use the read replica for reports."),
        Sorted(Namespace.LEARNINGS, "It turned out that the lock was held by the old job."),
        Sorted(Namespace.PROJECT_STATE, "I have merged the fix."),
    ]


def test_a_short_answer_and_too_many_sentences() -> None:
    short = "The crane stands in yard 4, behind the shed."
    assert len(short) < SHORTEST_ANSWER
    assert sorted_out(short) == []
    assert len(sorted_out(f"{short} It is red and weighs 9 tons.")) == 2
    many = " ".join(f"The crane {n} stands in yard {n}." for n in range(40))
    assert len(sorted_out(many)) == MOST


@pytest.mark.parametrize("text", ["", " " * 60, "?" * 80, "\n" * 99, "- \n" * 40, "ja " * 40])
def test_nothing_comes_of_nothing(text: str) -> None:
    assert sorted_out(text) == []
