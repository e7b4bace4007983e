"""What the evaluation of updates counts."""

from __future__ import annotations

from typing import Any

import pytest

from bench.currency import outcome

SIDES = {"old": ["a"], "new": ["b", "c"]}


def hit(identifier: str, rank: int, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "rank": rank, "standing": "current", "later": [],
            "possible_changes": [], **more}  # fmt: skip


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        ([hit("b", 1), hit("a", 2, later=["b"])], ["above", "shown", "pointing"]),
        ([hit("a", 1, standing="past"), hit("c", 2)], ["shown", "marked"]),
        (
            [hit("b", 1), hit("a", 2, possible_changes=[{"passage": "c"}])],
            ["above", "shown", "told"],
        ),
        ([hit("b", 1), hit("a", 2, possible_changes=[{"passage": None}])], ["above", "shown"]),
        ([hit("x", 1), hit("c", 2)], ["above"]),
        ([hit("a", 1)], ["shown"]),
        ([hit("x", 1)], []),
    ],
)
def test_an_update_counts_where_the_newest_side_stands_above(
    hits: list[dict[str, Any]], said: list[str]
) -> None:
    told = outcome(hits, SIDES)
    assert [name for name in told if told[name]] == said
