"""The arithmetic of entries, to the digit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.contexts.drafting import Draft, entry_of, merged, reworded
from app.contexts.entries import Entry, MemoryType, text_of
from app.contexts.formulas import (
    boosted,
    confidence_is_high,
    decayed,
    experience_confidence,
    forgotten,
    importance_bucket,
    is_spent,
    is_stale_experience,
    recency,
    reduced,
    relevance,
    whole_days,
)
from app.contexts.model import Context, ContextType, Level, Reach, reach_of
from app.contexts.staleness import LEAST_AGE, Verdict, staleness
from app.errors import InvalidInput

DAY = timedelta(days=1)
AT = datetime(2027, 3, 1, 12, tzinfo=UTC)
WHO = "agent:acme:scout"
PLACE = Context(
    id="c", scope="acme/dev", name="n", type=ContextType.AGENT_MEMORY, owner=WHO,
    created_at=AT, changed_at=AT,
)  # fmt: skip


def entry(**more: Any) -> Entry:
    draft = Draft(**{"key": "k", "value": "v", **more})
    return entry_of(draft, PLACE, WHO, AT)


@pytest.mark.parametrize(
    ("importance", "confidence", "rate", "idle", "score"),
    [
        (0.8, 0.9, 0.1, 10, 0.2649),
        (None, None, None, None, 0.5),
        (0.8, 0.9, 0.1, None, 0.72),
        (0.8, 0.9, 0.0, 400, 0.72),
        (0.8, 0.9, None, 400, 0.72),
        (1.0, 1.0, 0.01, 30, 0.7408),
        (1.0, None, 0.5, 20, 0.0),
        (0.0, 1.0, 0.1, 1, 0.0),
        (0.333, 0.777, 0.02, 7.5, 0.2227),
    ],
)
def test_the_effective_relevance_score(
    importance: float | None, confidence: float | None, rate: float | None, idle: float | None,
    score: float,
) -> None:  # fmt: skip
    fresh = recency(rate, None if idle is None else idle * DAY)
    assert relevance(importance, confidence, fresh) == score
    read = None if idle is None else AT - idle * DAY
    stored = entry(importance=importance, confidence=confidence, decay_rate=rate)
    assert stored.model_copy(update={"last_accessed_at": read}).relevance(AT) == score


def test_recency_is_rounded_before_it_counts() -> None:
    assert recency(0.1, 10 * DAY) == 0.3679
    assert recency(0.1, -DAY) == 1.0


@pytest.mark.parametrize(
    ("before", "up", "down"),
    [
        (0.5, 0.6, 0.4),
        (None, 0.6, 0.4),
        (0.95, 1.0, 0.85),
        (1.0, 1.0, 0.9),
        (0.05, 0.15, 0.0),
        (0.0, 0.1, 0.0),
        (0.7, 0.8, 0.6),
    ],
)
def test_steps_of_importance(before: float | None, up: float, down: float) -> None:
    assert (boosted(before), reduced(before)) == (up, down)


def test_buckets_have_sharp_edges() -> None:
    sizes = (1.0, 0.7, 0.6999, 0.3, 0.2999, 0.0, None)
    told = ["high", "high", "medium", "medium", "low", "low", "medium"]
    assert [importance_bucket(size).value for size in sizes] == told
    assert [confidence_is_high(size) for size in (0.8, 0.7999, None)] == [True, False, True]


@pytest.mark.parametrize(
    ("more", "importance", "confidence"),
    [
        ({}, 0.5, 0.5),
        ({"failed": True}, 0.7, 0.5),
        ({"task_id": "t"}, 0.5, 0.6),
        ({"task_id": "t", "run_id": "r"}, 0.5, 0.7),
        ({"task_id": "t", "run_id": "r", "duration_ms": 0}, 0.5, 0.8),
        ({"task_id": "t", "run_id": "r", "duration_ms": 9, "from_agent": WHO}, 0.5, 0.9),
        ({"importance": 0.2, "failed": True}, 0.2, 0.5),
        ({"confidence": 0.1, "task_id": "t"}, 0.5, 0.1),
    ],
)
def test_an_experience_is_weighed(more: Any, importance: float, confidence: float) -> None:
    made = entry(memory_type=MemoryType.EXPERIENTIAL, agent=WHO, **more)
    assert (made.importance, made.confidence) == (importance, confidence)
    assert experience_confidence(9) == 1.0


def test_an_experience_of_nobody_is_refused() -> None:
    with pytest.raises(InvalidInput) as raised:
        entry(memory_type=MemoryType.EXPERIENTIAL)
    assert raised.value.field == "agent"


def test_a_fact_is_sure_and_does_not_fade() -> None:
    fact = entry(memory_type=MemoryType.FACTUAL, importance=0.4)
    assert (fact.confidence, fact.decay_rate, fact.importance) == (1.0, 0.0, 0.4)
    assert fact.faded(AT + 500 * DAY) == fact
    for name, value in (("decay_rate", 0.01), ("confidence", 0.9)):
        with pytest.raises(InvalidInput) as raised:
            entry(memory_type=MemoryType.FACTUAL, **{name: value})
        assert raised.value.field == name


@pytest.mark.parametrize(
    ("importance", "rate", "days", "left"),
    [
        (0.8, None, 0, 0.8),
        (0.8, None, 1, 0.792),
        (0.8, None, 10, 0.723506),
        (None, None, 30, 0.36985),
        (1.0, 0.05, 14, 0.487675),
        (0.5, 0.0, 365, 0.5),
        (0.5, 1.0, 1, 0.0),
    ],
)
def test_importance_fades_by_whole_days(
    importance: float | None, rate: float | None, days: int, left: float
) -> None:
    assert round(decayed(importance, rate, days), 6) == left
    stored = entry(importance=importance, decay_rate=rate)
    later = stored.faded(AT + days * DAY + timedelta(hours=23))
    assert round(0.5 if later.importance is None else later.importance, 6) == left
    assert later.faded(AT + days * DAY) == later, "run twice on one day it changes nothing"


def test_fading_day_by_day_is_fading_at_once() -> None:
    step = stored = entry(importance=0.9)
    for day in range(1, 41):
        step = step.faded(AT + day * DAY)
    assert step == stored.faded(AT + 40 * DAY)
    boosted_late = step.weighed(boosted(step.importance), AT + 40 * DAY)
    assert boosted_late.faded(AT + 40 * DAY) == boosted_late
    assert whole_days(AT, AT - DAY) == 0


def test_what_is_spent_and_what_is_stale() -> None:
    edges = [(0.0999, 30.001), (0.0999, 30), (0.1, 31), (None, 400)]
    assert [is_spent(i, d * DAY) for i, d in edges] == [True, False, False, False]
    edges = [(0.1999, 90.001), (0.1999, 90), (0.2, 91), (None, 400)]
    assert [is_stale_experience(i, d * DAY) for i, d in edges] == [True, False, False, False]
    assert [forgotten(i) for i in (0.8, 0.05, 0.0)] == [pytest.approx(0.08), 0.01, 0.01]
    assert forgotten(None) == 0.05


def test_staleness_has_three_factors() -> None:
    cases = [(30, None, 0.5, 0.59), (60, None, 0.2, 0.78), (90, 90, 0.1, 0.92), (90, 90, 0.5, 0.8)]
    for age, idle, importance, score in cases:
        found = staleness(age * DAY, None if idle is None else idle * DAY, importance)
        assert round(found.score, 4) == score
    assert staleness(10**4 * DAY, 10**4 * DAY, 0.5).verdict is Verdict.REVIEW


def test_the_text_of_a_content() -> None:
    assert text_of("plain") == "plain"
    assert text_of({"value": "v", "text": "t"}) == "t"
    assert text_of({"description": "d", "value": "v"}) == "v"
    assert text_of({"description": "d", "text": ""}) == "d"
    assert text_of({"value": {"b": 1, "a": 2}}) == '{"a":2,"b":1}'
    assert text_of([1, "x"]) == '[1,"x"]'
    assert len(text_of("x" * 20_000)) == 10_000


def test_the_same_content_in_another_order_is_the_same() -> None:
    stored = entry(value={"a": 1, "b": [True, None]})
    assert reworded(stored, {"b": [True, None], "a": 1}, WHO, AT) is None
    made = reworded(stored, {"a": 1.5}, WHO, AT)
    assert made is not None
    assert (made.version, made.value) == (2, {"a": 1.5})


def test_a_merge_keeps_the_most_important_and_the_most_of_each() -> None:
    low = entry(importance=0.4, confidence=0.9, tags=("a", "b"))
    high = entry(importance=0.6, confidence=0.5, tags=("b", "c"))
    low = low.model_copy(update={"access_count": 3, "last_accessed_at": AT})
    high = high.model_copy(update={"access_count": 4, "merged": ("z",)})
    kept, gone = merged([low, high], AT)
    assert (kept.id, kept.importance, kept.confidence, kept.access_count) == (high.id, 0.6, 0.9, 7)
    assert (kept.tags, kept.merged, kept.last_accessed_at) == (["b", "c", "a"], ("z", low.id), AT)
    assert [(each.id, each.active, each.reason) for each in gone] == [(low.id, False, "merged")]


@pytest.mark.parametrize(
    ("scope", "reach"),
    [
        ("acme", Reach.GLOBAL),
        ("acme/dev", Reach.ACCOUNT),
        ("acme/dev/team:web", Reach.TEAM),
        ("acme/dev/agent:scout", Reach.AGENT),
        ("acme/user:mia", Reach.AGENT),
    ],
)
def test_the_scope_says_the_reach(scope: str, reach: Reach) -> None:
    assert reach_of(scope) is reach


def test_grants_say_who_writes() -> None:
    other = "agent:acme:other"
    shared = PLACE.model_copy(update={"type": ContextType.SHARED_CONTEXT})
    for context, level, writes, manages in (
        (PLACE, None, False, False),
        (PLACE, Level.READ, False, False),
        (PLACE, Level.WRITE, True, False),
        (PLACE, Level.ADMIN, True, True),
        (shared, None, True, False),
        (shared, Level.READ, False, False),
    ):
        granted = context.model_copy(update={"grants": {other: level} if level else {}})
        assert (granted.writable_by(other), granted.managed_by(other)) == (writes, manages)
        assert granted.writable_by(WHO)


def test_nothing_younger_than_the_least_age_is_stale() -> None:
    for idle in (None, timedelta(0), 10**4 * DAY):
        for importance in (None, 0.0, 1.0):
            assert staleness(LEAST_AGE, idle, importance).verdict is Verdict.KEEP
    older = LEAST_AGE + timedelta(hours=2)
    assert staleness(older, 10**4 * DAY, 0.0).verdict is Verdict.REVIEW
    assert 12 * DAY < LEAST_AGE < 13 * DAY
