"""What is recorded of a question: pure."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.questions.model import Asked, Door, Outcome, Question, Searched, Status
from app.questions.record import fingerprint, quality, question_row, search_rows

AT = datetime(2026, 3, 1, tzinfo=UTC)


def search(*ids: str, floored: int = 0) -> Searched:
    return Searched("auto", "graph", "weighted", 40, ids, 12.5, (0.8, 0.6), floored, None)


def asked(outcome: Outcome, error: str | None = None) -> Question:
    what = Asked(Door.ANSWER, "Where is Ada?", "auto", 10)
    return Question("q1", what, "acme/dev", "acme", "agent:acme:a", AT, 31.25, outcome, error)


def test_quality_is_the_mean_similarity_in_percent() -> None:
    assert quality([0.8, 0.6]) == 70.0
    assert quality([]) is None


@pytest.mark.parametrize(
    ("outcome", "error", "status"),
    [
        (Outcome(("e1",)), None, Status.ANSWERED),
        (Outcome(searches=(search(floored=3),)), None, Status.EMPTY),
        (Outcome(), "EmbedderUnavailable", Status.FAILED),
    ],
)
def test_a_question_is_answered_empty_or_failed(
    outcome: Outcome, error: str | None, status: Status
) -> None:
    question = asked(outcome, error)
    row = question_row(question, None)
    assert (question.status, row["status"]) == (status, status.value)
    assert row["floored"] == outcome.floored


def test_equal_questions_have_one_fingerprint_and_two_tenants_never() -> None:
    assert fingerprint("acme", "Where is  Ada?") == fingerprint("acme", "where is ada? ")
    assert fingerprint("acme", "Where is Ada?") != fingerprint("other", "Where is Ada?")


def test_the_knowledge_bases_that_were_asked_are_kept() -> None:
    what = Asked(Door.ANSWER, "Where?", bases=("b2", "b1", "b2"))
    question = Question("q1", what, "acme/dev", "acme", "agent:acme:a", AT, 1.0)
    assert question_row(question, None)["knowledge_base_ids"] == ["b1", "b2"]
    assert question_row(asked(Outcome()), None)["knowledge_base_ids"] == []


def test_what_was_shown_is_kept_beside_words_only() -> None:
    question = asked(Outcome(("e1", "e2"), (0.9,), (search("e1"), search("e2", floored=1))))
    bare, worded = question_row(question, None), question_row(question, "Where is Ada?")
    assert (bare["words"], bare["shown"]) == (None, None)
    assert worded["shown"] == ["e1", "e2"]
    assert (worded["results"], worded["quality"], worded["avg_score"]) == (2, 90.0, 0.9)
    rows = search_rows(question)
    assert [(row["id"], row["results"], row["floored"]) for row in rows] == [
        ("q1~0", 1, 0),
        ("q1~1", 1, 1),
    ]
    assert {row["scope"] for row in rows} == {"acme/dev"}
