"""Relevance: what two witnesses say together, and what ranks and floors make of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.blending import RRF_WEIGHTS, fuse, rearranged
from app.search.classes import QueryClass
from app.search.imagining import between
from app.search.judging import Judge, by_features, ranked
from app.search.model import Candidate, Filters, Fusion, Leg, Nearness, Ranking, SearchRequest
from app.search.relevance import EVEN, FEW, VERY_NEAR, Asked, joint, relevance, stands_out

SHARES, LIKE = st.floats(0, 1), st.floats(0.01, 0.99)


def memory(text: str, about: str = "", language: str = "en") -> dict[str, str]:
    return {"terms": text, "about_terms": about, "language": language}


@given(SHARES, SHARES, LIKE, LIKE)
def test_more_of_either_never_makes_a_text_less_relevant(
    some: float, more: float, far: float, near: float
) -> None:
    some, more, far, near = *sorted((some, more)), *sorted((far, near))
    assert 0 <= joint(some, far) <= joint(more, near) <= 1
    assert joint(some, None) <= joint(more, None)


def test_witnesses_that_know_nothing_leave_even_odds() -> None:
    assert joint(EVEN, 0.5) == joint(EVEN, None) == 0.5
    assert joint(0.0, 0.1) < 0.1
    assert joint(1.0, 0.9) > 0.95
    assert 0.4 < joint(0.0, 0.9) < 0.6  # the two speak against each other


def test_words_count_by_any_form_in_the_text_and_in_what_it_is_about() -> None:
    asked = Asked.of("Where did Mia park the wombats?")
    assert len(asked.words) == 3
    assert asked.held(memory("the wombat sleep", "mia 2026")) == 2
    assert asked.held(memory("nothing")) == 0


def test_between_languages_the_vector_may_speak_alone() -> None:
    asked = Asked.of("Where is the warehouse of the company now?")
    foreign, own = memory("lager bremerhav", language="de"), memory("lager bremerhav")
    assert relevance(asked, foreign, 0.9) == pytest.approx(0.9)
    assert relevance(asked, own, 0.9) < 0.6
    assert relevance(asked, foreign, None) == relevance(asked, own, None) < 0.2


@pytest.mark.parametrize(
    ("question", "worded"),
    [
        ("what is xyzzy plugh quux?", False),
        ("was ist ein frobnikator?", False),
        ("Where are the snow chains?", True),
        ("Wo liegen die Schneeketten?", True),
        ("Wer hat das Handbuch geschrieben?", True),
        ("?", False),
    ],
)
def test_a_word_is_told_from_nonsense_by_its_letters(question: str, worded: bool) -> None:
    assert Asked.of(question).worded is worded


def test_a_vector_speaks_alone_where_no_other_is_as_near() -> None:
    odd = [0.7, *(0.3 for _ in range(FEW))]
    even = [0.7, *(0.6 for _ in range(FEW))]
    assert stands_out(odd[0], odd[1:])
    assert not stands_out(even[0], even[1:])
    assert stands_out(even[0], even[2:])  # too few to measure by
    assert stands_out(VERY_NEAR, [VERY_NEAR] * 10)


def test_of_nonsense_no_vector_speaks_alone() -> None:
    near = {"a": Nearness(0.82, "multilingual-e5-small")}
    question = "was ist ein frobnikator?"
    for terms, least, most in (("the lamp", 0.0, 0.5), ("frobnikator", 0.5, 1.0)):
        found = Judge(Asked.of(question), {"a": memory(terms)}, near).relevance("a")
        assert least <= found <= most
    real = Judge(Asked.of("Was ist eine Lampe?"), {"a": memory("the lamp")}, near)
    assert real.relevance("a") > 0.5


def test_a_question_without_a_word_is_judged_by_its_vector() -> None:
    assert relevance(Asked.of("?"), memory("a b"), 0.8) == pytest.approx(joint(EVEN, 0.8))


def candidate(name: str, score: float, *legs: str) -> Candidate:
    return Candidate(name, score, {leg: Leg(1, score) for leg in legs})


def judge(similar: dict[str, float], **texts: str) -> Judge:
    asked = Asked.of("wombat hangar nine")
    near = {name: Nearness(share, "none that was measured") for name, share in similar.items()}
    return Judge(asked, {name: memory(text) for name, text in texts.items()}, near)


def test_features_bring_up_what_both_witnesses_are_for() -> None:
    pool = [candidate("a", 1.0), candidate("b", 0.9), candidate("c", 0.5), candidate("d", 0.1)]
    similar = {"a": 0.5, "b": 0.9, "c": 0.95, "d": 0.99}
    texts = {"a": "wombat", "b": "wombat hangar nine", "c": "wombat", "d": "clover"}
    found = by_features(pool, judge(similar, **texts))
    # c is not closer than b by enough, and d holds less than any.
    assert [(c.id, c.score) for c in found] == [("b", 1.0), ("c", 0.9), ("a", 0.5), ("d", 0.1)]
    assert by_features([], judge({})) == []


@pytest.mark.parametrize(
    ("legs", "similar"),
    [(("graph",), {"a": 0.1, "b": 0.9}), ((), {"b": 0.9}), ((), {"a": 0.85, "b": 0.9}), ((), {})],
)
def test_features_leave_a_walk_its_order_and_move_nothing_without_a_reason(
    legs: tuple[str, ...], similar: dict[str, float]
) -> None:
    pool = [candidate("a", 1.0, *legs), candidate("b", 0.9, *legs)]
    found = by_features(pool, judge(similar, a="clover", b="wombat hangar nine"))
    assert found == pool


def test_a_model_s_ranking_moves_only_what_it_ranked() -> None:
    pool = [candidate("a", 0.9), candidate("b", 0.8), candidate("c", 0.7), candidate("d", 0.6)]
    found = ranked(pool, {"a": -3.0, "d": 5.0, "c": 1.0})
    assert [(c.id, c.score) for c in found] == [("d", 0.9), ("b", 0.8), ("c", 0.7), ("a", 0.6)]
    assert {c.id: c.legs.get("rerank") for c in found} == {
        "d": Leg(1, 5.0),
        "b": None,
        "c": Leg(2, 1.0),
        "a": Leg(3, -3.0),
    }


@given(st.dictionaries(st.text(max_size=3), st.floats(-5, 5), max_size=8), st.randoms())
def test_rearranging_keeps_the_scores(scores: dict[str, float], random: object) -> None:
    order = sorted(scores)
    random.shuffle(order)  # type: ignore[attr-defined]
    found = rearranged(order, scores)
    assert sorted(found.values()) == sorted(scores.values())
    assert list(found.values()) == sorted(found.values(), reverse=True)


def legs(**scores: dict[str, float]) -> dict[str, Ranking]:
    return {name: Ranking(found, dict.fromkeys(found, 0), set()) for name, found in scores.items()}


@pytest.mark.parametrize("fusion", Fusion)
def test_what_is_first_in_every_leg_has_the_score_one(fusion: Fusion) -> None:
    found = legs(keyword={"a": 9.0, "b": 2.0}, vector={"a": 0.9, "c": 0.8})
    scores = fuse(found, SearchRequest("who is it", Filters(["t"]), fusion=fusion))
    assert scores["a"] == pytest.approx(1.0)
    assert all(0 <= score <= 1 for score in scores.values())


@pytest.mark.parametrize("fusion", Fusion)
@pytest.mark.parametrize("titled", [set[str](), {"new", "far", "farther"}])
def test_what_has_no_vector_yet_is_weighed_by_its_words(fusion: Fusion, titled: set[str]) -> None:
    found = legs(keyword={"new": 9.0, "a": 4.0, "b": 2.0}, vector={"far": 0.8, "farther": 0.7})
    found = {name: replace(ranking, titled=titled) for name, ranking in found.items()}
    asked = SearchRequest("who is it", Filters(["t"]), fusion=fusion)
    placed = fuse(found, asked)
    found["keyword"] = replace(found["keyword"], unplaced=frozenset({"new"}))
    scores = fuse(found, asked)
    assert scores == placed | {"new": pytest.approx(1.0)}
    if fusion is not Fusion.SIMPLE:  # it takes no weights
        assert "new" not in fuse(found, replace(asked, weights=(0.0, 1.0)))


def test_ranks_count_by_the_class_of_the_question() -> None:
    assert set(RRF_WEIGHTS) == set(QueryClass)
    found = legs(keyword={"a": 9.0}, vector={"b": 0.9})
    for question, kind in (("who is it", "factual"), ('"the wombat"', "quote")):
        request = SearchRequest(question, Filters(["t"]), fusion=Fusion.RRF)
        words, vectors = RRF_WEIGHTS[QueryClass(kind)]
        scores = fuse(found, request)
        assert scores.get("b", 0.0) == pytest.approx(vectors / (words + vectors))


def test_the_direction_between_two_vectors() -> None:
    assert between([1.0, 0.0], [0.0, 1.0]) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert between([1.0, 0.0], [-1.0, 0.0]) == [1.0, 0.0]  # there is none: the question's own
