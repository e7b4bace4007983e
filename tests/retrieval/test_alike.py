"""Which names may stand for which, and what a walk makes of it; everything here is pure."""

from __future__ import annotations

import numpy as np
import pytest

from app.retrieval.alike import MOST, Near, numbers, stands_for, widened
from app.retrieval.asking import asks
from app.retrieval.matrix import ALIKE, Linked, build
from app.retrieval.model import Begin, Edge
from app.retrieval.service import walk_all


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("henry viii", "henry vii", False),
        ("henry viii", "henry the eighth", True),
        ("henry viii", "henry 8", True),
        ("heinrich der achte", "heinrich viii", True),
        ("census 1998", "census 1999", False),
        ("1998 1999 season", "1999 1998 season", True),
        ("1998 1998 season", "1998 season", False),
        ("2nd battalion", "second battalion", True),
        ("2nd battalion", "3rd battalion", False),
        ("rocky", "rocky ii", False),
        ("route 66", "route 66a", False),
        ("boeing 737", "boeing 0737", True),
        ("xxxix corps", "39 corps", True),
        ("civic mix", "civil mix", True),  # no number: letters of a name
        ("ada roth", "adah roth", True),
    ],
)
def test_names_whose_numbers_differ_are_told_apart(one: str, other: str, same: bool) -> None:
    assert (numbers(one) == numbers(other)) is same
    near = [Near("n", other, 0.99)]
    assert bool(stands_for(one, near, 0.9)) is same


def test_a_name_stands_for_the_nearest_few() -> None:
    near = [Near(f"n{place}", f"name {'abcdef'[place]}", 0.99 - place / 100) for place in range(6)]
    chosen = stands_for("name", reversed(near), 0.965)
    assert chosen == near[:MOST]
    assert stands_for("name", near, 0.985) == near[:1]
    assert stands_for("name", [], 0.5) == []


PLAIN = {
    "film": Linked({"long mile": "title"}, {"adah roth": 1.0, "orla": 1.0}),
    "director": Linked({"ada roth": "title"}, {"orla": 1.0}),
    "namesake": Linked({"adah roth street": "title"}, {}),
}


def test_without_synonyms_the_graph_is_the_same() -> None:
    assert widened(PLAIN, {}) is PLAIN
    # Names that nobody goes by any more, and those that somebody goes by now, lead nowhere.
    for stale in ({"adah roth": ["gone"]}, {"ada roth": ["long mile"]}):
        before, after = build(PLAIN), build(widened(PLAIN, stale))
        for name in ("about", "mentions", "about_of", "mentions_of"):
            left, right = getattr(before, name), getattr(after, name)
            assert np.array_equal(left.indptr, right.indptr)
            assert np.array_equal(left.indices, right.indices)
            assert np.array_equal(left.data, right.data)
        assert np.array_equal(before.rarity, after.rarity)


def test_what_a_text_holds_itself_keeps_its_weight() -> None:
    linked = {
        **PLAIN,
        "both": Linked({"orla lake": "title"}, {"adah roth": 1.0, "ada roth": 0.3}),
        "own": Linked({"ada roth": "title"}, {"adah roth": 1.0}),
    }
    made = widened(linked, {"adah roth": ["ada roth"]})
    assert made["film"].names == {"adah roth": 1.0, "orla": 1.0, "ada roth": ALIKE}
    assert made["both"].names == linked["both"].names
    assert made["own"] is linked["own"]


def test_a_walk_goes_on_weakly_from_a_name_to_one_that_reads_alike_and_says_so() -> None:
    question = "Where was the director of The Long Mile born?"

    def walked(alike: dict[str, list[str]]) -> tuple[float, Edge | None]:
        graphs = {"s": build(widened(PLAIN, alike))}
        found = walk_all(graphs, asks(graphs, question), Begin({}, {}, {}), 10)
        path = found.paths.to("director")
        return found.scores.get("director", 0.0), path.steps[-1].edge if path else None

    without, edge = walked({})
    assert edge is Edge.SHARES  # by a name that nobody goes by
    within, edge = walked({"adah roth": ["ada roth"]})
    assert edge is Edge.ALIKE
    assert within > without > 0
