"""Cursors name a place in an order; what none of ours made is refused by name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.errors import InvalidInput
from app.graphql.cursors import BEYOND, Order, by_fact, by_id, by_number, by_rank, by_time
from app.kernel.clock import FOREVER, START

AT = datetime(2026, 3, 1, 12, 30, 0, 123, tzinfo=UTC)
ORDERS: dict[str, tuple[Order, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "id": (by_id("page", "id"), {"page": {"id": "p"}}, {"after": "p"}, {"after": ""}),
    "newest id": (
        by_id("job", "id", newest=True),
        {"job": {"id": "j"}},
        {"after": "j"},
        {"after": "~"},
    ),
    "fact": (by_fact("fact", "id"), {"fact": {"id": "f"}}, {"after": "f"}, {"after": ""}),
    "newest": (
        by_time("at", "page"),
        {"page": {"id": "p", "at": AT}},
        {"after_at": AT, "after_id": "p"},
        {"after_at": FOREVER, "after_id": ""},
    ),
    "oldest": (
        by_time("at", "page", newest=False),
        {"page": {"id": "p", "at": AT}},
        {"after_at": AT, "after_id": "p"},
        {"after_at": START, "after_id": ""},
    ),
    "rank": (
        by_rank(("count",), ("key",)),
        {"count": 7, "key": "k"},
        {"after_rank": 7, "after_id": "k"},
        {"after_rank": BEYOND, "after_id": ""},
    ),
    "number": (by_number("before", 9, "v"), {"v": 3}, {"before": 3}, {"before": 9}),
}


@pytest.mark.parametrize("name", ORDERS)
def test_a_cursor_leads_back_to_its_row(name: str) -> None:
    order, row, place, beginning = ORDERS[name]
    assert order.read(order.write(row)) == place
    assert order.read(None) == beginning


@pytest.mark.parametrize("name", ["fact", "newest", "rank", "number"])
@pytest.mark.parametrize("text", ["p", "WyJhIl0=", "bnVsbA==", "1.5", "9" * 30, "é", "WzEsMl0="])
def test_what_is_no_cursor_is_refused(name: str, text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        ORDERS[name][0].read(text)
    assert caught.value.field == "cursor"
