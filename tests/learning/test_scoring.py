"""Figures of the scorer and of ranks, to the digit; words of both languages."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.learning.quality import boost, quality, recency, skill_rank
from app.learning.scoring import (
    WEIGHTS,
    CheckKind,
    Overrides,
    Resolution,
    Spread,
    confidence_of,
    label_of,
    scored,
    structural_signal,
    tool_signal,
    verification_signal,
)
from app.learning.wording import assessment_of, continuation_of, likeness

HIGH = {"tool": 0.8, "verification": 0.95, "continuation": 0.85, "self_assessment": 0.7}
TEST, BUILD = CheckKind.TEST, CheckKind.BUILD


@pytest.mark.parametrize(
    ("signals", "over", "score", "label", "confidence"),
    [
        ({"tool": 0.8, "self_assessment": 0.7}, {}, 0.7571, "resolved", 0.7571),
        ({}, {}, 0.4, "unknown", 0.6),
        ({"structural": 0.6}, {}, 0.6, "partial", 0.6),
        ({"continuation": 0.15}, {}, 0.15, "failed", 0.85),
        ({"continuation": 0.05}, {}, 0.05, "abandoned", 0.95),
        (HIGH, {}, 0.8472, "resolved", 0.8472),
        (HIGH, {"cancelled": True}, 0.8472, "abandoned", 1.0),
        (HIGH, {"over_budget": True}, 0.8472, "failed", 0.9),
        ({"tool": 0.1}, {"tools_failed": True}, 0.1, "failed", 0.9),
        ({"verification": 0.95, "tool": 0.1, "self_assessment": 0.15}, {"verified": True},
         0.5038, "partial", 0.5038),
        ({"verification": 0.85, "continuation": 0.1, "tool": 0.1}, {"verified": True},
         0.5, "partial", 0.5),
        ({"verification": 0.15, "continuation": 0.85, "tool": 0.8, "self_assessment": 0.7},
         {"verified": False}, 0.49, "unknown", 0.51),
    ],
)  # fmt: skip
def test_scores_to_the_digit(
    signals: dict[str, float], over: dict[str, Any], score: float, label: str, confidence: float
) -> None:
    made = scored({**dict.fromkeys(WEIGHTS), **signals}, Overrides(**over))
    assert (made.score, made.label, made.confidence) == (score, label, confidence)


@pytest.mark.parametrize(
    ("outcomes", "signal"),
    [
        (None, None), ([], 0.5), ([True], 0.8), ([False, False], 0.1), ([True, True, False], 0.2),
        ([True, False, True], 0.7), ([False, True], 0.5), ([False, False, True], 0.5),
    ],
)  # fmt: skip
def test_what_tool_calls_say(outcomes: list[bool] | None, signal: float | None) -> None:
    assert tool_signal(outcomes) == signal


@pytest.mark.parametrize(
    ("checks", "signal"),
    [
        (None, None), ([], 0.5), ([(BUILD, True)], 0.85), ([(BUILD, True), (TEST, True)], 0.95),
        ([(TEST, True), (BUILD, False)], 0.15), ([(CheckKind.HEALTH, True)], 0.95),
        ([(CheckKind.CHECK, True)], 0.95),
    ],
)  # fmt: skip
def test_what_checks_say(checks: Any, signal: float | None) -> None:
    assert verification_signal(checks) == signal


def test_structure_needs_twenty_samples_and_two_deviations() -> None:
    few, many = Spread(19, 4.0, 1.0), Spread(20, 4.0, 1.0)
    assert structural_signal([(99.0, few)]) is None
    assert structural_signal([(None, many)]) is None
    assert structural_signal([(6.0, many)]) == 0.6, "the bound itself is not beyond it"
    assert structural_signal([(6.01, many)]) == 0.3
    assert structural_signal([(1.0, many), (7.0, many)]) == 0.3


def test_labels_begin_at_their_bounds() -> None:
    bounds = (0.7, 0.6999, 0.5, 0.4999, 0.3, 0.2999, 0.1, 0.0999)
    assert [label_of(score).value for score in bounds] == [
        "resolved", "partial", "partial", "unknown", "unknown", "failed", "failed", "abandoned"
    ]  # fmt: skip
    for score, sure in ((0.3, 0.5), (0.35, 0.55), (0.4, 0.6), (0.49, 0.51)):
        assert confidence_of(score, Resolution.UNKNOWN) == pytest.approx(sure)


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ("No, that's wrong.", "correction"), ("It still fails on Windows", "correction"),
        ("Nein, das meinte ich nicht", "correction"), ("Das stimmt so nicht.", "correction"),
        ("Danke, aber es geht immer noch nicht", "correction"), ("Thanks a lot!", "thanks"),
        ("No thanks, that's all", "thanks"), ("Perfekt, vielen Dank", "thanks"),
        ("Jetzt schreib bitte die Anleitung", "new_task"), ("Next, add a chart", "new_task"),
        ("repair the login page of the shop please", "rephrase"),
        ("Which colours did you use there?", "other"), ("Die Farbe ist blau", "other"),
    ],
)  # fmt: skip
def test_what_a_reply_says(reply: str, word: str) -> None:
    assert continuation_of("Repair the login page of the shop", reply) == word


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("I could not find the file.", "failure"), ("Das ist leider fehlgeschlagen.", "failure"),
        ("Ich konnte den Dienst nicht starten.", "failure"), ("It should work now", "hedging"),
        ("Vermutlich lag es am Cache.", "hedging"), ("Do you mean the old page?", "clarifying"),
        ("Welche von beiden meinst du?", "clarifying"), ("Ready for more?", "question"),
        ("All tests pass.", "done"), ("Ist erledigt.", "done"), ("The sky is blue.", "other"),
        ("Der Himmel ist blau.", "other"),
    ],
)  # fmt: skip
def test_what_an_answer_says(answer: str, word: str) -> None:
    assert assessment_of(answer) == word


def test_a_long_text_is_read_at_once() -> None:
    began = time.perf_counter()
    for text in ("konnte " * 200_000, "no " * 300_000, "i need more " * 100_000, "\n" * 900_000):
        continuation_of(text, text)
        assessment_of(text)
    assert time.perf_counter() - began < 5


def test_likeness_counts_words() -> None:
    assert likeness("a b", "B a") == pytest.approx(1.0)
    assert likeness("a b", "a c") == pytest.approx(0.5)
    assert likeness("", "a") == 0.0


def test_quality_and_ranks_to_the_digit() -> None:
    assert quality([]) == 0.5
    assert quality([(1, True)] * 7 + [(None, False)]) == pytest.approx(0.8)
    assert quality([(3, True)] + [(2, False)] * 7) == pytest.approx(0.2)
    assert quality([(4, True)] * 4) == pytest.approx(2 / 3), "low ranks count a quarter"
    assert skill_rank(0.5, 0.9, 1.0, 0.5) == 0.76
    assert skill_rank(0.5, None, 1.0, 0.5) == 0.75
    assert [boost(0.5, 0.6), boost(1.0, 9.0)] == [1.0, 1.6]
    assert boost(0.0, 0.6) == pytest.approx(0.4)
    at = datetime(2026, 3, 1, tzinfo=UTC)
    assert recency(at - timedelta(days=30), at) == 0.5
    assert (recency(None, at), recency(at + timedelta(days=1), at)) == (0.0, 1.0)
