"""Whatever order a search finds, nothing stands above what was said in its place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from app.facts.service import Moments
from app.indexing.entry import time_key
from app.search.hinted import hinted_first, hints_of
from app.search.model import Candidate

START = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def test_any_pool_is_put_in_order_and_keeps_the_rest() -> None:
    for seed in range(300):
        random = Random(seed)
        names = [f"m{number}" for number in range(random.randint(1, 9))]
        hints: dict[str, list[str]] = {name: [] for name in names}
        for place, name in enumerate(names[1:], start=1):
            if random.random() < 0.6:
                hints[random.choice(names[:place])].append(name)
        memories = {name: {"ingested_at": day(place)} for place, name in enumerate(names)}
        shown = random.sample(names, random.randint(0, len(names)))
        pool = [Candidate(name, 1 / (1 + place), {}) for place, name in enumerate(shown)]
        placed = hinted_first(pool, hints, memories)
        order = [candidate.id for candidate in placed]
        assert sorted(order) == sorted(shown)
        assert [c.score for c in placed] == [c.score for c in pool]
        for name in order:
            below = [one for one in hints[name] if one in order]
            assert all(order.index(one) < order.index(name) for one in below), (seed, order)
        untouched = {n for n in order if not hints[n] and all(n not in h for h in hints.values())}
        kept = [name for name in order if name in untouched]
        assert kept == [name for name in shown if name in untouched]


def test_a_hint_counts_from_when_it_was_said_and_known() -> None:
    memory = {"hints": [[time_key(day(5)), time_key(day(9)), "late"]]}
    cases = {(4, 20): (), (5, 9): ("late",), (8, 8): (), (20, 20): ("late",)}
    for (said, known), wanted in cases.items():
        assert hints_of(memory, Moments(day(said), day(known), False)) == wanted
