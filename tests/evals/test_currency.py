"""What the evaluation of updates counts."""

from __future__ import annotations

from typing import Any

import pytest

from app.evals.currency import outcome

SIDES = {"old": ["a"], "new": ["b", "c"]}


def hit(identifier: str, rank: int, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "rank": rank, "standing": "current", "later": [], **more}


@pytest.mark.parametrize(
    ("hits", "above", "shown", "marked", "pointing"),
    [
        ([hit("b", 1), hit("a", 2, later=["b"])], True, True, False, True),
        ([hit("a", 1, standing="past"), hit("c", 2)], False, True, True, False),
        ([hit("x", 1), hit("c", 2)], True, False, False, False),
        ([hit("a", 1)], False, True, False, False),
        ([hit("x", 1)], False, False, False, False),
    ],
)
def test_an_update_counts_where_the_newest_side_stands_above(
    hits: list[dict[str, Any]], above: bool, shown: bool, marked: bool, pointing: bool
) -> None:
    told = outcome(hits, SIDES)
    assert told == {"above": above, "shown": shown, "marked": marked, "pointing": pointing}
