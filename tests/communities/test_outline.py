"""Centrality and what a summary shows: pure."""

from __future__ import annotations

import pytest

from app.communities.centrality import central, network
from app.communities.model import Central, Cite, Outline
from app.communities.outline import FACTS, OF_ONE, Text, Told, joined, outline

STAR = {"hub": {"a": 1.0, "b": 1.0, "c": 1.0}, "a": {}, "b": {}, "c": {"far": 5.0}, "far": {}}


def test_the_hub_of_a_star_is_central_and_scores_add_up_to_the_members() -> None:
    members = frozenset(("hub", "a", "b", "c"))
    scores = central(network(STAR.items()), [members])
    assert scores.keys() == members
    assert max(scores.values(), key=lambda one: one.score).entity == "hub"
    assert sum(one.score for one in scores.values()) == pytest.approx(4, abs=1e-6)
    # The edge that leaves the community does not count.
    assert scores["c"].score == pytest.approx(scores["a"].score)


def test_groups_do_not_touch_each_other() -> None:
    one = {"a": {"b": 1.0, "x": 9.0}, "b": {"c": 2.0}, "c": {}, "x": {"y": 1.0}, "y": {}}
    both = central(network(one.items()), [frozenset("abc"), frozenset("xy")])
    alone = central(network({k: one[k] for k in "abc"}.items()), [frozenset("abc")])
    assert {k: both[k] for k in "abc"} == alone


def test_an_edge_told_from_both_ends_weighs_both() -> None:
    graph = network({"a": {"b": 1.0}, "b": {"a": 2.0}, "c": {}}.items())
    assert (graph.left.tolist(), graph.right.tolist(), graph.weight.tolist()) == ([0], [1], [3.0])
    assert central(network([("a", {})]), [frozenset("a")])["a"].score == pytest.approx(1.0)
    assert network([]).weight.tolist() == []


SCORES = {name: Central(name, score) for name, score in {"a": 3.0, "b": 2.0, "c": 1.0}.items()}


def test_facts_weigh_what_their_entities_do_and_none_is_told_of_too_often() -> None:
    facts = [
        *(Told(f"f{n}", "a", None, 0.9) for n in range(5)),
        Told("ab", "a", "b", 0.9),
        Told("c", "c", None, 0.9),
    ]
    told = outline(SCORES, facts, []).facts
    assert [one.id for one in told] == ["ab", "f0", "f1", "c"]
    assert len(told) == OF_ONE + 1 <= FACTS


def test_sentences_cover_what_is_central_and_leave_out_what_lapsed() -> None:
    text = "Anna met Bert. Cleo slept."
    spans = ((0, "a"), (9, "b"), (15, "c"))
    chosen = outline(SCORES, [], [Text("p", text, spans), Text("q", "Cleo ran.", ((0, "c"),))])
    assert [(cite.id, text[cite.start : cite.end]) for cite in chosen.sentences[:1]] == [
        ("p", "Anna met Bert.")
    ]
    assert chosen.sentences[1] == Cite("q", 0, 9)
    lapsed = outline(SCORES, [], [Text("p", text, spans, ((0, 4),))])
    assert [text[cite.start : cite.end] for cite in lapsed.sentences] == ["Cleo slept."]


def test_an_outer_outline_takes_turns_and_depends_on_its_parts_alone() -> None:
    one = Outline((Central("a", 2.0),), (Cite("f1"), Cite("f2")), (Cite("p", 0, 3),))
    two = Outline((Central("b", 3.0),), (Cite("g1"),), ())
    both = joined([one, two])
    assert [c.entity for c in both.central] == ["b", "a"]
    assert [c.id for c in both.facts] == ["f1", "g1", "f2"]
    assert joined([both]) == both
    assert joined([]) == Outline()
